// The rules of sessions: their names, numbers and epochs. A part of store_contract.hpp.
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <nexusfix/testing/store_case.hpp>

namespace nexusfix::store {

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
      "rename_session(): only the name changes; the old name is free; both hold after "
      "a restart");
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
      "SessionRecord::created: when the epoch began, not when the session was opened "
      "again");
  open_session(*store_, "A");
  reopen();
  const auto key = store_->open_session("A", at_second(777));
  ASSERT_TRUE(key);
  EXPECT_EQ(store_->session(*key).created, at_second(1));
}

// Sets the numbers of a session as an operator does.
inline StoreResult<LogPosition> set_numbers(Store& store, SessionKey key, WantedNumbers wanted,
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
      "append(), NumbersSet: Refused if NumbersChange::before is not what the session "
      "has");
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
      "lost_numbers(): the ranges of MessagesLost of the current epoch, also after a "
      "restart");
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
