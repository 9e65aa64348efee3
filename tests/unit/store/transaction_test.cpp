#include <gtest/gtest.h>
#include <string>

#include <nexusfix/store/transaction.hpp>

#include "store/format/entry.hpp"

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

TEST(Transaction, clear_empties_it) {
  Transaction transaction;
  EXPECT_TRUE(transaction.empty());
  transaction.reset(0);
  EXPECT_FALSE(transaction.empty());
  transaction.clear();
  EXPECT_TRUE(transaction.empty());
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
  EXPECT_FALSE(reads({EntryKind::InboundProgress, 0, 1, "x"}));
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
