#include "base/api/escaped_text.hpp"

#include <gtest/gtest.h>
#include <string>

#include "base/api/ascii.hpp"

namespace nexusfix {
namespace {

std::string escaped(std::string_view text) {
  std::string to;
  append_escaped(to, text, [](char c) { return is_alphanumeric(c) || c == '%'; });
  return to;
}

TEST(EscapedText, every_text_is_read_back_as_it_was) {
  for (const std::string_view text :
       {"plain", "a/b", "%", "%4", "%41", "100%41%", "%zz", "\x01\xff", ""}) {
    EXPECT_EQ(unescaped(escaped(text)), text) << text;
  }
  EXPECT_EQ(escaped("a/b"), "a%2Fb");
  EXPECT_EQ(escaped("%41"), "%2541") << "it would be read as A";
}

TEST(EscapedText, a_percent_sign_without_two_digits_is_itself) {
  EXPECT_EQ(unescaped("50%"), "50%");
  EXPECT_EQ(unescaped("5%0"), "5%0");
  EXPECT_EQ(unescaped("%4x%41"), "%4xA");
  EXPECT_EQ(unescaped("%x4"), "%x4");
}

TEST(EscapedText, markup_shows_each_character_as_it_is) {
  EXPECT_EQ(markup_text("<a href='x' title=\"&\">"),
            "&lt;a href=&#39;x&#39; title=&quot;&amp;&quot;&gt;");
  EXPECT_EQ(markup_text("35=D\x01"), "35=D\x01");
}

}  // namespace
}  // namespace nexusfix
