// CommitGate without an EventLoop: what is durable, what is full, what has failed.
#include "engine/link/commit/commit_gate.hpp"

#include <chrono>
#include <string>
#include <vector>

#include "support/medium_store.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

using namespace std::chrono_literals;
using testing::Medium;

class CommitGateComponent : public testing::FloorsTest {
 protected:
  void use_own_store() {
    store = "Store=program\nJournalStallTimeout=10";
    dependencies.store_factory = &place;
  }
  [[nodiscard]] std::expected<void, EngineError> open_store() {
    make_floors();
    return io().commit.open(settings_of(sessions_text), io().recovery);
  }
  // A record of the first session.
  void append(std::uint64_t msg_seq_num) {
    store::Transaction record;
    record.outbound_number(0, msg_seq_num);
    EXPECT_TRUE(io().commit.append(record).has_value());
    EXPECT_TRUE(record.empty());
  }

  testing::MediumPlace place;
};

TEST_F(CommitGateComponent, store_of_the_program_needs_a_program_that_brings_one) {
  store = "Store=program";
  const auto opened = open_store();
  ASSERT_FALSE(opened.has_value());
  EXPECT_TRUE(opened.error().text.contains("this program brings no store")) << opened.error().text;
}

TEST_F(CommitGateComponent, program_that_brings_a_store_must_use_it) {
  dependencies.store_factory = &place;
  const auto opened = open_store();
  ASSERT_FALSE(opened.has_value());
  EXPECT_TRUE(opened.error().text.contains("Store=program was expected")) << opened.error().text;
}

TEST_F(CommitGateComponent, only_the_journal_keeps_received_messages) {
  make_floors();
  Settings settings = settings_of(sessions_text);
  settings.sessions.back().journals_inbound = true;
  const auto opened = io().commit.open(settings, io().recovery);
  ASSERT_FALSE(opened.has_value());
  EXPECT_TRUE(opened.error().text.contains(
      "JournalInbound=Y: Store=journal or Store=postgresql was expected"))
      << opened.error().text;
}

TEST_F(CommitGateComponent, flush_makes_what_was_appended_durable) {
  use_own_store();
  open();
  store::LogPosition durable = 0;
  ASSERT_TRUE(io().commit.flush(durable));
  EXPECT_TRUE(io().commit.is_settled());
  append(1);
  EXPECT_FALSE(io().commit.is_settled());
  EXPECT_TRUE(io().commit.is_unflushed());
  EXPECT_TRUE(io().commit.waits_for_disk());
  EXPECT_LT(durable, io().commit.appended());
  ASSERT_TRUE(io().commit.flush(durable));
  EXPECT_EQ(durable, io().commit.appended());
  EXPECT_TRUE(io().commit.is_settled());
  EXPECT_FALSE(io().commit.is_unflushed());
  EXPECT_EQ(io().commit.wait_for(durable), CommitGate::Waited::Durable);
}

TEST_F(CommitGateComponent, failed_store_is_reported_once_and_takes_nothing_more) {
  use_own_store();
  open();
  append(1);
  place.medium.on_commit = Medium::Fault::Error;
  store::LogPosition durable = 0;
  EXPECT_FALSE(io().commit.flush(durable));
  EXPECT_FALSE(io().commit.flush(durable));
  io().commit.check();
  ASSERT_EQ(made->store_failures.size(), 1U);
  EXPECT_TRUE(made->store_failures.front().contains("the cable"));
  EXPECT_TRUE(io().commit.has_failed());
  EXPECT_FALSE(io().commit.has_room_for(1));
  EXPECT_EQ(loop().stats.store.health.read(), StoreStatistics::Health::Failed);
}

TEST_F(CommitGateComponent, wait_for_ends_with_a_failure_of_the_store) {
  use_own_store();
  open();
  append(1);
  place.medium.on_commit = Medium::Fault::Error;
  EXPECT_EQ(io().commit.wait_for(io().commit.appended()), CommitGate::Waited::Failed);
}

TEST_F(CommitGateComponent, store_stalls_when_nothing_is_durable_for_the_timeout) {
  use_own_store();
  open();
  store::LogPosition durable = 0;
  append(1);
  ASSERT_TRUE(io().commit.flush(durable));
  EXPECT_FALSE(io().commit.has_stalled(durable));
  append(2);
  const store::LogPosition before = durable - 1;
  EXPECT_FALSE(io().commit.has_stalled(before)) << "the time begins now";
  EXPECT_TRUE(io().commit.is_waiting());
  pass(10s - 1ns);
  EXPECT_FALSE(io().commit.has_stalled(before));
  pass(1ns);
  EXPECT_TRUE(io().commit.has_stalled(before));
  EXPECT_FALSE(io().commit.has_stalled(durable)) << "it has caught up";
  EXPECT_FALSE(io().commit.is_waiting());
}

TEST_F(CommitGateComponent, full_store_refuses_messages_until_check_finds_room) {
  use_own_store();
  open();
  EXPECT_TRUE(io().commit.has_room_for(1));
  place.medium.is_full = true;
  EXPECT_FALSE(io().commit.has_room_for(1));
  EXPECT_TRUE(log.has(EventId::StoreFull)) << log.all();
  EXPECT_EQ(loop().stats.store.health.read(), StoreStatistics::Health::Full);
  append(1);  // session messages go on
  place.medium.is_full = false;
  EXPECT_FALSE(io().commit.has_room_for(1)) << "after one refusal all are refused";
  io().commit.check();
  EXPECT_TRUE(io().commit.has_room_for(1));
  EXPECT_TRUE(log.has(EventId::StoreHasRoom)) << log.all();
}

TEST_F(CommitGateComponent, drain_refuses_messages_for_good) {
  open();
  io().commit.begin_drain();
  EXPECT_TRUE(io().commit.is_draining());
  EXPECT_FALSE(io().commit.has_room_for(1));
  io().commit.check();
  EXPECT_FALSE(io().commit.has_room_for(1));
  EXPECT_FALSE(io().commit.has_failed()) << "the sessions log out in order";
}

}  // namespace
}  // namespace nexusfix::engine
