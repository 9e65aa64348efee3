// The rules of records and their messages. A part of store_contract.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/testing/store_case.hpp>

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
      "append(): the record shows at once, appended() grows to its end; flush() makes "
      "it durable");
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
      "append(), read(): the bytes of a message come back as they were, whatever they "
      "are");
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
      "append(): TooLarge above StoreOptions::record_bytes_max, and the store goes on "
      "as it was");
  const SessionKey key = open_session(*store_, "A");
  const auto refused = append_message(*store_, key, 1, std::string((16U << 20U) + 1, 'x'));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, StoreErrorCode::TooLarge);
  EXPECT_EQ(store_->session(key).next_outbound, 1U);
  EXPECT_TRUE(append_message(*store_, key, 1, "small"));
}

TEST_P(StoreContract, a_number_is_used_once_and_never_taken_back) {
  SCOPED_TRACE(
      "append(): Refused if an outbound MsgSeqNum does not ascend, the next inbound "
      "one goes back, a number is above 2^62, or a session was never opened; nothing "
      "changes");
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
      "append(): a record is appended whole or not at all, in all sessions that it "
      "touches");
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

}  // namespace nexusfix::store
