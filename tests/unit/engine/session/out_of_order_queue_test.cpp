// OutOfOrderQueue without an EventLoop: held messages are delivered in sequence, and no sooner.
#include <optional>
#include <string>
#include <vector>

#include "engine/session/inbound_messages.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

using Orders = std::vector<std::string>;

class OutOfOrderQueueComponent : public testing::FloorsTest {
 protected:
  void receive_numbered(std::uint64_t msg_seq_num) {
    receive_order(entry(), msg_seq_num, std::to_string(msg_seq_num));
    sessions().out_of_order.deliver_in_sequence(entry());
  }
};

TEST_F(OutOfOrderQueueComponent, held_messages_follow_the_missing_one_in_order) {
  open();
  log_on(entry());
  for (const unsigned number : {5U, 3U, 4U}) receive_numbered(number);
  EXPECT_EQ(venue.orders, Orders{});
  receive_numbered(2);
  EXPECT_EQ(venue.orders, (Orders{"2", "3", "4", "5"}));
  EXPECT_EQ(entry().out_of_order.bytes(), 0U);
}

TEST_F(OutOfOrderQueueComponent, delivery_stops_at_the_next_gap_and_requests_it) {
  extra = "ClosedResendRequests=Y";
  open();
  const auto [connection, peer] = log_on(entry());
  for (const unsigned number : {3U, 6U}) receive_numbered(number);
  EXPECT_TRUE(testing::contains(sent_to(peer), "|35=2|"));
  receive_numbered(2);
  EXPECT_EQ(venue.orders, (Orders{"2", "3"}));
  const std::string sent = sent_to(peer);
  EXPECT_TRUE(sent.contains("|7=4|16=5|")) << sent;
}

TEST_F(OutOfOrderQueueComponent, nothing_is_delivered_before_the_logon_is_decided) {
  callbacks.on_logon_request = [](void*, Session&, const LogonRequest&) {
    return std::optional<LogonAnswer>{};
  };
  open();
  bind(entry());
  receive(entry(), "A", 1, "98=0|108=30|");
  receive_numbered(2);
  EXPECT_EQ(venue.orders, Orders{});
  EXPECT_TRUE(entry().out_of_order.arrived_undecided());
  sessions().actions.answer_logon(entry(), 1, LogonAnswer::accept());
  EXPECT_EQ(entry().machine.state(), session::State::LoggedOn) << log.all();
  sessions().out_of_order.deliver_in_sequence(entry());
  EXPECT_EQ(venue.orders, Orders{"2"});
}

TEST_F(OutOfOrderQueueComponent, message_for_which_there_was_no_room_is_requested_again) {
  held_bytes_max = 300;
  open();
  const auto [connection, peer] = log_on(entry());
  for (const unsigned number : {3U, 4U}) receive_numbered(number);
  ASSERT_TRUE(log.has(EventId::EarlyMessageDropped)) << log.all();
  static_cast<void>(sent_to(peer));
  receive_numbered(2);
  EXPECT_EQ(venue.orders, (Orders{"2", "3"}));
  const std::string sent = sent_to(peer);
  EXPECT_TRUE(sent.contains("|35=2|") && sent.contains("|7=4|")) << sent;
}

}  // namespace
}  // namespace nexusfix::engine
