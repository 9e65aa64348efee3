// When received bytes came, by the kernel's or the card's clock.
#include "transport/tcp/receive_time.hpp"

#include <cerrno>
#include <chrono>
#include <memory>
#include <string_view>

#include <nexusfix/base/clock.hpp>

#include "proxy/proxied_network.hpp"
#include "proxy/tunnel_network.hpp"
#include "unit/transport/loopback.hpp"

namespace nexusfix::transport {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

class ReceiveTimeTest : public Loopback {
 protected:
  // A pair whose ends ask for these times.
  Pair pair_with(ReceiveTimestamps wanted) {
    const SocketOptions options{.receive_timestamps = wanted};
    const auto listener = network_->listen({"127.0.0.1", 0, options});
    const auto near =
        network_->connect({"127.0.0.1", network_->local_port(listener.value()), options});
    await(Ready::Kind::Connected, near.value());
    while (accepted_.empty()) poll();
    const Pair pair{near.value(), accepted_.front()};
    if (wanted != ReceiveTimestamps::None) await_stamps(pair);
    return pair;
  }
  // The kernel begins to stamp packets a moment after the first socket has asked.
  void await_stamps(const Pair& pair) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (received(pair, "x").from == ReceiveTimestamps::None ||
           received({pair.far, pair.near}, "y").from == ReceiveTimestamps::None) {
      if (std::chrono::steady_clock::now() > deadline) return ADD_FAILURE() << "no stamp";
    }
  }
  // From one end to the other.
  ReceiveTime received(const Pair& pair, std::string_view text) {
    EXPECT_EQ(network_->send(pair.near, text).bytes, text.size());
    EXPECT_EQ(read(pair.far, text.size()), text);
    return network_->receive_time(pair.far);
  }
};

TEST_F(ReceiveTimeTest, kernel_says_when_bytes_came_on_a_socket_that_asks) {
  const Pair pair = pair_with(ReceiveTimestamps::Software);
  SystemClock clock;
  const WallTime before = clock.now().wall;
  EXPECT_EQ(network_->send(pair.near, std::string_view{"abc"}).bytes, 3U);
  await(Ready::Kind::Readable, pair.far);
  const WallTime has_come = clock.now().wall;
  while (clock.now().wall < has_come + 2ms) continue;
  EXPECT_EQ(read(pair.far, 3), "abc");
  const ReceiveTime time = network_->receive_time(pair.far);
  EXPECT_EQ(time.from, ReceiveTimestamps::Software);
  // Our clock may be 0.2 µs early.
  EXPECT_GE(time.at, before - 1us);
  EXPECT_LE(time.at, has_come + 1us);
}

TEST_F(ReceiveTimeTest, connecting_end_asks_too) {
  const Pair pair = pair_with(ReceiveTimestamps::Software);
  EXPECT_EQ(received({pair.far, pair.near}, "abc").from, ReceiveTimestamps::Software);
}

TEST_F(ReceiveTimeTest, time_is_that_of_the_last_receive) {
  const Pair pair = pair_with(ReceiveTimestamps::Software);
  const WallTime first = received(pair, "one").at;
  EXPECT_LT(first, received(pair, "two").at);
}

TEST_F(ReceiveTimeTest, device_without_a_clock_has_the_time_of_the_kernel) {
  const Pair pair = pair_with(ReceiveTimestamps::Hardware);
  EXPECT_EQ(received(pair, "abc").from, ReceiveTimestamps::Software) << "loopback has no card";
}

TEST_F(ReceiveTimeTest, time_is_unknown_on_a_socket_that_does_not_ask_or_does_not_exist) {
  const Pair pair = pair_with(ReceiveTimestamps::None);
  EXPECT_EQ(received(pair, "abc").from, ReceiveTimestamps::None);
  EXPECT_EQ(network_->receive_time(12'345).from, ReceiveTimestamps::None);
}

TEST_F(ReceiveTimeTest, bytes_that_came_before_the_connection_was_accepted_have_a_time) {
  static_cast<void>(pair_with(ReceiveTimestamps::Software));  // the kernel stamps from now on
  accepted_.clear();
  const SocketOptions options{.receive_timestamps = ReceiveTimestamps::Software};
  const auto listener = network_->listen({"127.0.0.1", 0, options});
  const PlainPeer peer{network_->local_port(listener.value())};
  peer.send("early");
  while (accepted_.empty()) poll();
  EXPECT_EQ(read(accepted_.front(), 5), "early");
  EXPECT_EQ(network_->receive_time(accepted_.front()).from, ReceiveTimestamps::Software);
}

TEST_F(ReceiveTimeTest, end_of_a_connection_that_asks_is_the_end) {
  const Pair pair = pair_with(ReceiveTimestamps::Software);
  EXPECT_EQ(received(pair, "abc").from, ReceiveTimestamps::Software);
  network_->close(pair.near);
  IoResult::Status last = IoResult::Status::Ok;
  EXPECT_EQ(read(pair.far, 1, &last), "");
  EXPECT_EQ(last, IoResult::Status::Closed);
}

TEST_F(ReceiveTimeTest, connection_that_moves_to_another_network_still_asks) {
  const Pair pair = pair_with(ReceiveTimestamps::Software);
  const auto other = EpollNetwork::make(resolve_blocking).value();
  const auto moved = other->attach(network_->detach(pair.far));
  ASSERT_TRUE(moved.has_value());
  EXPECT_EQ(network_->send(pair.near, std::string_view{"abc"}).bytes, 3U);
  std::array<char, 8> buffer{};
  while (other->receive(*moved, buffer).status == IoResult::Status::WouldBlock) continue;
  EXPECT_EQ(other->receive_time(*moved).from, ReceiveTimestamps::Software);
}

TEST_F(ReceiveTimeTest, older_option_gives_the_time_of_the_kernel) {
  static_cast<void>(pair_with(ReceiveTimestamps::Software));  // the kernel stamps from now on
  accepted_.clear();
  const Pair pair = pair_with(ReceiveTimestamps::None);
  const Descriptor far{network_->detach(pair.far).descriptor};
  const int on = 1;
  ASSERT_EQ(::setsockopt(far.get(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on), 0);
  EXPECT_EQ(times_asked_for(far.get()), ReceiveTimestamps::Software);
  EXPECT_EQ(network_->send(pair.near, std::string_view{"abc"}).bytes, 3U);
  TimedReceives timed{ReceiveTimestamps::Software};
  std::array<char, 8> buffer{};
  ssize_t count = 0;
  while ((count = timed.receive(far.get(), buffer)) < 0 && errno == EAGAIN) continue;
  EXPECT_EQ(count, 3);
  EXPECT_EQ(timed.last().from, ReceiveTimestamps::Software);
}

TEST_F(ReceiveTimeTest, networks_around_another_one_have_its_times) {
  const Pair pair = pair_with(ReceiveTimestamps::Software);
  const WallTime at = received(pair, "abc").at;
  EXPECT_EQ(ProxiedNetwork{*network_}.receive_time(pair.far).at, at);
  EXPECT_EQ(TunnelNetwork(*network_, resolve_blocking).receive_time(pair.far).at, at);
}

TEST(ReceiveTime, socket_that_takes_no_option_gives_no_time) {
  EXPECT_EQ(ask_for_times(-1, ReceiveTimestamps::Hardware), ReceiveTimestamps::None);
  EXPECT_EQ(times_asked_for(-1), ReceiveTimestamps::None);
}

// The card's clock is 37 s ahead, as TAI is, and the kernel's stamp comes 2 to 50 µs later.
constexpr nanoseconds kAhead = 37s;
constexpr WallTime kStart{std::chrono::hours{480'000}};

nanoseconds card_time(WallTime time) { return time.time_since_epoch() + kAhead; }

TEST(CardClock, jitter_of_the_way_to_the_kernel_is_not_in_its_times) {
  CardClock clock;
  static_cast<void>(clock.map(card_time(kStart), kStart + 2us));
  for (int i = 1; i < 1'000; ++i) {
    const WallTime at = kStart + i * 100us;
    const WallTime mapped = clock.map(card_time(at), at + 2us + nanoseconds{i * 37 % 48'000});
    EXPECT_EQ(mapped, at + 2us) << "the shortest way is in it";
  }
}

TEST(CardClock, time_is_never_later_than_the_kernel_s) {
  CardClock clock;
  for (int i = 0; i < 100; ++i) {
    const WallTime kernel = kStart + i * 1ms + nanoseconds{(i * 7'919) % 50'000};
    EXPECT_LE(clock.map(card_time(kStart + i * 1ms), kernel), kernel);
  }
}

TEST(CardClock, clock_that_is_set_counts_as_it_is_after_two_windows) {
  CardClock clock;
  for (int i = 0; i < 300; ++i) {
    const WallTime at = kStart + i * 10ms;
    static_cast<void>(clock.map(card_time(at), at + 2us));
  }
  WallTime mapped{};
  for (int i = 300; i < 600; ++i) {  // the card is set back by a second
    const WallTime at = kStart + i * 10ms;
    mapped = clock.map(card_time(at) - 1s, at + 3us);
  }
  EXPECT_EQ(mapped, kStart + 599 * 10ms + 3us);
}

TEST(CardClock, packet_after_a_pause_counts_alone) {
  CardClock clock;
  static_cast<void>(clock.map(card_time(kStart), kStart + 2us));
  const WallTime later = kStart + 1h;
  // The card's clock was 36 ms slow in this hour.
  EXPECT_EQ(clock.map(card_time(later) - 36ms, later + 5us), later + 5us);
}

TEST(CardClock, system_clock_that_is_set_back_begins_anew) {
  CardClock clock;
  static_cast<void>(clock.map(card_time(kStart), kStart + 2us));
  const WallTime back = kStart - 1min;
  EXPECT_EQ(clock.map(card_time(kStart), back + 2us), back + 2us);
}

}  // namespace
}  // namespace nexusfix::transport
