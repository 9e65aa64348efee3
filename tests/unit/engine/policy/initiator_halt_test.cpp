// An initiator that is halted because one side has lost sequence numbers: what ends the halt.
#include "unit/engine/support/initiator_wire_fixture.hpp"

namespace nexusfix::testing {
namespace {

class InitiatorHaltTest : public InitiatorWireTest {
 protected:
  // After ReconnectInterval.
  void expect_reconnect(std::string_view with) {
    received.clear();
    for (int i = 0; i < 20 && received.empty(); ++i) {
      clock.advance(std::chrono::seconds{1});
      turn_both();
    }
    ASSERT_EQ(received.size(), 1U) << log.all();
    EXPECT_TRUE(has(0, "|35=A|") && has(0, with)) << received[0];
    received.clear();
  }
};

TEST_F(InitiatorHaltTest, halted_session_connects_again_when_an_operator_sets_its_numbers) {
  open_and_connect();
  const auto remote = initiator->remote();  // otherwise the engine has nothing to wait for
  std::string sent = "1";
  for (std::uint64_t next = 10; next <= 20; next += 10) {
    say("5", 1,
        "58=MsgSeqNum too low, expecting " + std::to_string(next) + " but received " + sent + "|");
    sent = std::to_string(next);
    for (int i = 0; i < 20; ++i) {
      clock.advance(std::chrono::seconds{1});
      turn_both();
    }
    EXPECT_TRUE(received.empty()) << received.front();
    EXPECT_TRUE(log.has("not connecting again")) << log.all();
    ASSERT_TRUE(initiator->session(0).set_next_numbers({.next_inbound = 1, .next_outbound = next},
                                                       "anna: agreed by phone"));
    await_logon("|34=" + std::to_string(next) + "|");
  }
  // The counterparty's numbers may be lost as well.
  log.clear();
  say("A", 1, kAnswer);
  say("0", 1);
  expect_received({{"|35=5|"}});
  for (int i = 0; i < 20; ++i) turn_both();
  EXPECT_TRUE(log.has("not connecting again")) << log.all();
  ASSERT_TRUE(initiator->session(0).set_next_numbers({.next_inbound = 1, .next_outbound = 30},
                                                     "anna: agreed by phone"));
  await_logon("|34=30|");
}

TEST_F(InitiatorHaltTest, halted_session_connects_again_when_it_is_reset) {
  open_and_connect();
  const auto remote = initiator->remote();  // otherwise the engine has nothing to wait for
  halt_while_refused();
  initiator->session(0).reset("anna: agreed by phone");
  await_logon("|34=1|");
}

TEST_F(InitiatorHaltTest, reset_before_the_halted_connection_ends_connects_again) {
  open_and_connect();
  const auto remote = initiator->remote();
  say("A", 1, kAnswer);
  halt_while_connected();
  initiator->session(0).reset("anna: agreed by phone");
  internet.limits.send_bytes_max = SIZE_MAX;
  venue_network.close(socket);
  await_logon("|34=1|");
}

TEST_F(InitiatorHaltTest, reset_at_the_halting_logout_connects_again) {
  trader.resets_at_logout = true;
  open_and_connect();
  const auto remote = initiator->remote();
  say("A", 1, kAnswer);
  say("0", 1);  // too low
  turn_some();
  ASSERT_FALSE(received.empty()) << log.all();
  EXPECT_TRUE(has(received.size() - 1, "|35=A|34=1|")) << received.back();
}

TEST_F(InitiatorHaltTest, logout_about_lost_numbers_does_not_halt_a_session_during_its_reset) {
  open_and_connect();
  say("A", 1, kAnswer);
  initiator->session(0).reset("anna: agreed by phone");
  turn_both();
  expect_received({{"|35=5|"}});
  received.clear();
  say("5", 2, "58=MsgSeqNum too low, expecting 10 but received 2|");
  turn_some();
  expect_received({{"|35=A|34=1|"}});
}

TEST_F(InitiatorHaltTest, reset_does_not_connect_a_session_that_was_logged_out_by_hand) {
  open_and_connect();
  const auto remote = initiator->remote();
  halt_while_refused();
  initiator->session(0).log_out();
  turn_both();
  initiator->session(0).reset("anna: agreed by phone");
  turn_for_seconds(5);
  EXPECT_TRUE(received.empty()) << received.front();
}

TEST_F(InitiatorHaltTest, reset_on_disconnect_does_not_end_the_halt) {
  // The counterparty would refuse each Logon forever.
  extra = "ResetOnDisconnect=Y";
  open_and_connect();
  const auto remote = initiator->remote();
  halt_while_refused();
  turn_for_seconds(20);
  EXPECT_TRUE(received.empty()) << received.front();
}

// The clock begins on Monday, 2024-01-15, 10:30:00 UTC.
constexpr const char* kEndsInAMinute = "StartTime=10:31:00\nEndTime=10:31:00";

TEST_F(InitiatorHaltTest, scheduled_end_of_a_halted_session_connects_the_next_one) {
  schedule = kEndsInAMinute;
  open_and_connect();
  halt_while_refused();
  turn_for_seconds(54);
  EXPECT_TRUE(received.empty()) << received.front();
  clock.advance(std::chrono::seconds{1});
  await_logon("|34=1|");
}

TEST_F(InitiatorHaltTest, scheduled_end_during_the_end_of_the_connection_connects_the_next_one) {
  schedule = kEndsInAMinute;
  open_and_connect();
  say("A", 1, kAnswer);
  clock.advance(std::chrono::seconds{29});
  turn_both();
  say("0", 2);
  clock.advance(std::chrono::seconds{30});
  turn_both();
  halt_while_connected();
  clock.advance(std::chrono::seconds{1});
  turn_both();
  ASSERT_TRUE(log.has("is over by its schedule")) << log.all();
  internet.limits.send_bytes_max = SIZE_MAX;
  venue_network.close(socket);
  await_logon("|34=1|");
}

TEST_F(InitiatorHaltTest, engine_waits_for_the_scheduled_end_of_a_halted_session) {
  schedule = kEndsInAMinute;
  open_and_connect();
  halt_while_refused();
  EXPECT_TRUE(initiator->poll(std::chrono::nanoseconds{0})) << log.all();
}

TEST_F(InitiatorHaltTest, polled_engine_of_one_initiator_ends_when_numbers_are_lost) {
  open_and_connect();
  say("5", 1, "58=MsgSeqNum too low, expecting 10 but received 1|");
  bool goes_on = true;
  for (int i = 0; i < 100 && goes_on; ++i) {
    goes_on = initiator->poll(std::chrono::nanoseconds{0});
    look();
  }
  EXPECT_FALSE(goes_on) << log.all();
}

TEST_F(InitiatorHaltTest, refusal_that_contradicts_what_was_sent_does_not_halt) {
  open_and_connect();
  const auto remote = initiator->remote();
  say("5", 1, "58=MsgSeqNum too low, expecting 1 but received 7|");
  expect_reconnect("|34=2|");
  EXPECT_FALSE(log.has("not connecting again")) << log.all();
  EXPECT_TRUE(log.has("the Logout contradicts what was sent")) << log.all();
}

TEST_F(InitiatorHaltTest, alarm_names_the_counterparty_if_its_numbers_are_lost) {
  extra = "SendNextExpectedMsgSeqNum=Y";
  open_and_connect();
  const auto remote = initiator->remote();
  say("A", 1, kAnswer);
  for (std::uint64_t number = 2; number < 9; ++number) say("0", number);
  turn_some();
  venue_network.close(socket);
  expect_reconnect("|789=9|");
  say("5", 9, "58=NextExpectedMsgSeqNum too high, expecting 1 but received 9|");
  for (int i = 0; i < 20; ++i) {
    clock.advance(std::chrono::seconds{1});
    turn_both();
  }
  EXPECT_TRUE(received.empty()) << "each refusal would use up a number";
  EXPECT_TRUE(
      log.has("ALARM: this store holds sequence numbers of the counterparty that it does not know "
              "itself, so its store is lost"))
      << log.all();
  EXPECT_TRUE(log.has("The counterparty restores its store")) << log.all();
  EXPECT_FALSE(log.has("so the store is lost")) << log.all();
  EXPECT_FALSE(log.has("Unless the store is right, restore it")) << log.all();
  ASSERT_TRUE(initiator->session(0).set_next_numbers({.next_inbound = 1, .next_outbound = 5},
                                                     "anna: they have restored their store"));
  await_logon("|34=5|");
}

TEST_F(InitiatorHaltTest, set_numbers_do_not_connect_a_session_that_was_logged_out_by_hand) {
  open_and_connect();
  const auto remote = initiator->remote();
  say("5", 1, "58=MsgSeqNum too low, expecting 10 but received 1|");
  initiator->session(0).log_out();
  turn_both();
  ASSERT_TRUE(initiator->session(0).set_next_numbers({.next_inbound = 1, .next_outbound = 10},
                                                     "anna: agreed by phone"));
  for (int i = 0; i < 20; ++i) {
    clock.advance(std::chrono::seconds{1});
    turn_both();
  }
  EXPECT_TRUE(received.empty()) << received.front();
  initiator->session(0).log_on();
  await_logon("|34=10|");
}

}  // namespace
}  // namespace nexusfix::testing
