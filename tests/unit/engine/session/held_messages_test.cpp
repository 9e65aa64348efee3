// HeldMessages without an EventLoop: messages that came too early, up to a limit of
// bytes.
#include <string>

#include "engine/session/inbound_messages.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

class HeldMessagesComponent : public testing::FloorsTest {
 protected:
  void hold(std::uint64_t msg_seq_num, std::string_view msg_type = "D") {
    const std::string bytes = message(entry(), msg_type, msg_seq_num);
    sessions().held.perform(entry(),
                            session::BufferOutOfOrder{.msg_seq_num = msg_seq_num, .bytes = bytes});
  }
};

TEST_F(HeldMessagesComponent, message_is_held_once_however_often_it_comes) {
  open();
  hold(5);
  const std::size_t bytes = entry().out_of_order.bytes();
  EXPECT_GT(bytes, message(entry(), "D", 5).size());
  EXPECT_EQ(loop().shared.budget->used(), bytes);
  hold(5);
  EXPECT_EQ(entry().out_of_order.bytes(), bytes);
  hold(6);
  EXPECT_EQ(entry().out_of_order.bytes(), 2 * bytes);
}

TEST_F(HeldMessagesComponent, message_above_the_limit_of_bytes_is_dropped_with_an_event) {
  held_bytes_max = 300;
  open();
  hold(5);
  const std::size_t bytes = entry().out_of_order.bytes();
  hold(6);
  EXPECT_EQ(entry().out_of_order.bytes(), bytes);
  EXPECT_TRUE(log.has(EventId::EarlyMessageDropped, "MsgSeqNum 6 is dropped")) << log.all();
}

TEST_F(HeldMessagesComponent, lost_application_messages_are_counted_and_named_as_ranges) {
  open();
  for (const unsigned number : {5U, 6U, 7U, 9U, 12U}) hold(number);
  hold(8, "0");
  sessions().held.perform(entry(), session::DiscardOutOfOrder{.begin = 6, .end = 9});
  EXPECT_TRUE(log.has(EventId::HeldMessagesDiscarded,
                      "3 held messages are discarded and never delivered: MsgSeqNum 6 to 7, 9: "
                      "the counterparty's SequenceReset passes over them (3 of this session"))
      << log.all();
  EXPECT_TRUE(log.has(EventId::HeldAdministrativeDropped, "MsgSeqNum 8: ")) << log.all();
  EXPECT_EQ(loop().stats.out_of_order_discarded.read(), 3U);
  sessions().held.discard(entry(), 1, UINT64_MAX, "the end");
  EXPECT_EQ(entry().out_of_order.bytes(), 0U);
  EXPECT_TRUE(log.has(EventId::HeldMessagesDiscarded, "(5 of this session")) << log.all();
}

TEST_F(HeldMessagesComponent, nothing_in_the_range_is_no_event) {
  open();
  hold(5);
  sessions().held.discard(entry(), 6, 9, "a gap fill");
  EXPECT_TRUE(log.lines.empty()) << log.all();
  EXPECT_GT(entry().out_of_order.bytes(), 0U);
}

}  // namespace
}  // namespace nexusfix::engine
