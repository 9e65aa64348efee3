// LoopTimers without an EventLoop: who is due, and when the loop must wake up.
#include <chrono>
#include <vector>

#include "engine/ground/loop_context.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

using namespace std::chrono_literals;

class LoopTimersComponent : public testing::FloorsTest {
 protected:
  LoopTimersComponent() { extra = "LogonTimeout=5"; }
  [[nodiscard]] LoopTimers& timers() { return loop().timers; }
  [[nodiscard]] MonoTime in(std::chrono::nanoseconds time) { return clock.now().mono + time; }
};

TEST_F(LoopTimersComponent, loop_wakes_for_the_first_of_sessions_and_connections) {
  open();
  Connection& connection = *accept().connection;
  EXPECT_EQ(loop().time.first_timer(), in(5s)) << "LogonTimeout";
  timers().arm(entry(0), in(3s));
  timers().arm(entry(1), in(4s));
  EXPECT_EQ(loop().time.first_timer(), in(3s));
  timers().disarm(entry(0));
  EXPECT_EQ(loop().time.first_timer(), in(4s));
  timers().disarm(entry(1));
  timers().disarm(connection);
  EXPECT_EQ(loop().time.first_timer(), kNever);
}

TEST_F(LoopTimersComponent, later_deadline_does_not_move_an_earlier_one) {
  open();
  timers().arm(entry(), in(3s));
  timers().arm(entry(), in(9s));
  EXPECT_EQ(loop().time.first_timer(), in(3s));
}

TEST_F(LoopTimersComponent, due_sessions_come_by_time_once) {
  open();
  timers().arm(entry(0), in(2s));
  timers().arm(entry(1), in(1s));
  EXPECT_TRUE(timers().remove_due_sessions(in(1s - 1ns)).empty());
  EXPECT_EQ(timers().remove_due_sessions(in(2s)),
            (std::vector<SessionEntry*>{&entry(1), &entry(0)}));
  EXPECT_TRUE(timers().remove_due_sessions(in(1h)).empty());
}

TEST_F(LoopTimersComponent, connections_above_the_count_stay_due) {
  open();
  for (int i = 0; i < 3; ++i) ASSERT_NE(accept().connection, nullptr);
  EXPECT_EQ(timers().remove_due_connections(in(5s), 2).size(), 2U);
  EXPECT_EQ(timers().first_connection(), in(5s));
  EXPECT_EQ(timers().remove_due_connections(in(5s), 2).size(), 1U);
  EXPECT_EQ(timers().first_connection(), kNever);
}

TEST(LoopClock, the_first_timer_is_the_earlier_one_of_wake_up_and_owners) {
  SystemClock clock;
  const auto at = [](int seconds) { return MonoTime{std::chrono::seconds{seconds}}; };
  LoopClock time{clock};
  EXPECT_EQ(time.first_timer(), kNever);
  time.set_first_owner(at(10));
  EXPECT_EQ(time.first_timer(), at(10));
  time.wake_at(at(20));
  EXPECT_EQ(time.first_timer(), at(10));
  time.set_first_owner(at(30));
  EXPECT_EQ(time.first_timer(), at(20));
  time.wake_at(at(5));
  EXPECT_EQ(time.first_timer(), at(5));
  time.clear_wake();
  EXPECT_EQ(time.first_timer(), at(30));
}

}  // namespace
}  // namespace nexusfix::engine
