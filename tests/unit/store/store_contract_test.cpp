// The behaviour that every store has; each test runs over memory and over journals in every
// durability, on a fake and on the real disk. Compiled once more for PostgreSQL.
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "store_fixture.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/disks/temporary_folder.hpp"

#ifdef NEXUSFIX_POSTGRES_STORE
#include "unit/store/postgres/postgres_fixture.hpp"
#endif

namespace nexusfix::store {
namespace {

enum class Kind { Memory, JournalOnFakeDisk, JournalOnPosixDisk, Postgres };

struct StoreCase {
  std::string name;
  Kind kind = Kind::Memory;
  Durability durability = Durability::Process;
  std::uint64_t segment_bytes = 64U << 20U;
  bool maps = false;                        // on a fake disk
  bool background = false;                  // on the real one
  std::uint32_t batches_in_flight_max = 1;  // PostgreSQL
};
void PrintTo(const StoreCase& store, std::ostream* out) { *out << store.name; }

class StoreContract : public ::testing::TestWithParam<StoreCase> {
 protected:
  void SetUp() override {
#ifdef NEXUSFIX_POSTGRES_STORE
    if (testing::PostgresServer::shared() == nullptr) {
      GTEST_SKIP() << testing::PostgresServer::why();
    }
    schema_ = fresh_schema();
#endif
    open();
  }

  void open() {
    if (GetParam().kind == Kind::Memory) {
      store_ = make_memory_store();
      return;
    }
#ifdef NEXUSFIX_POSTGRES_STORE
    PostgresOptions options = postgres_options(schema_);
    options.on_durable = settler_.wake();
    options.batches_in_flight_max = GetParam().batches_in_flight_max;
    store_ = open_or_fail(options);
    return;
#endif
    const bool fake = GetParam().kind == Kind::JournalOnFakeDisk;
    Disk& disk = fake ? static_cast<Disk&>(fake_disk_) : posix_disk_;
    fake_disk_.set_mapping(GetParam().maps);
    store_ = open_or_fail(disk, {.folder = fake ? "/journal" : folder_.file("journal"),
                                 .durability = GetParam().durability,
                                 .segment_bytes = GetParam().segment_bytes,
                                 .background = GetParam().background,
                                 .on_durable = settler_.wake()})
                 .store;
  }

  // A journal is opened again; a store in memory goes on.
  void reopen() {
    ASSERT_TRUE(settler_.settle(*store_));
    if (GetParam().kind == Kind::Memory) return;
    store_.reset();
    open();
  }
  [[nodiscard]] bool keeps_old_epochs() const { return GetParam().kind != Kind::Memory; }

  nexusfix::testing::TemporaryFolder folder_;
  nexusfix::testing::FakeDisk fake_disk_;
  PosixDisk posix_disk_;
  Settler settler_;
  std::string schema_;  // PostgreSQL
  std::unique_ptr<Store> store_;
};

using Messages = std::vector<KeptMessage>;

TEST_P(StoreContract, a_new_session_begins_at_one) {
  const SessionKey key = open_session(*store_, "A");
  const SessionRecord& record = store_->session(key);
  EXPECT_EQ(record.next_inbound, 1U);
  EXPECT_EQ(record.next_outbound, 1U);
  EXPECT_EQ(record.epoch, 1U);
  EXPECT_EQ(record.created, at_second(1));
  EXPECT_TRUE(read_all(*store_, key).empty());
}

TEST_P(StoreContract, a_name_keeps_its_key) {
  const SessionKey a = open_session(*store_, "A");
  const SessionKey b = open_session(*store_, "B");
  EXPECT_NE(a, b);
  EXPECT_EQ(open_session(*store_, "A"), a);
  reopen();
  EXPECT_EQ(open_session(*store_, "B"), b);
  EXPECT_EQ(open_session(*store_, "A"), a);
}

TEST_P(StoreContract, every_session_is_named_with_and_without_messages) {
  EXPECT_EQ(store_->session_count(), 0U);
  const SessionKey silent = open_session(*store_, "silent");
  const SessionKey busy = open_session(*store_, "busy");
  ASSERT_TRUE(append_message(*store_, busy, 1, "x"));
  const auto check = [&] {
    ASSERT_EQ(store_->session_count(), 2U);
    EXPECT_EQ(store_->session_name(silent), "silent");
    EXPECT_EQ(store_->session_name(busy), "busy");
    EXPECT_EQ(store_->session(busy).next_outbound, 2U);
  };
  check();
  reopen();
  check();
  open_session(*store_, "busy");
  EXPECT_EQ(store_->session_count(), 2U);
}

TEST_P(StoreContract, a_renamed_session_keeps_its_numbers_and_its_messages) {
  const SessionKey key = open_session(*store_, "before");
  const SessionKey other = open_session(*store_, "other");
  ASSERT_TRUE(append_message(*store_, key, 1, "one"));
  ASSERT_TRUE(store_->rename_session(key, "after", at_second(2)));
  ASSERT_TRUE(append_message(*store_, key, 2, "two"));
  const auto check = [&] {
    EXPECT_EQ(store_->session_name(key), "after");
    EXPECT_EQ(store_->session_name(other), "other");
    EXPECT_EQ(open_session(*store_, "after"), key);
    EXPECT_EQ(store_->session(key).next_outbound, 3U);
    EXPECT_EQ(store_->session(key).created, at_second(1));
    EXPECT_EQ(read_all(*store_, key), (Messages{{1, "one"}, {2, "two"}}));
    for (const ScannedMessage& message : scan_all(*store_)) EXPECT_EQ(message.session, "after");
  };
  check();
  reopen();
  check();
  EXPECT_EQ(store_->session_count(), 2U);
  EXPECT_NE(open_session(*store_, "before"), key) << "its old name is free";
  reopen();
  check();
}

TEST_P(StoreContract, no_session_gets_the_name_of_another_or_one_that_is_too_long) {
  const SessionKey key = open_session(*store_, "one");
  open_session(*store_, "two");
  const auto taken = store_->rename_session(key, "two", at_second(2));
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, StoreErrorCode::Refused);
  const auto too_long = store_->rename_session(key, std::string(1025, 'x'), at_second(2));
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().code, StoreErrorCode::TooLarge);
  EXPECT_EQ(store_->session_name(key), "one");
  ASSERT_TRUE(append_message(*store_, key, 1, "the store goes on"));
  ASSERT_TRUE(store_->rename_session(key, std::string(1024, 'x'), at_second(2)));
  reopen();
  EXPECT_EQ(store_->session_name(key), std::string(1024, 'x'));
}

TEST_P(StoreContract, the_time_of_creation_stays) {
  open_session(*store_, "A");
  reopen();
  const auto key = store_->open_session("A", at_second(777));
  ASSERT_TRUE(key);
  EXPECT_EQ(store_->session(*key).created, at_second(1));
}

StoreResult<LogPosition> set_numbers(Store& store, SessionKey key, WantedNumbers wanted,
                                     WallTime now = at_second(200)) {
  return append(store, [&](Transaction& t) {
    t.set_numbers(key, numbers_change(store.session(key), wanted, now, "anna: agreed by phone"));
  });
}

TEST_P(StoreContract, numbers_can_be_set_forward_and_what_was_sent_stays) {
  const SessionKey key = open_session(*store_, "A");
  ASSERT_TRUE(append_message(*store_, key, 1, "one"));
  ASSERT_TRUE(set_numbers(*store_, key, {.next_inbound = 40, .next_outbound = 60}));
  const auto check = [&] {
    EXPECT_EQ(store_->session(key).next_inbound, 40U);
    EXPECT_EQ(store_->session(key).next_outbound, 60U);
    EXPECT_EQ(store_->session(key).epoch, 1U);
    EXPECT_EQ(store_->session(key).created, at_second(1));
    EXPECT_EQ(read_all(*store_, key), (Messages{{1, "one"}}));
  };
  check();
  reopen();
  check();
}

TEST_P(StoreContract, a_used_number_is_set_back_only_with_a_new_epoch) {
  const SessionKey key = open_session(*store_, "A");
  ASSERT_TRUE(append_message(*store_, key, 1, "one"));
  ASSERT_TRUE(append_message(*store_, key, 2, "two"));
  NumbersChange change = numbers_change(
      store_->session(key), {.next_inbound = {}, .next_outbound = 2}, at_second(200), "");
  EXPECT_EQ(change.after.epoch, 2U);
  change.after.epoch = 1;
  const auto refused = append(*store_, [&](Transaction& t) { t.set_numbers(key, change); });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, StoreErrorCode::Refused);
  EXPECT_EQ(read_all(*store_, key).size(), 2U);
  ASSERT_TRUE(set_numbers(*store_, key, {.next_inbound = {}, .next_outbound = 2}));
  ASSERT_TRUE(append_message(*store_, key, 2, "other"));
  reopen();
  EXPECT_EQ(store_->session(key).epoch, 2U);
  EXPECT_EQ(store_->session(key).created, at_second(200));
  EXPECT_EQ(read_all(*store_, key), (Messages{{2, "other"}}));
}

TEST_P(StoreContract, the_inbound_number_is_set_back_within_the_epoch) {
  const SessionKey key = open_session(*store_, "A");
  ASSERT_TRUE(append(*store_, [&](Transaction& t) { t.inbound_progress(key, 9); }));
  ASSERT_TRUE(append_message(*store_, key, 1, "one"));
  ASSERT_TRUE(set_numbers(*store_, key, {.next_inbound = 4, .next_outbound = {}}));
  reopen();
  EXPECT_EQ(store_->session(key).next_inbound, 4U);
  EXPECT_EQ(store_->session(key).epoch, 1U);
  EXPECT_EQ(read_all(*store_, key), (Messages{{1, "one"}}));
}

TEST_P(StoreContract, a_change_of_numbers_that_were_others_is_refused) {
  const SessionKey key = open_session(*store_, "A");
  const NumbersChange stale = numbers_change(
      store_->session(key), {.next_inbound = 7, .next_outbound = 7}, at_second(200), "");
  ASSERT_TRUE(append_message(*store_, key, 1, "one"));
  const auto refused = append(*store_, [&](Transaction& t) { t.set_numbers(key, stale); });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, StoreErrorCode::Refused);
  EXPECT_EQ(store_->session(key).next_outbound, 2U);
}

TEST_P(StoreContract, a_session_is_not_opened_between_the_begin_and_the_end_of_an_import) {
  const SessionKey key = open_session(*store_, "A");
  const std::string text = "import";
  NumbersChange change = numbers_change(store_->session(key), {}, at_second(200), text);
  change.is_unfinished = true;
  ASSERT_TRUE(append(*store_, [&](Transaction& t) { t.set_numbers(key, change); }));
  reopen();
  const auto refused = store_->open_session("A", at_second(300));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, StoreErrorCode::SessionRefused);
  open_session(*store_, "B");
  ASSERT_TRUE(set_numbers(*store_, key, {}));
  reopen();
  EXPECT_EQ(open_session(*store_, "A"), key);
}

TEST_P(StoreContract, lost_numbers_are_those_of_the_epoch) {
  const SessionKey key = open_session(*store_, "A");
  const auto lost = [&] {
    const auto ranges = store_->lost_numbers(key);
    return std::vector<NumberRange>{ranges.begin(), ranges.end()};
  };
  EXPECT_TRUE(lost().empty());
  ASSERT_TRUE(append(*store_, [&](Transaction& t) { t.messages_lost(key, 3, 5); }));
  EXPECT_EQ(lost(), (std::vector<NumberRange>{{3, 5}}));
  reopen();
  EXPECT_EQ(lost(), (std::vector<NumberRange>{{3, 5}}));
  ASSERT_TRUE(append(*store_, [&](Transaction& t) { t.reset(key); }));
  EXPECT_TRUE(lost().empty());
}

TEST_P(StoreContract, a_new_session_is_durable_once_flushed) {
  open_session(*store_, "A");
  EXPECT_EQ(settler_.settle(*store_), store_->appended());
  EXPECT_EQ(store_->durable(), store_->appended());
}

TEST_P(StoreContract, a_closed_store_has_everything_and_takes_nothing_more) {
  const SessionKey key = open_session(*store_, "A");
  ASSERT_TRUE(append_message(*store_, key, 1, "one"));
  const auto closed = store_->close();
  ASSERT_TRUE(closed) << closed.error().text;
  if (GetParam().kind == Kind::Memory) return;
  EXPECT_EQ(append_message(*store_, key, 2, "two").error().code, StoreErrorCode::Failed);
  store_.reset();
  open();
  EXPECT_EQ(read_all(*store_, key), (Messages{{1, "one"}}));
  ASSERT_TRUE(append_message(*store_, key, 2, "two"));
  reopen();
  EXPECT_EQ(read_all(*store_, key), (Messages{{1, "one"}, {2, "two"}}));
}

TEST_P(StoreContract, an_append_shows_at_once_and_flush_makes_it_durable) {
  const SessionKey key = open_session(*store_, "A");
  ASSERT_TRUE(settler_.settle(*store_));
  const LogPosition before = store_->appended();
  const auto position = append(*store_, [&](Transaction& t) {
    t.inbound_progress(key, 5);
    t.outbound_message(key, 3, "three");
    t.outbound_number(key, 4);
  });
  ASSERT_TRUE(position);
  EXPECT_GT(*position, before);
  EXPECT_EQ(store_->appended(), *position);
  EXPECT_GE(store_->durable(), before);
  EXPECT_EQ(store_->session(key).next_inbound, 5U);
  EXPECT_EQ(store_->session(key).next_outbound, 5U);
  EXPECT_EQ(read_all(*store_, key), (Messages{{3, "three"}}));
  EXPECT_EQ(settler_.settle(*store_), *position);
  EXPECT_EQ(store_->durable(), *position);
  EXPECT_EQ(store_->flush(), *position);
}

TEST_P(StoreContract, everything_is_there_after_reopening) {
  const SessionKey a = open_session(*store_, "A");
  const SessionKey b = open_session(*store_, "B");
  for (std::uint64_t n = 1; n <= 200; ++n) {
    ASSERT_TRUE(append(*store_, [&](Transaction& t) {
      t.inbound_progress(a, n + 1);
      t.outbound_message(b, n, "to b " + std::to_string(n));
    }));
    if (n % 7 == 0) {
      ASSERT_TRUE(store_->flush());
    }
  }
  reopen();
  EXPECT_EQ(store_->session(a).next_inbound, 201U);
  EXPECT_EQ(store_->session(a).next_outbound, 1U);
  EXPECT_EQ(store_->session(b).next_inbound, 1U);
  EXPECT_EQ(store_->session(b).next_outbound, 201U);
  const Messages messages = read_all(*store_, b);
  ASSERT_EQ(messages.size(), 200U);
  for (std::uint64_t n = 1; n <= 200; ++n) {
    EXPECT_EQ(messages[n - 1], (KeptMessage{n, "to b " + std::to_string(n)}));
  }
  EXPECT_TRUE(read_all(*store_, a).empty());
}

TEST_P(StoreContract, appending_goes_on_after_reopening) {
  const SessionKey key = open_session(*store_, "A");
  ASSERT_TRUE(append_message(*store_, key, 1, "one"));
  const LogPosition before = store_->appended();
  reopen();
  EXPECT_EQ(store_->appended(), before);
  EXPECT_EQ(store_->durable(), before);
  ASSERT_TRUE(append_message(*store_, key, 2, "two"));
  reopen();
  EXPECT_EQ(read_all(*store_, key), (Messages{{1, "one"}, {2, "two"}}));
}

TEST_P(StoreContract, read_gives_exactly_the_range_without_numbers_that_kept_nothing) {
  const SessionKey key = open_session(*store_, "A");
  for (std::uint64_t n = 1; n <= 300; ++n) {
    ASSERT_TRUE(append(*store_, [&](Transaction& t) {
      if (n % 3 == 0) {
        t.outbound_number(key, n);
      } else {
        t.outbound_message(key, n, std::to_string(n));
      }
    }));
    if (n == 290) {
      ASSERT_TRUE(store_->flush());
    }  // the last ten are not written yet
  }
  for (const auto& [first, last] :
       std::vector<std::pair<std::uint64_t, std::uint64_t>>{{1, 300},
                                                            {0, 1},
                                                            {64, 66},
                                                            {3, 3},
                                                            {100, 200},
                                                            {285, 295},
                                                            {299, UINT64_MAX},
                                                            {301, 400},
                                                            {200, 100}}) {
    Messages expected;
    for (std::uint64_t n = std::max<std::uint64_t>(first, 1);
         n <= std::min<std::uint64_t>(last, 300); ++n) {
      if (n % 3 != 0) expected.push_back({n, std::to_string(n)});
    }
    EXPECT_EQ(read_all(*store_, key, first, last), expected) << first << " to " << last;
  }
}

TEST_P(StoreContract, read_stops_when_the_visitor_returns_false) {
  const SessionKey key = open_session(*store_, "A");
  for (std::uint64_t n = 1; n <= 10; ++n) ASSERT_TRUE(append_message(*store_, key, n, "x"));
  int visits = 0;
  ASSERT_TRUE(
      store_->read(key, 1, 10, [&](std::uint64_t, std::string_view) { return ++visits < 3; }));
  EXPECT_EQ(visits, 3);
}

TEST_P(StoreContract, numbers_may_jump_ahead) {
  const SessionKey key = open_session(*store_, "A");
  ASSERT_TRUE(append_message(*store_, key, 1, "one"));
  ASSERT_TRUE(append_message(*store_, key, 1'000'000'000'000, "far"));
  EXPECT_EQ(store_->session(key).next_outbound, 1'000'000'000'001U);
  reopen();
  EXPECT_EQ(read_all(*store_, key), (Messages{{1, "one"}, {1'000'000'000'000, "far"}}));
}

TEST_P(StoreContract, a_reset_begins_a_new_epoch_with_nothing_in_it) {
  const SessionKey key = open_session(*store_, "A");
  const SessionKey other = open_session(*store_, "B");
  ASSERT_TRUE(append_message(*store_, key, 1, "old"));
  ASSERT_TRUE(append_message(*store_, other, 1, "other"));
  ASSERT_TRUE(append(*store_, [&](Transaction& t) { t.reset(key); }, at_second(200)));
  const auto check = [&] {
    EXPECT_EQ(store_->session(key).epoch, 2U);
    EXPECT_EQ(store_->session(key).next_inbound, 1U);
    EXPECT_EQ(store_->session(key).next_outbound, 1U);
    EXPECT_EQ(store_->session(key).created, at_second(200));
    EXPECT_TRUE(read_all(*store_, key).empty());
    EXPECT_EQ(store_->session(other).epoch, 1U);
    EXPECT_EQ(read_all(*store_, other), (Messages{{1, "other"}}));
  };
  check();
  reopen();
  check();
  ASSERT_TRUE(append_message(*store_, key, 1, "new"));
  EXPECT_EQ(read_all(*store_, key), (Messages{{1, "new"}}));
}

TEST_P(StoreContract, a_reset_in_the_middle_of_a_transaction_parts_the_epochs) {
  const SessionKey key = open_session(*store_, "A");
  ASSERT_TRUE(append(*store_, [&](Transaction& t) {
    t.outbound_message(key, 9, "old logout");
    t.reset(key);
    t.outbound_message(key, 1, "new logon");
    t.inbound_progress(key, 2);
  }));
  const auto check = [&] {
    EXPECT_EQ(store_->session(key).epoch, 2U);
    EXPECT_EQ(store_->session(key).next_outbound, 2U);
    EXPECT_EQ(store_->session(key).next_inbound, 2U);
    EXPECT_EQ(read_all(*store_, key), (Messages{{1, "new logon"}}));
  };
  check();
  reopen();
  check();
}

TEST_P(StoreContract, scan_gives_the_messages_of_all_sessions_in_the_order_of_the_log) {
  const SessionKey a = open_session(*store_, "A");
  const SessionKey b = open_session(*store_, "B");
  ASSERT_TRUE(append_message(*store_, b, 1, "b1"));
  ASSERT_TRUE(append(*store_, [&](Transaction& t) {
    t.outbound_message(a, 1, "a1");
    t.outbound_number(a, 2);
    t.outbound_message(b, 2, "b2");
  }));
  ASSERT_TRUE(store_->flush());
  ASSERT_TRUE(append_message(*store_, a, 3, "a3"));
  const std::vector<ScannedMessage> expected{
      {"B", 1, 1, "b1"}, {"A", 1, 1, "a1"}, {"B", 1, 2, "b2"}, {"A", 1, 3, "a3"}};
  EXPECT_EQ(scan_all(*store_), expected);
  reopen();
  EXPECT_EQ(scan_all(*store_), expected);
}

TEST_P(StoreContract, scan_names_the_epoch_of_each_message) {
  const SessionKey key = open_session(*store_, "A");
  ASSERT_TRUE(append_message(*store_, key, 1, "old"));
  ASSERT_TRUE(append(*store_, [&](Transaction& t) {
    t.reset(key);
    t.outbound_message(key, 1, "new");
  }));
  std::vector<ScannedMessage> expected{{"A", 1, 1, "old"}, {"A", 2, 1, "new"}};
  if (!keeps_old_epochs()) expected.erase(expected.begin());
  EXPECT_EQ(scan_all(*store_), expected);
}

TEST_P(StoreContract, an_empty_transaction_changes_nothing) {
  open_session(*store_, "A");
  const LogPosition before = store_->appended();
  EXPECT_EQ(append(*store_, [](Transaction&) {}), before);
  EXPECT_EQ(store_->appended(), before);
}

TEST_P(StoreContract, messages_may_be_empty_or_hold_any_byte) {
  const SessionKey key = open_session(*store_, "A");
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) every_byte += static_cast<char>(byte);
  ASSERT_TRUE(append_message(*store_, key, 1, ""));
  ASSERT_TRUE(append_message(*store_, key, 2, every_byte));
  reopen();
  EXPECT_EQ(read_all(*store_, key), (Messages{{1, ""}, {2, every_byte}}));
}

TEST_P(StoreContract, a_large_message_is_kept) {
  const SessionKey key = open_session(*store_, "A");
  const std::string large(3'000'000, 'L');
  ASSERT_TRUE(append_message(*store_, key, 1, "before"));
  ASSERT_TRUE(append_message(*store_, key, 2, large));
  ASSERT_TRUE(append_message(*store_, key, 3, "after"));
  reopen();
  EXPECT_EQ(read_all(*store_, key), (Messages{{1, "before"}, {2, large}, {3, "after"}}));
}

TEST_P(StoreContract, a_record_above_the_limit_is_too_large_and_changes_nothing) {
  const SessionKey key = open_session(*store_, "A");
  const auto refused = append_message(*store_, key, 1, std::string((16U << 20U) + 1, 'x'));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, StoreErrorCode::TooLarge);
  EXPECT_EQ(store_->session(key).next_outbound, 1U);
  EXPECT_TRUE(append_message(*store_, key, 1, "small"));
}

TEST_P(StoreContract, a_number_is_used_once_and_never_taken_back) {
  const SessionKey key = open_session(*store_, "A");
  ASSERT_TRUE(append(*store_, [&](Transaction& t) {
    t.inbound_progress(key, 7);
    t.outbound_message(key, 5, "five");
  }));
  const LogPosition before = store_->appended();
  for (const std::function<void(Transaction&)>& build :
       std::vector<std::function<void(Transaction&)>>{
           [&](Transaction& t) { t.outbound_message(key, 5, "another five"); },
           [&](Transaction& t) { t.outbound_number(key, 4); },
           [&](Transaction& t) { t.inbound_progress(key, 6); },
           [&](Transaction& t) {
             t.outbound_message(key, 6, "six");
             t.inbound_progress(key, 6);
           },
           [&](Transaction& t) {
             t.outbound_message(key, 5, "another five");
             t.inbound_progress(key, 8);
           },
           [&](Transaction& t) { t.outbound_number(key, UINT64_MAX); },
           [&](Transaction& t) { t.outbound_number(key + 99, 1); }}) {
    const auto refused = append(*store_, build);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, StoreErrorCode::Refused);
  }
  EXPECT_EQ(store_->appended(), before);
  EXPECT_EQ(store_->session(key).next_inbound, 7U);
  EXPECT_EQ(store_->session(key).next_outbound, 6U);
  EXPECT_EQ(read_all(*store_, key), (Messages{{5, "five"}}));
}

TEST_P(StoreContract, a_refused_transaction_leaves_no_trace_in_any_session) {
  const SessionKey a = open_session(*store_, "A");
  const SessionKey b = open_session(*store_, "B");
  ASSERT_TRUE(append_message(*store_, a, 1, "kept"));
  const auto refused = append(*store_, [&](Transaction& t) {
    t.inbound_progress(b, 9);
    t.reset(a);
    t.outbound_message(a, 1, "again");
    t.outbound_message(a, 1, "and again");
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(store_->session(a).epoch, 1U);
  EXPECT_EQ(store_->session(a).next_outbound, 2U);
  EXPECT_EQ(store_->session(b).next_inbound, 1U);
  EXPECT_EQ(read_all(*store_, a), (Messages{{1, "kept"}}));
  reopen();
  EXPECT_EQ(read_all(*store_, a), (Messages{{1, "kept"}}));
}

TEST_P(StoreContract, session_records_stay_in_place_while_sessions_are_added) {
  const SessionKey key = open_session(*store_, "A");
  const SessionRecord& record = store_->session(key);
  for (int i = 0; i < 100; ++i) open_session(*store_, "S" + std::to_string(i));
  ASSERT_TRUE(append_message(*store_, key, 1, "x"));
  EXPECT_EQ(record.next_outbound, 2U);
}

TEST_P(StoreContract, a_session_name_above_its_limit_is_too_large) {
  EXPECT_TRUE(store_->open_session(std::string(1024, 'n'), at_second(1)));
  const auto refused = store_->open_session(std::string(1025, 'n'), at_second(1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, StoreErrorCode::TooLarge);
}

#ifdef NEXUSFIX_POSTGRES_STORE

INSTANTIATE_TEST_SUITE_P(PostgreSQL, StoreContract,
                         ::testing::Values(StoreCase{.name = "one_batch", .kind = Kind::Postgres},
                                           StoreCase{.name = "batches_ahead",
                                                     .kind = Kind::Postgres,
                                                     .batches_in_flight_max = 4}),
                         [](const auto& info) { return info.param.name; });

#else

StoreCase fake(std::string name, Durability durability, std::uint64_t segment_bytes = 64U << 20U,
               bool maps = false) {
  return {.name = std::move(name) + "_fake",
          .kind = Kind::JournalOnFakeDisk,
          .durability = durability,
          .segment_bytes = segment_bytes,
          .maps = maps};
}

StoreCase posix(std::string name, Durability durability, bool background,
                std::uint64_t segment_bytes = 1U << 20U) {
  return {.name = std::move(name) + "_posix",
          .kind = Kind::JournalOnPosixDisk,
          .durability = durability,
          .segment_bytes = segment_bytes,
          .background = background};
}

constexpr std::uint64_t kSmall = 300;  // bytes of a segment: many are begun

INSTANTIATE_TEST_SUITE_P(
    Stores, StoreContract,
    ::testing::Values(
        StoreCase{.name = "memory"}, fake("none", Durability::None),
        fake("process", Durability::Process), fake("group", Durability::Group),
        fake("sync", Durability::Sync), fake("sync_small_segments", Durability::Sync, kSmall),
        fake("none_mapped", Durability::None, 64U << 10U, true),
        fake("process_mapped", Durability::Process, 64U << 10U, true),
        fake("process_mapped_small_segments", Durability::Process, kSmall, true),
        fake("sync_reserved", Durability::Sync, 64U << 10U, true),
        posix("none", Durability::None, true), posix("process", Durability::Process, true),
        posix("process_small_segments", Durability::Process, true, kSmall),
        posix("process_no_threads", Durability::Process, false),
        posix("group", Durability::Group, true),
        posix("group_small_segments", Durability::Group, true, kSmall),
        posix("group_no_threads", Durability::Group, false), posix("sync", Durability::Sync, true)),
    [](const auto& info) { return info.param.name; });

#endif

}  // namespace
}  // namespace nexusfix::store
