// What a journal with a replica promises: what waits for what, what the replica has, and what
// another machine finds when it takes the replica over.
#include <chrono>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "replica_fixture.hpp"
#include "support/network/cutting_proxy.hpp"

namespace nexusfix::store {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using enum ReplicaPolicy;

class JournalReplica : public ReplicaFixture {};

TEST_F(JournalReplica, strict_bytes_wait_for_both) {
  open(Strict);
  append_durable(3);
  EXPECT_EQ(sql("SELECT count(*) FROM message_list"), "3");
  const LogPosition durable = store_->durable();
  Frozen frozen{server()};
  ASSERT_TRUE(append_next());
  ASSERT_TRUE(store_->flush());
  wait_until_lagging(true);
  EXPECT_THAT(wait_for(EventId::ReplicaLags), HasSubstr("Bytes wait for it"));
  EXPECT_EQ(store_->durable(), durable);
  EXPECT_GT(store_->appended(), durable);
  frozen.thaw();
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_THAT(wait_for(EventId::ReplicaCaughtUp), HasSubstr("has all of the journal again"));
  wait_until_lagging(false);
  EXPECT_EQ(read_all(*store_, key_), texts_until(4));
}

TEST_F(JournalReplica, available_bytes_wait_for_the_journal_alone) {
  open(Available);
  append_durable(3);
  wait_until_replicated();
  Frozen frozen{server()};
  append_durable(100);
  EXPECT_EQ(store_->durable(), store_->appended());
  wait_until_lagging(true);
  EXPECT_THAT(wait_for(EventId::ReplicaLags), HasSubstr("there is one copy"));
  const auto replica = store_->replica();
  EXPECT_TRUE(replica->lacks_since);
  EXPECT_GT(replica->log_end, replica->replicated_end);
  append_durable(1);
  frozen.thaw();
  wait_for(EventId::ReplicaCaughtUp);
  wait_until_replicated();
  EXPECT_EQ(sql("SELECT count(*) FROM message_list"), "104");
}

TEST_F(JournalReplica, available_goes_on_while_the_database_is_away) {
  open(Available);
  options_.postgres.outage_max = milliseconds{1};
  append_durable(3);
  server().stop(testing::PostgresServer::Stop::Immediate);
  append_durable(200);
  wait_until_lagging(true);
  append_durable(200);
  server().start();
  wait_for(EventId::ReplicaCaughtUp);
  wait_until_replicated();
  close();
  const auto taken = take_over();
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(read_all(*taken, 0), texts_until(403));
}

TEST_F(JournalReplica, strict_fails_when_the_database_is_away_for_too_long) {
  options_.postgres.outage_max = milliseconds{300};
  open(Strict);
  append_durable(3);
  const LogPosition durable = store_->durable();
  server().stop(testing::PostgresServer::Stop::Immediate);
  ASSERT_TRUE(append_next());
  const auto settled = settler_.settle(*store_);
  server().start();
  ASSERT_FALSE(settled);
  EXPECT_EQ(store_->durable(), durable);
  EXPECT_THAT(settled.error().text, HasSubstr("nothing was replicated for 300 ms"));
  EXPECT_FALSE(append_next());
  wait_for(EventId::StoreFailed);
  // The journal has it, and the next start replicates it.
  kill();
  open(Strict);
  EXPECT_EQ(read_all(*store_, key_), texts_until(4));
  close();
  EXPECT_EQ(read_all(*take_over(), 0), texts_until(4));
}

TEST_F(JournalReplica, starts_after_a_start_without_the_database) {
  const std::string connection = options_.postgres.connection;
  options_.postgres.connection = "host=/nonexistent";
  for (int i = 0; i < 2; ++i) {
    const auto opened = try_open(Available);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, StoreErrorCode::Server);
  }
  options_.postgres.connection = connection;
  auto opened = try_open(Available);
  ASSERT_TRUE(opened) << opened.error().text;
  EXPECT_FALSE(opened->report.power_lost);
  store_ = std::move(opened->store);
  EXPECT_TRUE(scan_all(*store_).empty());  // as an application that recovers does
  key_ = open_session(*store_, "A");
  append_durable(3);
}

TEST_F(JournalReplica, starts_from_a_journal_that_had_no_replica) {
  {
    auto opened = open_or_fail(disk_, options_.journal);
    const SessionKey key = open_session(*opened.store, "A");
    for (std::uint64_t number = 1; number <= 50; ++number) {
      ASSERT_TRUE(append_message(*opened.store, key, number, text_of(number)));
    }
    ASSERT_TRUE(append(*opened.store, [&](Transaction& t) { t.reset(key); }));
    ASSERT_TRUE(append_message(*opened.store, key, 1, text_of(1)));
    ASSERT_TRUE(opened.store->close());
  }
  open(Strict);
  append_durable(2);
  close();
  const auto taken = take_over();
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->session(0).epoch, 2U);
  EXPECT_EQ(read_all(*taken, 0), texts_until(3));
  EXPECT_EQ(scan_all(*taken).size(), 53U);
}

TEST_F(JournalReplica, starts_from_a_journal_whose_first_segments_are_gone) {
  options_.journal.segment_bytes = 16U << 10U;
  options_.journal.retention = {.keep_bytes = 64U << 10U, .even_current = true};
  options_.journal.sync_interval = milliseconds{1};
  std::uint64_t retired = 0;
  SessionRecord record;
  {
    auto opened = open_or_fail(disk_, options_.journal);
    const SessionKey key = open_session(*opened.store, "A");
    open_session(*opened.store, "B");
    for (std::uint64_t number = 1; retired < 100; ++number) {
      ASSERT_TRUE(append(*opened.store, [&](Transaction& t) {
        t.inbound_progress(key, number + 1);
        t.outbound_message(key, number, text_of(number) + std::string(1'000, '.'));
      }));
      ASSERT_TRUE(settler_.settle(*opened.store));
      retired = opened.store->retired_until(key);
    }
    record = opened.store->session(key);
    ASSERT_TRUE(opened.store->close());
  }
  open(Strict);
  ASSERT_TRUE(append_next());
  ASSERT_TRUE(settler_.settle(*store_));
  close();
  const auto taken = take_over();
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->find_session("B"), SessionKey{1});
  EXPECT_EQ(taken->session(0).next_inbound, record.next_inbound);
  EXPECT_EQ(taken->session(0).next_outbound, record.next_outbound + 1);
  const auto kept = read_all(*taken, 0);
  ASSERT_FALSE(kept.empty());
  EXPECT_EQ(kept.back().number, record.next_outbound);
}

TEST_F(JournalReplica, catches_up_after_a_time_without_it) {
  open(Strict);
  append_durable(5);
  close();
  {
    auto opened = open_or_fail(disk_, options_.journal);
    for (std::uint64_t number = 6; number <= 10; ++number) {
      ASSERT_TRUE(append_message(*opened.store, 0, number, text_of(number)));
    }
    ASSERT_TRUE(opened.store->close());
  }
  open(Available);
  wait_until_replicated();
  append_durable(1);
  close();
  EXPECT_EQ(read_all(*take_over(), 0), texts_until(11));
}

TEST_F(JournalReplica, a_strict_replica_is_taken_over_with_everything_that_was_sent) {
  open(Strict);
  append_durable(7);
  kill();
  const auto taken = take_over();
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(read_all(*taken, 0), texts_until(7));
  EXPECT_EQ(taken->session(0).next_outbound, 8U);
  EXPECT_TRUE(taken->lost_numbers(0).empty());
  std::string events;
  while (const auto event = taken->take_event()) {
    if (event->id == EventId::ReplicaTakenOver) events += event->text;
  }
  EXPECT_THAT(events, HasSubstr("everything that was sent"));
  EXPECT_THAT(events, HasSubstr("JournalReplica=strict"));
}

TEST_F(JournalReplica, an_available_replica_that_was_closed_in_order_is_complete) {
  open(Available);
  append_durable(7);
  close();
  const auto taken = take_over();
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->session(0).next_outbound, 8U);
  EXPECT_EQ(read_all(*taken, 0), texts_until(7));
}

TEST_F(JournalReplica, a_new_owner_skips_every_number_that_may_have_been_used) {
  testing::CuttingProxy proxy{server().socket_file()};
  options_.postgres.host = proxy.host();
  open(Available);
  append_durable(5);
  wait_until_replicated();
  proxy.stall(true);  // the machine is cut off, and sends on
  append_durable(100);
  open_session(*store_, "B");
  ASSERT_TRUE(append_message(*store_, 1, 1, "b"));
  const std::uint64_t used = store_->session(key_).next_outbound - 1;
  kill();
  proxy.cut_now();
  options_.postgres.host.clear();
  auto taken = take_over();
  ASSERT_NE(taken, nullptr);
  EXPECT_GT(taken->session(0).next_outbound, used);
  EXPECT_EQ(taken->session(0).next_outbound, 6U + options_.numbers_ahead_max);
  ASSERT_EQ(taken->lost_numbers(0).size(), 1U);
  EXPECT_EQ(taken->lost_numbers(0)[0], (NumberRange{6, 5 + options_.numbers_ahead_max}));
  std::string incomplete;
  std::string skipped;
  while (const auto event = taken->take_event()) {
    if (event->id == EventId::ReplicaIncomplete) incomplete += event->text;
    if (event->id == EventId::SequenceNumbersSkipped) skipped += event->text;
  }
  EXPECT_THAT(incomplete, HasSubstr("may be missing"));
  EXPECT_THAT(skipped, HasSubstr("A: MsgSeqNum 6 to 1005 are skipped"));
  // A session that it lacks may have used numbers, too; also after a restart.
  taken.reset();
  taken = take_over();
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->session(0).next_outbound, 6U + options_.numbers_ahead_max);
  const SessionKey b = open_session(*taken, "B");
  EXPECT_EQ(taken->session(b).next_outbound, 1U + options_.numbers_ahead_max);
}

TEST_F(JournalReplica, a_session_that_has_used_its_numbers_waits_for_the_replica) {
  options_.numbers_ahead_max = 10;
  open(Available);
  append_durable(1);
  wait_until_replicated();
  append_durable(1);  // so that the limit is counted from what the replica has
  wait_until_replicated();
  Frozen frozen{server()};
  LogPosition free_until = 0;
  std::uint64_t waits_from = 0;
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(append_next());
    ASSERT_TRUE(store_->flush());
    if (store_->durable() == store_->appended()) {
      free_until = store_->appended();
    } else if (waits_from == 0) {
      waits_from = store_->session(key_).next_outbound - 1;
    }
  }
  EXPECT_EQ(store_->durable(), free_until);
  EXPECT_GE(waits_from, 3U + 8U);
  EXPECT_LE(waits_from, 2U + 11U);
  wait_for(EventId::ReplicaNumbersUsed);
  frozen.thaw();
  ASSERT_TRUE(settler_.settle(*store_));
  wait_until_replicated();
  append_durable(5);
}

TEST_F(JournalReplica, the_owner_of_the_journal_is_fenced_by_a_take_over) {
  for (const ReplicaPolicy policy : {Strict, Available}) {
    options_.journal.folder = folder_.file(policy == Strict ? "strict" : "available");
    options_.postgres.schema = fresh_schema();
    open(policy);
    append_durable(5);
    wait_until_replicated();
    // The process is stopped, as far as the database sees: its connection is ended, and the lock is
    // free. Another machine takes it over meanwhile.
    const std::string schema = options_.postgres.schema;
    std::unique_ptr<Store> taken;
    while (taken == nullptr) {
      sql("SELECT pg_terminate_backend(l.pid) FROM pg_locks l WHERE l.locktype = 'advisory' AND "
          "(l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('nexusfix log ' || '" +
          schema + "', 0)");
      PostgresOptions options = options_.postgres;
      options.on_durable = {};
      options.lock_wait = milliseconds{100};
      if (auto opened = open_postgres(options)) taken = std::move(*opened);
    }
    const LogPosition durable = store_->durable();
    std::vector<LogPosition> ends;  // of the messages after it
    for (;;) {
      const auto appended = append_next();
      if (!appended) {
        EXPECT_EQ(appended.error().code, StoreErrorCode::Failed);
        EXPECT_THAT(appended.error().text, HasSubstr("taken over"));
        break;
      }
      ends.push_back(*appended);
      static_cast<void>(store_->flush());
      std::this_thread::sleep_for(milliseconds{1});
    }
    // What may have left.
    std::uint64_t used = 5;
    for (const LogPosition end : ends) used += end <= store_->durable() ? 1 : 0;
    if (policy == Strict) {
      EXPECT_EQ(store_->durable(), durable);
    }
    wait_for(EventId::StoreFailed);
    EXPECT_GT(taken->session(0).next_outbound, used);
    kill();
    // Nor does it start again.
    taken->close().value();
    taken.reset();
    const auto again = try_open(policy);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, StoreErrorCode::Refused);
    EXPECT_THAT(again.error().text, HasSubstr("was taken over"));
  }
}

TEST_F(JournalReplica, the_log_of_another_journal_is_refused) {
  open(Strict);
  append_durable(5);
  close();
  const std::string journal = std::exchange(options_.journal.folder, folder_.file("other"));
  const auto other = open_replicated_journal(disk_, options_, at_second(60));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, StoreErrorCode::Refused);
  EXPECT_THAT(other.error().text, HasSubstr("another journal"));
  // Nor if the replica has not begun yet.
  const std::string source = sql("SELECT source FROM log_state");
  sql("UPDATE log_state SET source = ARRAY[source[1], 0, 0, 0, 0]");
  const auto again = open_replicated_journal(disk_, options_, at_second(60));
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().text, HasSubstr("the replica of another journal"));
  sql("UPDATE log_state SET source = '" + source + "'");
  // Nothing was changed by that.
  options_.journal.folder = journal;
  open(Strict);
  append_durable(1);
  EXPECT_EQ(sql("SELECT count(*) FROM message_list"), "6");
}

TEST_F(JournalReplica, another_database_is_refused) {
  open(Strict);
  append_durable(5);
  close();
  const std::string schema = std::exchange(options_.postgres.schema, fresh_schema());
  for (int i = 0; i < 2; ++i) {
    const auto other = try_open(Strict);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, StoreErrorCode::Refused);
    EXPECT_THAT(other.error().text, HasSubstr("the journal had a replica before"));
    EXPECT_THAT(other.error().text, HasSubstr("/cursors/replica"));
  }
  options_.postgres.schema = schema;
  open(Strict);
  append_durable(1);
  close();
  // A new replica that is meant.
  options_.postgres.schema = fresh_schema();
  ASSERT_TRUE(disk_.remove(options_.journal.folder + "/cursors/replica"));
  open(Strict);
  close();
  EXPECT_EQ(read_all(*take_over(), 0), texts_until(6));
}

TEST_F(JournalReplica, a_log_of_its_own_is_refused) {
  {
    auto log = take_over();
    open_session(*log, "A");
    ASSERT_TRUE(log->close());
  }
  auto opened = try_open(Strict);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, StoreErrorCode::Refused);
  EXPECT_THAT(opened.error().text, HasSubstr("a log of its own"));
}

TEST_F(JournalReplica, a_replica_that_is_ahead_of_the_journal_is_refused) {
  open(Strict);
  append_durable(5);
  close();
  const std::string copy = folder_.file("copy");
  const std::string command = "cp -a " + options_.journal.folder + " " + copy;
  ASSERT_EQ(std::system(command.c_str()), 0);
  open(Strict);
  append_durable(5);
  kill();
  // An older copy of the journal is restored, and is written to.
  ASSERT_EQ(std::system(("rm -r " + options_.journal.folder).c_str()), 0);
  ASSERT_EQ(std::system(("mv " + copy + " " + options_.journal.folder).c_str()), 0);
  for (int i = 0; i < 2; ++i) {
    const auto opened = try_open(Available);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, StoreErrorCode::Refused);
    EXPECT_THAT(opened.error().text, HasSubstr("the cursor is after the end of the log"));
    auto alone = open_or_fail(disk_, options_.journal);
    for (int j = 0; j < 100; ++j) {
      const std::uint64_t number = alone.store->session(0).next_outbound;
      ASSERT_TRUE(append_message(*alone.store, 0, number, text_of(number)));
    }
    ASSERT_TRUE(alone.store->close());
  }
  EXPECT_EQ(read_all(*take_over(), 0), texts_until(10));
}

TEST_F(JournalReplica, a_replica_that_lacks_more_than_is_skipped_is_not_taken_over) {
  {
    auto opened = open_or_fail(disk_, options_.journal);
    open_session(*opened.store, "A");
    for (std::uint64_t number = 1; number <= 2 * options_.numbers_ahead_max; ++number) {
      ASSERT_TRUE(append_message(*opened.store, 0, number, text_of(number)));
    }
    ASSERT_TRUE(opened.store->close());
  }
  options_.postgres.pending_bytes_max = 1;  // one record at a time, so that it takes a while
  auto opened = try_open(Available);
  ASSERT_TRUE(opened) << opened.error().text;
  store_ = std::move(opened->store);
  kill();
  ASSERT_NE(sql("SELECT count(*) FROM message_list"), "2000");
  const auto taken = open_postgres(options_.postgres);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, StoreErrorCode::Refused);
  EXPECT_THAT(taken.error().text, HasSubstr("still catching up"));
  // Until it has caught up.
  options_.postgres.pending_bytes_max = 64U << 20U;
  open(Available);
  wait_until_replicated();
  while (sql("SELECT lacks_more FROM log_state") != "f") {
  }
  kill();
  EXPECT_EQ(read_all(*take_over(), 0).size(), 2'000U);
}

TEST_F(JournalReplica, a_command_does_not_take_a_replica_over) {
  open(Strict);
  append_durable(1);
  close();
  PostgresOptions options = options_.postgres;
  options.if_replica = IfReplica::Refuse;
  const auto opened = open_postgres(options);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, StoreErrorCode::Refused);
  EXPECT_THAT(opened.error().text, HasSubstr("is the replica of a journal"));
  open(Strict);
  append_durable(1);
}

TEST_F(JournalReplica, the_log_in_use_is_refused) {
  open(Strict);
  append_durable(1);
  PostgresOptions options = options_.postgres;
  options.lock_wait = milliseconds{10};
  const auto opened = open_postgres(options);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, StoreErrorCode::Locked);
}

TEST_F(JournalReplica, resets_renames_and_numbers_of_operators_are_replicated) {
  open(Strict);
  append_durable(3);
  ASSERT_TRUE(store_->rename_session(key_, "A2", at_second(60)));
  ASSERT_TRUE(append(*store_, [&](Transaction& t) { t.reset(key_); }));
  append_durable(2);
  const SessionRecord before = store_->session(key_);
  ASSERT_TRUE(append(*store_, [&](Transaction& t) {
    t.set_numbers(key_, numbers_change(before, {.next_inbound = 40, .next_outbound = 50},
                                       at_second(70), "agreed"));
  }));
  ASSERT_TRUE(append(*store_, [&](Transaction& t) { t.messages_lost(key_, 45, 47); }));
  ASSERT_TRUE(settler_.settle(*store_));
  const SessionRecord record = store_->session(key_);
  close();
  const auto taken = take_over();
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->find_session("A2"), SessionKey{0});
  EXPECT_EQ(taken->session(0), record);
  ASSERT_EQ(taken->lost_numbers(0).size(), 1U);
  EXPECT_EQ(taken->lost_numbers(0)[0], (NumberRange{45, 47}));
}

TEST_F(JournalReplica, received_messages_stay_in_the_journal) {
  open(Strict);
  ASSERT_TRUE(append(*store_, [&](Transaction& t) {
    t.inbound_progress(key_, 2, "a received message");
    t.outbound_message(key_, 1, text_of(1));
  }));
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_EQ(sql("SELECT count(*) FROM chunks WHERE position('received'::bytea IN entries) > 0"),
            "0");
  close();
  const auto taken = take_over();
  EXPECT_EQ(taken->session(0).next_inbound, 2U);
  EXPECT_EQ(read_all(*taken, 0), texts_until(1));
}

TEST_F(JournalReplica, segments_that_the_replica_lacks_are_kept) {
  options_.journal.segment_bytes = 16U << 10U;
  options_.journal.retention = {.keep_bytes = 32U << 10U, .even_current = true};
  options_.journal.sync_interval = milliseconds{1};
  options_.numbers_ahead_max = 1'000'000;
  open(Available);
  append_durable(1);
  wait_until_replicated();
  {
    Frozen frozen{server()};
    for (bool are_held = false; !are_held;) {
      append_durable(1);
      while (const auto event = store_->take_event()) {
        if (event->id == EventId::SegmentsHeld) are_held = event->text.contains("cursor replica");
      }
    }
    kill();
  }
  open(Available);
  const std::uint64_t last = store_->session(key_).next_outbound - 1;
  close();
  EXPECT_EQ(read_all(*take_over(), 0), texts_until(last));
}

TEST_F(JournalReplica, all_durabilities_that_keep_anything_have_one) {
  for (const Durability durability : {Durability::Process, Durability::Group, Durability::Sync}) {
    for (const ReplicaPolicy policy : {Strict, Available}) {
      options_.journal.durability = durability;
      options_.journal.folder =
          folder_.file(std::string{to_string(durability)} + std::string{to_string(policy)});
      options_.postgres.schema = fresh_schema();
      open(policy);
      append_durable(20);
      kill();
      open(policy);
      append_durable(20);
      close();
      EXPECT_EQ(read_all(*take_over(), 0), texts_until(40)) << to_string(durability);
    }
  }
}

}  // namespace
}  // namespace nexusfix::store
