#include <gtest/gtest.h>
#include <vector>

#include <nexusfix/wire/field.hpp>

namespace nexusfix::wire {
namespace {

TEST(DataFieldTable, the_standard_pairs_are_found_from_both_sides) {
  const DataFieldTable table = DataFieldTable::standard();
  EXPECT_EQ(table.pairs().size(), 24U);
  for (const DataFieldTable::Pair& pair : table.pairs()) {
    EXPECT_EQ(table.data_tag_for(pair.length), pair.data);
    EXPECT_EQ(table.length_tag_for(pair.data), pair.length);
  }
  EXPECT_EQ(table.data_tag_for(95), 96U);
  EXPECT_EQ(table.data_tag_for(93),
            89U);  // SignatureLength has a larger number than its data field
  EXPECT_EQ(table.data_tag_for(354), 355U);
}

TEST(DataFieldTable, other_tags_announce_nothing) {
  const DataFieldTable table = DataFieldTable::standard();
  for (const Tag tag : {0U, 9U, 55U, 96U, 355U, 2143U, kTagMax}) {
    EXPECT_FALSE(table.data_tag_for(tag)) << tag;
  }
  EXPECT_FALSE(table.length_tag_for(95));
}

TEST(DataFieldTable, added_pairs_are_found_and_replace_earlier_ones) {
  DataFieldTable table;
  EXPECT_FALSE(table.data_tag_for(95));
  table.add({.length = 6000, .data = 6001});
  table.add({.length = 5000, .data = 5001});
  table.add({.length = 6000, .data = 7001});
  EXPECT_EQ(table.data_tag_for(5000), 5001U);
  EXPECT_EQ(table.data_tag_for(6000), 7001U);
  EXPECT_EQ(table.pairs().size(), 2U);
}

// A dictionary may have tens of thousands. Inserting them one by one took minutes.
TEST(DataFieldTable, many_pairs_are_added_at_once_and_the_last_of_a_length_field_counts) {
  constexpr Tag kPairs = 100'000;
  std::vector<DataFieldTable::Pair> pairs;
  for (Tag i = kPairs; i > 0; --i)
    pairs.push_back({.length = 10'000 + 2 * i, .data = 10'001 + 2 * i});
  pairs.push_back({.length = 95, .data = 7000});
  pairs.push_back({.length = 95, .data = 7001});
  DataFieldTable table = DataFieldTable::standard();
  const std::size_t before = table.pairs().size();
  table.add(pairs);
  EXPECT_EQ(table.pairs().size(), before + kPairs);
  EXPECT_EQ(table.data_tag_for(95), 7001U);
  EXPECT_EQ(table.data_tag_for(354), 355U);
  EXPECT_EQ(table.data_tag_for(10'002), 10'003U);
  EXPECT_EQ(table.data_tag_for(10'000 + 2 * kPairs), 10'001 + 2 * kPairs);
}

}  // namespace
}  // namespace nexusfix::wire
