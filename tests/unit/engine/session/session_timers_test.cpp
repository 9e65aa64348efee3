// Timers that an application sets: Session::call_at() and call_after().
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "unit/engine/support/initiator_fixture.hpp"

namespace nexusfix::testing {
namespace {

using namespace std::chrono_literals;
using engine::kTimersMax;
using engine::TimerHandle;

class SessionTimersTest : public InitiatorTest {
 protected:
  [[nodiscard]] Session& session() { return acceptor->session(0); }
  // A callback that notes its name.
  [[nodiscard]] auto note(std::string name) {
    return [this, name = std::move(name)](Session&) { ran.push_back(name); };
  }
  void pass(std::chrono::nanoseconds time) {
    clock.advance(time);
    turn(2);
  }
  static void send_news(Session& session, std::string_view text) {
    wire::Encoder news = session.begin("B");
    news.field(58, text);
    ASSERT_TRUE(session.finish(news).has_value());
  }

  std::vector<std::string> ran;
};

TEST_F(SessionTimersTest, timer_runs_once_when_its_time_has_come_and_not_before) {
  open();
  const TimerHandle timer = session().call_after(10ms, note("A"));
  EXPECT_TRUE(timer);
  // At first the journal has work.
  EXPECT_TRUE(run_until([&] { return acceptor->next_deadline() == clock.now().mono + 10ms; }));
  pass(10ms - 1ns);
  EXPECT_TRUE(ran.empty());
  pass(1ns);
  EXPECT_EQ(ran, std::vector<std::string>{"A"});
  pass(1h);
  EXPECT_EQ(ran.size(), 1U);
  EXPECT_FALSE(session().cancel(timer)) << "it has run";
}

TEST_F(SessionTimersTest, timers_run_by_time_and_equal_times_in_the_order_of_their_calls) {
  open();
  session().call_after(2s, note("C"));
  session().call_at(clock.now().mono + 1s, note("A"));
  session().call_after(1s, note("B"));
  session().call_after(-3s, note("now"));
  session().call_at(MonoTime::min(), note("past"));
  pass(0s);
  EXPECT_EQ(ran, (std::vector<std::string>{"now", "past"}));
  EXPECT_FALSE(log.has(EventId::LoopStalled)) << "a time in the past is no delay of the loop";
  pass(2s);
  EXPECT_EQ(ran, (std::vector<std::string>{"now", "past", "A", "B", "C"}));
}

TEST_F(SessionTimersTest, far_time_is_never) {
  open();
  const TimerHandle never = session().call_after(std::chrono::nanoseconds::max(), note("A"));
  EXPECT_EQ(never.due, kNever.time_since_epoch());
  session().call_at(WallTime::max(), note("B"));
  session().call_at(WallTime::min(), note("C"));
  pass(24h);
  EXPECT_EQ(ran, std::vector<std::string>{"C"});
  EXPECT_TRUE(session().cancel(never));
}

TEST_F(SessionTimersTest, wall_time_follows_the_wall_clock) {
  open();
  session().call_at(std::chrono::floor<std::chrono::seconds>(clock.now().wall) + 10min, note("A"));
  clock.set_wall_back(5min);
  pass(10min);
  EXPECT_TRUE(ran.empty()) << "on the wall it is five minutes too early";
  clock.set_wall_forward(5min);
  pass(1min);
  EXPECT_EQ(ran, std::vector<std::string>{"A"});
}

TEST_F(SessionTimersTest, cancelled_timer_does_not_run_and_its_captures_are_destroyed) {
  open();
  auto captured = std::make_shared<int>(7);
  const TimerHandle timer =
      session().call_after(1s, [captured, run = note("A")](Session& s) { run(s); });
  const TimerHandle other = session().call_after(1s, note("B"));
  EXPECT_EQ(captured.use_count(), 2);
  EXPECT_FALSE(acceptor->session(1).cancel(timer)) << "a timer of another session";
  EXPECT_TRUE(session().cancel(timer));
  EXPECT_EQ(captured.use_count(), 1);
  EXPECT_FALSE(session().cancel(timer));
  EXPECT_FALSE(session().cancel(TimerHandle{}));
  EXPECT_NE(timer, other);
  pass(1s);
  EXPECT_EQ(ran, std::vector<std::string>{"B"});
}

TEST_F(SessionTimersTest, callback_sets_and_cancels_timers) {
  open();
  int ticks = 0;
  struct Ticker {
    int& ticks;
    void operator()(Session& s) const {
      if (++ticks < 5) s.call_after(1s, Ticker{ticks});
    }
  };
  session().call_after(1s, Ticker{ticks});
  const TimerHandle cancelled = session().call_after(1500ms, note("cancelled"));
  session().call_after(1200ms, [&, cancelled](Session& s) { EXPECT_TRUE(s.cancel(cancelled)); });
  for (int i = 0; i < 10; ++i) pass(1s);
  EXPECT_EQ(ticks, 5);
  EXPECT_TRUE(ran.empty());
}

TEST_F(SessionTimersTest, timer_that_is_due_at_once_does_not_stop_the_loop) {
  open();
  struct Immediate {
    int& runs;
    void operator()(Session& s) const {
      if (++runs < 20) s.call_after(0s, Immediate{runs});
    }
  };
  int runs = 0;
  session().call_after(0s, Immediate{runs});
  turn(10);
  EXPECT_EQ(runs, 10) << "once in a turn";
  expect_still_serving();
  turn(10);
  EXPECT_EQ(runs, 20);
}

TEST_F(SessionTimersTest, timers_that_a_callback_sets_in_the_past_wait_for_the_next_turn) {
  open();
  for (int i = 0; i < 3; ++i) {
    session().call_after(1s, [this](Session& s) {
      ran.emplace_back("old");
      for (int k = 0; k < 100; ++k) s.call_at(MonoTime::min(), note("new"));
    });
  }
  clock.advance(1s);
  turn(1);
  EXPECT_EQ(ran, std::vector<std::string>(3, "old")) << "all that were due have run first";
  turn(5);
  EXPECT_EQ(ran.size(), 303U);
}

TEST_F(SessionTimersTest, wall_time_in_the_past_is_due_although_the_wall_clock_goes_back) {
  open();
  session().call_at(clock.now().wall, note("A"));
  session().call_at(clock.now().wall - 1h, note("B"));
  clock.set_wall_back(2h);
  turn(2);
  EXPECT_EQ(ran, (std::vector<std::string>{"A", "B"}));
}

TEST_F(SessionTimersTest, jump_of_the_wall_clock_does_not_move_a_time_from_now_on) {
  open();
  session().call_after(10min, note("A"));
  clock.set_wall_back(1h);
  pass(10min - 1ns);
  EXPECT_TRUE(ran.empty());
  clock.set_wall_forward(24h);
  turn(2);
  EXPECT_TRUE(ran.empty());
  pass(1ns);
  EXPECT_EQ(ran, std::vector<std::string>{"A"});
}

TEST_F(SessionTimersTest, timer_that_cancels_itself_keeps_its_captures_until_it_returns) {
  open();
  auto captured = std::make_shared<int>(7);
  TimerHandle self;
  self = session().call_after(1s, [this, captured, &self](Session& s) {
    EXPECT_FALSE(s.cancel(self)) << "it is running";
    ran.push_back(std::to_string(*captured));
  });
  pass(1s);
  EXPECT_EQ(ran, std::vector<std::string>{"7"});
  EXPECT_EQ(captured.use_count(), 1);
}

TEST_F(SessionTimersTest, many_due_timers_share_a_few_turns) {
  open();
  for (int i = 0; i < 200; ++i) session().call_after(1s, note("A"));
  clock.advance(1s);
  turn(1);
  EXPECT_EQ(ran.size(), 64U);
  turn(3);
  EXPECT_EQ(ran.size(), 200U);
}

TEST_F(SessionTimersTest, sent_messages_leave_with_the_timer) {
  open();
  RawPeer& peer = log_on("TRADER");
  session().call_after(3s, [](Session& s) {
    send_news(s, "one");
    send_news(s, "two");
  });
  pass(3s);
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 3; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|34=2|")) << bar(peer.messages()[1]);
  EXPECT_TRUE(contains(peer.messages()[2], "|58=two|")) << bar(peer.messages()[2]);
}

TEST_F(SessionTimersTest, callback_that_throws_sends_nothing_and_the_next_timer_runs) {
  open();
  RawPeer& peer = log_on("TRADER");
  session().call_after(1s, [](Session& s) {
    send_news(s, "undone");
    throw std::runtime_error{"no price"};
  });
  session().call_after(1s, [](Session& s) { send_news(s, "sent"); });
  pass(1s);
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|34=2|")) << bar(peer.messages()[1]);
  EXPECT_TRUE(contains(peer.messages()[1], "|58=sent|")) << bar(peer.messages()[1]);
  EXPECT_TRUE(log.has(EventId::CallbackThrew, "no price")) << log.all();
  pass(10s);
  EXPECT_EQ(peer.messages().size(), 2U);
}

TEST_F(SessionTimersTest, timer_outlives_the_connection) {
  open();
  RawPeer& peer = log_on("TRADER");
  session().call_after(10s, [&](Session& s) {
    EXPECT_FALSE(s.is_logged_on());
    send_news(s, "stored");
    ran.emplace_back("A");
  });
  peer.close();
  ASSERT_TRUE(run_until([&] { return venue.logouts == 1; })) << log.all();
  pass(10s);
  EXPECT_EQ(ran, std::vector<std::string>{"A"});
  EXPECT_EQ(session().numbers().next_outbound, 3U);
}

TEST_F(SessionTimersTest, commands_of_a_timer_take_effect) {
  open();
  RawPeer& peer = log_on("TRADER");
  session().call_after(1s, [&](Session& s) {
    EXPECT_FALSE(s.set_next_numbers({9, 9}, "test").has_value()) << "not from within a callback";
    s.log_out("good night");
  });
  pass(1s);
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|58=good night|")) << bar(peer.messages()[1]);
}

TEST_F(SessionTimersTest, removed_session_has_no_timers) {
  open();
  RawPeer& peer = log_on("TRADER");
  auto captured = std::make_shared<int>(7);
  session().call_after(1s, [captured, run = note("A")](Session& s) { run(s); });
  bool is_refused = false;
  venue.after_logout = [&](Session& s) { is_refused = !s.call_after(0s, note("B")); };
  session().remove("closed");
  EXPECT_EQ(captured.use_count(), 1);
  EXPECT_FALSE(session().call_after(1s, note("C")));
  peer.send(from("TRADER", "5", 2));
  ASSERT_TRUE(run_until([&] { return acceptor->session_count() == 1; })) << log.all();
  EXPECT_TRUE(is_refused);
  pass(1h);
  EXPECT_TRUE(ran.empty());
}

TEST_F(SessionTimersTest, timer_may_remove_its_own_session) {
  open();
  session().call_after(1s, [&](Session& s) {
    s.call_after(1s, note("B"));
    s.remove("closed");
    ran.emplace_back("A");
  });
  session().call_after(1s, note("C"));
  pass(1s);
  EXPECT_EQ(acceptor->session_count(), 1U);
  pass(1h);
  EXPECT_EQ(ran, std::vector<std::string>{"A"});
}

TEST_F(SessionTimersTest, timer_may_remove_a_session_whose_timer_is_due_as_well) {
  open();
  const std::string other{acceptor->session(1).name()};
  session().call_after(1s, [&](Session&) { acceptor->find_session(other)->remove("closed"); });
  acceptor->session(1).call_after(1s, note("B"));
  pass(1s);
  EXPECT_EQ(acceptor->session_count(), 1U);
  EXPECT_TRUE(ran.empty());
}

TEST_F(SessionTimersTest, end_of_the_engine_destroys_captures_without_a_call) {
  open();
  auto captured = std::make_shared<int>(7);
  session().call_after(1s, [captured, run = note("A")](Session& s) { run(s); });
  acceptor.reset();
  EXPECT_EQ(captured.use_count(), 1);
  EXPECT_TRUE(ran.empty());
}

TEST_F(SessionTimersTest, limit_is_reported_and_a_cancelled_timer_makes_room) {
  open();
  TimerHandle last;
  for (std::size_t i = 0; i < kTimersMax; ++i) last = session().call_after(1h, [](Session&) {});
  ASSERT_TRUE(last);
  EXPECT_FALSE(log.has(EventId::TimerRefused));
  EXPECT_FALSE(session().call_after(1h, note("A")));
  EXPECT_TRUE(log.has(EventId::TimerRefused, "65536 timers")) << log.all();
  const std::size_t reported = log.all().size();
  for (int i = 0; i < 35'000; ++i) EXPECT_FALSE(session().call_after(1h, note("A")));
  EXPECT_LT(log.all().size(), reported + 10'000) << "the log is not flooded";
  EXPECT_TRUE(acceptor->session(1).call_after(1h, note("B"))) << "the limit of one session";
  EXPECT_TRUE(session().cancel(last));
  EXPECT_TRUE(session().call_after(1h, note("C")));
}

int runs_of_function = 0;
void count_run(Session&) { ++runs_of_function; }

TEST_F(SessionTimersTest, function_is_a_callback) {
  open();
  runs_of_function = 0;
  session().call_after(1s, count_run);
  session().call_after(1s, &count_run);
  pass(1s);
  EXPECT_EQ(runs_of_function, 2);
}

TEST_F(SessionTimersTest, captures_are_moved_and_may_be_as_large_as_the_limit) {
  open();
  auto only = std::make_unique<std::string>("moved");
  session().call_after(1s, [this, only = std::move(only)](Session&) { ran.push_back(*only); });
  std::array<char, engine::kTimerBytesMax - sizeof(void*)> large{};
  large.back() = 'x';
  session().call_after(2s, [this, large](Session&) { ran.emplace_back(1, large.back()); });
  pass(2s);
  EXPECT_EQ(ran, (std::vector<std::string>{"moved", "x"}));
}

TEST_F(SessionTimersTest, captured_constant_that_cannot_be_moved_is_allocated) {
  open();
  const std::string name(40, 'x');
  const auto callback = [this, name](Session&) { ran.push_back(name); };
  static_assert(!std::is_nothrow_move_constructible_v<decltype(callback)>);
  session().call_after(1s, callback);
  const TimerHandle cancelled = session().call_after(1s, callback);
  EXPECT_TRUE(session().cancel(cancelled));
  pass(1s);
  EXPECT_EQ(ran, std::vector<std::string>{name});
}

TEST_F(SessionTimersTest, initiator_that_has_logged_out_waits_for_its_timer) {
  open();
  open_trader(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return trader.logons == 1; })) << trader_log.all();
  initiator->session(0).log_out("lunch");
  initiator->session(0).call_after(1h, [](Session& s) { s.log_on(); });
  ASSERT_TRUE(turn_until([&] { return trader.logouts == 1; })) << trader_log.all();
  for (int i = 0; i < 20; ++i) turn_until([] { return true; });
  EXPECT_TRUE(running) << "its timer logs it on again";
  clock.advance(1h);
  ASSERT_TRUE(turn_until([&] { return trader.logons == 2; })) << trader_log.all();
  initiator->session(0).log_out("done");
  EXPECT_TRUE(turn_until([&] { return !running; })) << "without a timer it ends";
}

}  // namespace
}  // namespace nexusfix::testing
