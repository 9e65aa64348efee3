// InboundMessages without an EventLoop: what a connection has received reaches its session at once,
// later, repaired, or not at all.
#include "engine/session/inbound_messages.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "engine/link/frame_reader.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

using namespace std::chrono_literals;
using Orders = std::vector<std::string>;

class InboundMessagesComponent : public testing::FloorsTest {
 protected:
  void open_inbound() {
    open();
    inbound.emplace(loop(), sessions());
    connection = log_on(entry()).connection;
  }
  void TearDown() override { inbound.reset(); }

  [[nodiscard]] std::string order(std::uint64_t msg_seq_num) {
    return message(entry(), "D", msg_seq_num, "11=" + std::to_string(msg_seq_num) + "|");
  }
  // How many of the bytes are processed.
  std::size_t pass_on(const std::string& bytes) {
    const auto parsed = loop().parsers.inbound.parse(bytes);
    if (!parsed) {
      return inbound->on_unsound_frame(*connection, entry(), parsed.error().reason, bytes);
    }
    return inbound->on_message(*connection, entry(), *parsed, bytes);
  }
  // The order with a CheckSum that is too large by one.
  [[nodiscard]] std::string unsound_order(std::uint64_t msg_seq_num) {
    std::string bytes = order(msg_seq_num);
    char& digit = bytes[bytes.size() - 2];
    digit = digit == '9' ? '0' : static_cast<char>(digit + 1);
    return bytes;
  }

  std::optional<InboundMessages> inbound;
  Connection* connection = nullptr;
};

TEST_F(InboundMessagesComponent, message_is_counted_and_delivered_and_those_that_waited_follow) {
  open_inbound();
  const std::uint64_t before = loop().stats.messages_in.read();
  for (const unsigned number : {3U, 4U, 2U}) {
    const std::string bytes = order(number);
    EXPECT_EQ(pass_on(bytes), bytes.size());
    if (number != 2) {
      EXPECT_EQ(venue.orders, Orders{}) << number;
    }
  }
  EXPECT_EQ(venue.orders, (Orders{"2", "3", "4"}));
  EXPECT_EQ(loop().stats.messages_in.read(), before + 3);
  EXPECT_EQ(entry().machine.sequence_numbers().next_inbound, 5U);
}

TEST_F(InboundMessagesComponent, order_above_the_throttle_waits_and_is_not_late_afterwards) {
  extra = "ThrottleMessages=1\nThrottleInterval=200\nThrottleAction=Delay\nMaxLatency=120";
  open_inbound();
  const std::string first = order(2);
  const std::string second = order(3);
  EXPECT_EQ(pass_on(first), first.size());
  EXPECT_EQ(pass_on(second), kMustWait);
  EXPECT_TRUE(connection->is_paused());
  EXPECT_EQ(venue.orders, Orders{"2"});
  EXPECT_EQ(entry().machine.sequence_numbers().next_inbound, 3U) << "it is not processed";
  pass(200s);
  EXPECT_EQ(pass_on(second), second.size());
  EXPECT_EQ(venue.orders, (Orders{"2", "3"})) << log.all();
}

TEST_F(InboundMessagesComponent,
       frame_with_a_wrong_check_sum_is_delivered_only_where_it_is_accepted) {
  for (const bool is_accepted : {false, true}) {
    extra = is_accepted ? "ValidateChecksum=N" : "ValidateChecksum=Y";
    venue.orders.clear();
    open_inbound();
    const std::string bytes = unsound_order(2);
    EXPECT_EQ(pass_on(bytes), bytes.size());
    EXPECT_EQ(venue.orders, is_accepted ? Orders{"2"} : Orders{});
    EXPECT_EQ(loop().stats.garbled.read(), is_accepted ? 0U : 1U);
    EXPECT_FALSE(connection->is_dead());
    const std::string sound = order(is_accepted ? 3 : 2);
    EXPECT_EQ(pass_on(sound), sound.size());
    EXPECT_EQ(venue.orders.size(), is_accepted ? 2U : 1U);
  }
}

}  // namespace
}  // namespace nexusfix::engine
