#include "base/api/ascii.hpp"

#include <gtest/gtest.h>

namespace nexusfix {
namespace {

TEST(Ascii, a_trimmed_text_has_no_blank_of_any_kind_at_either_end) {
  EXPECT_EQ(trimmed(" \t\r\n\v\fa b\f\v\n\r\t "), "a b");
  EXPECT_EQ(trimmed("a b"), "a b");
  EXPECT_EQ(trimmed(" \r\n"), "");
}

TEST(Ascii, all_digits_are_at_least_one) {
  EXPECT_TRUE(is_all_digits("0123456789"));
  EXPECT_FALSE(is_all_digits(""));
  EXPECT_FALSE(is_all_digits("12a"));
  EXPECT_FALSE(is_all_digits("-1"));
}

TEST(Ascii, only_ascii_letters_have_a_case) {
  EXPECT_TRUE(equals_ignoring_case("ClOrdID", "CLORDID"));
  EXPECT_FALSE(equals_ignoring_case("a[", "A{"));
  EXPECT_FALSE(equals_ignoring_case("ab", "abc"));
  EXPECT_EQ(to_upper('z'), 'Z');
  EXPECT_EQ(to_lower('['), '[');
}

}  // namespace
}  // namespace nexusfix
