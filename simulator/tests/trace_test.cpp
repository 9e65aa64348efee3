// The trace of a simulated world: the last lines of what happened.
#include <chrono>
#include <gtest/gtest.h>

#include <nexusfix/simulator/trace.hpp>

namespace nexusfix::simulator {
namespace {

TEST(Trace, line_has_its_time_and_shows_separators) {
  WorldTime now = std::chrono::milliseconds{12'345};
  Trace trace{now, 5, nullptr};
  trace.line("VENUE",
             "8=FIX.4.4\x01"
             "35=0\x01");
  EXPECT_EQ(trace.text(), "    12.345000 VENUE      8=FIX.4.4|35=0|\n");
}

TEST(Trace, keeps_the_last_lines_and_counts_the_others) {
  const WorldTime now{};
  Trace trace{now, 2, nullptr};
  for (const char* text : {"one", "two", "three"}) trace.line("A", text);
  const std::string text = trace.text();
  EXPECT_TRUE(text.starts_with("(1 lines before)\n"));
  EXPECT_EQ(text.find("one"), std::string::npos);
  EXPECT_NE(text.find("two"), std::string::npos);
  EXPECT_NE(text.find("three"), std::string::npos);
}

TEST(Trace, without_lines_and_stream_is_off) {
  const WorldTime now{};
  EXPECT_FALSE((Trace{now, 0, nullptr}.is_on()));
  EXPECT_TRUE((Trace{now, 1, nullptr}.is_on()));
}

}  // namespace
}  // namespace nexusfix::simulator
