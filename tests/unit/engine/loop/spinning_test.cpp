// A spinning event loop reads from a few connections without a wait on the network first; it still
// gets all other events of the network.
#include <algorithm>
#include <chrono>
#include <sys/resource.h>
#include <thread>
#include <utility>

#include "support/network/counting_network.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

class SpinningTest : public AcceptorTest {
 protected:
  void SetUp() override {
    sessions.clear();
    for (const char* const trader : {"T1", "T2", "T3", "T4", "T5"}) {
      sessions += std::string{"[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID="} +
                  trader + "\n";
    }
  }
  void open_spinning() {
    EngineUnderTest opening = under_test();
    opening.options.network = &network;
    opening.options.busy_spin = true;
    opening.open(acceptor, venue);
  }
  // Turns that do not sleep, enough for the loop to ask the network several times.
  void spin() {
    for (int i = 0; i < 300; ++i) acceptor->poll(std::chrono::nanoseconds{0});
  }
  // One turn of the loop, which finds an order of this peer in its socket.
  void handle_order(RawPeer& peer, std::string_view who, std::uint64_t msg_seq_num) {
    peer.send(order(who, msg_seq_num, who));
    while (!peer.all_sent()) peer.poll();
    acceptor->poll(std::chrono::nanoseconds{0});
  }

  NetworkCounts counts;
  CountingNetwork network{counts};
};

TEST_F(SpinningTest, order_on_one_of_few_connections_is_read_without_a_wait) {
  open_spinning();
  RawPeer& peer = log_on("T1");
  constexpr std::uint64_t kOrders = 64;
  unsigned turns = 0;  // turns that had an order to process
  std::uint64_t asked = 0;
  for (std::uint64_t i = 0; i < kOrders; ++i) {
    const std::size_t taken = venue.orders.size();
    const std::uint64_t before = counts.waits;
    handle_order(peer, "T1", 2 + i);
    if (venue.orders.size() == taken) continue;  // The order had not arrived yet.
    ++turns;
    asked += counts.waits - before;
  }
  EXPECT_GT(turns, 0U);
  EXPECT_LE(asked, turns / 8);
}

TEST_F(SpinningTest, idle_turn_receives_once_and_asks_the_network_every_64th_time) {
  open_spinning();
  log_on("T1");
  turn(2);
  const std::uint64_t waits = counts.waits;
  const std::uint64_t receives = counts.receives;
  constexpr unsigned kTurns = 640;
  for (unsigned i = 0; i < kTurns; ++i) acceptor->poll(std::chrono::nanoseconds{0});
  EXPECT_EQ(counts.waits - waits, kTurns / 64);
  EXPECT_EQ(counts.receives - receives, kTurns);
}

TEST_F(SpinningTest, message_that_is_sent_between_two_idle_turns_leaves_in_the_next_turn) {
  open_spinning();
  log_on("T1");
  turn(4);
  const std::uint64_t sends = counts.sends;
  EchoVenue::send_text(acceptor->session(0), 10);
  acceptor->poll(std::chrono::nanoseconds{0});
  EXPECT_EQ(counts.sends - sends, 1U);
}

TEST_F(SpinningTest, session_that_logs_out_between_two_idle_turns_does_so_in_the_next_turn) {
  open_spinning();
  log_on("T1");
  turn(4);
  const std::uint64_t sends = counts.sends;
  acceptor->session(0).log_out("closing");
  acceptor->poll(std::chrono::nanoseconds{0});
  EXPECT_EQ(counts.sends - sends, 1U);
}

TEST_F(SpinningTest, order_is_answered_in_the_turn_that_receives_it) {
  open_spinning();
  RawPeer& peer = log_on("T1");
  turn(4);
  constexpr std::uint64_t kOrders = 100;
  for (std::uint64_t i = 0; i < kOrders; ++i) {
    const std::size_t taken = venue.orders.size();
    const std::uint64_t sends = counts.sends;
    handle_order(peer, "T1", 2 + i);
    const bool was_received = venue.orders.size() > taken;
    ASSERT_EQ(counts.sends - sends, was_received ? 1U : 0U) << "order " << i;
  }
}

TEST_F(SpinningTest, timer_is_called_by_a_loop_that_was_idle) {
  open_spinning();
  log_on("T1");
  bool was_called = false;
  const TimerHandle timer = acceptor->session(0).call_after(
      std::chrono::seconds{1}, [&was_called](Session&) { was_called = true; });
  ASSERT_TRUE(timer);
  turn(4);
  EXPECT_FALSE(was_called);
  clock.advance(std::chrono::seconds{1});
  acceptor->poll(std::chrono::nanoseconds{0});
  EXPECT_TRUE(was_called);
}

TEST_F(SpinningTest, busy_connection_does_not_delay_a_new_connection) {
  open_spinning();
  RawPeer& busy = log_on("T1");
  RawPeer& late = connect();
  late.send(logon("T2", 1));
  constexpr std::uint64_t kTurns = 64;
  for (std::uint64_t i = 0; i < kTurns; ++i) {
    handle_order(busy, "T1", 2 + i);
    late.poll();
  }
  EXPECT_EQ(late.messages().size(), 1U) << log.all();
}

TEST_F(SpinningTest, busy_connection_does_not_delay_another_one) {
  open_spinning();
  RawPeer& busy = log_on("T1");
  RawPeer& other = log_on("T2");
  other.send(order("T2", 2, "OTHER"));
  while (!other.all_sent()) other.poll();
  constexpr std::uint64_t kTurns = 4;
  for (std::uint64_t i = 0; i < kTurns; ++i) handle_order(busy, "T1", 2 + i);
  EXPECT_NE(std::ranges::find(venue.orders, "OTHER"), venue.orders.end());
}

TEST_F(SpinningTest, orders_on_many_connections_are_found_by_a_wait) {
  open_spinning();
  std::vector<RawPeer*> traders;
  for (const char* const trader : {"T1", "T2", "T3", "T4", "T5"}) {
    traders.push_back(&log_on(trader));
  }
  turn(2);
  const std::uint64_t before = counts.receives;
  turn(50);
  EXPECT_EQ(counts.receives, before);
  traders.back()->send(order("T5", 2, "LAST"));
  EXPECT_TRUE(run_until([&] { return traders.back()->messages().size() == 2; })) << log.all();
}

TEST_F(SpinningTest, connection_that_each_turn_asks_is_not_watched) {
  open_spinning();
  log_on("T1");
  EXPECT_EQ(network.unwatched(), 0U);
  spin();
  EXPECT_EQ(network.unwatched(), 1U);
}

TEST_F(SpinningTest, turn_that_may_sleep_is_woken_by_an_order) {
  open_spinning();
  RawPeer& peer = log_on("T1");
  spin();
  peer.send(order("T1", 2, "ORDER"));
  while (!peer.all_sent()) peer.poll();
  for (int i = 0; i < 3 && venue.orders.empty(); ++i) acceptor->poll(std::chrono::seconds{5});
  EXPECT_EQ(venue.orders.size(), 1U);
  EXPECT_EQ(network.unwatched(), 0U);
}

TEST_F(SpinningTest, connections_are_watched_again_when_they_become_many) {
  open_spinning();
  std::vector<RawPeer*> traders;
  for (const char* const trader : {"T1", "T2", "T3", "T4"}) traders.push_back(&log_on(trader));
  spin();
  EXPECT_EQ(network.unwatched(), 4U);
  log_on("T5");
  traders.front()->send(order("T1", 2, "FIRST"));
  EXPECT_TRUE(run_until([&] { return traders.front()->messages().size() == 2; })) << log.all();
  EXPECT_EQ(network.unwatched(), 0U);
}

TEST_F(SpinningTest, throttled_connection_is_not_read) {
  extra = "ThrottleMessages=1\nThrottleInterval=1";
  open_spinning();
  RawPeer& peer = log_on("T1");
  peer.send(order("T1", 2, "FIRST") + order("T1", 3, "SECOND"));
  EXPECT_TRUE(run_until([&] { return venue.orders.size() == 1; }));
  turn(2);
  const std::uint64_t before = counts.receives;
  turn(50);
  EXPECT_EQ(counts.receives, before);
  clock.advance(std::chrono::seconds{2});
  EXPECT_TRUE(run_until([&] { return venue.orders.size() == 2; })) << log.all();
}

TEST_F(SpinningTest, end_of_a_connection_is_noticed) {
  open_spinning();
  RawPeer& peer = log_on("T1");
  peer.close();
  EXPECT_TRUE(run_until([&] { return venue.logouts == 1; })) << log.all();
  expect_still_serving("T2");
}

class PollingTest : public AcceptorTest {
 protected:
  static constexpr int kWaits = 50;
  // Runs kWaits short waits, each after one that an event has ended soon; returns those in
  // which the thread did not sleep.
  int waits_without_sleep() {
    open();
    int polled = 0;
    for (int i = 0; i < kWaits; ++i) {
      connect();
      acceptor->poll(std::chrono::seconds{1});
      const long before = sleeps();
      acceptor->poll(std::chrono::microseconds{20});  // less than the 50 that a thread polls
      if (sleeps() == before) ++polled;
    }
    return polled;
  }

 private:
  static long sleeps() {
    rusage used{};
    EXPECT_EQ(0, ::getrusage(RUSAGE_THREAD, &used));
    return used.ru_nvcsw;
  }
};

TEST_F(PollingTest, thread_polls_before_it_sleeps) {
  if (std::thread::hardware_concurrency() == 1) GTEST_SKIP() << "one CPU: it sleeps at once";
  adjust = [](config::Settings& settings) {
    settings.threads.busy_poll = std::chrono::milliseconds{1};
  };
  EXPECT_GT(waits_without_sleep(), 0);
}

TEST_F(PollingTest, thread_sleeps_at_once_if_the_file_says_no_to_spinning) {
  extra = "BusySpin=N";
  // A few find an event at once.
  EXPECT_LT(waits_without_sleep(), kWaits / 2);
}

}  // namespace
}  // namespace nexusfix::testing
