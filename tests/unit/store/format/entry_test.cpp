// Which bytes are an entry, and which of them a damaged or hostile journal may have.
#include "store/api/entry.hpp"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace nexusfix::store {
namespace {

// Whether the bytes are one entry, and nothing else.
bool is_entry(std::span<const char> bytes) {
  EntryReader reader{bytes};
  Entry entry;
  return reader.next(entry) && reader.at_end();
}

constexpr std::size_t kNumberBytes = sizeof(std::uint64_t);

TEST(Entry, a_change_of_numbers_has_possible_numbers) {
  std::vector<char> change;
  append_numbers_change(change, 3,
                        {.before = {1, 2, 3},
                         .after = {4, 5, 6},
                         .created = {},
                         .is_unfinished = true,
                         .text = "by an operator"});
  ASSERT_TRUE(is_entry(change));
  for (std::size_t i = 0; i < 6; ++i) {
    for (const std::uint64_t wrong : {std::uint64_t{0}, kNumberMax + 1}) {
      std::vector<char> other = change;
      store_little_endian(&other[kEntryHeaderBytes + i * kNumberBytes], wrong);
      EXPECT_FALSE(is_entry(other)) << i << ' ' << wrong;
      store_little_endian(&other[kEntryHeaderBytes + i * kNumberBytes], kNumberMax);
      EXPECT_TRUE(is_entry(other)) << i;
    }
  }
  std::vector<char> other = change;
  store_little_endian(&other[kEntryHeaderBytes + 7 * kNumberBytes], std::uint64_t{2});
  EXPECT_FALSE(is_entry(other)) << "neither finished nor unfinished";
  constexpr std::uint32_t kShort = 8 * kNumberBytes - 1;
  change.resize(kEntryHeaderBytes + kShort);
  store_little_endian(&change[kEntryLengthAt], kShort);
  EXPECT_FALSE(is_entry(change));
}

TEST(Entry, lost_numbers_end_at_or_after_their_first) {
  const auto is_range = [](std::uint64_t first, std::uint64_t last) {
    std::vector<char> bytes;
    append_messages_lost(bytes, 0, first, last);
    return is_entry(bytes);
  };
  EXPECT_TRUE(is_range(7, 7));
  EXPECT_TRUE(is_range(7, kNumberMax));
  EXPECT_FALSE(is_range(7, 6));
  EXPECT_FALSE(is_range(0, 6));
  EXPECT_FALSE(is_range(7, kNumberMax + 1));
}

TEST(Entry, header_of_entries_is_possible_if_it_fits_into_them) {
  std::vector<char> bytes;
  append_entry(
      bytes,
      {.kind = EntryKind::OutboundMessage, .session = 0, .number = kNumberMax, .bytes = "8=FIX"});
  const auto could_begin = [&](std::uint64_t entries_bytes) {
    return could_begin_entries(std::span{bytes}.first<kEntryHeaderBytes>(), entries_bytes);
  };
  EXPECT_TRUE(could_begin(bytes.size()));
  EXPECT_FALSE(could_begin(bytes.size() - 1));
  store_little_endian(&bytes[kEntryNumberAt], kNumberMax + 1);
  EXPECT_FALSE(could_begin(bytes.size()));
  store_little_endian(&bytes[kEntryNumberAt], std::uint64_t{1});
  bytes[0] = '\0';
  EXPECT_FALSE(could_begin(bytes.size())) << "no kind";
}

}  // namespace
}  // namespace nexusfix::store
