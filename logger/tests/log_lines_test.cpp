#include "logger/log_lines.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <string_view>

#include "base/api/printable_text.hpp"

namespace nexusfix::deferred::detail {
namespace {

[[nodiscard]] std::string escaped(std::string_view text) {
  std::string to;
  append_printable(to, text, Backslashes::Doubled);
  return to;
}
[[nodiscard]] std::string text_of(Decimal value) {
  std::string to;
  append_decimal(value, to);
  return to;
}

TEST(LogLines, printable_text_stays_as_it_is) {
  EXPECT_EQ(escaped("AAPL 150.25 ~!{}"), "AAPL 150.25 ~!{}");
  EXPECT_EQ(escaped("Z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x98\x80"),
            "Z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x98\x80");
}

TEST(LogLines, bytes_that_could_forge_a_line_or_control_a_terminal_are_escaped) {
  EXPECT_EQ(escaped("a\nb\rc\x01"
                    "d\x1b[2J"),
            "a\\x0ab\\x0dc\\x01d\\x1b[2J");
  EXPECT_EQ(escaped("\x7f\\"), "\\x7f\\\\");
  EXPECT_EQ(escaped({"\0", 1}), "\\x00");
  EXPECT_EQ(escaped("\xc2\x9b"), "\\xc2\\x9b");  // U+009B begins a terminal's control sequence
}

TEST(LogLines, bytes_that_are_not_utf8_are_escaped) {
  EXPECT_EQ(escaped("\x80"), "\\x80");
  EXPECT_EQ(escaped("\xc0\xaf"), "\\xc0\\xaf");                    // longer than needed
  EXPECT_EQ(escaped("\xe2\x82"), "\\xe2\\x82");                    // cut
  EXPECT_EQ(escaped("\xe0\x80\x80"), "\\xe0\\x80\\x80");           // longer than needed
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
  EXPECT_EQ(escaped("\xff"), "\\xff");
}

TEST(LogLines, decimals_are_written_exactly) {
  EXPECT_EQ(text_of({15050, 2}), "150.50");
  EXPECT_EQ(text_of({-7, 3}), "-0.007");
  EXPECT_EQ(text_of({0, 0}), "0");
  EXPECT_EQ(text_of({0, 2}), "0.00");
  EXPECT_EQ(text_of({std::numeric_limits<std::int64_t>::min(), 18}), "-9.223372036854775808");
}

}  // namespace
}  // namespace nexusfix::deferred::detail
