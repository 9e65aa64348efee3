#include <gtest/gtest.h>

#include <nexusfix/simulator/simulated_clock.hpp>

namespace nexusfix::simulator {
namespace {

using namespace std::chrono_literals;

struct SimulatedClockTest : ::testing::Test {
  WorldTime now{};
  SimulatedClock clock{now};
};

// The contract of nexusfix/base/clock.hpp and nexusfix/base/clock.hpp.
TEST_F(SimulatedClockTest, both_clocks_go_with_the_world) {
  const Now begin = clock.now();
  now += 90min;
  EXPECT_EQ(clock.now().wall - begin.wall, 90min);
  EXPECT_EQ(clock.now().mono - begin.mono, 90min);
}

TEST_F(SimulatedClockTest, a_jump_moves_the_wall_clock_alone) {
  const Now begin = clock.now();
  clock.jump(-30h);
  EXPECT_EQ(clock.now().wall - begin.wall, -30h);
  EXPECT_EQ(clock.now().mono, begin.mono);
  EXPECT_EQ(clock.error(), -30h);
}

TEST_F(SimulatedClockTest, a_clock_that_drifts_gains_from_then_on) {
  now = 10s;
  const Now begin = clock.now();
  clock.drift(20'000);
  EXPECT_EQ(clock.now().mono, begin.mono);
  now += 100s;
  EXPECT_EQ(clock.now().mono - begin.mono, 102s);
  EXPECT_EQ(clock.error(), 2s);
}

TEST_F(SimulatedClockTest, the_world_time_of_a_deadline_is_never_too_early) {
  for (const std::int64_t drift : {-19'999, -7, 0, 3, 19'999}) {
    clock.drift(drift);
    const MonoTime deadline = clock.now().mono + 12'345'678'901ns;
    now = clock.world_time(deadline);
    EXPECT_GE(clock.now().mono, deadline) << drift;
    EXPECT_LT(clock.now().mono, deadline + 10ns) << drift;
  }
}

TEST_F(SimulatedClockTest, years_do_not_overflow) {
  clock.drift(-19'999);
  now = std::chrono::hours{24 * 366 * 20};
  const MonoTime deadline = clock.now().mono + 30s;
  now = clock.world_time(deadline);
  EXPECT_GE(clock.now().mono, deadline);
  EXPECT_LT(clock.now().mono, deadline + 10ns);
}

TEST_F(SimulatedClockTest, a_mended_clock_is_right_and_the_monotonic_clock_never_goes_back) {
  clock.drift(20'000);
  clock.jump(1h);
  now += 50s;
  const MonoTime before = clock.now().mono;
  clock.mend();
  EXPECT_EQ(clock.error(), 0ns);
  EXPECT_EQ(clock.now().mono, before);
}

}  // namespace
}  // namespace nexusfix::simulator
