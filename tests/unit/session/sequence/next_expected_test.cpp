// Logons with NextExpectedMsgSeqNum (789). FIX 4.4, Logon, and "Session Layer", the FIX Session
// Layer specification, "Using NextExpectedMsgSeqNum".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SessionConfig expecting(SessionConfig config) {
  config.logon.send_next_expected_msg_seq_num = true;
  return config;
}

TEST(NextExpected, is_in_the_logons_of_both_sides) {
  Pair pair{expecting(initiator_config()), expecting(acceptor_config())};
  pair.initiator.connect();
  EXPECT_THAT(pair.initiator.sent(), ElementsAre("35=A|34=1|98=0|108=30|789=1"));
  pair.acceptor.connect();
  pair.acceptor.in("35=A|34=1|98=0|108=30|789=1");
  EXPECT_THAT(pair.acceptor.sent(), ElementsAre("35=A|34=1|98=0|108=30|789=2"));
}

TEST(NextExpected, messages_that_the_logon_misses_are_resent_after_the_answer) {
  Side acceptor{expecting(acceptor_config()), {.next_inbound = 5, .next_outbound = 7}};
  acceptor.stored[5] = message_to(initiator_config(), acceptor.now(), "35=8|34=5|58=kept");
  acceptor.connect();
  acceptor.in("35=A|34=5|98=0|108=30|789=4");
  // The gap fill at the end covers the answer itself.
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=7|98=0|108=30|789=6",
                                           "35=4|34=4|43=Y|122=20240115-10:30:00.000|36=5|123=Y",
                                           "35=8|34=5|43=Y|122=20240115-10:30:00.000|58=kept",
                                           "35=4|34=6|43=Y|122=20240115-10:30:00.000|36=8|123=Y"));
}

TEST(NextExpected, message_sent_in_the_callback_of_the_logon_is_resent_after_the_answer) {
  // It has a lower number than the answer, so the counterparty misses it.
  for (const bool is_asked : {false, true}) {
    SessionConfig config = expecting(acceptor_config());
    config.shows_administrative = true;
    config.resend.asks_before = is_asked;
    Side acceptor{config, {.next_inbound = 1, .next_outbound = 5}};
    acceptor.on_administrative = [](Side& side) { side.send("8", "seen"); };
    acceptor.connect();
    acceptor.in("35=A|34=1|98=0|108=30|789=5");
    EXPECT_THAT(acceptor.sent(),
                ElementsAre("35=A|34=6|98=0|108=30|789=2",
                            "35=8|34=5|43=Y|122=20240115-10:30:00.000|58=seen",
                            "35=4|34=6|43=Y|122=20240115-10:30:00.000|36=7|123=Y"));
  }
}

TEST(NextExpected, initiator_resends_what_the_answer_misses_with_its_logon) {
  Side initiator{expecting(initiator_config()), {.next_inbound = 3, .next_outbound = 6}};
  initiator.connect();
  EXPECT_THAT(initiator.sent(), ElementsAre("35=A|34=6|98=0|108=30|789=3"));
  initiator.in("35=A|34=3|98=0|108=30|789=5");
  EXPECT_THAT(initiator.sent(), ElementsAre("35=4|34=5|43=Y|122=20240115-10:30:00.000|36=7|123=Y"));
  EXPECT_EQ(initiator.state(), State::LoggedOn);
}

TEST(NextExpected, nothing_is_resent_when_nothing_is_missing) {
  Side initiator{expecting(initiator_config()), {.next_inbound = 3, .next_outbound = 6}};
  initiator.connect();
  static_cast<void>(initiator.sent());
  initiator.in("35=A|34=3|98=0|108=30|789=7");
  EXPECT_THAT(initiator.sent(), IsEmpty());
}

TEST(NextExpected, gap_before_the_logon_is_not_requested) {
  Side acceptor{expecting(acceptor_config())};
  acceptor.connect();
  acceptor.in("35=A|34=4|98=0|108=30|789=1");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=1|98=0|108=30|789=1"));
  acceptor.in("35=4|34=1|43=Y|36=5|123=Y");
  EXPECT_EQ(acceptor.next_in(), 5U);
  EXPECT_TRUE(acceptor.has_notice(NoticeCode::GapClosed));
  EXPECT_THAT(acceptor.sent(), IsEmpty());
}

TEST(NextExpected, gap_that_is_not_filled_is_requested_after_the_timeout) {
  Side acceptor{expecting(acceptor_config())};
  acceptor.connect();
  acceptor.in("35=A|34=4|98=0|108=0|789=1");
  static_cast<void>(acceptor.sent());
  acceptor.advance(acceptor.config().gap.resend_timeout);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=1|16=3"));
}

TEST(NextExpected, counterparty_without_789_gets_a_resend_request) {
  Side acceptor{expecting(acceptor_config())};
  acceptor.connect();
  acceptor.in("35=A|34=4|98=0|108=30");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=1|98=0|108=30|789=1", "35=2|34=2|7=1|16=3"));
}

TEST(NextExpected, above_the_last_sent_number_is_a_logout_and_a_disconnect) {
  Side acceptor{expecting(acceptor_config()), {.next_inbound = 1, .next_outbound = 4}};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30|789=5");
  EXPECT_THAT(
      acceptor.sent(),
      ElementsAre("35=5|34=4|58=NextExpectedMsgSeqNum too high, expecting 4 but received 5"));
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::MsgSeqNumTooLow);

  Side initiator{expecting(initiator_config()), {.next_inbound = 1, .next_outbound = 4}};
  initiator.connect();
  static_cast<void>(initiator.sent());
  initiator.in("35=A|34=1|98=0|108=30|789=6");
  EXPECT_THAT(
      initiator.sent(),
      ElementsAre("35=5|34=5|58=NextExpectedMsgSeqNum too high, expecting 5 but received 6"));
}

TEST(NextExpected, of_the_answer_is_about_what_was_sent_up_to_our_logon) {
  // Messages that wait after our Logon are sent for the first time, not resent.
  Side initiator{expecting(initiator_config()), {.next_inbound = 3, .next_outbound = 6}};
  initiator.connect();
  initiator.send("D", "early");
  static_cast<void>(initiator.sent());
  initiator.in("35=A|34=3|98=0|108=30|789=7");
  EXPECT_THAT(initiator.sent(), ElementsAre("35=D|34=7|58=early"));

  Side missing{expecting(initiator_config()), {.next_inbound = 3, .next_outbound = 6}};
  missing.connect();
  missing.send("D", "early");
  static_cast<void>(missing.sent());
  missing.in("35=A|34=3|98=0|108=30|789=5");
  EXPECT_THAT(missing.sent(), ElementsAre("35=D|34=7|58=early",
                                          "35=4|34=5|43=Y|122=20240115-10:30:00.000|36=7|123=Y"));
}

TEST(NextExpected, resend_that_the_owner_decides_on_comes_before_messages_sent_at_the_logon) {
  SessionConfig config = expecting(acceptor_config());
  config.resend.asks_before = true;
  for (const detail::ResendDecision::Kind kind :
       {detail::ResendDecision::Kind::Resend, detail::ResendDecision::Kind::GapFill}) {
    Side acceptor{config, {.next_inbound = 5, .next_outbound = 7}};
    acceptor.resend_governor = [&](const AskResend&) {
      return detail::ResendDecision{.kind = kind};
    };
    int logons_at_replay = -1;
    acceptor.on_replay = [&](Side& side) { logons_at_replay = side.logged_on; };
    acceptor.connect();
    acceptor.in("35=A|34=5|98=0|108=30|789=4");
    EXPECT_THAT(acceptor.sent(),
                ElementsAre("35=A|34=7|98=0|108=30|789=6",
                            "35=4|34=4|43=Y|122=20240115-10:30:00.000|36=8|123=Y"));
    const bool is_replay = kind == detail::ResendDecision::Kind::Resend;
    EXPECT_EQ(logons_at_replay, is_replay ? 0 : -1) << "a resend begins before on_logon()";
    EXPECT_EQ(acceptor.logged_on, 1);
  }
}

TEST(NextExpected, gap_fill_that_the_owner_decides_on_comes_before_queued_messages) {
  SessionConfig config = expecting(initiator_config());
  config.resend.asks_before = true;
  Side initiator{config, {.next_inbound = 3, .next_outbound = 6}};
  initiator.resend_governor = [](const AskResend&) {
    return detail::ResendDecision{.kind = detail::ResendDecision::Kind::GapFill};
  };
  initiator.connect();
  initiator.send("D", "early");
  static_cast<void>(initiator.sent());
  initiator.in("35=A|34=3|98=0|108=30|789=5");
  EXPECT_THAT(initiator.sent(), ElementsAre("35=4|34=5|43=Y|122=20240115-10:30:00.000|36=7|123=Y",
                                            "35=D|34=7|58=early"));
}

TEST(NextExpected, of_a_message_that_waits_for_the_answer_to_our_logon_is_too_high) {
  // It was not sent: the counterparty has another message with its number.
  Side initiator{expecting(initiator_config()), {.next_inbound = 1, .next_outbound = 4}};
  initiator.connect();
  initiator.send("D", "early");
  static_cast<void>(initiator.sent());
  initiator.in("35=A|34=1|98=0|108=30|789=6");
  EXPECT_THAT(
      initiator.sent(),
      ElementsAre("35=5|34=6|58=NextExpectedMsgSeqNum too high, expecting 5 but received 6"));
}

TEST(NextExpected, that_is_no_number_is_an_invalid_logon) {
  for (const char* value : {"0", "-1", "x", "1.5", "99999999999999999999999"}) {
    Side acceptor{expecting(acceptor_config())};
    acceptor.connect();
    acceptor.in("35=A|34=1|98=0|108=30|789=" + std::string{value});
    EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=1|58=NextExpectedMsgSeqNum is not a number"))
        << value;
    EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogonRefused) << value;
  }
}

TEST(NextExpected, is_ignored_after_a_reset) {
  Side acceptor{expecting(acceptor_config()), {.next_inbound = 5, .next_outbound = 7}};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30|141=Y|789=1");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=1|98=0|108=30|141=Y|789=2"));

  SessionConfig config = expecting(acceptor_config());
  config.reset.on_logon = true;
  Side resetting{config, {.next_inbound = 5, .next_outbound = 7}};
  resetting.connect();
  resetting.in("35=A|34=1|98=0|108=30|789=3");
  EXPECT_THAT(resetting.sent(), ElementsAre("35=A|34=1|98=0|108=30|789=2"));
}

TEST(NextExpected, above_the_numbers_before_a_reset_is_ignored_too) {
  // ResetOnLogon: the counterparty counts from before the reset, and both sides start at 1.
  SessionConfig config = expecting(acceptor_config());
  config.reset.on_logon = true;
  for (const char* next : {"7", "8", "9", "100"}) {
    Side acceptor{config, {.next_inbound = 5, .next_outbound = 7}};
    acceptor.connect();
    acceptor.in("35=A|34=1|98=0|108=30|789=" + std::string{next});
    EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=1|98=0|108=30|789=2")) << next;
    EXPECT_EQ(acceptor.state(), State::LoggedOn) << next;
  }
}

TEST(NextExpected, is_ignored_and_not_sent_if_not_configured_or_not_defined) {
  Side acceptor{acceptor_config(), {.next_inbound = 5, .next_outbound = 7}};
  acceptor.connect();
  acceptor.in("35=A|34=5|98=0|108=30|789=99");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=7|98=0|108=30"));
  for (const char* version : {"FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3"}) {
    Side initiator{expecting(initiator_config(version))};
    initiator.connect();
    EXPECT_THAT(initiator.sent(), ElementsAre("35=A|34=1|98=0|108=30"));
  }
}

TEST(NextExpected, initiator_that_is_refused_for_it_does_not_retry_until_numbers_agree_by_chance) {
  // Each refusal is a Logout with a number. After some of them the acceptor's numbers reach what
  // the initiator expects, and the messages with lower numbers are lost.
  Side initiator{expecting(initiator_config()), {.next_inbound = 9, .next_outbound = 4}};
  initiator.connect();
  initiator.in("35=5|34=3|58=NextExpectedMsgSeqNum too high, expecting 4 but received 9");
  EXPECT_EQ(initiator.disconnect_reason, DisconnectReason::MsgSeqNumTooLow);
}

TEST(NextExpected, two_machines_that_both_missed_messages_agree_without_a_resend_request) {
  Pair pair{expecting(initiator_config()), expecting(acceptor_config())};
  pair.connect();
  for (int i = 0; i < 3; ++i) pair.initiator.send();
  for (int i = 0; i < 2; ++i) pair.acceptor.send("8");
  pair.break_link();
  pair.initiator.send();
  pair.connect();
  EXPECT_EQ(pair.acceptor.delivered.size(), 4U);
  EXPECT_EQ(pair.initiator.delivered.size(), 2U);
  EXPECT_EQ(pair.initiator.next_in(), pair.acceptor.next_out());
  EXPECT_EQ(pair.initiator.next_out(), pair.acceptor.next_in());
  EXPECT_FALSE(pair.initiator.has_notice(NoticeCode::ResendNotAnswered));
}

}  // namespace
}  // namespace nexusfix::session::test
