#include "venue/demo/progress_bar.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

namespace nexusfix::command {
namespace {

TEST(ProgressBarTest, lines_come_once_for_each_tenth) {
  ProgressBar bar{"work", 1000, Drawing::Lines};
  std::string text;
  for (std::uint64_t done = 0; done <= 1000; ++done) text += bar.update(done);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10);
  EXPECT_NE(text.find(" 10 %  100 of 1,000\n"), std::string::npos);
  EXPECT_TRUE(bar.complete());
}

TEST(ProgressBarTest, steps_that_are_skipped_give_one_line) {
  ProgressBar bar{"work", 10, Drawing::Lines};
  EXPECT_EQ(bar.update(0), "");
  EXPECT_NE(bar.update(7).find(" 70 %"), std::string::npos);
  EXPECT_EQ(bar.update(7), "");
  EXPECT_NE(bar.update(25).find("100 %  10 of 10"), std::string::npos);
  EXPECT_EQ(bar.update(25), "");
}

TEST(ProgressBarTest, terminal_line_is_redrawn_and_ends_when_complete) {
  ProgressBar bar{"work", 100, Drawing::Terminal};
  const std::string half = bar.update(50);
  EXPECT_TRUE(half.starts_with("\r\x1b[K"));
  EXPECT_EQ(half.find('\n'), std::string::npos);
  EXPECT_TRUE(bar.update(100).ends_with("\n"));
}

}  // namespace
}  // namespace nexusfix::command
