// Unicode 15, table 3-7: what well-formed UTF-8 is.
#include "base/api/utf8.hpp"

#include <gtest/gtest.h>
#include <string>

namespace nexusfix {
namespace {

TEST(Utf8, characters_of_each_length_up_to_their_limits) {
  for (const char* right :
       {"a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    const std::string text = right;
    EXPECT_EQ(utf8_size(text + "x"), text.size());
    EXPECT_EQ(utf8_size(text), text.size());
    if (text.size() > 1) {
      EXPECT_EQ(utf8_size(text.substr(0, text.size() - 1)), 0U) << "cut off";
    }
  }
  for (const char* wrong : {"", "\x80", "\xc1\xbf", "\xc2", "\xc2x", "\xe0\x9f\xbf", "\xed\xa0\x80",
                            "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_EQ(utf8_size(wrong), 0U);
  }
}

TEST(Utf8, control_characters_do_not_print) {
  EXPECT_EQ(printable_utf8_size("a"), 1U);
  EXPECT_EQ(printable_utf8_size("\xc2\xa0"), 2U);
  EXPECT_EQ(printable_utf8_size("\xf0\x9f\x98\x80"), 4U);
  for (const char* control : {"\x1b", "\n", "\x7f", "\xc2\x80", "\xc2\x9f"}) {
    EXPECT_EQ(printable_utf8_size(control), 0U);
  }
}

}  // namespace
}  // namespace nexusfix
