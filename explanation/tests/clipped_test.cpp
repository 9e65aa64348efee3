// Texts of unknown origin in messages for people.
#include "explanation/clipped.hpp"

#include <gtest/gtest.h>
#include <string>

namespace nexusfix::dictionary {
namespace {

TEST(Clipped, text_of_eighty_bytes_is_whole_and_one_of_eighty_one_is_not) {
  const std::string whole(kClippedBytesMax, 'x');
  EXPECT_EQ(clipped(whole), whole);
  EXPECT_EQ(clipped_quote(whole), "'" + whole + "'");
  EXPECT_EQ(clipped(whole + "y"), whole + "... (81 bytes)");
  EXPECT_EQ(clipped_quote(whole + "y"), "'" + whole + "'... (81 bytes)");
}

TEST(Clipped, character_at_the_limit_is_not_cut) {
  const std::string before(kClippedBytesMax - 1, 'x');
  EXPECT_EQ(clipped(before + "\u00e9"), before + "... (81 bytes)");
}

TEST(Clipped, control_character_is_not_shown_as_it_is) {
  EXPECT_EQ(clipped("a\x1b[2Jb").find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace nexusfix::dictionary
