#include "base/api/edit_distance.hpp"

#include <gtest/gtest.h>
#include <string>

namespace nexusfix {
namespace {

TEST(EditDistanceTest, counts_letters_to_insert_delete_replace_or_swap) {
  EXPECT_EQ(edit_distance("journal", "journal"), 0U);
  EXPECT_EQ(edit_distance("jornal", "journal"), 1U);
  EXPECT_EQ(edit_distance("journnal", "journal"), 1U);
  EXPECT_EQ(edit_distance("jourmal", "journal"), 1U);
  EXPECT_EQ(edit_distance("jounral", "journal"), 1U);
  EXPECT_EQ(edit_distance("bench", "journal"), 6U);
}

TEST(EditDistanceTest, ignores_case) { EXPECT_EQ(edit_distance("EXECTYPE", "ExecType"), 0U); }

TEST(EditDistanceTest, of_an_empty_text_is_the_size_of_the_other) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
}

TEST(EditDistanceTest, compares_no_byte_after_the_limit) {
  const std::string longest(kEditDistanceBytesMax, 'a');
  EXPECT_EQ(edit_distance(longest, ""), kEditDistanceBytesMax);
  EXPECT_EQ(edit_distance(longest + "b", longest), 0U);
  EXPECT_EQ(edit_distance(longest.substr(1), longest), 1U);
}

}  // namespace
}  // namespace nexusfix
