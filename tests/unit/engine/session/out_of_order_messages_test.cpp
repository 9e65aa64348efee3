// Messages received out of order are held, and their bytes are limited.
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

class HeldMessagesTest : public AcceptorTest {
 protected:
  static constexpr std::string_view kDropped = "too much arrived early";

  void open_for(std::uint32_t held_bytes_max) {
    adjust = [=](config::Settings& settings) {
      settings.sessions.front().limits.out_of_order_bytes_max = held_bytes_max;
    };
    open();
  }
  std::string numbered_order(std::uint64_t number) {
    return order("TRADER", number, "O" + std::to_string(number));
  }
};

TEST_F(HeldMessagesTest, delivered_messages_make_room_for_later_early_ones) {
  open_for(2000);  // about five orders
  RawPeer& peer = log_on("TRADER");
  std::uint64_t next = 2;
  for (int gap = 1; gap <= 20; ++gap) {
    for (std::uint64_t n = next + 1; n <= next + 3; ++n) peer.send(numbered_order(n));
    turn(5);
    peer.send(numbered_order(next));
    next += 4;
    ASSERT_TRUE(run_until([&] { return venue.orders.size() == next - 2; })) << gap << log.all();
  }
  EXPECT_FALSE(log.has(kDropped)) << log.all();
}

TEST_F(HeldMessagesTest, discarded_messages_make_room_for_later_early_ones) {
  open_for(2000);
  RawPeer& peer = log_on("TRADER");
  for (std::uint64_t next = 2; next < 60; next += 4) {
    for (std::uint64_t n = next + 1; n <= next + 3; ++n) peer.send(numbered_order(n));
    peer.send(from("TRADER", "4", next + 4, "123=N|36=" + std::to_string(next + 4) + "|"));
    ASSERT_TRUE(run_until([&] { return acceptor->session(0).numbers().next_inbound == next + 4; }))
        << log.all();
  }
  EXPECT_FALSE(log.has(kDropped)) << log.all();
}

TEST_F(HeldMessagesTest, early_message_received_repeatedly_is_counted_once) {
  open_for(2000);
  RawPeer& peer = log_on("TRADER");
  for (int i = 0; i < 20; ++i) peer.send(numbered_order(3) + numbered_order(4));
  turn(20);
  peer.send(numbered_order(5));
  turn(20);
  peer.send(numbered_order(2));
  ASSERT_TRUE(run_until([&] { return venue.orders.size() >= 4; })) << log.all();
  EXPECT_EQ(venue.orders, (std::vector<std::string>{"O2", "O3", "O4", "O5"}));
  EXPECT_FALSE(log.has(kDropped)) << log.all();
}

}  // namespace
}  // namespace nexusfix::testing
