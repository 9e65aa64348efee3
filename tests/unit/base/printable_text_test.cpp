#include "base/api/printable_text.hpp"

#include <gtest/gtest.h>
#include <string>

namespace nexusfix {
namespace {

std::string doubled(std::string_view text) {
  std::string to;
  append_printable(to, text, Backslashes::Doubled);
  return to;
}

TEST(PrintableTextTest, escapes_control_characters_and_bytes_that_are_not_utf_8) {
  EXPECT_EQ(printable("plain \xc3\xa9 \xe2\x82\xac"), "plain \xc3\xa9 \xe2\x82\xac");
  EXPECT_EQ(printable("\x1b[2J\x7f\r"), "\\x1b[2J\\x7f\\x0d");
  EXPECT_EQ(printable("\xc2\x9b\xff\xc3"), "\\xc2\\x9b\\xff\\xc3");  // U+009B is CSI
  EXPECT_EQ(printable(std::string_view{"\0", 1}), "\\x00");
  EXPECT_EQ(printable(""), "");
}

TEST(PrintableTextTest, doubles_backslashes_only_on_demand) {
  EXPECT_EQ(printable("\\x01"), "\\x01");
  EXPECT_EQ(doubled("\\x01\x01"), "\\\\x01\\x01");
}

TEST(PrintableTextTest, a_byte_has_digits_of_either_case) {
  std::string to;
  append_escaped_byte(to, 0xab);
  append_escaped_byte(to, 0xab, HexDigits::Upper);
  EXPECT_EQ(to, "\\xab\\xAB");
  EXPECT_EQ(to.size(), 2 * kEscapedByteSize);
}

// Sixteen bytes are tested at once, and the last sixteen overlap those before them.
TEST(PrintableTextTest, escapes_at_every_place_of_a_text_of_any_size) {
  for (std::size_t size = 1; size <= 50; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (const char* bad : {"\x1b", "\x7f", "\xff"}) {
        std::string text(size, 'a');
        text.replace(at, 1, bad);
        std::string expected(size, 'a');
        std::string byte;
        append_escaped_byte(byte, static_cast<unsigned char>(*bad));
        expected.replace(at, 1, byte);
        EXPECT_EQ(printable(text), expected) << size << ' ' << at;
        EXPECT_EQ(doubled(text), expected) << size << ' ' << at;
      }
    }
  }
}

TEST(JsonText, is_one_text_of_json_whatever_its_bytes) {
  const auto json = [](std::string_view text) {
    std::string to;
    append_json_text(to, text);
    return to;
  };
  EXPECT_EQ(json("say \"hi\" \\ \xc3\xa9"), "\"say \\\"hi\\\" \\\\ \xc3\xa9\"");
  EXPECT_EQ(json("\n\x01\x7f"), "\"\\u000a\\u0001\\u007f\"");
  EXPECT_EQ(json("\xff\xc3"), "\"\\\\xff\\\\xc3\"") << "no UTF-8";
  EXPECT_EQ(json("\xc2\x9b"), "\"\\\\xc2\\\\x9b\"") << "U+009B is CSI";
  EXPECT_EQ(json(""), "\"\"");
}

}  // namespace
}  // namespace nexusfix
