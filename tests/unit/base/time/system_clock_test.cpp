#include <chrono>
#include <gtest/gtest.h>
#include <thread>

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

TEST(SystemClock, monotonic_time_stays_close_to_the_operating_systems_over_many_readings) {
  // Long enough that the processor's counter is used and corrected by the kernel's clock.
  constexpr std::chrono::milliseconds kLong{60};
  constexpr std::chrono::microseconds kClose{5};
  nexusfix::SystemClock clock;
  const auto end = std::chrono::steady_clock::now() + kLong;
  nexusfix::MonoTime last = clock.now().mono;
  while (true) {
    const auto before = std::chrono::steady_clock::now();
    const nexusfix::MonoTime now = clock.now().mono;
    const auto after = std::chrono::steady_clock::now();
    ASSERT_GE(now.time_since_epoch(), before.time_since_epoch() - kClose);
    ASSERT_LE(now.time_since_epoch(), after.time_since_epoch() + kClose);
    ASSERT_GE(now, last);
    last = now;
    if (after > end) return;
  }
}

TEST(SystemClock, time_that_passed_without_a_reading_is_included_at_once) {
  nexusfix::SystemClock clock;
  constexpr std::chrono::milliseconds kLearning{30};
  const auto end = std::chrono::steady_clock::now() + kLearning;
  while (std::chrono::steady_clock::now() < end) static_cast<void>(clock.now());
  constexpr std::chrono::milliseconds kUnread{5};
  const auto resume = std::chrono::steady_clock::now() + kUnread;
  while (std::chrono::steady_clock::now() < resume) continue;
  EXPECT_GE(clock.now().mono.time_since_epoch(),
            resume.time_since_epoch() - std::chrono::microseconds{5});
}

TEST(SystemClock, wall_time_advances_like_monotonic_time) {
  // The operating system's clock may be set between the two readings.
  nexusfix::SystemClock clock;
  const auto ahead = [&] {
    const nexusfix::Now now = clock.now();
    return now.wall.time_since_epoch() - now.mono.time_since_epoch();
  };
  const auto before = ahead();
  for (int i = 0; i < 1'000'000; ++i) {
    if (ahead() == before) continue;
    EXPECT_GT(std::chrono::abs(ahead() - before), std::chrono::microseconds{1});
    return;
  }
}

TEST(SystemClock, wall_time_equals_the_operating_systems) {
  // Read between two readings of the other clock, several times, because the thread may be
  // interrupted.
  nexusfix::SystemClock clock;
  for (int i = 0; i < 1'000; ++i) {
    const auto before = std::chrono::system_clock::now();
    const nexusfix::WallTime wall = clock.now().wall;
    const auto after = std::chrono::system_clock::now();
    constexpr std::chrono::microseconds kClose{2};
    if (wall >= before - kClose && wall <= after + kClose) return;
  }
  FAIL() << "never between two readings of the operating system's";
}

TEST(SystemClock, wall_time_counts_from_1970_in_nanoseconds) {
  // A clock in other units, or with another start, would be decades off.
  const nexusfix::WallTime wall = nexusfix::SystemClock{}.now().wall;
  EXPECT_GT(wall, std::chrono::sys_days{std::chrono::year{2020} / 1 / 1});
  EXPECT_LT(wall, std::chrono::sys_days{std::chrono::year{2200} / 1 / 1});
}

TEST(ClockOfThread, is_read_by_its_thread_as_long_as_it_lives_the_innermost_one) {
  struct Fixed final : nexusfix::Clock {
    explicit Fixed(int second) : wall{std::chrono::seconds{second}} {}
    nexusfix::Now now() noexcept override { return {.wall = wall, .mono = {}}; }
    nexusfix::WallTime wall;
  };
  Fixed first{1};
  Fixed second{2};
  {
    const nexusfix::ClockOfThread outer{first};
    EXPECT_EQ(nexusfix::wall_now(), first.wall);
    {
      const nexusfix::ClockOfThread inner{second};
      EXPECT_EQ(nexusfix::wall_now(), second.wall);
      std::jthread{[&] { EXPECT_GT(nexusfix::wall_now(), second.wall); }}.join();
    }
    EXPECT_EQ(nexusfix::wall_now(), first.wall);
  }
  EXPECT_GT(nexusfix::wall_now(), second.wall);
}

}  // namespace
