// SessionControl without an EventLoop: commands to a session, and its schedule.
#include "engine/session/control/session_control.hpp"

#include <chrono>
#include <string>

#include "control/api/operator_acts.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

using namespace std::chrono_literals;

class SessionControlComponent : public testing::FloorsTest {
 protected:
  [[nodiscard]] std::string set_numbers(std::uint64_t next_inbound, std::uint64_t next_outbound) {
    const auto done = sessions().control.set_next_numbers(
        entry(), {.next_inbound = next_inbound, .next_outbound = next_outbound}, "agreed");
    return done ? "done" : done.error();
  }
};

TEST_F(SessionControlComponent, log_out_sends_the_text_and_reset_waits_for_the_end) {
  open();
  const auto [connection, peer] = log_on(entry());
  sessions().control.reset(entry(), "a new day");
  EXPECT_TRUE(sent_to(peer).contains("|58=a new day|"));
  EXPECT_EQ(next_outbound(), 3U) << "the numbers are reset after the connection";
  receive(entry(), "5", 2);
  end_turn();
  if (!connection->is_dead()) sessions().disconnector.close(*connection);
  EXPECT_EQ(next_outbound(), 1U);
  EXPECT_TRUE(log.has(EventId::SequenceNumbersReset)) << log.all();
}

TEST_F(SessionControlComponent, disconnect_ends_the_connection_without_a_logout) {
  open();
  const auto [connection, peer] = log_on(entry());
  sessions().control.disconnect(entry(), "by the operator");
  EXPECT_EQ(sent_to(peer), "");
  EXPECT_TRUE(is_closed(peer));
  EXPECT_TRUE(log.has("by the operator")) << log.all();
}

TEST_F(SessionControlComponent, next_numbers_are_set_only_within_range_and_without_a_connection) {
  open();
  EXPECT_EQ(set_numbers(7, 9), "done");
  EXPECT_EQ(entry().machine.sequence_numbers(),
            (session::Numbers{.next_inbound = 7, .next_outbound = 9}));
  EXPECT_EQ(sessions().registry.stored_numbers(entry()), entry().machine.sequence_numbers());
  EXPECT_TRUE(log.has(EventId::SequenceNumbersSet, "in 1 to 7, out 1 to 9: agreed")) << log.all();
  EXPECT_TRUE(set_numbers(0, 9).starts_with("a next number is 1 to "));
  EXPECT_TRUE(set_numbers(7, session::kSetNumberMax + 1).starts_with("a next number is 1 to "));
  EXPECT_EQ(set_numbers(session::kSetNumberMax, 1), "done");
  EXPECT_EQ(set_numbers(1, 1), "done");
  log_on(entry());
  EXPECT_EQ(set_numbers(7, 9), "the session is connected: log it out first");
  venue.before_answer = [&](Session&, const MessageView&) {
    EXPECT_EQ(set_numbers(7, 9), "not from within a callback");
  };
  receive_order(entry(), 2, "A");
  EXPECT_EQ(venue.orders.size(), 1U);
}

TEST_F(SessionControlComponent, gap_fill_is_refused_with_the_reason) {
  open();
  log_on(entry());
  struct Row {
    std::uint64_t new_seq_no;
    std::string_view part;  // empty: it is allowed
  };
  for (const Row& row :
       {Row{1, "a gap fill to 1 skips nothing"}, Row{2, "skips nothing"}, Row{3, ""},
        Row{2 + kGapFillSkipsMax, ""}, Row{3 + kGapFillSkipsMax, "a gap fill skips at most"}}) {
    const std::string why = SessionControl::gap_fill_refusal(entry(), row.new_seq_no);
    EXPECT_EQ(why.empty(), row.part.empty()) << row.new_seq_no << ": " << why;
    EXPECT_TRUE(why.contains(row.part)) << why;
  }
  sessions().control.send_gap_fill(entry(), 9);
  EXPECT_EQ(next_outbound(), 9U);
  EXPECT_EQ(sessions().registry.stored_numbers(entry()).next_outbound, 9U);
}

TEST_F(SessionControlComponent, disabled_session_logs_out_and_may_not_log_on_until_it_is_enabled) {
  open();
  const auto [connection, peer] = log_on(entry());
  sessions().control.disable(entry(), {}, "anna: fat finger");
  EXPECT_TRUE(sent_to(peer).contains("|58=Session disabled by the operator|"));
  EXPECT_FALSE(entry().schedule_status.may_log_on());
  EXPECT_EQ(entry().schedule_status.disabled_by(), "anna: fat finger");
  sessions().control.enable(entry());
  EXPECT_TRUE(entry().schedule_status.may_log_on());
}

TEST_F(SessionControlComponent, reset_within_the_session_needs_a_logon_and_the_flag) {
  sessions_text = session_text("TRADER", "BeginString=FIX.4.0\n") + session_text("OTHER");
  open();
  EXPECT_EQ(sessions().control.reset_in_session(entry(1)).error(), "the session is not logged on");
  log_on(entry(0));
  EXPECT_EQ(sessions().control.reset_in_session(entry(0)).error(),
            "FIX 4.0 has no ResetSeqNumFlag (141)");
  const auto [connection, peer] = log_on(entry(1));
  EXPECT_TRUE(sessions().control.reset_in_session(entry(1)).has_value());
  EXPECT_TRUE(sent_to(peer).contains("|35=1|")) << "a TestRequest comes first";
}

// 10:30 UTC at the start.
TEST_F(SessionControlComponent, schedule_logs_out_at_its_end_and_opens_again) {
  schedule = "StartTime=09:00:00\nEndTime=11:00:00\nTimeZone=UTC";
  open();
  const auto [connection, peer] = log_on(entry());
  EXPECT_TRUE(entry().schedule_status.is_open());
  EXPECT_LE(loop().time.first_timer(), clock.now().mono + 1min) << "it looks again each minute";
  pass(30min - 1ms);
  sessions().control.follow_schedule(entry());
  EXPECT_TRUE(entry().schedule_status.is_open());
  pass(1s);
  sessions().control.follow_schedule(entry());
  EXPECT_FALSE(entry().schedule_status.is_open());
  EXPECT_TRUE(sent_to(peer).contains("|35=5|")) << log.all();
  EXPECT_TRUE(log.has(EventId::SessionClosedBySchedule, "2024-01-16 09:00:00")) << log.all();
  sessions().disconnector.close(*connection);
  pass(22h);
  sessions().control.follow_schedule(entry());
  EXPECT_TRUE(entry().schedule_status.is_open());
  EXPECT_EQ(next_outbound(), 1U) << "a new session";
}

// 10:30 UTC at the start.
TEST_F(SessionControlComponent, row_of_failures_ends_with_the_state_that_refused_them) {
  schedule = "StartTime=09:00:00\nEndTime=11:00:00\nTimeZone=UTC";
  open();
  const auto fails = [&] {
    entry().logons.failed.count("refused", clock.now().wall);
    return entry().logons.failed.in_a_row();
  };
  sessions().control.disable(entry(), {}, "anna");
  EXPECT_EQ(fails(), 1U);
  sessions().control.enable(entry());
  EXPECT_EQ(fails(), 1U);
  EXPECT_EQ(set_numbers(7, 9), "done");
  EXPECT_EQ(fails(), 1U);
  pass(1h);
  sessions().control.follow_schedule(entry());
  EXPECT_EQ(fails(), 2U) << "the end of the schedule ends no failures";
  pass(22h);
  sessions().control.follow_schedule(entry());
  EXPECT_EQ(fails(), 1U);
}

// 10:30 UTC on a Monday at the start.
TEST_F(SessionControlComponent, schedule_decides_by_day_and_time) {
  struct Row {
    std::string_view keys;
    std::chrono::minutes after;
    bool may_log_on;
  };
  constexpr std::string_view kDay = "StartTime=09:00:00\nEndTime=11:00:00\nTimeZone=UTC";
  constexpr std::string_view kNight = "StartTime=22:00:00\nEndTime=06:00:00\nTimeZone=UTC";
  constexpr std::string_view kWeek =
      "StartTime=09:00:00\nEndTime=17:00:00\nStartDay=Tuesday\nEndDay=Friday\nTimeZone=UTC";
  for (const Row& row : {
           Row{kDay, 0min, true},
           Row{kDay, 29min, true},
           Row{kDay, 31min, false},
           Row{kDay, 23h, true},
           Row{kNight, 0min, false},
           Row{kNight, 12h, true},
           Row{kNight, 20h, false},
           Row{kWeek, 0min, false},
           Row{kWeek, 24h, true},
           Row{kWeek, 48h, true},
           Row{kWeek, 24h * 5, false},
           Row{"NonStopSession=Y", 24h * 5, true},
       }) {
    schedule = row.keys;
    open();
    pass(row.after);
    sessions().control.follow_schedule(entry());
    EXPECT_EQ(entry().schedule_status.may_log_on(), row.may_log_on) << row.keys << " " << row.after;
    clock.advance(-row.after);
  }
}

TEST_F(SessionControlComponent, clock_that_is_set_back_closes_the_session_again) {
  schedule = "StartTime=09:00:00\nEndTime=11:00:00\nTimeZone=UTC";
  open();
  ASSERT_TRUE(entry().schedule_status.is_open());
  clock.set_wall_back(2h);
  pass(0s);
  sessions().control.follow_schedule(entry());
  EXPECT_FALSE(entry().schedule_status.is_open()) << "it is 08:30";
  clock.set_wall_forward(2h);
  pass(0s);
  sessions().control.follow_schedule(entry());
  EXPECT_TRUE(entry().schedule_status.is_open());
}

}  // namespace
}  // namespace nexusfix::engine
