// Logons while the event loop is late: sessions that are logged on have priority.
#include <algorithm>

#include "engine/policy/policy.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using engine::LoopLateness;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr MonoTime kStart{seconds{1'000}};
constexpr milliseconds kLateMax{200};

// Handles this number of alarms, one second apart, each late by this time. Returns the time of the
// last one.
MonoTime handle(LoopLateness& loop, MonoTime at, int alarms, milliseconds late) {
  for (int i = 0; i < alarms; ++i) loop.done((at += seconds{1}) - late, at);
  return at;
}

TEST(LoopLateness, third_alarm_beyond_the_limit_makes_the_loop_late) {
  LoopLateness loop{kLateMax};
  const MonoTime at = handle(loop, kStart, 2, milliseconds{201});
  EXPECT_FALSE(loop.is_late(at));
  loop.done(at - milliseconds{201}, at);
  EXPECT_TRUE(loop.is_late(at));
}

TEST(LoopLateness, alarms_at_the_limit_are_on_time) {
  LoopLateness loop{kLateMax};
  EXPECT_FALSE(loop.is_late(handle(loop, kStart, 100, kLateMax)));
}

TEST(LoopLateness, three_alarms_on_time_in_a_row_end_the_lateness) {
  LoopLateness loop{kLateMax};
  MonoTime at = handle(loop, kStart, 3, milliseconds{500});
  at = handle(loop, at, 2, milliseconds{0});
  EXPECT_TRUE(loop.is_late(at));
  at = handle(loop, at, 1, milliseconds{500});
  at = handle(loop, at, 2, milliseconds{0});
  EXPECT_TRUE(loop.is_late(at));
  at = handle(loop, at, 1, milliseconds{0});
  EXPECT_FALSE(loop.is_late(at));
  EXPECT_FALSE(loop.is_late(handle(loop, at, 2, milliseconds{500}))) << "it begins again";
}

TEST(LoopLateness, old_late_alarms_do_not_count) {
  LoopLateness loop{kLateMax};
  MonoTime at = handle(loop, kStart, 3, milliseconds{500});
  EXPECT_TRUE(loop.is_late(at + LoopLateness::kRecent));
  EXPECT_FALSE(loop.is_late(at + LoopLateness::kRecent + milliseconds{1}));
  at += LoopLateness::kRecent + milliseconds{1};
  EXPECT_FALSE(loop.is_late(handle(loop, at, 2, milliseconds{500})));
}

TEST(LoopLateness, loop_without_a_limit_is_never_late) {
  LoopLateness loop;
  EXPECT_FALSE(loop.is_late(handle(loop, kStart, 10, seconds{1})));
}

TEST(LoopStallDetector, stall_of_two_seconds_is_reported_at_most_once_a_minute) {
  engine::LoopStallDetector loop;
  EXPECT_FALSE(loop.done(kStart, kStart));
  const MonoTime now = kStart + seconds{10};
  EXPECT_FALSE(loop.done(now - milliseconds{1'999}, now));
  EXPECT_EQ(loop.done(now - seconds{2}, now), seconds{2});
  EXPECT_FALSE(loop.done(now - seconds{5}, now + seconds{59}));
  EXPECT_EQ(loop.done(now, now + seconds{60}), seconds{60});
}

TEST(LoopStallDetector, alarm_due_before_the_loop_began_is_not_reported) {
  engine::LoopStallDetector loop;
  EXPECT_FALSE(loop.done(kStart - seconds{10}, kStart));
}

class AdmissionTest : public AcceptorTest {
 protected:
  void begin() {
    open();
    live_ = &log_on_fast();
  }
  // One turn that begins this time after the last one. Alarms that were due at the last turn are
  // late by this time; alarms that fall due in between are late by less. The live session sends a
  // Heartbeat each time.
  void turn_late(milliseconds time) {
    clock.advance(time);
    live_->send(from("TRADER", "0", ++live_number_));
    ASSERT_TRUE(run_until([&] {
      return live_->all_sent() && acceptor->session(0).numbers().next_inbound == live_number_ + 1;
    })) << log.all();
    turn(2);
  }
  void make_late() {
    for (int i = 0; i < 4; ++i) turn_late(milliseconds{1'400});
  }
  void recover() {
    for (int i = 0; i < 12; ++i) turn_late(milliseconds{100});
  }
  RawPeer& knock(std::string_view who, std::string_view after = {}) {
    RawPeer& peer = connect();
    peer.send(logon(who, 1) + std::string{after});
    turn(10);
    return peer;
  }
  [[nodiscard]] bool waits(const RawPeer& peer) const {
    return !peer.closed() && peer.messages().empty();
  }

  RawPeer* live_ = nullptr;

 private:
  RawPeer& log_on_fast() {
    RawPeer& peer = connect();
    peer.send(from("TRADER", "A", 1, "98=0|108=1|"));
    EXPECT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
    return peer;
  }

  std::uint64_t live_number_ = 1;
};

TEST_F(AdmissionTest, logon_waits_while_the_loop_is_late_and_is_answered_afterwards) {
  begin();
  make_late();
  RawPeer& peer = knock("OTHER");
  EXPECT_TRUE(waits(peer));
  EXPECT_TRUE(log.has("its timers by more than 200 ms: Logons wait")) << log.all();
  EXPECT_FALSE(live_->closed());
  recover();
  ASSERT_EQ(peer.messages().size(), 1U) << log.all();
  EXPECT_TRUE(contains(peer.messages()[0], "|35=A|"));
  EXPECT_TRUE(log.has("the event loop is in time again: Logons are answered"));
  peer.send(order("OTHER", 2, "AFTERWARDS"));
  EXPECT_TRUE(run_until([&] { return venue.orders.size() == 1; })) << log.all();
}

// Catalogue D16, in process mode: the engine can do nothing during a stall, but the log names the
// cause.
TEST_F(AdmissionTest, stall_of_the_loop_is_logged) {
  begin();
  turn_late(milliseconds{1'400});
  EXPECT_FALSE(log.has("stood still")) << log.all();
  turn_late(milliseconds{7'500});
  EXPECT_TRUE(log.has("the event loop was stalled: what was due is done 7")) << log.all();
}

TEST_F(AdmissionTest, logon_waits_no_longer_than_logon_timeout) {
  extra = "LogonTimeout=3";
  begin();
  make_late();
  RawPeer& peer = knock("OTHER");
  for (int i = 0; i < 2; ++i) turn_late(milliseconds{1'400});
  EXPECT_TRUE(waits(peer));
  turn_late(milliseconds{1'400});
  EXPECT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_TRUE(log.has("its Logon has waited for LogonTimeout, and the event loop is still late"));
  EXPECT_FALSE(live_->closed());
}

TEST_F(AdmissionTest, live_sessions_trade_while_a_logon_waits) {
  begin();
  make_late();
  RawPeer& peer = knock("OTHER");
  venue.orders.clear();
  live_->send(order("TRADER", acceptor->session(0).numbers().next_inbound, "LIVE"));
  EXPECT_TRUE(run_until([&] { return venue.orders.size() == 1; })) << log.all();
  EXPECT_TRUE(waits(peer));
}

TEST_F(AdmissionTest, messages_after_a_waiting_logon_are_processed_with_it) {
  begin();
  make_late();
  RawPeer& peer = knock("OTHER", order("OTHER", 2, "EAGER"));
  EXPECT_TRUE(waits(peer));
  recover();
  EXPECT_TRUE(run_until([&] { return venue.orders.size() == 1; })) << log.all();
  EXPECT_EQ(peer.messages().size(), 2U);
}

// The engine keeps the bytes of one turn; the rest stays in the operating system's buffers.
TEST_F(AdmissionTest, bytes_beyond_one_turn_wait_with_the_logon) {
  begin();
  make_late();
  RawPeer& peer = knock("OTHER", std::string(100'000, 'x'));
  EXPECT_TRUE(waits(peer)) << log.all();
  recover();
  EXPECT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
}

TEST_F(AdmissionTest, logon_that_waited_longer_than_max_latency_is_still_answered) {
  extra = "MaxLatency=1";
  begin();
  make_late();
  RawPeer& peer = knock("OTHER");
  turn_late(milliseconds{1'400});
  recover();
  ASSERT_EQ(peer.messages().size(), 1U) << log.all();
  EXPECT_TRUE(contains(peer.messages()[0], "|35=A|")) << bar(peer.messages()[0]);
}

TEST_F(AdmissionTest, counterparty_that_leaves_while_its_logon_waits_can_log_on_again) {
  begin();
  make_late();
  knock("OTHER").close();
  recover();
  turn(5);
  EXPECT_FALSE(acceptor->session(1).is_logged_on()) << log.all();
  log_on("OTHER", acceptor->session(1).numbers().next_inbound);
}

TEST_F(AdmissionTest, first_message_other_than_a_logon_is_refused_at_once) {
  begin();
  make_late();
  RawPeer& peer = connect();
  peer.send(order("OTHER", 1, "NO-LOGON"));
  EXPECT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
}

TEST_F(AdmissionTest, waiting_logons_are_admitted_gradually) {
  sessions.clear();
  constexpr std::size_t kMany = 200;
  sessions += "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n";
  for (std::size_t i = 0; i < kMany; ++i) {
    sessions += "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=M" +
                std::to_string(i) + "\n";
  }
  begin();
  make_late();
  std::vector<RawPeer*> all;
  for (std::size_t i = 0; i < kMany; ++i) all.push_back(&knock("M" + std::to_string(i)));
  const auto answered = [&] {
    return std::ranges::count_if(all, [](const RawPeer* one) { return !one->messages().empty(); });
  };
  EXPECT_EQ(answered(), 0);
  std::ptrdiff_t most = 0;
  std::ptrdiff_t before = 0;
  for (int i = 0; i < 40; ++i) {
    turn_late(milliseconds{20});
    most = std::max(most, answered() - before);
    before = answered();
  }
  EXPECT_EQ(before, static_cast<std::ptrdiff_t>(kMany)) << log.all();
  EXPECT_LE(most, 64 * 3) << "in one step of the clock";
}

// Otherwise thousands of connections that time out together would delay all sessions at once.
TEST_F(AdmissionTest, connections_without_a_logon_in_time_are_closed_in_batches) {
  open();
  constexpr std::uint64_t kSilent = 150;
  for (std::uint64_t i = 0; i < kSilent; ++i) connect().send("8");
  ASSERT_TRUE(run_until([&] {
    return std::ranges::all_of(peers, [](const auto& peer) { return peer->all_sent(); });
  }));
  turn(50);
  clock.advance(seconds{11});
  for (const std::uint64_t closed : {64U, 128U, 150U}) {
    acceptor->poll(std::chrono::nanoseconds{0});
    EXPECT_EQ(acceptor->statistics().loops[0].connections_refused, closed);
  }
}

TEST_F(AdmissionTest, zero_admits_logons_at_any_time) {
  adjust = [](config::Settings& settings) {
    settings.threads.logon_lateness_max = milliseconds{0};
  };
  begin();
  make_late();
  EXPECT_EQ(knock("OTHER").messages().size(), 1U) << log.all();
}

TEST_F(AdmissionTest, single_clock_jump_delays_no_logon) {
  begin();
  turn_late(milliseconds{1'900});
  EXPECT_EQ(knock("OTHER").messages().size(), 1U) << log.all();
}

}  // namespace
}  // namespace nexusfix::testing
