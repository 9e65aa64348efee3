// What a record changes in the table of sessions, and that a refused one changes nothing.
#include "store/api/session_table.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <vector>

#include "store/api/entry.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

void add_opened(std::vector<char>& entries, SessionKey key, std::string_view name) {
  append_entry(entries,
               {.kind = EntryKind::SessionOpened, .session = key, .number = 0, .bytes = name});
}

// A record that failed for want of memory is tried again: its sessions must not be there yet.
TEST(SessionTable, a_refused_record_leaves_no_session_and_no_name_that_it_brought) {
  SessionTable table;
  std::vector<char> first;
  add_opened(first, 0, "A");
  ASSERT_TRUE(table.apply(first, at_second(1)));

  std::vector<char> refused;
  add_opened(refused, 1, "B");
  append_entry(refused,
               {.kind = EntryKind::SessionRenamed, .session = 0, .number = 0, .bytes = "C"});
  append_entry(refused,
               {.kind = EntryKind::OutboundNumber, .session = 7, .number = 1, .bytes = {}});
  EXPECT_FALSE(table.apply(refused, at_second(2)));
  EXPECT_EQ(table.size(), 1U);
  EXPECT_EQ(table.name(0), "A");
  EXPECT_EQ(table.find("A"), std::optional<SessionKey>{0});
  EXPECT_FALSE(table.find("B"));
  EXPECT_FALSE(table.find("C"));

  std::vector<char> again;
  add_opened(again, 1, "B");
  EXPECT_TRUE(table.apply(again, at_second(3)));
  EXPECT_EQ(table.find("B"), std::optional<SessionKey>{1});
}

TEST(SessionTable, beyond_the_limit_of_ranges_the_last_one_covers_all_later_lost_numbers) {
  SessionTable table;
  std::vector<char> entries;
  add_opened(entries, 0, "A");
  for (std::uint64_t range = 1; range <= kLostRangesMax + 2; ++range) {
    append_messages_lost(entries, 0, 10 * range, 10 * range + 1);
  }
  ASSERT_TRUE(table.apply(entries, at_second(1)));
  const auto lost = table.lost(0);
  ASSERT_EQ(lost.size(), kLostRangesMax);
  EXPECT_EQ(lost.front(), (NumberRange{10, 11}));
  EXPECT_EQ(lost.back(), (NumberRange{10 * kLostRangesMax, 10 * (kLostRangesMax + 2) + 1}));
}

}  // namespace
}  // namespace nexusfix::store
