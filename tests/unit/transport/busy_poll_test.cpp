// When a wait polls before its thread sleeps, and that no event is lost then.
#include "transport/tcp/busy_poll.hpp"

#include <array>
#include <chrono>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <thread>

#include "transport/tcp/epoll_network.hpp"

namespace nexusfix::transport {
namespace {

using namespace std::chrono_literals;

constexpr auto kTimeMax = 50us;
constexpr auto kNever = 0ns;
constexpr int kOne = 1;  // event

// The waits that do not poll before the next one that does; at most 1,000.
unsigned pause_of(BusyPoll& poll, BusyPoll::Duration took) {
  for (unsigned waits = 0; waits < 1'000; ++waits) {
    if (poll.begin() == kTimeMax) return waits;
    poll.end(took, kOne);
  }
  return 1'000;
}

TEST(BusyPoll, without_time_it_never_polls) {
  BusyPoll poll{kNever};
  EXPECT_FALSE(poll.is_enabled());
  EXPECT_TRUE(BusyPoll{kTimeMax}.is_enabled());
}

TEST(BusyPoll, the_first_wait_and_the_one_after_a_long_wait_sleep_at_once) {
  BusyPoll poll{kTimeMax};
  EXPECT_EQ(kNever, poll.begin());
  poll.end(1s, kOne);
  EXPECT_EQ(kNever, poll.begin());
}

TEST(BusyPoll, a_wait_polls_after_a_short_one) {
  BusyPoll poll{kTimeMax};
  poll.end(4 * kTimeMax, kOne);
  EXPECT_EQ(kTimeMax, poll.begin());
  poll.end(kTimeMax, kOne);
  EXPECT_EQ(kTimeMax, poll.begin());
}

TEST(BusyPoll, the_wait_after_many_events_sleeps_at_once) {
  BusyPoll poll{kTimeMax};
  poll.end(kTimeMax, 5);
  EXPECT_EQ(kNever, poll.begin());
  poll.end(kTimeMax, 4);
  EXPECT_EQ(kTimeMax, poll.begin());
}

TEST(BusyPoll, polling_in_vain_pauses_twice_as_long_each_time_up_to_256_waits) {
  BusyPoll poll{kTimeMax};
  poll.end(2 * kTimeMax, kOne);
  EXPECT_EQ(kTimeMax, poll.begin());
  for (const unsigned pause : {2U, 4U, 8U, 16U, 32U, 64U, 128U, 256U, 256U}) {
    poll.end(2 * kTimeMax, kOne);
    EXPECT_EQ(pause, pause_of(poll, 2 * kTimeMax));
  }
}

// Where both sides share a core, each answer comes soon, but only to a thread that sleeps.
TEST(BusyPoll, short_sleeps_do_not_end_a_pause) {
  BusyPoll poll{kTimeMax};
  poll.end(kTimeMax, kOne);
  for (const unsigned pause : {2U, 4U, 8U}) {
    EXPECT_EQ(kTimeMax, poll.begin());
    poll.end(2 * kTimeMax, kOne);
    EXPECT_EQ(pause, pause_of(poll, kTimeMax / 2));
  }
}

TEST(BusyPoll, an_event_that_polling_finds_ends_the_pauses) {
  BusyPoll poll{kTimeMax};
  poll.end(2 * kTimeMax, kOne);
  EXPECT_EQ(kTimeMax, poll.begin());
  poll.end(2 * kTimeMax, kOne);
  EXPECT_EQ(2U, pause_of(poll, 2 * kTimeMax));
  poll.end(kTimeMax, kOne);
  EXPECT_EQ(kTimeMax, poll.begin());
  poll.end(2 * kTimeMax, kOne);
  EXPECT_EQ(2U, pause_of(poll, 2 * kTimeMax));
}

// A counterparty answers soon, and pauses, and so on.
TEST(BusyPoll, short_waits_poll_again_where_long_ones_alternate_with_them) {
  BusyPoll poll{kTimeMax};
  int found = 0;
  for (int i = 0; i < 1'000; ++i) {
    const auto took = i % 2 == 0 ? kTimeMax / 2 : 2 * kTimeMax;
    if (poll.begin() == kTimeMax && took < kTimeMax) ++found;
    poll.end(took, kOne);
  }
  EXPECT_GT(found, 100);
}

TEST(BusyPoll, a_timeout_is_no_event) {
  BusyPoll poll{kTimeMax};
  poll.end(kTimeMax / 2, 0);
  EXPECT_EQ(kNever, poll.begin());
  poll.end(kTimeMax, kOne);
  EXPECT_EQ(kTimeMax, poll.begin());
  poll.end(2 * kTimeMax, kOne);
  EXPECT_EQ(2U, pause_of(poll, 2 * kTimeMax));
  poll.end(kTimeMax / 2, 0);  // It neither pauses nor ends the doubling.
  poll.end(kTimeMax, kOne);
}

// Its next wait polls, for longer than any test lasts.
std::unique_ptr<EpollNetwork> polling_network() {
  auto network = EpollNetwork::make(resolve_blocking, 24h).value();
  std::array<Ready, 1> events;
  network->wake();
  EXPECT_EQ(0U, network->wait(events, std::nullopt));
  return network;
}

TEST(BusyPollNetwork, wake_ends_a_wait_that_polls) {
  const auto network = polling_network();
  std::array<Ready, 1> events;
  std::thread waker{[&] { network->wake(); }};
  EXPECT_EQ(0U, network->wait(events, std::nullopt));
  waker.join();
}

TEST(BusyPollNetwork, a_wait_that_polls_returns_the_event_that_it_finds) {
  const auto network = polling_network();
  const SocketId listener = network->listen({"127.0.0.1", 0}).value();
  const SocketId near = network->connect({"127.0.0.1", network->local_port(listener)}).value();
  std::array<Ready, 1> events;
  ASSERT_EQ(1U, network->wait(events, std::nullopt));
  EXPECT_TRUE(events[0].socket == listener || events[0].socket == near);
}

TEST(BusyPollNetwork, a_wait_that_polls_ends_at_its_timeout) {
  const auto network = polling_network();
  std::array<Ready, 1> events;
  EXPECT_EQ(0U, network->wait(events, 1ms));
}

// How often this thread has slept.
long sleeps() {
  rusage used{};
  EXPECT_EQ(0, ::getrusage(RUSAGE_THREAD, &used));
  return used.ru_nvcsw;
}

// A sync of the disk takes longer than the next order, and its end is certain.
TEST(BusyPollNetwork, a_wait_that_expects_a_wake_has_rules_of_its_own) {
  const auto network = EpollNetwork::make(resolve_blocking, 24h).value();
  std::array<Ready, 1> events;
  network->expect_wake();
  network->wake();
  EXPECT_EQ(0U, network->wait(events, std::nullopt));
  network->expect_wake();
  const long before = sleeps();
  EXPECT_EQ(0U, network->wait(events, 1ms));
  EXPECT_EQ(before, sleeps()) << "it polls, because the wake before came soon";
  EXPECT_EQ(0U, network->wait(events, 20ms));
  EXPECT_LT(before, sleeps()) << "no other wait was short: it sleeps";
}

// A store that is down confirms nothing, while counterparties send.
TEST(BusyPollNetwork, other_events_than_the_expected_wake_do_not_make_it_poll) {
  const auto network = EpollNetwork::make(resolve_blocking, 24h).value();
  const SocketId listener = network->listen({"127.0.0.1", 0}).value();
  const SocketId near = network->connect({"127.0.0.1", network->local_port(listener)}).value();
  std::array<Ready, 1> events;
  network->expect_wake();
  ASSERT_EQ(1U, network->wait(events, std::nullopt));
  network->close(near);
  network->close(listener);
  do {
    if (events[0].kind == Ready::Kind::Accepted) network->close(events[0].accepted);
  } while (network->wait(events, kNever) > 0);
  network->expect_wake();
  const long before = sleeps();
  EXPECT_EQ(0U, network->wait(events, 20ms));
  EXPECT_LT(before, sleeps());
}

TEST(BusyPollNetwork, a_wait_that_has_polled_in_vain_sleeps_until_the_event) {
  const auto network = EpollNetwork::make(resolve_blocking, 1us).value();
  std::array<Ready, 1> events;
  for (int i = 0; i < 100; ++i) {
    std::thread waker{[&] { network->wake(); }};
    EXPECT_EQ(0U, network->wait(events, std::nullopt));
    waker.join();
  }
}

}  // namespace
}  // namespace nexusfix::transport
