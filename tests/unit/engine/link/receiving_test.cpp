// For any split of a connection's bytes into reads, the same messages reach the session, and a
// connection keeps no more than the beginning of one message.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/engine.hpp>
#include <nexusfix/statistics.hpp>

#include "engine/ground/connection/connection.hpp"
#include "support/network/fake_network.hpp"
#include "support/sanitized.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

constexpr std::size_t kMessageBytesMax = wire::FrameLimits{}.message_bytes_max;

// An acceptor and a counterparty that sends raw bytes, joined in memory: one send is received in
// one piece unless the limits say otherwise.
class ReceivingTest : public AcceptorTest {
 protected:
  void SetUp() override {
    EngineUnderTest opening = under_test(
        "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=5001\nNonStopSession=Y\n"
        "UseDataDictionary=N\nStore=memory\nMaxAdminMessagesPerSecond=1000000\n" +
            sessions,
        "venue.cfg");
    opening.options.network = &acceptor_network;
    opening.open(acceptor, venue);
    const auto connected = peer_network.connect({"10.0.0.1", 5001});
    ASSERT_TRUE(connected.has_value());
    socket = *connected;
    turn_once();
    send(logon("TRADER", 1));
    ASSERT_TRUE(acceptor->session(0).is_logged_on()) << log.all();
  }

  void turn_once() {
    std::array<transport::Ready, 8> ready;
    static_cast<void>(peer_network.wait(ready, std::chrono::nanoseconds{0}));
    acceptor->poll(std::chrono::nanoseconds{0});
    while (peer_network.receive(socket, buffer).status == transport::IoResult::Status::Ok) {
    }
  }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = peer_network.send(socket, bytes);
      if (sent.status == transport::IoResult::Status::Ok) bytes.remove_prefix(sent.bytes);
      turn_once();
    }
    turn_once();
  }

  // An order of the maximum message size.
  [[nodiscard]] std::string longest_order(std::uint64_t msg_seq_num, std::string_view cl_ord_id) {
    const std::size_t envelope =
        from("TRADER", "D", msg_seq_num, "11=" + std::string{cl_ord_id} + "|58=|").size();
    // BodyLength has five more digits.
    return from("TRADER", "D", msg_seq_num,
                "11=" + std::string{cl_ord_id} +
                    "|58=" + std::string(kMessageBytesMax - envelope - 5, 'x') + "|");
  }

  // Receives the order in reads of this number of bytes, then a short order.
  void receive_longest(std::size_t read_bytes) {
    const std::string longest = longest_order(2, "LONG");
    ASSERT_EQ(longest.size(), kMessageBytesMax);
    internet.limits.receive_bytes_max = read_bytes;
    const std::string stream = longest + order("TRADER", 3, "SHORT");
    send(stream);
    for (std::size_t turns = stream.size() / read_bytes + 2; turns > 0; --turns) turn_once();
    EXPECT_EQ(venue.orders, (std::vector<std::string>{"LONG", "SHORT"}));
    EXPECT_EQ(acceptor->statistics().loops[0].garbled, 0U);
  }

  transport::FakeInternet internet;
  transport::FakeNetwork acceptor_network{internet, "10.0.0.1"};
  transport::FakeNetwork peer_network{internet, "10.0.0.2"};
  transport::SocketId socket = 0;
  std::array<char, 65'536> buffer{};
};

TEST_F(ReceivingTest, two_messages_around_a_bad_one_arrive_for_any_split) {
  std::uint64_t next = 2;
  const auto stream_of = [&](std::string_view kind) {
    std::string bad = order("TRADER", next + 1, "BAD");
    if (kind == "CheckSum") bad[bad.size() - 2] = bad[bad.size() - 2] == '0' ? '1' : '0';
    if (kind == "BodyLength") bad[bad.find(soh("|35=")) - 1] = 'x';
    if (kind == "BodyLength too short") bad.replace(bad.find("9=") + 2, 3, "100");
    if (kind == "start without its end") bad = soh("8=FIX.4");
    if (kind == "rubbish") bad = soh("58=8=F|8=FIX|108=8=");
    return order("TRADER", next, "A") + bad + order("TRADER", next + 1, "B");
  };
  for (const std::string_view kind :
       {"CheckSum", "BodyLength", "BodyLength too short", "start without its end", "rubbish"}) {
    // From here on the numbers of all orders have the same number of digits, so that all streams
    // have the same length.
    while (next < 1'000) send(order("TRADER", next++, "FIRST"));
    for (std::size_t cut = 1; cut < stream_of(kind).size(); ++cut) {
      venue.orders.clear();
      const std::uint64_t garbled_before = acceptor->statistics().loops[0].garbled;
      const std::string stream = stream_of(kind);
      send(std::string_view{stream}.substr(0, cut));
      send(std::string_view{stream}.substr(cut));
      ASSERT_EQ(venue.orders, (std::vector<std::string>{"A", "B"})) << kind << " cut at " << cut;
      const std::uint64_t garbled = acceptor->statistics().loops[0].garbled - garbled_before;
      ASSERT_EQ(garbled, kind == "rubbish" ? 2U : 1U) << kind << " cut at " << cut;
      next += 2;
    }
  }
}

TEST_F(ReceivingTest, bytes_received_one_by_one_give_the_same_messages) {
  internet.limits.receive_bytes_max = 1;
  const std::string stream = order("TRADER", 2, "A1") + soh("rubbish|8=FI") +
                             order("TRADER", 3, "A2") + order("TRADER", 4, "A3");
  send(stream);
  for (std::size_t turns = stream.size(); turns > 0; --turns) turn_once();
  EXPECT_EQ(venue.orders, (std::vector<std::string>{"A1", "A2", "A3"}));
  EXPECT_EQ(acceptor->statistics().loops[0].garbled, 1U);
}

TEST_F(ReceivingTest, many_messages_in_one_read_are_all_processed) {
  std::string stream;
  for (std::uint64_t n = 2; n < 42; ++n) stream += order("TRADER", n, "A");
  send(stream + order("TRADER", 42, "A").substr(0, 50));
  EXPECT_EQ(venue.orders.size(), 40U);
}

TEST_F(ReceivingTest, longest_message_arrives_in_reads_of_4096_bytes) { receive_longest(4096); }

TEST_F(ReceivingTest, longest_message_arrives_byte_by_byte) { receive_longest(case_step(16)); }

TEST_F(ReceivingTest, message_above_the_limit_ends_the_connection_before_it_arrives) {
  const std::string too_long =
      from("TRADER", "D", 2, "58=" + std::string(kMessageBytesMax, 'x') + "|");
  send(std::string_view{too_long}.substr(0, 100));
  EXPECT_FALSE(acceptor->session(0).is_logged_on());
  EXPECT_TRUE(log.has("disconnecting")) << log.all();
}

TEST(CarriedBytes, storage_is_at_most_twice_what_has_arrived) {
  engine::CarriedBytes carried;
  while (carried.size() < 1U << 20U) {
    carried.append(std::string(1000, 'x'));
    ASSERT_LE(carried.capacity(), 2 * carried.size());
  }
}

TEST(CarriedBytes, storage_grows_seldom_however_few_bytes_arrive_at_once) {
  engine::CarriedBytes carried;
  std::size_t capacity = 0;
  int growths = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    carried.append("x");
    if (carried.capacity() != std::exchange(capacity, carried.capacity())) ++growths;
  }
  EXPECT_LE(growths, 12);  // 512 bytes to 1 MiB
}

TEST(CarriedBytes, large_storage_is_freed_and_small_storage_is_kept) {
  engine::CarriedBytes carried;
  carried.append(std::string(engine::CarriedBytes::kKeptBytesMax + 1, 'x'));
  carried.clear();
  EXPECT_EQ(carried.capacity(), 0U);
  carried.append(std::string(1'000, 'x'));
  carried.clear();
  EXPECT_TRUE(carried.empty());
  EXPECT_EQ(carried.capacity(), 1'000U);
}

TEST(CarriedBytes, dropping_the_front_keeps_the_rest) {
  for (const bool wipes : {false, true}) {
    engine::CarriedBytes carried;
    if (wipes) carried.wipe_on_clear();
    std::string expected;
    for (int i = 0; i < 1000; ++i) {
      const std::string part = std::to_string(i) + ",";
      carried.append(part);
      expected += part;
      const std::size_t dropped = expected.size() * static_cast<std::size_t>(i % 7) / 10;
      carried.drop_front(dropped);
      expected.erase(0, dropped);
      ASSERT_EQ(carried.view(), expected);
    }
    carried.drop_front(expected.size());
    EXPECT_TRUE(carried.empty());
  }
}

TEST(CarriedBytes, idle_connection_has_no_receive_buffer) {
  const engine::Connection connection{1, engine::AcceptedFrom{}, kNever};
  EXPECT_EQ(connection.framing().carried().capacity(), 0U);
  EXPECT_LE(sizeof connection, 512U);
}

}  // namespace
}  // namespace nexusfix::testing
