#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/store.hpp>

#include "store/api/entry.hpp"

namespace nexusfix::store {
namespace {

TEST(Transaction, entries_are_read_back_in_order) {
  Transaction transaction;
  transaction.inbound_progress(3, 17);
  transaction.outbound_message(4, 5, "bytes");
  transaction.outbound_number(4, 6);
  transaction.reset(7);
  EntryReader reader{transaction.entries()};
  Entry entry;
  ASSERT_TRUE(reader.next(entry));
  EXPECT_EQ(entry.kind, EntryKind::InboundProgress);
  EXPECT_EQ(entry.session, 3U);
  EXPECT_EQ(entry.number, 17U);
  ASSERT_TRUE(reader.next(entry));
  EXPECT_EQ(entry.kind, EntryKind::OutboundMessage);
  EXPECT_EQ(entry.session, 4U);
  EXPECT_EQ(entry.number, 5U);
  EXPECT_EQ(entry.bytes, "bytes");
  ASSERT_TRUE(reader.next(entry));
  EXPECT_EQ(entry.kind, EntryKind::OutboundNumber);
  ASSERT_TRUE(reader.next(entry));
  EXPECT_EQ(entry.kind, EntryKind::Reset);
  EXPECT_EQ(entry.session, 7U);
  EXPECT_FALSE(reader.next(entry));
  EXPECT_TRUE(reader.at_end());
}

// A buffer with a message in it, and the room that its record needs.
struct Placed {
  explicit Placed(std::string_view message)
      : buffer(message.size() + 2 * Transaction::kRoomBytes),
        bytes{std::span{buffer}.subspan(Transaction::kRoomBytes, message.size())} {
    std::ranges::copy(message, bytes.begin());
  }
  std::vector<char> buffer;
  std::span<char> bytes;
};

std::string text_of(const Transaction& transaction) {
  return {transaction.entries().begin(), transaction.entries().end()};
}

TEST(Transaction, message_in_place_is_as_one_that_is_copied) {
  for (const std::size_t size : {1U, 200U, 4'000U}) {
    const std::string message(size, 'm');
    Placed placed{message};
    Transaction copied;
    Transaction in_place;
    copied.outbound_message(3, 7, message);
    in_place.outbound_message_in_place(3, 7, placed.bytes, Transaction::kRoomBytes);
    EXPECT_EQ(text_of(in_place), text_of(copied));
    copied.inbound_progress(3, 9);
    in_place.inbound_progress(3, 9);
    EXPECT_TRUE(in_place.is_in_place());
    EXPECT_EQ(in_place.entries().data() + Transaction::kRoomBytes, placed.bytes.data());
    EXPECT_EQ(text_of(in_place), text_of(copied));
    ASSERT_NE(in_place.common(), nullptr);
    EXPECT_EQ(in_place.common()->msg_seq_num, 7U);
    EXPECT_EQ(in_place.common()->next_inbound, 9U);
  }
}

TEST(Transaction, entries_beyond_the_room_of_a_message_in_place_are_copied) {
  for (const std::size_t size : {1U, 200U, 4'000U}) {
    const std::string message(size, 'm');
    Placed placed{message};
    Transaction copied;
    Transaction in_place;
    in_place.outbound_message_in_place(3, 7, placed.bytes, Transaction::kRoomBytes);
    for (Transaction* const each : {&copied, &in_place}) {
      if (each == &copied) each->outbound_message(3, 7, message);
      each->outbound_message(3, 8, message);
      each->inbound_progress(3, 9, "received");
      each->outbound_number(4, 1);
    }
    EXPECT_FALSE(in_place.is_in_place());
    std::ranges::fill(placed.buffer, 'x');
    EXPECT_EQ(text_of(in_place), text_of(copied));
    EXPECT_EQ(in_place.common(), nullptr);
  }
}

TEST(Transaction, entries_of_a_message_in_place_may_use_the_whole_room_after_it) {
  Placed placed{std::string(200, 'm') + std::string(300, ' ')};
  const std::span<char> message = placed.bytes.first(200);
  Transaction copied;
  Transaction in_place;
  copied.outbound_message(3, 7, std::string_view{message.data(), message.size()});
  in_place.outbound_message_in_place(3, 7, message, 300 + Transaction::kRoomBytes);
  for (Transaction* const each : {&copied, &in_place})
    each->inbound_progress(3, 9, std::string(300, 'r'));
  EXPECT_TRUE(in_place.is_in_place());
  EXPECT_EQ(text_of(in_place), text_of(copied));
  in_place.outbound_number(3, 8);
  copied.outbound_number(3, 8);
  EXPECT_FALSE(in_place.is_in_place());
  EXPECT_EQ(text_of(in_place), text_of(copied));
}

TEST(Transaction, buffer_that_a_message_has_grown_has_room_for_the_next_one_in_place) {
  const std::string message(5'000, 'm');
  Transaction transaction;
  EXPECT_TRUE(transaction.has_room_for_message(4'000));
  EXPECT_FALSE(transaction.has_room_for_message(message.size()));
  transaction.outbound_message(3, 7, message);
  const std::string copied = text_of(transaction);
  transaction.clear();
  ASSERT_TRUE(transaction.has_room_for_message(message.size()));
  Placed placed{message};
  transaction.outbound_message_in_place(3, 7, placed.bytes, Transaction::kRoomBytes);
  EXPECT_TRUE(transaction.is_in_place());
  EXPECT_EQ(text_of(transaction), copied);
  transaction.own();
  EXPECT_EQ(text_of(transaction), copied);
}

TEST(Transaction, owned_entries_stay_when_the_buffer_of_the_caller_changes) {
  for (const std::size_t size : {1U, 200U, 4'000U}) {
    Placed placed{std::string(size, 'm')};
    Transaction transaction;
    transaction.outbound_message_in_place(3, 7, placed.bytes, Transaction::kRoomBytes);
    transaction.inbound_progress(3, 9);
    const std::string before = text_of(transaction);
    transaction.own();
    std::ranges::fill(placed.buffer, 'x');
    EXPECT_EQ(text_of(transaction), before);
    ASSERT_NE(transaction.common(), nullptr);
    transaction.outbound_number(3, 8);
    EXPECT_TRUE(text_of(transaction).starts_with(before));
  }
}

TEST(Transaction, record_after_a_message_in_place_leaves_the_buffer_of_the_caller) {
  for (const bool is_rolled_back : {true, false}) {
    Placed placed{"report"};
    Transaction transaction;
    transaction.outbound_message_in_place(3, 7, placed.bytes, Transaction::kRoomBytes);
    is_rolled_back ? transaction.rollback(0) : transaction.clear();
    const std::vector<char> before = placed.buffer;
    EXPECT_TRUE(transaction.empty());
    transaction.inbound_progress(5, 6);
    transaction.outbound_number(5, 7);
    EXPECT_EQ(placed.buffer, before);
    EXPECT_EQ(transaction.entries().size(), 2 * Transaction::kRoomBytes);
  }
}

TEST(Transaction, progress_of_a_message_in_place_is_rolled_back_alone) {
  Placed placed{"report"};
  Transaction transaction;
  transaction.outbound_message_in_place(3, 7, placed.bytes, Transaction::kRoomBytes);
  const Transaction::Mark mark = transaction.mark();
  const std::string before = text_of(transaction);
  transaction.inbound_progress(3, 9);
  transaction.rollback(mark);
  EXPECT_EQ(text_of(transaction), before);
  ASSERT_NE(transaction.common(), nullptr);
  EXPECT_EQ(transaction.common()->next_inbound, 0U);
}

TEST(Transaction, rollback_drops_what_came_after_the_mark) {
  Transaction transaction;
  transaction.inbound_progress(0, 2);
  const std::string before{transaction.entries().begin(), transaction.entries().end()};
  const Transaction::Mark mark = transaction.mark();
  transaction.outbound_message(0, 1, "dropped");
  transaction.rollback(mark);
  EXPECT_EQ(std::string(transaction.entries().begin(), transaction.entries().end()), before);
  transaction.rollback(0);
  EXPECT_TRUE(transaction.empty());
}

TEST(Transaction, rollback_knows_where_a_received_message_begins) {
  Transaction transaction;
  transaction.outbound_message(0, 1, "report");
  const Transaction::Mark before = transaction.mark();
  transaction.inbound_progress(0, 2, "order");
  ASSERT_NE(transaction.common(), nullptr);
  EXPECT_EQ(transaction.common()->next_inbound, 2U);
  transaction.rollback(before);
  ASSERT_NE(transaction.common(), nullptr);
  EXPECT_EQ(transaction.common()->msg_seq_num, 1U);
  EXPECT_EQ(transaction.common()->next_inbound, 0U);
}

TEST(Transaction, clear_empties_it) {
  Transaction transaction;
  EXPECT_TRUE(transaction.empty());
  transaction.reset(0);
  EXPECT_FALSE(transaction.empty());
  transaction.clear();
  EXPECT_TRUE(transaction.empty());
}

// What common() must say, by the entries themselves. Null: nothing.
std::optional<CommonRecord> common_by_entries(const Transaction& transaction) {
  std::vector<Entry> entries;
  EntryReader reader{transaction.entries()};
  Entry entry;
  while (reader.next(entry)) entries.push_back(entry);
  if (entries.empty() || entries.size() > 2 || !reader.at_end()) return std::nullopt;
  CommonRecord common{.session = entries[0].session, .msg_seq_num = 0, .next_inbound = 0};
  const bool has_message = entries[0].kind == EntryKind::OutboundMessage;
  if (has_message) common.msg_seq_num = entries[0].number;
  if (has_message && entries.size() == 1) return common;
  if (!has_message && entries.size() == 2) return std::nullopt;
  const Entry& last = entries.back();
  if (last.kind != EntryKind::InboundProgress || last.session != common.session) {
    return std::nullopt;
  }
  common.next_inbound = last.number;
  return common;
}

void expect_agrees(const Transaction& transaction, bool is_exact) {
  const std::optional<CommonRecord> expected = common_by_entries(transaction);
  const CommonRecord* const found = transaction.common();
  if (found == nullptr) {
    // A rollback may leave a common record that is decoded again, which is slower and not wrong.
    EXPECT_FALSE(is_exact && expected.has_value());
    return;
  }
  ASSERT_TRUE(expected.has_value());
  EXPECT_EQ(found->session, expected->session);
  EXPECT_EQ(found->msg_seq_num, expected->msg_seq_num);
  EXPECT_EQ(found->next_inbound, expected->next_inbound);
}

constexpr unsigned kSteps = 9;

void do_step(Transaction& transaction, unsigned step) {
  switch (step) {
    case 0:
      return transaction.outbound_message(1, 7, "bytes");
    case 1:
      return transaction.outbound_message(1, 8, "");
    case 2:
      return transaction.inbound_progress(1, 5);
    case 3:
      return transaction.inbound_progress(2, 6);
    case 4:
      return transaction.outbound_number(1, 9);
    case 5:
      return transaction.reset(1);
    case 6:
      return transaction.outbound_message(1, 0, "no message has this number");
    case 7:
      return transaction.inbound_progress(1, 0);
    default:
      return transaction.messages_lost(1, 2, 3);
  }
}

// The first `done` of the steps, and back to the mark before step `kept`.
void expect_common_after_rollback(unsigned steps, std::size_t done, std::size_t kept) {
  Transaction transaction;
  std::vector<Transaction::Mark> marks;
  for (unsigned rest = steps; marks.size() < done; rest /= kSteps) {
    marks.push_back(transaction.mark());
    do_step(transaction, rest % kSteps);
    expect_agrees(transaction, true);
  }
  marks.push_back(transaction.mark());
  transaction.rollback(marks[kept]);
  expect_agrees(transaction, false);
  transaction.inbound_progress(1, 9);
  expect_agrees(transaction, false);
  transaction.clear();
  EXPECT_EQ(transaction.common(), nullptr);
  transaction.outbound_message(1, 3, "next");
  expect_agrees(transaction, true);
}

TEST(Transaction, common_values_are_those_of_the_entries_after_every_step_and_rollback) {
  for (unsigned steps = 0; steps < kSteps * kSteps * kSteps; ++steps) {
    for (std::size_t done = 1; done <= 3; ++done) {
      for (std::size_t kept = 0; kept <= done; ++kept) {
        SCOPED_TRACE(::testing::Message()
                     << "steps " << steps << ", done " << done << ", kept " << kept);
        expect_common_after_rollback(steps, done, kept);
      }
    }
  }
}

TEST(EntryReader, stops_at_every_truncation_without_reading_on) {
  Transaction transaction;
  transaction.outbound_message(1, 2, "0123456789");
  const std::span<const char> whole = transaction.entries();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::vector<char> cut{whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)};
    EntryReader reader{cut};
    Entry entry;
    EXPECT_FALSE(reader.next(entry));
    EXPECT_EQ(reader.at_end(), length == 0);
  }
}

TEST(EntryReader, refuses_forms_that_no_writer_makes) {
  const auto reads = [](const Entry& entry) {
    std::vector<char> bytes;
    append_entry(bytes, entry);
    EntryReader reader{bytes};
    Entry read;
    return reader.next(read);
  };
  EXPECT_FALSE(reads({static_cast<EntryKind>(0), 0, 1, ""}));
  EXPECT_FALSE(reads({static_cast<EntryKind>(6), 0, 1, ""}));
  EXPECT_FALSE(reads({EntryKind::InboundProgress, 0, 0, ""}));
  EXPECT_TRUE(reads({EntryKind::InboundProgress, 0, 1, "x"}));
  EXPECT_FALSE(reads({EntryKind::MessagesLeft, 0, 1, "x"}));
  EXPECT_FALSE(reads({EntryKind::MessagesLeft, 0, 0, ""}));
  EXPECT_TRUE(reads({EntryKind::MessagesLeft, 0, 1, ""}));
  EXPECT_FALSE(reads({EntryKind::OutboundNumber, 0, 0, ""}));
  EXPECT_FALSE(reads({EntryKind::OutboundMessage, 0, 0, "x"}));
  EXPECT_FALSE(reads({EntryKind::Reset, 0, 1, ""}));
  EXPECT_FALSE(reads({EntryKind::SessionOpened, 0, 1, "name"}));
  EXPECT_TRUE(reads({EntryKind::SessionOpened, 0, 0, "name"}));
  EXPECT_FALSE(reads({EntryKind::SessionRenamed, 0, 1, "name"}));
  EXPECT_TRUE(reads({EntryKind::SessionRenamed, 0, 0, "name"}));
  EXPECT_TRUE(reads({EntryKind::OutboundMessage, 0, 1, ""}));
}

}  // namespace
}  // namespace nexusfix::store
