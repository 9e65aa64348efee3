#include <chrono>
#include <gtest/gtest.h>

#include <nexusfix/base/clock.hpp>

namespace {

TEST(SystemClock, monotonic_time_does_not_go_back) {
  nexusfix::SystemClock clock;
  nexusfix::MonoTime last = clock.now().mono;
  for (int i = 0; i < 1000; ++i) {
    const nexusfix::MonoTime now = clock.now().mono;
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(SystemClock, wall_time_counts_from_1970_in_nanoseconds) {
  // A clock in other units, or with another start, would be decades off.
  const nexusfix::WallTime wall = nexusfix::SystemClock{}.now().wall;
  EXPECT_GT(wall, std::chrono::sys_days{std::chrono::year{2020} / 1 / 1});
  EXPECT_LT(wall, std::chrono::sys_days{std::chrono::year{2200} / 1 / 1});
}

}  // namespace
