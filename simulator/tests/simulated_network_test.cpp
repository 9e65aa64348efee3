#include <algorithm>
#include <array>
#include <cerrno>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/simulator/simulated_network.hpp>

#include "support/fix_text.hpp"

namespace nexusfix::simulator {
namespace {

using namespace std::chrono_literals;
using IoStatus = transport::IoResult::Status;
using transport::Ready;
using ReadyKind = transport::Ready::Kind;
using transport::SocketId;

// Time for a network without a world: calls it at the requested times.
class Wakes final : public InternetObserver {
 public:
  void wake_at(WorldTime time, std::uint64_t connection) override {
    wakes.emplace(time, connection);
  }
  void process_is_ready(std::size_t) override {}
  void bytes_sent(std::uint64_t, Side side, std::size_t, std::string_view bytes) override {
    sent[side] += bytes;
  }
  void closed_by(std::uint64_t, Side, std::size_t, bool) override {}
  void connection_event(std::uint64_t, std::string_view) override {}
  void connection_over(std::uint64_t) override { ++over; }

  std::multimap<WorldTime, std::uint64_t> wakes;
  std::array<std::string, 2> sent;
  int over = 0;
};

// Records all calls.
class Keeper final : public Middleman {
 public:
  void sent(SimulatedInternet&, std::uint64_t from, Side side, std::string_view bytes) override {
    connection = from;
    kept[side] += bytes;
  }
  void over(std::uint64_t) override { ++ended; }

  std::uint64_t connection = 0;
  std::array<std::string, 2> kept;
  int ended = 0;
};

struct SimulatedNetworkTest : ::testing::Test {
  SimulatedNetworkTest() {
    near_life.begin();
    far_life.begin();
    EXPECT_TRUE(far.listen({"", 5001}));
  }

  void run(WorldTime by) {
    const WorldTime end = now + by;
    while (!wakes.wakes.empty() && wakes.wakes.begin()->first <= end) {
      now = std::max(now, wakes.wakes.begin()->first);
      const std::uint64_t connection = wakes.wakes.begin()->second;
      wakes.wakes.erase(wakes.wakes.begin());
      internet.advance(connection);
    }
    now = end;
  }
  std::vector<Ready> ready(SimulatedNetwork& network) {
    std::array<Ready, 16> events;
    const std::size_t count = network.wait(events, 0ns);
    return {events.begin(), events.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  // Both ends of a new connection.
  void connect() {
    one = *near.connect({"far", 5001});
    run(1s);
    ASSERT_EQ(ready(near).size(), 1U);
    const auto accepted = ready(far);
    ASSERT_EQ(accepted.size(), 1U);
    ASSERT_EQ(accepted[0].kind, ReadyKind::Accepted);
    other = accepted[0].accepted;
  }
  std::string receive(SimulatedNetwork& network, SocketId socket) {
    std::string all;
    std::array<char, 1000> buffer;
    for (;;) {
      const transport::IoResult result = network.receive(socket, buffer);
      if (result.status != IoStatus::Ok) return all;
      all.append(buffer.data(), result.bytes);
    }
  }

  WorldTime now{};
  Wakes wakes;
  SeededRandom random{3};
  FaultCounts counts{};
  SimulatedInternet internet{now, random, counts, wakes};
  ProcessLife near_life;
  ProcessLife far_life;
  SimulatedNetwork near{internet, near_life, 0};
  SimulatedNetwork far{internet, far_life, 1};
  SocketId one = 0;
  SocketId other = 0;
};

// The contract of nexusfix/transport/network.hpp. The faults: docs/guide/simulator.md.
TEST_F(SimulatedNetworkTest, bytes_arrive_after_a_while_whole_and_in_order) {
  connect();
  EXPECT_EQ(near.send(one, std::string_view{"hello"}).bytes, 5U);
  EXPECT_EQ(receive(far, other), "");
  run(1s);
  EXPECT_EQ(receive(far, other), "hello");
  EXPECT_EQ(wakes.sent[0], "hello");
}

TEST_F(SimulatedNetworkTest, a_stream_that_tears_has_the_same_bytes) {
  connect();
  internet.weather.tears = true;
  std::string sent;
  std::string received;
  for (int i = 0; i < 300; ++i) {
    const std::string piece = "message " + std::to_string(i) + ";";
    for (std::string_view rest = piece; !rest.empty();) {
      rest.remove_prefix(near.send(one, rest).bytes);
    }
    sent += piece;
    run(2ms);
    received += receive(far, other);
  }
  run(1s);
  EXPECT_EQ(received + receive(far, other), sent);
  EXPECT_GT(counts[static_cast<std::size_t>(Fault::Tear)], 10U);
}

TEST_F(SimulatedNetworkTest, an_altered_message_is_one_and_the_original_bytes_are_known) {
  connect();
  const std::string message =
      nexusfix::testing::fix("FIX.4.4", "35=0|34=7|49=A|56=B|52=20240115-10:30:00|");
  while (counts[static_cast<std::size_t>(Fault::Alter)] == 0) {
    ASSERT_TRUE(internet.alter_one());  // in one of the directions
    ASSERT_EQ(near.send(one, message).bytes, message.size());
  }
  ASSERT_EQ(near.send(one, message).bytes, message.size());
  run(1s);
  const std::string received = receive(far, other);
  ASSERT_EQ(received.size(), wakes.sent[0].size());
  EXPECT_NE(received, wakes.sent[0]);
  EXPECT_TRUE(received.ends_with(message));
}

TEST_F(SimulatedNetworkTest, only_what_the_middleman_forwards_arrives) {
  Keeper keeper;
  internet.middleman = &keeper;
  connect();
  EXPECT_EQ(near.send(one, std::string_view{"hello"}).bytes, 5U);
  EXPECT_EQ(far.send(other, std::string_view{"world"}).bytes, 5U);
  run(1s);
  EXPECT_EQ(receive(far, other) + receive(near, one), "");
  EXPECT_EQ(keeper.kept, (std::array<std::string, 2>{"hello", "world"}));
  internet.forward(keeper.connection, 0, "h");
  internet.forward(keeper.connection, 1, "orldw");
  internet.forward(keeper.connection, 0, "i");
  internet.forward(keeper.connection + 1, 0, "of no connection");
  run(1s);
  EXPECT_EQ(receive(far, other), "hi");
  EXPECT_EQ(receive(near, one), "orldw");
  internet.cut(keeper.connection);
  internet.forward(keeper.connection, 0, "too late");
  EXPECT_EQ(ready(near).size(), 1U);
  EXPECT_EQ(ready(far).size(), 1U);
  EXPECT_EQ(receive(far, other), "");
  near.close(one);
  EXPECT_EQ(keeper.ended, 0);
  far.close(other);
  EXPECT_EQ(keeper.ended, 1);
  internet.forward(keeper.connection, 0, "too late");
}

TEST_F(SimulatedNetworkTest, an_absent_listener_or_a_refusal_fails_the_connect) {
  const SocketId lost = *near.connect({"far", 1});
  run(1s);
  ASSERT_EQ(ready(near).size(), 1U);
  EXPECT_EQ(ready(near)[0].kind, ReadyKind::Failed);
  EXPECT_NE(near.last_error(lost), "");
  near.close(lost);
  internet.refuse_next(true);
  static_cast<void>(*near.connect({"far", 5001}));
  run(1s);
  ASSERT_EQ(ready(near).size(), 1U);
  EXPECT_EQ(ready(near)[0].kind, ReadyKind::Failed);
}

TEST_F(SimulatedNetworkTest, a_connect_may_never_be_answered) {
  internet.refuse_next(false);
  static_cast<void>(*near.connect({"far", 5001}));
  run(600s);
  EXPECT_TRUE(ready(near).empty());
}

TEST_F(SimulatedNetworkTest, a_broken_connection_gives_a_beginning_and_then_the_error) {
  connect();
  ASSERT_EQ(near.send(one, std::string_view{"0123456789"}).bytes, 10U);
  ASSERT_TRUE(internet.drop_one());
  const std::string part = receive(far, other);
  EXPECT_EQ(part, std::string{"0123456789"}.substr(0, part.size()));
  std::array<char, 10> buffer;
  EXPECT_EQ(far.receive(other, buffer).status, IoStatus::Failed);
  EXPECT_EQ(near.send(one, std::string_view{"x"}).status, IoStatus::Failed);
}

TEST_F(SimulatedNetworkTest,
       a_half_open_connection_swallows_everything_until_its_sender_times_out) {
  connect();
  ASSERT_TRUE(internet.silence_one());
  EXPECT_EQ(near.send(one, std::string_view{"x"}).bytes, 1U);
  far.close(other);
  run(59s);
  EXPECT_TRUE(ready(near).empty());
  run(2s);
  std::array<char, 10> buffer;
  ASSERT_EQ(ready(near).size(), 1U);
  EXPECT_EQ(near.receive(one, buffer).error_number, ETIMEDOUT);
}

TEST_F(SimulatedNetworkTest, a_full_connection_reports_when_there_is_room) {
  connect();
  ASSERT_TRUE(internet.congest_one());
  const std::string bytes(100'000, 'x');
  const std::size_t taken = near.send(one, bytes).bytes;
  EXPECT_LT(taken, 10'000U);
  EXPECT_EQ(near.send(one, bytes).status, IoStatus::WouldBlock);
  EXPECT_TRUE(ready(near).empty());
  run(1s);
  EXPECT_EQ(receive(far, other).size(), taken);
  ASSERT_EQ(ready(near).size(), 1U);
  EXPECT_EQ(ready(near)[0].kind, ReadyKind::Writable);
}

TEST_F(SimulatedNetworkTest, bytes_sent_before_a_close_arrive_and_then_the_end) {
  connect();
  ASSERT_EQ(near.send(one, std::string_view{"bye"}).bytes, 3U);
  near.close(one);
  run(1s);
  EXPECT_EQ(receive(far, other), "bye");
  std::array<char, 10> buffer;
  EXPECT_EQ(far.receive(other, buffer).status, IoStatus::Closed);
  far.close(other);
  EXPECT_EQ(wakes.over, 1);
  EXPECT_EQ(internet.open_connections(), 0U);
}

TEST_F(SimulatedNetworkTest, a_dead_process_sends_nothing_and_its_port_is_free_again) {
  connect();
  far_life.end();
  EXPECT_EQ(far.send(other, std::string_view{"x"}).status, IoStatus::Failed);
  far.end_process(false);
  run(1s);
  std::array<char, 10> buffer;
  EXPECT_EQ(near.receive(one, buffer).status, IoStatus::Closed);
  far_life.begin();
  EXPECT_TRUE(far.listen({"", 5001}));
}

TEST_F(SimulatedNetworkTest, peers_of_a_machine_without_power_see_nothing) {
  connect();
  far_life.end();
  far.end_process(true);
  run(600s);
  EXPECT_TRUE(ready(near).empty());
}

}  // namespace
}  // namespace nexusfix::simulator
