// The engine follows the schedule of a session. The clock begins on Monday, 2024-01-15, 10:30:00
// UTC.
#include "unit/engine/support/initiator_fixture.hpp"

namespace nexusfix::testing {
namespace {

using namespace std::chrono_literals;

class ScheduleTest : public InitiatorTest {
 protected:
  void trade_until(std::string_view times) {
    schedule = times;
    trader.orders_at_logon = 1;
    open();
    open_trader(acceptor->accept_port());
    ASSERT_TRUE(turn_until([&] { return trader.reports.size() == 1; })) << trader_log.all();
  }
  void both_turn(int turns) {
    turn_until([&] { return turns-- == 0; });
  }
  [[nodiscard]] bool both_are_reset() {
    return initiator->session(0).numbers() == session::Numbers{1, 1} &&
           acceptor->session(0).numbers() == session::Numbers{1, 1};
  }
};

TEST_F(ScheduleTest, both_sides_log_out_and_begin_at_1_at_the_end_of_a_session) {
  trade_until("StartTime=08:00:00\nEndTime=10:30:05");
  clock.advance(5s);
  ASSERT_TRUE(turn_until([&] { return both_are_reset(); })) << trader_log.all() << log.all();
  EXPECT_EQ(trader.logouts, 1);
  EXPECT_EQ(venue.logouts, 1);
  EXPECT_TRUE(running);  // The engine waits for the next session.
}

TEST_F(ScheduleTest, an_initiator_logs_on_again_when_the_next_session_starts) {
  trade_until("StartTime=08:00:00\nEndTime=10:30:05");
  clock.advance(5s);
  ASSERT_TRUE(turn_until([&] { return both_are_reset(); }));
  clock.advance(21h);
  both_turn(100);
  EXPECT_EQ(trader.logons, 1);
  clock.advance(30min);
  ASSERT_TRUE(turn_until([&] { return trader.reports.size() == 2; })) << trader_log.all();
  EXPECT_EQ(initiator->session(0).numbers().next_outbound, 3U);
  EXPECT_TRUE(numbers_agree());
}

TEST_F(ScheduleTest, sessions_of_a_whole_day_reset_at_midnight_and_continue) {
  trade_until("StartTime=00:00:00\nEndTime=00:00:00");
  clock.advance(13h + 30min);
  ASSERT_TRUE(turn_until([&] { return both_are_reset(); })) << trader_log.all() << log.all();
  clock.advance(1s);  // ReconnectInterval
  ASSERT_TRUE(turn_until([&] { return trader.reports.size() == 2; })) << trader_log.all();
  EXPECT_EQ(initiator->session(0).numbers().next_outbound, 3U);
  EXPECT_TRUE(numbers_agree());
}

TEST_F(ScheduleTest, a_logon_outside_of_the_session_is_answered_with_the_time_of_the_next_one) {
  schedule = "StartTime=10:30:05\nEndTime=12:00:00";
  open();
  RawPeer& peer = connect();
  peer.send(logon("TRADER", 1));
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  ASSERT_EQ(peer.messages().size(), 1U);
  EXPECT_TRUE(contains(peer.messages()[0],
                       "|58=Session closed by its schedule until 2024-01-15 10:30:05 UTC|"))
      << bar(peer.messages()[0]);
  EXPECT_EQ(acceptor->session(0).numbers(), (session::Numbers{1, 2}));
  EXPECT_TRUE(
      log.has("FIX.4.4:VENUE->TRADER its Logon is refused: the session is closed by its "
              "schedule until 2024-01-15 10:30:05 UTC"))
      << log.all();
  // The client counts the Logout: the Logon at the opening is the next message.
  clock.advance(5s);
  RawPeer& again = connect();
  again.send(logon("TRADER", 1));
  ASSERT_TRUE(run_until([&] { return !again.messages().empty(); })) << log.all();
  EXPECT_TRUE(contains(again.messages()[0], "|35=A|34=2|")) << bar(again.messages()[0]);
  EXPECT_TRUE(log.has("closed by its schedule until 2024-01-15 10:30:05 UTC")) << log.all();
}

TEST_F(ScheduleTest, logon_at_the_start_of_a_session_is_answered) {
  schedule = "StartTime=10:30:05\nEndTime=12:00:00";
  open();
  turn(1);
  clock.advance(5s);
  static_cast<void>(log_on("TRADER"));
}

TEST_F(ScheduleTest, an_initiator_does_not_connect_outside_of_the_session) {
  open();
  schedule = "StartTime=10:30:05\nEndTime=12:00:00";
  open_trader(acceptor->accept_port());
  both_turn(100);
  EXPECT_EQ(trader.logons, 0);
  EXPECT_TRUE(running);
  clock.advance(5s);
  EXPECT_TRUE(turn_until([&] { return trader.logons == 1; })) << trader_log.all();
}

TEST_F(ScheduleTest, numbers_of_an_ended_session_are_reset_at_the_next_start) {
  trade_until("StartTime=08:00:00\nEndTime=10:30:05");
  initiator.reset();
  acceptor.reset();
  clock.advance(22h);
  open();
  open_trader(acceptor->accept_port());
  EXPECT_TRUE(both_are_reset());
}

TEST_F(ScheduleTest, numbers_of_the_same_session_continue_after_a_restart) {
  trade_until("StartTime=08:00:00\nEndTime=10:30:05");
  initiator.reset();
  acceptor.reset();
  clock.advance(2s);
  open();
  open_trader(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return trader.reports.size() == 2; })) << trader_log.all();
  EXPECT_EQ(initiator->session(0).numbers().next_outbound, 5U);
}

TEST_F(ScheduleTest, message_sent_between_two_sessions_reaches_the_next_one) {
  trade_until("StartTime=08:00:00\nEndTime=10:30:05");
  clock.advance(5s);
  ASSERT_TRUE(turn_until([&] { return both_are_reset(); }));
  trader.orders_at_logon = 0;
  Trader::send(initiator->session(0), "EARLY");
  clock.advance(21h + 30min);
  ASSERT_TRUE(turn_until([&] { return trader.reports.size() == 2; })) << trader_log.all();
  EXPECT_EQ(trader.reports.back(), "EARLY");
}

TEST_F(ScheduleTest, end_of_the_logon_window_logs_out_and_resets_nothing) {
  trade_until("StartTime=08:00:00\nEndTime=17:00:00\nLogonTime=09:00:00\nLogoutTime=10:30:05");
  clock.advance(5s);
  ASSERT_TRUE(turn_until([&] { return trader.logouts == 1 && venue.logouts == 1; }));
  EXPECT_TRUE(numbers_agree());
  EXPECT_EQ(initiator->session(0).numbers().next_outbound, 4U);
}

// Clocks are never exactly equal: a late side must find that the other side has reset its numbers.
TEST_F(ScheduleTest, counterparty_that_answers_no_logout_is_disconnected_and_reset) {
  schedule = "StartTime=08:00:00\nEndTime=10:30:05";
  open();
  RawPeer& peer = log_on("TRADER");
  clock.advance(5s);
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; }));
  EXPECT_TRUE(contains(peer.messages().back(), "|35=5|"));
  EXPECT_TRUE(contains(peer.messages().back(), "|58=End of session|"));
  clock.advance(10s);
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_EQ(acceptor->session(0).numbers(), (session::Numbers{1, 1}));
}

TEST_F(ScheduleTest, reset_time_resets_both_sides_on_the_living_connection) {
  trade_until("StartTime=08:00:00\nEndTime=17:00:00\nResetSeqTime=10:30:05");
  clock.advance(5s);
  const std::string_view reset = "FIX.4.4:TRADER->VENUE the sequence numbers are reset to 1";
  ASSERT_TRUE(turn_until([&] { return trader_log.has(reset) && numbers_agree(); }))
      << log.all() << trader_log.all();
  both_turn(100);
  EXPECT_TRUE(numbers_agree());
  EXPECT_LT(initiator->session(0).numbers().next_outbound, 5U);  // before it, 5 were sent
  EXPECT_EQ(trader.logouts, 0);
  EXPECT_EQ(venue.logouts, 0);
  EXPECT_TRUE(log.has("by a Logon, without a disconnect")) << log.all();
}

TEST_F(ScheduleTest, log_out_by_hand_outlasts_the_start_of_the_next_session) {
  trade_until("StartTime=00:00:00\nEndTime=00:00:00");
  initiator->session(0).log_out();
  ASSERT_TRUE(turn_until([&] { return trader.logouts == 1; }));
  clock.advance(24h);
  both_turn(100);
  EXPECT_EQ(trader.logons, 1);
}

TEST_F(ScheduleTest, clock_set_past_the_end_is_noticed_within_an_idle_minute) {
  schedule = "StartTime=08:00:00\nEndTime=17:00:00";
  open();
  RawPeer& peer = connect();
  peer.send(from("TRADER", "A", 1, "98=0|108=0|"));  // no Heartbeat wakes the engine
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
  const auto idle_for_a_minute = [&] {
    for (int second = 0; second < 60; ++second) {
      clock.advance(1s);
      turn(2);
    }
  };
  idle_for_a_minute();  // The Logon's timers have expired.
  clock.set_wall_forward(7h);
  idle_for_a_minute();
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|35=5|34=2|")) << bar(peer.messages()[1]);
}

TEST_F(ScheduleTest, clock_set_back_into_the_session_is_noticed_within_an_idle_minute) {
  schedule = "StartTime=08:00:00\nEndTime=10:30:05";
  open();
  clock.advance(30min);
  turn(2);
  ASSERT_TRUE(log.has("closed by its schedule until 2024-01-16 08:00:00 UTC")) << log.all();
  clock.set_wall_back(31min);
  for (int second = 0; second < 60; ++second) {
    clock.advance(1s);
    turn(2);
  }
  EXPECT_TRUE(log.has("open by its schedule until 2024-01-15 10:30:05 UTC")) << log.all();
}

TEST_F(ScheduleTest, other_sessions_continue_when_one_ends) {
  schedule = "";
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n"
      "StartTime=08:00:00\nEndTime=10:30:05\n"
      "[SESSION]\nBeginString=FIX.4.2\nSenderCompID=VENUE\nTargetCompID=OTHER\nNonStopSession=Y\n";
  open();
  static_cast<void>(log_on("TRADER"));
  clock.advance(5s);
  ASSERT_TRUE(run_until([&] { return acceptor->session(0).numbers().next_outbound == 3; }));
  expect_still_serving();
}

}  // namespace
}  // namespace nexusfix::testing
