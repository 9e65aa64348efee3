// The contract of a store, as a suite of GoogleTest for authors of stores. Each failure names the
// rule of nexusfix/store.hpp that the store breaks.
//
// Include it in one source of a test program, link nexusfix::store_contract and GoogleTest's
// main(), and instantiate it with the factory that the engine gets:
//
//   using nexusfix::store::StoreCase;
//   using nexusfix::store::StoreContract;
//   INSTANTIATE_TEST_SUITE_P(
//       Mine, StoreContract,
//       ::testing::Values(StoreCase{.name = "mine", .make = [] { return make_in_new_folder(); }}),
//       [](const auto& info) { return info.param.name; });
//
// It does not test what a crash leaves, nor full disks and failing ones: only the author knows how
// to cause them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/testing/store_case.hpp>

// The rules of records and their messages.

namespace nexusfix::store {

TEST_P(StoreContract, a_closed_store_has_everything_and_takes_nothing_more) {
  SCOPED_TRACE("close(): everything appended is kept; append() fails with Failed afterwards");
  const SessionKey key = open_session(*store_, "A");
  ASSERT_TRUE(append_message(*store_, key, 1, "one"));
  const auto closed = store_->close();
  ASSERT_TRUE(closed) << closed.error().text;
  if (!GetParam().is_persistent) return;
  EXPECT_EQ(append_message(*store_, key, 2, "two").error().code, StoreErrorCode::Failed);
  store_.reset();
  open();
  EXPECT_EQ(read_all(*store_, key), (Messages{{1, "one"}}));
  ASSERT_TRUE(append_message(*store_, key, 2, "two"));
  reopen();
  EXPECT_EQ(read_all(*store_, key), (Messages{{1, "one"}, {2, "two"}}));
}

TEST_P(StoreContract, an_append_shows_at_once_and_flush_makes_it_durable) {
  SCOPED_TRACE(
      "append(): the record shows at once, appended() grows to its end; flush() makes it durable");
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
  SCOPED_TRACE("append(), flush(): after a restart every number and every message is there");
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
  SCOPED_TRACE("appended(), durable(): a restart changes neither, and the log goes on");
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
  SCOPED_TRACE(
      "read(): the stored messages first to last, inclusive, ascending, with those "
      "that are not flushed yet");
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
  SCOPED_TRACE("read(): ends when the visitor returns false, without an error");
  const SessionKey key = open_session(*store_, "A");
  for (std::uint64_t n = 1; n <= 10; ++n) ASSERT_TRUE(append_message(*store_, key, n, "x"));
  int visits = 0;
  ASSERT_TRUE(
      store_->read(key, 1, 10, [&](std::uint64_t, std::string_view) { return ++visits < 3; }));
  EXPECT_EQ(visits, 3);
}

TEST_P(StoreContract, numbers_may_jump_ahead) {
  SCOPED_TRACE("append(): outbound MsgSeqNums ascend, and may leave out any number of others");
  const SessionKey key = open_session(*store_, "A");
  ASSERT_TRUE(append_message(*store_, key, 1, "one"));
  ASSERT_TRUE(append_message(*store_, key, 1'000'000'000'000, "far"));
  EXPECT_EQ(store_->session(key).next_outbound, 1'000'000'000'001U);
  reopen();
  EXPECT_EQ(read_all(*store_, key), (Messages{{1, "one"}, {1'000'000'000'000, "far"}}));
}

TEST_P(StoreContract, a_reset_begins_a_new_epoch_with_nothing_in_it) {
  SCOPED_TRACE(
      "append(), Reset: both MsgSeqNums are 1, the epoch is higher, read() finds "
      "nothing; other sessions do not change");
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
  SCOPED_TRACE("append(), Reset: messages before it in the record belong to the epoch before");
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
  SCOPED_TRACE("scan(): every stored message of every session, in the order of the log");
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
  SCOPED_TRACE("scan(): LogMessage::epoch is the epoch in which the message was sent");
  const SessionKey key = open_session(*store_, "A");
  ASSERT_TRUE(append_message(*store_, key, 1, "old"));
  ASSERT_TRUE(append(*store_, [&](Transaction& t) {
    t.reset(key);
    t.outbound_message(key, 1, "new");
  }));
  std::vector<ScannedMessage> expected{{"A", 1, 1, "old"}, {"A", 2, 1, "new"}};
  if (!GetParam().keeps_old_epochs) expected.erase(expected.begin());
  EXPECT_EQ(scan_all(*store_), expected);
}

TEST_P(StoreContract, an_empty_transaction_changes_nothing) {
  SCOPED_TRACE("append(): an empty transaction appends nothing, and returns appended()");
  open_session(*store_, "A");
  const LogPosition before = store_->appended();
  EXPECT_EQ(append(*store_, [](Transaction&) {}), before);
  EXPECT_EQ(store_->appended(), before);
}

TEST_P(StoreContract, messages_may_be_empty_or_hold_any_byte) {
  SCOPED_TRACE(
      "append(), read(): the bytes of a message come back as they were, whatever they are");
  const SessionKey key = open_session(*store_, "A");
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) every_byte += static_cast<char>(byte);
  ASSERT_TRUE(append_message(*store_, key, 1, ""));
  ASSERT_TRUE(append_message(*store_, key, 2, every_byte));
  reopen();
  EXPECT_EQ(read_all(*store_, key), (Messages{{1, ""}, {2, every_byte}}));
}

TEST_P(StoreContract, a_large_message_is_kept) {
  SCOPED_TRACE("append(), read(): a message of megabytes is kept");
  const SessionKey key = open_session(*store_, "A");
  const std::string large(3'000'000, 'L');
  ASSERT_TRUE(append_message(*store_, key, 1, "before"));
  ASSERT_TRUE(append_message(*store_, key, 2, large));
  ASSERT_TRUE(append_message(*store_, key, 3, "after"));
  reopen();
  EXPECT_EQ(read_all(*store_, key), (Messages{{1, "before"}, {2, large}, {3, "after"}}));
}

TEST_P(StoreContract, a_record_above_the_limit_is_too_large_and_changes_nothing) {
  SCOPED_TRACE(
      "append(): TooLarge above StoreOptions::record_bytes_max, and the store goes on as it was");
  const SessionKey key = open_session(*store_, "A");
  const auto refused = append_message(*store_, key, 1, std::string((16U << 20U) + 1, 'x'));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, StoreErrorCode::TooLarge);
  EXPECT_EQ(store_->session(key).next_outbound, 1U);
  EXPECT_TRUE(append_message(*store_, key, 1, "small"));
}

TEST_P(StoreContract, a_number_is_used_once_and_never_taken_back) {
  SCOPED_TRACE(
      "append(): Refused if an outbound MsgSeqNum does not ascend, the next inbound one goes back, "
      "a number is above 2^62, or a session was never opened; nothing changes");
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
  SCOPED_TRACE(
      "append(): a record is appended whole or not at all, in all sessions that it touches");
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

TEST_P(StoreContract, a_refused_transaction_undoes_all_its_entries_of_a_session) {
  SCOPED_TRACE(
      "append(): a session has the numbers from before the first entry of a refused record, "
      "not those from before its last one");
  const SessionKey a = open_session(*store_, "A");
  const SessionKey b = open_session(*store_, "B");
  ASSERT_TRUE(append_message(*store_, a, 1, "kept"));
  const auto refused = append(*store_, [&](Transaction& t) {
    for (std::uint64_t number = 2; number <= 5; ++number) {
      t.outbound_message(a, number, "dropped");
      t.inbound_progress(a, number + 10);
      t.outbound_number(b, number);
    }
    t.reset(b);
    t.outbound_number(b, 7);
    t.outbound_message(a, 1, "used twice");
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(store_->session(a).next_outbound, 2U);
  EXPECT_EQ(store_->session(a).next_inbound, 1U);
  EXPECT_EQ(store_->session(b).next_outbound, 1U);
  EXPECT_EQ(store_->session(b).epoch, 1U);
  ASSERT_TRUE(append_message(*store_, a, 2, "next"));
  EXPECT_EQ(read_all(*store_, a), (Messages{{1, "kept"}, {2, "next"}}));
  reopen();
  EXPECT_EQ(store_->session(a).next_outbound, 3U);
  EXPECT_EQ(store_->session(b).next_outbound, 1U);
}

TEST_P(StoreContract, session_records_stay_in_place_while_sessions_are_added) {
  SCOPED_TRACE("session(): the reference stays valid for the life of the store");
  const SessionKey key = open_session(*store_, "A");
  const SessionRecord& record = store_->session(key);
  for (int i = 0; i < 100; ++i) open_session(*store_, std::to_string(i));
  ASSERT_TRUE(append_message(*store_, key, 1, "x"));
  EXPECT_EQ(record.next_outbound, 2U);
}

TEST_P(StoreContract, a_session_name_above_its_limit_is_too_large) {
  SCOPED_TRACE("open_session(): TooLarge above 1,024 bytes of a name");
  EXPECT_TRUE(store_->open_session(std::string(1024, 'n'), at_second(1)));
  const auto refused = store_->open_session(std::string(1025, 'n'), at_second(1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, StoreErrorCode::TooLarge);
}

// The rules of sessions: their names, numbers and epochs.

TEST_P(StoreContract, a_new_session_begins_at_one) {
  SCOPED_TRACE(
      "open_session(): a new session has MsgSeqNums 1 and 1 and epoch 1, was created "
      "now, and has no messages");
  const SessionKey key = open_session(*store_, "A");
  const SessionRecord& record = store_->session(key);
  EXPECT_EQ(record.next_inbound, 1U);
  EXPECT_EQ(record.next_outbound, 1U);
  EXPECT_EQ(record.epoch, 1U);
  EXPECT_EQ(record.created, at_second(1));
  EXPECT_TRUE(read_all(*store_, key).empty());
}

TEST_P(StoreContract, a_name_keeps_its_key) {
  SCOPED_TRACE(
      "open_session(): the same name gives the same key, also after a restart, and "
      "two names give two keys");
  const SessionKey a = open_session(*store_, "A");
  const SessionKey b = open_session(*store_, "B");
  EXPECT_NE(a, b);
  EXPECT_EQ(open_session(*store_, "A"), a);
  reopen();
  EXPECT_EQ(open_session(*store_, "B"), b);
  EXPECT_EQ(open_session(*store_, "A"), a);
}

TEST_P(StoreContract, every_session_is_named_with_and_without_messages) {
  SCOPED_TRACE(
      "session_count(), session_name(): keys are 0 to session_count() - 1, in the "
      "order of creation, with or without messages");
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
  SCOPED_TRACE(
      "rename_session(): only the name changes; the old name is free; both hold after a restart");
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
  SCOPED_TRACE(
      "rename_session(): Refused if another session has the name, TooLarge above "
      "1,024 bytes, and nothing changes");
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
  SCOPED_TRACE(
      "SessionRecord::created: when the epoch began, not when the session was opened again");
  open_session(*store_, "A");
  reopen();
  const auto key = store_->open_session("A", at_second(777));
  ASSERT_TRUE(key);
  EXPECT_EQ(store_->session(*key).created, at_second(1));
}

// Sets the numbers of a session as an operator does.
inline StoreResult<LogPosition> set_numbers(Store& store, SessionKey key,
                                            NumbersChange::Wanted wanted,
                                            WallTime now = at_second(200)) {
  return append(store, [&](Transaction& t) {
    t.set_numbers(key, numbers_change(store.session(key), wanted, now, "anna: agreed by phone"));
  });
}

TEST_P(StoreContract, numbers_can_be_set_forward_and_what_was_sent_stays) {
  SCOPED_TRACE(
      "append(), NumbersSet: higher numbers in the same epoch keep the messages and "
      "the time of creation");
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
  SCOPED_TRACE(
      "append(), NumbersSet: Refused if a used outbound MsgSeqNum would be used again "
      "in the same epoch; a new epoch begins without messages");
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
  SCOPED_TRACE("append(), NumbersSet: a lower next inbound MsgSeqNum needs no new epoch");
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
  SCOPED_TRACE(
      "append(), NumbersSet: Refused if NumbersChange::before is not what the session has");
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
  SCOPED_TRACE(
      "open_session(): SessionRefused after a NumbersChange with is_unfinished, until "
      "one without it; other sessions open");
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
  SCOPED_TRACE(
      "lost_numbers(): the ranges of MessagesLost of the current epoch, also after a restart");
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
  SCOPED_TRACE("open_session(): durable as append() is: flush() brings durable() to appended()");
  open_session(*store_, "A");
  EXPECT_EQ(settler_.settle(*store_), store_->appended());
  EXPECT_EQ(store_->durable(), store_->appended());
}

}  // namespace nexusfix::store

// The contract of a store, as a suite of GoogleTest for authors of stores. Each failure names the
// rule of nexusfix/store.hpp that the store breaks.
//
// Include it in one source of a test program, link nexusfix::store_contract and GoogleTest's
// main(), and instantiate it with the factory that the engine gets:
//
//   using nexusfix::store::StoreCase;
//   using nexusfix::store::StoreContract;
//   INSTANTIATE_TEST_SUITE_P(
//       Mine, StoreContract,
//       ::testing::Values(StoreCase{.name = "mine", .make = [] { return make_in_new_folder(); }}),
//       [](const auto& info) { return info.param.name; });
//
// It does not test what a crash leaves, nor full disks and failing ones: only the author knows how
// to cause them.
