// Logout from either side, answered and not, and the end of a connection.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Logout, is_answered_and_the_connection_closed) {
  // TC 13b.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  acceptor.in("35=5|34=2|58=good night");
  EXPECT_THAT(acceptor.sent_in_full(),
              ElementsAre("8=FIX.4.2|35=5|34=2|49=VENUE|52=20240115-10:30:00.000|56=TRADER"));
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogoutComplete);
  EXPECT_EQ(acceptor.logged_out, 1);
  EXPECT_EQ(acceptor.next_in(), 3U);
  EXPECT_EQ(acceptor.notice_texts.back(), "good night");
}

TEST(Logout, is_answered_with_any_number) {
  // TC 12 and the acceptance scripts: too low and too high both occur, without a ResendRequest.
  for (const char* number : {"1", "9", "0"}) {
    Side acceptor{acceptor_config()};
    acceptor.establish();
    acceptor.in(std::string{"35=5|34="} + number);
    EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=2")) << number;
    EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogoutComplete) << number;
    EXPECT_EQ(acceptor.next_in(), 2U) << number;
  }
}

TEST(Logout, waits_for_the_answer_if_we_sent_it) {
  // TC 12: the side that sent the first Logout disconnects after the answer.
  Side initiator{initiator_config()};
  initiator.establish();
  initiator.log_out("end of day");
  EXPECT_THAT(initiator.sent(), ElementsAre("35=5|34=2|58=end of day"));
  EXPECT_EQ(initiator.state(), State::LogoutSent);
  EXPECT_EQ(initiator.logged_out, 0);
  initiator.in("35=5|34=2");
  EXPECT_THAT(initiator.sent(), IsEmpty());
  EXPECT_EQ(initiator.disconnect_reason, DisconnectReason::LogoutComplete);
  EXPECT_EQ(initiator.logged_out, 1);
  EXPECT_EQ(initiator.next_in(), 3U);
}

TEST(Logout, without_an_answer_closes_after_the_timeout) {
  // FIX Session Layer, "Logout": bounded waiting.
  Side initiator{initiator_config()};
  initiator.establish();
  initiator.log_out();
  initiator.advance(1'999ms);
  EXPECT_FALSE(initiator.disconnect_reason.has_value());
  initiator.advance(1ms);
  EXPECT_EQ(initiator.disconnect_reason, DisconnectReason::LogoutTimeout);
  EXPECT_EQ(initiator.logged_out, 1);
}

TEST(Logout, messages_and_resend_requests_are_still_served_while_we_wait) {
  // TC 12, with messages in flight: the counterparty may have missed one of our messages.
  Side initiator{initiator_config()};
  initiator.establish();
  initiator.send("D", "two");
  initiator.log_out();
  (void)initiator.sent();
  initiator.in("35=8|34=2|37=x");
  initiator.in("35=2|34=3|7=2|16=0");
  EXPECT_EQ(initiator.delivered.size(), 1U);
  EXPECT_THAT(initiator.sent(), ElementsAre("35=D|34=2|43=Y|122=20240115-10:30:00.000|58=two",
                                            "35=4|34=3|43=Y|122=20240115-10:30:00.000|36=4|123=Y"));
  EXPECT_EQ(initiator.state(), State::LogoutSent);
}

TEST(Logout, no_resend_is_requested_after_our_logout) {
  // FIX 4.4 volume 2, "Logout": after it a side sends nothing, except a resend. The missing
  // messages come after the next Logon: the expected number did not change.
  Side initiator{initiator_config()};
  initiator.establish();
  initiator.log_out();
  (void)initiator.sent();
  initiator.in("35=8|34=5|37=x");
  EXPECT_THAT(initiator.sent(), IsEmpty());
  EXPECT_THAT(initiator.buffered_numbers, IsEmpty());
  EXPECT_EQ(initiator.next_in(), 2U);
}

TEST(Logout, crossing_logouts_close_both_sides_and_none_is_answered_twice) {
  // TC 13 from both sides at once.
  Pair pair;
  pair.connect();
  pair.initiator.log_out();
  pair.acceptor.log_out();
  pair.exchange();
  EXPECT_EQ(pair.initiator.disconnect_reason, DisconnectReason::LogoutComplete);
  EXPECT_EQ(pair.acceptor.disconnect_reason, DisconnectReason::LogoutComplete);
  EXPECT_EQ(pair.initiator.next_out(), 3U);
  EXPECT_EQ(pair.acceptor.next_out(), 3U);
  EXPECT_EQ(pair.initiator.next_in(), 3U);
  EXPECT_EQ(pair.acceptor.next_in(), 3U);
}

TEST(Logout, second_command_sends_no_second_logout) {
  // FIX Session Layer, "Logout": sent once.
  Side initiator{initiator_config()};
  initiator.establish();
  initiator.log_out();
  initiator.log_out();
  EXPECT_THAT(initiator.sent(), ElementsAre("35=5|34=2"));
}

TEST(Logout, too_low_after_our_logout_closes_without_another_one) {
  // TC 2c while we wait for the answer.
  Side initiator{initiator_config()};
  initiator.establish();
  initiator.log_out();
  initiator.in("35=0|34=1");
  EXPECT_THAT(initiator.sent(), ElementsAre("35=5|34=2"));
  EXPECT_EQ(initiator.disconnect_reason, DisconnectReason::MsgSeqNumTooLow);
}

TEST(Logout, command_before_the_logon_just_closes) {
  // FIX Session Layer, "Logout": it ends a session. Without a session there is no Logout.
  Side initiator{initiator_config()};
  initiator.connect();
  (void)initiator.sent();
  initiator.log_out();
  EXPECT_THAT(initiator.sent(), IsEmpty());
  EXPECT_EQ(initiator.disconnect_reason, DisconnectReason::Operator);
  EXPECT_EQ(initiator.logged_out, 0);
}

TEST(Logout, command_while_disconnected_does_nothing) {
  // FIX Session Layer, "Logout": it ends a session. Without a connection it cannot be sent.
  Side initiator{initiator_config()};
  initiator.log_out();
  EXPECT_THAT(initiator.sent(), IsEmpty());
  EXPECT_FALSE(initiator.disconnect_reason.has_value());
}

TEST(Logout, text_that_cannot_be_sent_is_omitted) {
  // FIX 4.4 volume 1, "FIX Datatypes", String: any character but the delimiter. The part after an
  // SOH would be another field, and a long text would not fit.
  Side initiator{initiator_config()};
  initiator.establish();
  initiator.log_out(
      "a\x01"
      "34=99");
  EXPECT_THAT(initiator.sent(), ElementsAre("35=5|34=2"));

  Side other{initiator_config()};
  other.establish();
  other.log_out(std::string(10'000, 'x'));
  EXPECT_THAT(other.sent(), ElementsAre("35=5|34=2|58=" + std::string(1'024, 'x')));
}

TEST(Logout, resets_both_numbers_if_configured_after_the_answer_was_sent) {
  // QuickFIX's ResetOnLogout.
  SessionConfig config = acceptor_config();
  config.reset.on_logout = true;
  Side acceptor{config, {.next_inbound = 5, .next_outbound = 7}};
  acceptor.establish();
  acceptor.in("35=5|34=6");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=8"));
  EXPECT_EQ(acceptor.resets, 1);
  EXPECT_EQ(acceptor.next_in(), 1U);
  EXPECT_EQ(acceptor.next_out(), 1U);
}

TEST(Disconnect, resets_both_numbers_if_configured) {
  // QuickFIX's ResetOnDisconnect.
  SessionConfig config = acceptor_config();
  config.reset.on_disconnect = true;
  Side acceptor{config};
  acceptor.establish();
  acceptor.disconnect();
  EXPECT_EQ(acceptor.resets, 1);
  EXPECT_EQ(acceptor.next_in(), 1U);
  EXPECT_EQ(acceptor.next_out(), 1U);
}

TEST(Disconnect, without_a_logout_keeps_the_numbers_and_notifies_the_application_once) {
  // FIX Session Layer, "Sequence numbers": they outlive a connection.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=D|34=2|11=x");
  acceptor.disconnect();
  EXPECT_EQ(acceptor.logged_out, 1);
  EXPECT_EQ(acceptor.state(), State::Disconnected);
  EXPECT_EQ(acceptor.next_in(), 3U);
  EXPECT_EQ(acceptor.next_out(), 2U);
  EXPECT_EQ(acceptor.machine().next_deadline(), kNever);
}

TEST(Disconnect, between_two_actions_drops_those_that_need_a_connection_and_no_number) {
  // FIX Session Layer, "Sequence numbers": each has a message. A send may fail while the actions of
  // an event are performed.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  wire::Parser parser;
  const std::string bytes = message_to(acceptor.config(), acceptor.now(), "35=5|34=2");
  acceptor.machine().on_message(*parser.parse(bytes), acceptor.now());
  std::array<char, StateMachine::kScratchBytes> scratch;
  ASSERT_TRUE(acceptor.machine().next_action(scratch).has_value());  // the notice
  acceptor.machine().on_disconnected(acceptor.now());
  const auto action = acceptor.machine().next_action(scratch);
  ASSERT_TRUE(action.has_value());
  EXPECT_TRUE(std::holds_alternative<LoggedOut>(*action));
  EXPECT_FALSE(acceptor.machine().next_action(scratch).has_value());
  EXPECT_EQ(acceptor.next_out(), 2U);
}

TEST(Disconnect, leaves_a_machine_that_can_log_on_again) {
  // TC 1S after TC 13: the numbers continue.
  Pair pair;
  for (int day = 0; day < 3; ++day) {
    pair.connect();
    ASSERT_EQ(pair.initiator.state(), State::LoggedOn);
    pair.initiator.send();
    pair.exchange();
    pair.initiator.log_out();
    pair.exchange();
    ASSERT_EQ(pair.acceptor.state(), State::Disconnected);
  }
  EXPECT_EQ(pair.acceptor.delivered.size(), 3U);
  EXPECT_EQ(pair.initiator.next_out(), 10U);
  EXPECT_EQ(pair.acceptor.next_in(), 10U);
}

}  // namespace
}  // namespace nexusfix::session::test
