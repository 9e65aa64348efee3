// SessionRegistry without an EventLoop: which sessions there are, and how they are found.
#include "engine/session/registry/session_registry.hpp"

#include <string>
#include <vector>

#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

class SessionRegistryComponent : public testing::FloorsTest {
 protected:
  [[nodiscard]] SessionRegistry& registry() { return sessions().registry; }
  [[nodiscard]] SessionSettings new_session(std::string_view who) {
    return settings_of(session_text(who)).sessions.front();
  }
};

TEST_F(SessionRegistryComponent, session_is_found_by_name_and_key_with_the_numbers_of_the_store) {
  open();
  const auto key = io().commit.store().open_session("FIX.4.4:VENUE->NEW", clock.now().wall);
  ASSERT_TRUE(key.has_value());
  store::Transaction record;
  record.outbound_number(*key, 1);
  record.inbound_progress(*key, 7);
  ASSERT_TRUE(io().commit.append(record).has_value());
  const auto made = registry().make_entry(new_session("NEW"));
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(registry().find("FIX.4.4:VENUE->NEW"), *made);
  EXPECT_EQ(registry().find_acceptor("FIX.4.4:VENUE->NEW"), *made);
  EXPECT_EQ(registry().entry_of(*key), *made);
  EXPECT_TRUE((*made)->membership.is_active());
  EXPECT_EQ((*made)->machine.sequence_numbers(),
            (session::Numbers{.next_inbound = 7, .next_outbound = 2}));
  EXPECT_EQ(registry().find("FIX.4.4:VENUE->STRANGER"), nullptr);
  EXPECT_EQ(registry().entry_of(*key + 1), nullptr);
}

TEST_F(SessionRegistryComponent, name_that_the_store_refuses_makes_no_session) {
  open();
  const std::size_t count = registry().entries().size();
  SessionSettings settings = new_session("NEW");
  settings.session.id.target_comp_id = std::string(70'000, 'X');
  const auto refused = registry().make_entry(std::move(settings));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, store::StoreErrorCode::TooLarge);
  EXPECT_EQ(registry().entries().size(), count);
}

TEST_F(SessionRegistryComponent,
       removed_session_is_refused_at_once_and_freed_after_its_connection) {
  open();
  const auto [connection, peer] = log_on(entry());
  SessionEntry& removed = entry();
  const std::string name = removed.name;
  EXPECT_TRUE(registry().remove(removed));
  EXPECT_FALSE(registry().remove(removed)) << "it is closing already";
  EXPECT_EQ(registry().find_acceptor(name), nullptr);
  EXPECT_EQ(registry().find(name), &removed);
  EXPECT_FALSE(registry().destroy_leaving()) << "it has a connection";
  sessions().disconnector.close(*connection);
  EXPECT_TRUE(registry().destroy_leaving());
  EXPECT_EQ(registry().find(name), nullptr);
  EXPECT_TRUE(log.has(EventId::SessionRemoved, name)) << log.all();
  std::vector<const SessionEntry*> forgotten;
  const auto forget = [&](SessionEntry& one) { forgotten.push_back(&one); };
  registry().free_destroyed(forget);
  EXPECT_EQ(forgotten, std::vector<const SessionEntry*>{&removed});
  registry().free_destroyed(forget);
  EXPECT_EQ(forgotten.size(), 1U);
}

TEST_F(SessionRegistryComponent, session_that_was_taken_out_may_come_back_but_not_a_closing_one) {
  open();
  registry().deactivate(entry());
  registry().deactivate(entry());
  EXPECT_TRUE(entry().membership.is_out());
  EXPECT_EQ(registry().find_acceptor(entry().name), nullptr);
  registry().activate(entry());
  EXPECT_EQ(registry().find_acceptor(entry().name), &entry());
  EXPECT_TRUE(registry().remove(entry()));
  registry().activate(entry());
  EXPECT_TRUE(entry().membership.is_closing());
  EXPECT_EQ(registry().find_acceptor(entry().name), nullptr);
}

TEST_F(SessionRegistryComponent, active_initiator_connects_at_once_and_an_inactive_one_never) {
  sessions_text = session_text("VENUE2", kInitiator);
  open();
  EXPECT_TRUE(entry().connect_policy.wants_connection());
  EXPECT_EQ(loop().time.first_timer(), clock.now().mono);
  registry().deactivate(entry());
  EXPECT_FALSE(entry().connect_policy.wants_connection());
}

}  // namespace
}  // namespace nexusfix::engine
