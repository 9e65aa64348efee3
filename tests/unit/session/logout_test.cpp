// Logout from either side, answered and not, and the end of a connection.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SessionConfig closing_at_once(SessionConfig config) {
  config.logon.logout_close_timeout = 0s;
  return config;
}

TEST(Logout, is_answered_and_the_counterparty_closes_the_connection) {
  // TC 13b.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  acceptor.in("35=5|34=2|58=good night");
  EXPECT_THAT(acceptor.sent_in_full(),
              ElementsAre("8=FIX.4.2|35=5|34=2|49=VENUE|52=20240115-10:30:00.000|56=TRADER"));
  EXPECT_EQ(acceptor.notice_texts.back(), "good night");
  EXPECT_EQ(acceptor.state(), State::LogoutSent);
  EXPECT_TRUE(acceptor.machine().is_to_be_closed());
  acceptor.disconnect();
  EXPECT_FALSE(acceptor.disconnect_reason.has_value());
  EXPECT_EQ(acceptor.logged_out, 1);
  EXPECT_TRUE(acceptor.logout_is_complete);
  EXPECT_EQ(acceptor.next_in(), 3U);
}

TEST(Logout, answered_one_closes_a_connection_that_the_counterparty_leaves_open) {
  // TC 13b: "wait for counterparty to disconnect up to 10 seconds".
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=5|34=2");
  acceptor.advance(9'999ms);
  EXPECT_FALSE(acceptor.disconnect_reason.has_value());
  acceptor.advance(1ms);
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogoutComplete);
  EXPECT_TRUE(acceptor.has_notice(NoticeCode::ConnectionNotClosed));
  EXPECT_EQ(acceptor.logged_out, 1);
}

TEST(Logout, answered_one_closes_at_once_if_configured) {
  // As QuickFIX does.
  Side acceptor{closing_at_once(acceptor_config())};
  acceptor.establish();
  acceptor.in("35=5|34=2");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=2"));
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogoutComplete);
  EXPECT_EQ(acceptor.logged_out, 1);
}

TEST(Logout, resend_request_after_the_answer_is_served) {
  // FIX Session Layer, "Logout": the side that asked for it may have missed our last messages.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.send("8", "fill");
  acceptor.in("35=5|34=2");
  (void)acceptor.sent();
  acceptor.in("35=2|34=3|7=2|16=0");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=8|34=2|43=Y|122=20240115-10:30:00.000|58=fill",
                                           "35=4|34=3|43=Y|122=20240115-10:30:00.000|36=4|123=Y"));
}

TEST(Logout, operator_does_not_wait_for_the_counterparty_to_close) {
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=5|34=2");
  acceptor.log_out("stopping");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=2"));
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogoutComplete);
}

TEST(Logout, with_a_number_too_low_is_answered) {
  // TC 12 and the acceptance scripts.
  for (const char* number : {"1", "0"}) {
    Side acceptor{closing_at_once(acceptor_config())};
    acceptor.establish();
    acceptor.in(std::string{"35=5|34="} + number);
    EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=2")) << number;
    EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogoutComplete) << number;
    EXPECT_EQ(acceptor.next_in(), 2U) << number;
  }
}

TEST(Logout, with_a_number_too_high_waits_for_the_messages_before_it) {
  // FIX Session Layer, "Message recovery", Logout: a ResendRequest comes before our Logout.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=5|34=4");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=3"));
  EXPECT_EQ(acceptor.state(), State::LoggedOn);
  acceptor.in("35=D|34=2|43=Y|122=20240115-10:29:00|11=a");
  EXPECT_EQ(acceptor.send("8", "fill"), 3U);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=8|34=3|58=fill"));
  acceptor.in("35=D|34=3|43=Y|122=20240115-10:29:00|11=b");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=4"));
  EXPECT_EQ(acceptor.delivered.size(), 2U);
  EXPECT_EQ(acceptor.next_in(), 5U);
  acceptor.disconnect();
  EXPECT_FALSE(acceptor.has_notice(NoticeCode::EndedWithinGap));
  EXPECT_EQ(acceptor.logged_out, 1);
}

TEST(Logout, with_a_number_too_high_is_answered_at_once_if_configured) {
  // The acceptance scripts.
  SessionConfig config = closing_at_once(acceptor_config());
  config.logon.logout_gap_timeout = 0s;
  Side acceptor{std::move(config)};
  acceptor.establish();
  acceptor.in("35=5|34=4");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=2"));
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogoutComplete);
  EXPECT_TRUE(acceptor.has_notice(NoticeCode::EndedWithinGap));
  EXPECT_EQ(acceptor.next_in(), 2U);
}

TEST(Logout, with_a_number_too_high_is_answered_after_a_gap_fill_over_it) {
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=5|34=4");
  (void)acceptor.sent();
  acceptor.in("35=4|34=2|43=Y|122=20240115-10:29:00|123=Y|36=7");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=3"));
  EXPECT_EQ(acceptor.next_in(), 7U);
}

TEST(Logout, within_a_gap_waits_for_buffered_messages_too) {
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=D|34=4|11=c");
  acceptor.in("35=5|34=5");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=3"));
  acceptor.in("35=D|34=2|43=Y|122=20240115-10:29:00|11=a");
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  acceptor.in("35=4|34=3|43=Y|122=20240115-10:29:00|123=Y|36=4");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=3"));
  EXPECT_EQ(acceptor.delivered.size(), 2U);
  EXPECT_EQ(acceptor.next_in(), 6U);
}

TEST(Logout, with_a_number_too_high_is_answered_without_the_messages_after_the_timeout) {
  // Each part of the answer begins logout_gap_timeout again.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=5|34=4");
  (void)acceptor.sent();
  acceptor.advance(1'999ms);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  acceptor.in("35=D|34=2|43=Y|122=20240115-10:29:00|11=a");
  acceptor.advance(1'999ms);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  acceptor.advance(1ms);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=3"));
  acceptor.disconnect();
  ASSERT_TRUE(acceptor.has_notice(NoticeCode::EndedWithinGap));
  EXPECT_EQ(acceptor.notices.back().expected, 3U);
  EXPECT_EQ(acceptor.notices.back().received, 3U);
  EXPECT_EQ(acceptor.notice_texts.back(),
            "they are requested after the next Logon, unless a reset comes first");
}

TEST(Logout, end_within_a_gap_names_the_messages_that_a_reset_loses) {
  SessionConfig config = acceptor_config();
  config.reset.on_logout = true;
  Side acceptor{config};
  acceptor.establish();
  acceptor.in("35=5|34=4");
  acceptor.disconnect();
  EXPECT_EQ(acceptor.resets, 0);  // no Logout was answered
  EXPECT_EQ(acceptor.next_in(), 2U);
  acceptor.establish();
  acceptor.in("35=5|34=5");
  acceptor.advance(2s);
  acceptor.disconnect();
  EXPECT_EQ(acceptor.notices.back().expected, 3U);
  EXPECT_EQ(acceptor.notices.back().received, 4U);
  EXPECT_EQ(acceptor.notice_texts.back(), "a reset follows, and they are lost");
  EXPECT_EQ(acceptor.resets, 1);
  EXPECT_EQ(acceptor.next_in(), 1U);
}

TEST(Logout, answer_with_a_number_too_high_ends_the_session_and_names_what_is_missing) {
  // FIX Session Layer, "Message recovery": our own Logout is answered, nothing more is asked.
  Side initiator{initiator_config()};
  initiator.establish();
  initiator.log_out();
  (void)initiator.sent();
  initiator.in("35=5|34=4");
  EXPECT_THAT(initiator.sent(), IsEmpty());
  EXPECT_EQ(initiator.disconnect_reason, DisconnectReason::LogoutComplete);
  ASSERT_TRUE(initiator.has_notice(NoticeCode::EndedWithinGap));
  EXPECT_EQ(initiator.notices.back().expected, 2U);
  EXPECT_EQ(initiator.notices.back().received, 3U);
}

TEST(Logout, connection_that_ends_within_a_gap_names_what_is_missing) {
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=D|34=4|11=c");
  acceptor.disconnect();
  ASSERT_TRUE(acceptor.has_notice(NoticeCode::EndedWithinGap));
  EXPECT_EQ(acceptor.notices.back().expected, 2U);
  EXPECT_EQ(acceptor.notices.back().received, 4U);
}

TEST(Logout, reset_by_a_logon_while_it_waits_begins_a_new_session) {
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=5|34=4");
  (void)acceptor.sent();
  acceptor.in("35=A|34=1|98=0|108=30|141=Y");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=1|98=0|108=30|141=Y"));
  EXPECT_EQ(acceptor.state(), State::LoggedOn);
  EXPECT_EQ(acceptor.logged_on, 1);
  acceptor.advance(5s);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
}

struct Claim {
  std::string_view text;
  std::optional<NoticeCode> notice;
};

TEST(Logout, text_about_sequence_numbers_is_compared_with_what_was_sent) {
  // The Logon had MsgSeqNum 5, and 6 and 7 followed; the counterparty has to expect 5 to 8.
  constexpr auto kLost = NoticeCode::SequenceNumbersLost;
  constexpr auto kUntrue = NoticeCode::LogoutTextUntrue;
  const Claim claims[] = {
      {"end of day", std::nullopt},
      {"MsgSeqNum too low", kLost},                               // nothing to compare
      {"MsgSeqNum too low, expecting 9 but received 5", kLost},   // unknown here
      {"MsgSeqNum too low, expecting 99 but received 7", kLost},  // unknown here
      {"MsgSeqNum too low, expecting 7 but received 5", kLost},   // it refuses our Logon
      {"MsgSeqNum too low, expecting 99", kLost},
      {"MsgSeqNum too low, expecting 6", kLost},
      {"MsgSeqNum too low, expecting 5", kUntrue},                 // our first one
      {"MsgSeqNum too low, expecting 5 but received 7", kUntrue},  // that is not too low
      {"MsgSeqNum too low, expecting 7 but received 7", kUntrue},
      {"MsgSeqNum too low, expecting 99 but received 4", kUntrue},  // not sent here
      {"MsgSeqNum too low, expecting 99 but received 8", kUntrue},  // not sent at all
      {"MsgSeqNum too low, expecting 8 but received 6", kUntrue},   // it follows what it accepted
      {"NextExpectedMsgSeqNum too high, expecting 1 but received 2", kUntrue},  // we sent none
  };
  for (const Claim& claim : claims) {
    Side acceptor{acceptor_config(), {.next_outbound = 5}};
    acceptor.establish();
    acceptor.send("8", "a");
    acceptor.send("8", "b");
    acceptor.in("35=5|34=2|58=" + std::string{claim.text});
    for (const NoticeCode code : {kLost, kUntrue}) {
      EXPECT_EQ(acceptor.has_notice(code), code == claim.notice) << claim.text;
    }
  }
}

TEST(Logout, text_about_next_expected_is_compared_with_our_logon) {
  SessionConfig config = acceptor_config();
  config.logon.send_next_expected_msg_seq_num = true;
  for (const auto& [text, code] : {
           std::pair{"expecting 1 but received 2", NoticeCode::SequenceNumbersLost},
           std::pair{"expecting 2 but received 2", NoticeCode::LogoutTextUntrue},
           std::pair{"expecting 2 but received 9", NoticeCode::LogoutTextUntrue},
       }) {
    Side acceptor{config};
    acceptor.establish();
    acceptor.in("35=5|34=2|58=NextExpectedMsgSeqNum too high, " + std::string{text});
    EXPECT_TRUE(acceptor.has_notice(code)) << text;
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
  EXPECT_EQ(acceptor.resets, 0);
  acceptor.disconnect();
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
