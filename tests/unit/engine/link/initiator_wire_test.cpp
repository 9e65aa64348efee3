// An initiator as its counterparty sees it: the messages on the wire and their times.
#include "unit/engine/support/initiator_wire_fixture.hpp"

namespace nexusfix::testing {
namespace {

TEST_F(InitiatorWireTest, messages_sent_before_the_answer_follow_the_logon_without_a_request) {
  // Otherwise the counterparty sees the gap only at the next message, perhaps after HeartBtInt.
  open_and_connect();
  const auto one = order("one");
  ASSERT_TRUE(one.has_value());
  EXPECT_FALSE(one->is_transmitted);
  ASSERT_TRUE(order("two").has_value());
  turn_some();
  EXPECT_TRUE(received.empty()) << "nothing before the answer";
  say("A", 1, kAnswer);
  expect_received({{"|34=2|", "|58=one|"}, {"|34=3|", "|58=two|"}});
  EXPECT_FALSE(has(0, "|43=Y|")) << "it was not on the wire before";
  EXPECT_EQ(trader.reported, (std::vector<std::string>{"2 stored", "3 stored", "2", "3"}));
  EXPECT_EQ(initiator->statistics().loops[0].messages_out, 3U);
  ASSERT_TRUE(order("three").has_value());
  turn_both();
  EXPECT_TRUE(has(2, "|34=4|")) << received[2];
}

TEST_F(InitiatorWireTest, messages_queued_until_logon_can_be_resent) {
  open_and_connect();
  ASSERT_TRUE(order("one").has_value());
  say("A", 1, kAnswer);
  received.clear();
  say("2", 2, "7=1|16=0|");
  expect_received({{"|35=4|34=1|", "|36=2|"}, {"|34=2|43=Y|", "|58=one|"}});
}

TEST_F(InitiatorWireTest, queued_messages_follow_the_resend_that_the_answer_requests) {
  // FIX 4.4, Logon, NextExpectedMsgSeqNum. A number comes first either with PossDup or without it.
  extra = "SendNextExpectedMsgSeqNum=Y";
  expect_resend_of_the_answer_first();
}

TEST_F(InitiatorWireTest, queued_messages_follow_a_resend_that_the_application_approves) {
  extra = "SendNextExpectedMsgSeqNum=Y";
  is_asked = true;
  expect_resend_of_the_answer_first();
  EXPECT_EQ(asked.asked_from, std::vector<std::uint64_t>{1});
}

TEST_F(InitiatorWireTest, heartbeat_reveals_messages_beyond_the_queue_limit) {
  segment_bytes = std::uint64_t{8} << 20U;
  open_and_connect();
  const std::string much(400'000, 'x');
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(order(much).has_value());
  say("A", 1, kAnswer);
  expect_received({{"|35=B|34=2|"}, {"|35=B|34=3|"}, {"|35=0|34=6|"}});
  received.clear();
  say("2", 2, "7=4|16=0|");
  expect_received({{"|35=B|34=4|43=Y|"}, {"|35=B|34=5|43=Y|"}, {"|35=4|34=6|", "|36=7|"}});
}

TEST_F(InitiatorWireTest, reconnect_intervals_begin_again_after_a_logon) {
  reconnect_interval = "1;30";
  jitter = 0;
  open_and_connect();
  const auto lose = [&](int seconds) {
    venue_network.close(socket);
    turn_some();
    received.clear();
    turn_for_seconds(seconds);
  };
  lose(1);
  ASSERT_EQ(received.size(), 1U) << "the second Logon, after the first interval";
  lose(29);
  EXPECT_TRUE(received.empty()) << "the second interval is longer";
  turn_for_seconds(1);
  ASSERT_EQ(received.size(), 1U);
  say("A", 1, kAnswer);
  lose(1);
  ASSERT_EQ(received.size(), 1U) << "the first interval again: " << log.all();
}

TEST_F(InitiatorWireTest, small_message_does_not_overtake_one_beyond_the_queue_limit) {
  segment_bytes = std::uint64_t{8} << 20U;
  open_and_connect();
  const std::string much(600'000, 'x');
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(order(much).has_value());
  ASSERT_TRUE(order("four").has_value());
  say("A", 1, kAnswer);
  expect_received({{"|35=B|34=2|"}, {"|35=0|34=5|"}});
  received.clear();
  say("2", 2, "7=3|16=0|");
  expect_received({{"|35=B|34=3|43=Y|"}, {"|34=4|43=Y|", "|58=four|"}, {"|35=4|34=5|", "|36=6|"}});
}

TEST_F(InitiatorWireTest, messages_queued_for_a_failed_logon_are_resent_after_the_next_one) {
  open_and_connect();
  ASSERT_TRUE(order("one").has_value());
  venue_network.close(socket);
  for (int i = 0; i < 3; ++i) turn_both();
  clock.advance(std::chrono::seconds{2});
  await_logon();
  say("A", 1, kAnswer);
  EXPECT_TRUE(received.empty()) << "the Logon's number has said it";
  say("2", 2, "7=2|16=2|");
  expect_received({{"|34=2|43=Y|", "|58=one|"}});
}

TEST_F(InitiatorWireTest, messages_lost_in_a_reset_by_the_answer_are_counted_in_a_warning) {
  segment_bytes = std::uint64_t{8} << 20U;
  open_and_connect();
  const std::string much(400'000, 'x');
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(order(much).has_value());
  say("A", 1, "98=0|108=30|141=Y|");
  expect_received({{"|35=A|34=1|", "|141=Y|"}});
  EXPECT_TRUE(log.has("4 messages that waited for the answer to our Logon")) << log.all();
}

TEST_F(InitiatorWireTest, messages_sent_after_the_logon_are_not_reported_as_lost_in_a_reset) {
  open_and_connect();
  ASSERT_TRUE(order("one").has_value());
  say("A", 1, kAnswer);
  expect_received({{"|34=2|", "|58=one|"}});
  received.clear();
  say("A", 1, "98=0|108=30|141=Y|");
  expect_received({{"|35=A|34=1|", "|141=Y|"}});
  EXPECT_FALSE(log.has("waited for the answer to our Logon")) << log.all();
}

TEST_F(InitiatorWireTest, messages_queued_until_logon_survive_the_process) {
  open_and_connect();
  ASSERT_TRUE(order("one").has_value());
  turn_both();
  initiator.reset();
  open_trader();
  await_logon();
  say("A", 1, kAnswer);
  received.clear();
  say("2", 2, "7=2|16=2|");
  expect_received({{"|34=2|43=Y|", "|58=one|"}});
}

TEST_F(InitiatorWireTest, message_without_persistence_is_transmitted_after_the_logon) {
  extra = "PersistMessages=N";
  open_and_connect();
  ASSERT_TRUE(order("one").has_value());
  say("A", 1, kAnswer);
  expect_received({{"|34=2|", "|58=one|"}});
}

TEST_F(InitiatorWireTest, setting_numbers_aborts_an_attempt_to_connect_and_the_next_one_uses_them) {
  const auto listener = venue_network.listen({"10.0.0.1", kPort});
  ASSERT_TRUE(listener.has_value());
  open_trader();
  initiator->poll(std::chrono::nanoseconds{0});  // Begins to connect.
  ASSERT_TRUE(initiator->session(0).set_next_numbers({.next_inbound = 1, .next_outbound = 10},
                                                     "anna: agreed by phone"));
  EXPECT_TRUE(log.has(EventId::ConnectAborted)) << log.all();
  turn_some();
  clock.advance(std::chrono::seconds{2});
  await_logon("|34=10|");
}

TEST_F(InitiatorWireTest, logout_of_a_stopping_engine_leaves_before_the_loop_sleeps) {
  open_and_connect();
  say("A", 1, kAnswer);
  bool has_slept = false;
  trader_network.while_waiting = [&] {
    look();
    has_slept = true;
    expect_received({{"|35=5|"}});
  };
  initiator->stop();
  initiator->poll(std::chrono::seconds{1});
  EXPECT_TRUE(has_slept);
}

}  // namespace
}  // namespace nexusfix::testing
