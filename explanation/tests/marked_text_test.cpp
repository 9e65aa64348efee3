#include "explanation/marked_text.hpp"

#include <gtest/gtest.h>
#include <string>

#include "unit/wire/message_text.hpp"

namespace nexusfix::dictionary {
namespace {

using test::with_soh;

TEST(MarkedText, marks_the_bytes_below_them) {
  const std::string bytes = with_soh("8=FIX.4.4|35=D|54=9|10=000|");
  const std::size_t begin = bytes.find("54=9");
  const MarkedText marked = mark(bytes, begin, begin + 4);
  EXPECT_EQ(marked.line, "8=FIX.4.4|35=D|54=9|10=000|");
  EXPECT_EQ(marked.marks, "               ^~~~");
  EXPECT_EQ(mark(bytes, 0, 1).marks, "^");
  EXPECT_EQ(mark(bytes, 3, 3).marks, "   ^");
}

TEST(MarkedText, a_missing_part_is_marked_after_the_end) {
  EXPECT_EQ(mark("abc", 3, 3).marks, "   ^");
  EXPECT_EQ(mark("abc", 9, 12).marks, "   ^");
  EXPECT_EQ(mark("abc", 1, 99).marks, " ^~");
  EXPECT_EQ(mark("", 0, 0).line, "");
  EXPECT_EQ(mark("", 0, 0).marks, "^");
}

TEST(MarkedText, escaped_bytes_and_letters_of_several_bytes_keep_the_marks_in_place) {
  const MarkedText marked = mark("\x1b\xc3\xa9|xy", 4, 6);
  EXPECT_EQ(marked.line, "\\x1b\xc3\xa9|xy");
  EXPECT_EQ(marked.marks, "      ^~");
  EXPECT_EQ(mark("\xff", 0, 1).marks, "^~~~");
}

TEST(MarkedText, a_long_message_is_cut_to_whole_fields_before_the_mark) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "100=" + std::to_string(1000 + i) + "|";
  const std::string bytes = with_soh(text);
  const std::size_t begin = bytes.find("1050");
  const MarkedText marked = mark(bytes, begin, begin + 4);
  EXPECT_TRUE(marked.line.starts_with("...100=10")) << marked.line;
  EXPECT_TRUE(marked.line.ends_with("..."));
  EXPECT_LE(marked.line.size(), 110U);
  EXPECT_EQ(marked.line.substr(marked.marks.find('^'), 4), "1050");
  EXPECT_EQ(marked.marks.size() - marked.marks.find('^'), 4U);
}

TEST(MarkedText, a_value_longer_than_the_line_is_cut_and_marked_to_the_line_s_end) {
  const std::string bytes = "58=" + std::string(10'000, 'x');
  const MarkedText from_begin = mark(bytes, 3, bytes.size());
  EXPECT_EQ(from_begin.line.substr(0, 5), "58=xx");
  EXPECT_EQ(from_begin.marks.size() + 3, from_begin.line.size());
  const MarkedText inside = mark(bytes, 5'000, 5'001);
  EXPECT_TRUE(inside.line.starts_with("...xxx") && inside.line.ends_with("xxx..."));
  EXPECT_EQ(inside.marks.find_first_not_of(' '), 43U);
}

// Every cut of letters of two bytes. A line that begins inside of one would not be UTF-8.
TEST(MarkedText, a_cut_never_splits_a_letter) {
  std::string bytes;
  for (int i = 0; i < 200; ++i) bytes += "\xc3\xa9";
  for (std::size_t at = 0; at <= bytes.size(); at += 2) {
    EXPECT_EQ(mark(bytes, at, at).line.find('\\'), std::string::npos) << at;
  }
}

}  // namespace
}  // namespace nexusfix::dictionary
