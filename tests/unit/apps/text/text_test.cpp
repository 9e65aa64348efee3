#include "nexusfix/text/text.hpp"

#include <gtest/gtest.h>
#include <string>

namespace nexusfix::command {
namespace {

using std::chrono::nanoseconds;

TEST(TextTest, thousands_are_separated) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1000), "1,000");
  EXPECT_EQ(with_thousands(1234567), "1,234,567");
  EXPECT_EQ(with_thousands(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(TextTest, one_is_no_plural) {
  EXPECT_EQ(counted(0, "message"), "0 messages");
  EXPECT_EQ(counted(1, "message"), "1 message");
  EXPECT_EQ(counted(1'234, "message"), "1,234 messages");
  EXPECT_EQ(counted(1, "entry", "entries"), "1 entry");
  EXPECT_EQ(counted(2, "entry", "entries"), "2 entries");
}

TEST(TextTest, bytes_are_two_hexadecimal_digits_each) {
  EXPECT_EQ(hex_text("8=\xff\x01"), "383dff01");
}

TEST(TextTest, words_are_wrapped_after_a_lead_and_a_long_word_is_not_divided) {
  std::string text;
  append_wrapped(text, "  a  ", "one two three", 12);
  EXPECT_EQ(text, "  a  one two\n     three\n");
  append_wrapped(text, "", "0123456789abcdef is long", 12);
  EXPECT_EQ(text, "  a  one two\n     three\n0123456789abcdef\nis long\n");
  text.clear();
  append_wrapped(text, "", "", 12);
  EXPECT_EQ(text, "\n");
}

TEST(TextTest, words_are_wrapped_by_characters_and_not_by_bytes) {
  std::string text;
  append_wrapped(text, "µs  ", "µµµ µµµ µ", 11);
  EXPECT_EQ(text, "µs  µµµ µµµ\n    µ\n");
}

TEST(TextTest, durations_have_three_digits_and_a_fitting_unit) {
  EXPECT_EQ(duration_text(nanoseconds{0}), "0 ns");
  EXPECT_EQ(duration_text(nanoseconds{999}), "999 ns");
  EXPECT_EQ(duration_text(nanoseconds{1000}), "1.00 µs");
  EXPECT_EQ(duration_text(nanoseconds{9'994}), "9.99 µs");
  EXPECT_EQ(duration_text(nanoseconds{9'996}), "10.0 µs");
  EXPECT_EQ(duration_text(nanoseconds{123'456}), "123 µs");
  EXPECT_EQ(duration_text(nanoseconds{999'600}), "1.00 ms");
  EXPECT_EQ(duration_text(nanoseconds{2'500'000'000}), "2.50 s");
  EXPECT_EQ(duration_text(std::chrono::hours{1}), "3600 s");
}

TEST(TextTest, bar_is_exact_to_an_eighth_and_shows_every_share_above_0) {
  EXPECT_EQ(bar_text(0, 10), "");
  EXPECT_EQ(bar_text(1, 3), "███");
  EXPECT_EQ(bar_text(0.5, 1), "▌");
  EXPECT_EQ(bar_text(0.000001, 10), "▏");
  EXPECT_EQ(bar_text(7, 2), "██");
}

}  // namespace
}  // namespace nexusfix::command
