// A wall clock that an operator sets. A program of its own, because it replaces clock_gettime().
#include <chrono>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <time.h>

#include <nexusfix/base/clock.hpp>

namespace {

long seconds_set = 0;

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* reading) noexcept {
  static const auto original =
      reinterpret_cast<int (*)(clockid_t, timespec*)>(::dlsym(RTLD_NEXT, "clock_gettime"));
  const int result = original(clock, reading);
  if (result == 0 && clock == CLOCK_REALTIME) reading->tv_sec += seconds_set;
  return result;
}

namespace nexusfix {
namespace {

TEST(SystemClock, a_wall_clock_that_was_set_is_followed_and_the_monotonic_time_goes_on) {
  SystemClock clock;
  for (const long seconds : {3'600L, -7'200L}) {
    const Now before = clock.now();
    const long set_before = seconds_set;
    seconds_set = seconds;
    const auto step = std::chrono::seconds{seconds - set_before};
    Now now = clock.now();
    // A reading is used for a millisecond.
    while (now.mono - before.mono < std::chrono::milliseconds{20}) now = clock.now();
    const auto error = (now.wall - before.wall) - (now.mono - before.mono) - step;
    EXPECT_LT(std::chrono::abs(error), std::chrono::seconds{1}) << error.count();
  }
}

}  // namespace
}  // namespace nexusfix
