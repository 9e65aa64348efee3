// DynamicSessions without an EventLoop: sessions of templates, on trial until their Logon.
#include <string>

#include "engine/session/sessions.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

class DynamicSessionsComponent : public testing::FloorsTest {
 protected:
  DynamicSessionsComponent() { sessions_text = session_text("*", "AcceptorTemplate=Y\n"); }

  [[nodiscard]] static session::SessionId client(std::string target_comp_id) {
    return {.begin_string = "FIX.4.4",
            .sender_comp_id = "VENUE",
            .target_comp_id = std::move(target_comp_id)};
  }
  void open_for(std::uint32_t names) {
    open();
    sessions().dynamic.limit({.all_max = names, .per_source_max = names});
  }
  [[nodiscard]] SessionEntry* make(std::string_view who) {
    const auto made =
        sessions().dynamic.make_dynamic(*accept().connection, client(std::string{who}));
    not_made = made ? NotMade{} : made.error();
    return made.value_or(nullptr);
  }
  NotMade not_made;  // why the last one was not made
  void free(SessionEntry& one) {
    EXPECT_TRUE(sessions().registry.remove(one));
    EXPECT_TRUE(sessions().registry.destroy_leaving());
    sessions().registry.free_destroyed(
        [this](SessionEntry& freed) { sessions().dynamic.forget(freed); });
  }
};

TEST_F(DynamicSessionsComponent, client_is_on_trial_and_stored_with_our_logon) {
  open_for(4);
  SessionEntry* const made = make("NEW");
  ASSERT_NE(made, nullptr);
  EXPECT_TRUE(made->stored.is_on_trial());
  EXPECT_TRUE(made->membership.is_dynamic());
  EXPECT_EQ(sessions().registry.entry_of(made->stored.handle_key()), made);
  EXPECT_EQ(io().commit.store().session_count(), 0U);
  sessions().dynamic.end_trial(*made, "5");
  EXPECT_EQ(io().commit.store().session_count(), 0U) << "a Logout refuses it";
  sessions().dynamic.end_trial(*made, "A");
  EXPECT_FALSE(made->stored.is_on_trial());
  EXPECT_TRUE(io().commit.store().find_session("FIX.4.4:VENUE->NEW").has_value());
  EXPECT_TRUE(log.has(EventId::SessionMadeOfTemplate, "made of the template")) << log.all();
}

TEST_F(DynamicSessionsComponent, name_that_could_be_a_path_makes_no_session) {
  open_for(4);
  for (const std::string_view name : {"..", "a/b", "A B", "", "A|B", "*"})
    EXPECT_EQ(make(name), nullptr) << name;
  EXPECT_EQ(make(std::string(65, 'X')), nullptr);
  EXPECT_NE(make(std::string(64, 'X')), nullptr);
  EXPECT_EQ(sessions().registry.entries().size(), 1U);
}

TEST_F(DynamicSessionsComponent, limit_counts_names_that_are_connected) {
  open_for(1);
  SessionEntry* const first = make("FIRST");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(make("SECOND"), nullptr);
  EXPECT_EQ(not_made.reason, NotMade::Reason::TooMany);
  free(*first);
  EXPECT_NE(make("SECOND"), nullptr) << "the name on trial gives up its place";
}

TEST_F(DynamicSessionsComponent, stored_name_needs_no_place_and_no_trial) {
  open_for(0);
  ASSERT_TRUE(
      io().commit.store().open_session("FIX.4.4:VENUE->KNOWN", clock.now().wall).has_value());
  SessionEntry* const known = make("KNOWN");
  ASSERT_NE(known, nullptr);
  EXPECT_FALSE(known->stored.is_on_trial());
  EXPECT_EQ(make("KNOWN"), nullptr) << "there is such a session";
}

TEST_F(DynamicSessionsComponent, numbers_of_a_trial_outlive_its_session) {
  open_for(4);
  SessionEntry* const made = make("NEW");
  ASSERT_NE(made, nullptr);
  made->machine.set_sequence_numbers({.next_inbound = 2, .next_outbound = 3});
  sessions().dynamic.record_trial(*made);
  free(*made);
  SessionEntry* const again = make("NEW");
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->machine.sequence_numbers(),
            (session::Numbers{.next_inbound = 2, .next_outbound = 3}));
}

}  // namespace
}  // namespace nexusfix::engine
