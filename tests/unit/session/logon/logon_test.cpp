// Logon in both roles: every accepted and every refused form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Logon, acceptor_answers_a_valid_logon_and_is_logged_on) {
  // TC 1S: valid Logon. The whole message, in the order of the acceptance scripts.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.connect();
  EXPECT_EQ(acceptor.state(), State::AwaitingLogon);
  acceptor.in("35=A|34=1|98=0|108=30");
  EXPECT_THAT(acceptor.sent_in_full(),
              ElementsAre("8=FIX.4.2|35=A|34=1|49=VENUE|52=20240115-10:30:00.000|56=TRADER|98=0|"
                          "108=30"));
  EXPECT_EQ(acceptor.state(), State::LoggedOn);
  EXPECT_EQ(acceptor.logged_on, 1);
  EXPECT_EQ(acceptor.next_in(), 2U);
  EXPECT_EQ(acceptor.next_out(), 2U);
}

TEST(Logon, initiator_sends_logon_on_connection_and_waits_for_the_answer) {
  // FIX Session Layer, "Logon": the initiator sends the first message.
  Side initiator{initiator_config()};
  initiator.connect();
  EXPECT_THAT(initiator.sent(), ElementsAre("35=A|34=1|98=0|108=30"));
  EXPECT_EQ(initiator.state(), State::LogonSent);
  EXPECT_EQ(initiator.logged_on, 0);
  initiator.in("35=A|34=1|98=0|108=30");
  EXPECT_THAT(initiator.sent(), IsEmpty());
  EXPECT_EQ(initiator.state(), State::LoggedOn);
  EXPECT_EQ(initiator.logged_on, 1);
  EXPECT_EQ(initiator.next_in(), 2U);
}

TEST(Logon, numbers_of_the_store_are_continued) {
  // FIX Session Layer, "Sequence numbers": they live longer than a connection.
  Side acceptor{acceptor_config(), {.next_inbound = 17, .next_outbound = 23}};
  acceptor.connect();
  acceptor.in("35=A|34=17|98=0|108=30");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=23|98=0|108=30"));
  EXPECT_EQ(acceptor.next_in(), 18U);
}

TEST(Logon, msg_seq_num_too_high_is_answered_before_the_resend_request) {
  // TC 1S a: Logon (34=1), then ResendRequest (34=2).
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.connect();
  acceptor.in("35=A|34=5|98=0|108=30");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=1|98=0|108=30", "35=2|34=2|7=1|16=4"));
  EXPECT_EQ(acceptor.state(), State::LoggedOn);
  EXPECT_EQ(acceptor.next_in(), 1U);
  EXPECT_TRUE(acceptor.has_notice(NoticeCode::GapDetected));
}

TEST(Logon, number_of_a_logon_that_was_too_high_is_counted_when_the_gap_is_closed) {
  // TC 1S a, continued: the counterparty resends 1 to 4 and continues with 6.
  Side acceptor{acceptor_config()};
  acceptor.connect();
  acceptor.in("35=A|34=5|98=0|108=30");
  acceptor.in("35=4|34=1|43=Y|122=20240115-10:30:00|36=5|123=Y");
  EXPECT_EQ(acceptor.next_in(), 6U);
  (void)acceptor.sent();
  acceptor.in("35=1|34=6|112=X");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=3|112=X"));
}

TEST(Logon, another_heart_bt_int_in_the_answer_is_reported) {
  for (const auto& [seconds, is_reported] : {std::pair{"30", false}, std::pair{"20", true}}) {
    Side initiator{initiator_config()};
    initiator.connect();
    initiator.in(std::string{"35=A|34=1|98=0|108="} + seconds);
    EXPECT_EQ(initiator.state(), State::LoggedOn);
    EXPECT_EQ(initiator.has_notice(NoticeCode::HeartBtIntDiffers), is_reported) << seconds;
  }
}

TEST(Logon, initiator_requests_the_gap_when_the_answer_is_too_high) {
  // TC 1S a, mirrored.
  Side initiator{initiator_config()};
  initiator.connect();
  initiator.in("35=A|34=9|98=0|108=30");
  EXPECT_THAT(initiator.sent(), ElementsAre("35=A|34=1|98=0|108=30", "35=2|34=2|7=1|16=8"));
  EXPECT_EQ(initiator.state(), State::LoggedOn);
}

TEST(Logon, msg_seq_num_too_low_is_a_logout_and_a_disconnect) {
  // FIX Session Layer, "Logon": MsgSeqNum lower than expected.
  Side acceptor{acceptor_config(), {.next_inbound = 12, .next_outbound = 3}};
  acceptor.connect();
  acceptor.in("35=A|34=4|98=0|108=30");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=5|34=3|58=MsgSeqNum too low, expecting 12 but received 4"));
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::MsgSeqNumTooLow);
  EXPECT_EQ(acceptor.logged_on, 0);
  EXPECT_EQ(acceptor.logged_out, 0);
  EXPECT_EQ(acceptor.next_in(), 12U);
  EXPECT_EQ(acceptor.next_out(), 4U);
}

TEST(Logon, poss_dup_does_not_excuse_a_logon_that_is_too_low) {
  // FIX Session Layer, "Logon": a resent Logon opens no session.
  Side acceptor{acceptor_config(), {.next_inbound = 12, .next_outbound = 3}};
  acceptor.connect();
  acceptor.in("35=A|34=4|43=Y|122=20240115-10:00:00|98=0|108=30");
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::MsgSeqNumTooLow);
}

TEST(Logon, initiator_disconnects_when_the_answer_is_too_low) {
  // FIX Session Layer, "Logon", mirrored: the counterparty has lost its numbers.
  Side initiator{initiator_config(), {.next_inbound = 5, .next_outbound = 8}};
  initiator.connect();
  initiator.in("35=A|34=1|98=0|108=30");
  EXPECT_THAT(initiator.sent(),
              ElementsAre("35=A|34=8|98=0|108=30",
                          "35=5|34=9|58=MsgSeqNum too low, expecting 5 but received 1"));
  EXPECT_EQ(initiator.disconnect_reason, DisconnectReason::MsgSeqNumTooLow);
}

TEST(Logon, initiator_learns_from_the_refusal_that_its_own_number_is_too_low) {
  // TC 2c, mirrored: our store is lost or an old copy, and to connect again would not help.
  Side initiator{initiator_config(), {.next_inbound = 5, .next_outbound = 1}};
  initiator.connect();
  initiator.in("35=5|34=5|58=MsgSeqNum too low, expecting 8 but received 1");
  EXPECT_EQ(initiator.disconnect_reason, DisconnectReason::MsgSeqNumTooLow);
}

TEST(Logon, first_message_other_than_logon_closes_without_an_answer) {
  // TC 1S e.
  for (const char* first : {"35=0|34=1", "35=D|34=1|11=ID", "35=5|34=1", "35=2|34=1|7=1|16=0"}) {
    Side acceptor{acceptor_config()};
    acceptor.connect();
    acceptor.in(first);
    EXPECT_THAT(acceptor.sent(), IsEmpty()) << first;
    EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::FirstMessageNotLogon) << first;
    EXPECT_EQ(acceptor.next_in(), 1U) << first;
    EXPECT_TRUE(acceptor.delivered.empty()) << first;
  }
}

TEST(Logon, logon_of_another_session_or_time_closes_without_an_answer) {
  // TC 1S c, and 1c and 1d of QuickFIX's acceptance scripts: CompIDs, SendingTime, BeginString.
  for (const char* fields : {
           "35=A|34=1|49=WT|98=0|108=30",
           "35=A|34=1|56=DLSI|98=0|108=30",
           "35=A|34=1|52=20010101-00:00:00|98=0|108=30",
           "8=FIX.3.9|35=A|34=1|98=0|108=30",
       }) {
    Side acceptor{acceptor_config()};
    acceptor.connect();
    acceptor.in(fields);
    EXPECT_THAT(acceptor.sent(), IsEmpty()) << fields;
    EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogonRefused) << fields;
    EXPECT_EQ(acceptor.next_in(), 1U) << fields;
    EXPECT_EQ(acceptor.next_out(), 1U) << fields;
    EXPECT_TRUE(acceptor.has_notice(NoticeCode::LogonInvalid)) << fields;
  }
  Side acceptor{acceptor_config("FIXT.1.1")};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30");  // no DefaultApplVerID
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogonRefused);
}

TEST(Logon, invalid_logon_is_answered_by_a_logout_that_says_why) {
  // TC 1S d: each required field. The MsgSeqNum is not used up.
  for (const char* fields : {
           "35=A|34=1|52=yesterday|98=0|108=30",
           "35=A|34=1|108=30",
           "35=A|34=1|98=1|108=30",
           "35=A|34=1|98=0",
           "35=A|34=1|98=0|108=-1",
           "35=A|34=1|98=0|108=3601",
           "35=A|34=1|98=0|108=99999999999999999999",
           "35=A|34=1|98=0|108=often",
           "35=A|34=1|98=0|108=30|141=X",
           "35=A|34=2|98=0|108=30|141=Y",
           "35=A|34=1|98=0|108=30|58=",
           "35=A|34=0|98=0|108=30",
           "35=A|34=x|98=0|108=30",
           "35=A|98=0|108=30",
       }) {
    Side acceptor{acceptor_config()};
    acceptor.connect();
    acceptor.in(fields);
    ASSERT_TRUE(acceptor.has_notice(NoticeCode::LogonInvalid)) << fields;
    EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=1|58=" + acceptor.notice_texts.front()))
        << fields;
    EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogonRefused) << fields;
    EXPECT_EQ(acceptor.next_in(), 1U) << fields;
    EXPECT_EQ(acceptor.next_out(), 2U) << fields;
    // A peer on which the application has not decided gets no answer.
    SessionConfig config = acceptor_config();
    config.logon.answers_invalid = false;
    Side silent{config};
    silent.connect();
    silent.in(fields);
    EXPECT_THAT(silent.sent(), IsEmpty()) << fields;
    EXPECT_EQ(silent.next_out(), 1U) << fields;
    EXPECT_EQ(silent.disconnect_reason, DisconnectReason::LogonRefused) << fields;
  }
}

TEST(Logon, heart_bt_int_outside_the_acceptors_range_is_refused) {
  // FIX Session Layer, "Logon": an acceptor refuses a HeartBtInt with which it does not agree.
  SessionConfig config = acceptor_config();
  config.heartbeat.heart_bt_int_min = 5s;
  config.heartbeat.heart_bt_int_max = 60s;
  for (const char* wrong : {"0", "4", "61", "3600"}) {
    Side acceptor{config};
    acceptor.connect();
    acceptor.in(std::string{"35=A|34=1|98=0|108="} + wrong);
    EXPECT_THAT(acceptor.sent(),
                ElementsAre("35=5|34=1|58=HeartBtInt is not in the range that is accepted"))
        << wrong;
    EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogonRefused) << wrong;
  }
  for (const char* right : {"5", "60"}) {
    Side acceptor{config};
    acceptor.connect();
    acceptor.in(std::string{"35=A|34=1|98=0|108="} + right);
    EXPECT_EQ(acceptor.state(), State::LoggedOn) << right;
  }
}

TEST(Logon, reset_seq_num_flag_that_is_not_allowed_is_refused) {
  SessionConfig config = acceptor_config();
  config.reset.allows_reset_seq_num_flag = false;
  Side acceptor{config, {.next_inbound = 7, .next_outbound = 9}};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30|141=Y");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=9|58=ResetSeqNumFlag is not accepted"));
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogonRefused);
  EXPECT_EQ(acceptor.next_in(), 7U);
  EXPECT_EQ(acceptor.next_out(), 10U);
  acceptor.disconnect();
  acceptor.establish();
  acceptor.in("35=A|34=1|98=0|108=30|141=Y");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=11|58=ResetSeqNumFlag is not accepted"));
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::ProtocolViolation);
  EXPECT_EQ(acceptor.resets, 0);
}

TEST(Logon, reset_seq_num_flag_in_the_answer_to_our_reset_is_always_allowed) {
  SessionConfig config = initiator_config();
  config.reset.allows_reset_seq_num_flag = false;
  Side plain{config};
  plain.connect();
  plain.in("35=A|34=1|98=0|108=30|141=Y");
  EXPECT_EQ(plain.disconnect_reason, DisconnectReason::LogonRefused);
  config.reset.on_logon = true;
  Side initiator{config};
  initiator.connect();
  initiator.in("35=A|34=1|98=0|108=30|141=Y");
  EXPECT_EQ(initiator.state(), State::LoggedOn);
}

TEST(Logon, garbled_logon_closes_without_an_answer) {
  // TC 1S d: wrong BodyLength.
  Side acceptor{acceptor_config()};
  acceptor.connect();
  acceptor.garbled(wire::GarbledReason::BodyLengthWrong);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogonRefused);
}

TEST(Logon, initiator_refuses_an_invalid_answer_with_a_reason) {
  // TC 1B d, e: Logout with a Text that names the error, then disconnect.
  struct Case {
    const char* answer;
    const char* logout;
    DisconnectReason reason;
  };
  for (const Case& one : {
           Case{"35=A|34=1|49=IMPOSTOR|98=0|108=30", "35=5|34=2|58=CompID problem",
                DisconnectReason::LogonRefused},
           Case{"35=A|34=1|98=1|108=30", "35=5|34=2|58=EncryptMethod is not 0",
                DisconnectReason::LogonRefused},
           Case{"35=0|34=1", "35=5|34=2|58=first message is not a Logon",
                DisconnectReason::FirstMessageNotLogon},
       }) {
    Side initiator{initiator_config()};
    initiator.connect();
    (void)initiator.sent();
    initiator.in(one.answer);
    EXPECT_THAT(initiator.sent(), ElementsAre(one.logout)) << one.answer;
    EXPECT_EQ(initiator.disconnect_reason, one.reason) << one.answer;
    EXPECT_EQ(initiator.next_in(), 1U) << one.answer;
    EXPECT_EQ(initiator.logged_on, 0) << one.answer;
  }
}

TEST(Logon, initiator_refuses_an_answer_with_a_negative_heart_bt_int) {
  for (const char* interval : {"-1", "-30", "3601"}) {
    Side initiator{initiator_config()};
    initiator.connect();
    (void)initiator.sent();
    initiator.in("35=A|34=1|98=0|108=" + std::string{interval});
    EXPECT_THAT(initiator.sent(), ElementsAre("35=5|34=2|58=HeartBtInt is not between 0 and 3600"));
  }
}

TEST(Logon, refusal_by_logout_is_counted_and_reported) {
  // FIX Session Layer, "Logon": a refusal may come as a Logout with a text.
  Side initiator{initiator_config()};
  initiator.connect();
  initiator.in("35=5|34=1|58=password expired");
  EXPECT_EQ(initiator.disconnect_reason, DisconnectReason::LogonRefused);
  EXPECT_EQ(initiator.next_in(), 2U);
  EXPECT_EQ(initiator.notice_texts.front(), "password expired");
  EXPECT_EQ(initiator.next_out(), 2U);  // the number of our Logon remains used
}

TEST(Logon, missing_logon_ends_the_connection) {
  // FIX Session Layer, "Logon": bounded waiting, in both roles.
  for (const bool is_acceptor : {true, false}) {
    SessionConfig config = is_acceptor ? acceptor_config() : initiator_config();
    config.logon.timeout = 7s;
    Side side{config};
    side.connect();
    side.advance(6'999ms);
    EXPECT_FALSE(side.disconnect_reason.has_value());
    side.advance(1ms);
    EXPECT_EQ(side.disconnect_reason, DisconnectReason::LogonTimeout);
    EXPECT_EQ(side.machine().next_deadline(), kNever);
  }
}

TEST(Logon, acceptor_uses_the_heart_bt_int_of_the_logon) {
  // FIX Session Layer, "Logon": the initiator chooses HeartBtInt, and the answer repeats it.
  Side acceptor{acceptor_config()};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=7");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=1|98=0|108=7"));
  acceptor.advance(7s);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=2"));
}

TEST(Logon, acceptor_that_overrides_heart_bt_int_answers_with_its_own_and_uses_it) {
  SessionConfig config = acceptor_config();
  config.heartbeat.heart_bt_int = 20s;
  config.heartbeat.imposes_heart_bt_int = true;
  Side acceptor{config};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=7");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=1|98=0|108=20"));
  acceptor.advance(19'999ms);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  acceptor.advance(1ms);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=2"));
}

TEST(Logon, reset_seq_num_flag_resets_both_numbers_and_is_in_the_answer) {
  // FIX 4.4, Logon, ResetSeqNumFlag: both sides start at 1, both Logons carry 141=Y.
  Side acceptor{acceptor_config(), {.next_inbound = 40, .next_outbound = 50}};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30|141=Y");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=1|98=0|108=30|141=Y"));
  EXPECT_EQ(acceptor.resets, 1);
  EXPECT_EQ(acceptor.next_in(), 2U);
  EXPECT_EQ(acceptor.next_out(), 2U);
}

TEST(Logon, no_resend_is_requested_after_a_reset) {
  // FIX 4.4, Logon, ResetSeqNumFlag: both sides start at 1. Some engines refuse everything that
  // follows a ResendRequest right after a reset.
  Pair pair;
  pair.connect();
  for (int i = 0; i < 5; ++i) pair.initiator.send();
  pair.disconnect();
  SessionConfig config = initiator_config();
  config.reset.on_logon = true;
  Side initiator{config, pair.initiator.machine().sequence_numbers()};
  initiator.connect();
  pair.acceptor.connect();
  for (const std::string& bytes : initiator.consume_wire()) pair.acceptor.receive(bytes);
  const std::deque<std::string> answer = pair.acceptor.consume_wire();
  ASSERT_EQ(answer.size(), 1U);
  initiator.receive(answer.front());
  EXPECT_THAT(initiator.sent(), IsEmpty());
  EXPECT_EQ(initiator.next_in(), 2U);
  EXPECT_EQ(pair.acceptor.next_in(), 2U);
}

TEST(Logon, initiator_with_reset_on_logon_sends_the_flag_and_starts_at_one) {
  // FIX 4.4, Logon, ResetSeqNumFlag, from the initiator's side.
  SessionConfig config = initiator_config();
  config.reset.on_logon = true;
  Side initiator{config, {.next_inbound = 40, .next_outbound = 50}};
  initiator.connect();
  EXPECT_THAT(initiator.sent(), ElementsAre("35=A|34=1|98=0|108=30|141=Y"));
  initiator.in("35=A|34=1|98=0|108=30|141=Y");
  EXPECT_EQ(initiator.resets, 1);
  EXPECT_EQ(initiator.state(), State::LoggedOn);
  EXPECT_EQ(initiator.next_in(), 2U);
  EXPECT_EQ(initiator.next_out(), 2U);
}

TEST(Logon, acceptor_with_reset_on_logon_resets_without_the_flag) {
  // Acceptance scripts: the reset at Logon does not add 141=Y to the reply.
  SessionConfig config = acceptor_config();
  config.reset.on_logon = true;
  Side acceptor{config, {.next_inbound = 40, .next_outbound = 50}};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=1|98=0|108=30"));
  EXPECT_EQ(acceptor.resets, 1);
  EXPECT_EQ(acceptor.next_in(), 2U);
}

TEST(Logon, reset_within_a_session_resets_both_numbers) {
  // Acceptance script SessionReset.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  for (int number = 2; number <= 9; ++number) acceptor.in("35=0|34=" + std::to_string(number));
  acceptor.in("35=1|34=10|112=1");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=2|112=1"));
  acceptor.in("35=A|34=1|98=0|108=30|141=Y");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=1|98=0|108=30|141=Y"));
  acceptor.in("35=1|34=2|112=1");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=2|112=1"));
  EXPECT_EQ(acceptor.resets, 1);
  EXPECT_EQ(acceptor.logged_on, 1);  // the application's session continues
}

TEST(Logon, initiator_answers_a_reset_within_a_session) {
  // Acceptance script SessionReset, mirrored: either side may request it.
  Side initiator{initiator_config()};
  initiator.establish();
  initiator.in("35=0|34=2");
  initiator.in("35=A|34=1|98=0|108=30|141=Y");
  EXPECT_THAT(initiator.sent(), ElementsAre("35=A|34=1|98=0|108=30|141=Y"));
  EXPECT_EQ(initiator.next_in(), 2U);
  EXPECT_EQ(initiator.next_out(), 2U);
}

TEST(Logon, reset_requested_by_the_answer_is_answered_once) {
  // FIX 4.4, ResetSeqNumFlag from the acceptor: our Logon with the flag is the answer, and the
  // acceptor's answer to it is the last.
  Side initiator{initiator_config(), {.next_inbound = 3, .next_outbound = 4}};
  initiator.connect();
  initiator.in("35=A|34=1|98=0|108=30|141=Y");
  EXPECT_THAT(initiator.sent(),
              ElementsAre("35=A|34=4|98=0|108=30", "35=A|34=1|98=0|108=30|141=Y"));
  EXPECT_EQ(initiator.state(), State::LoggedOn);
  initiator.in("35=0|34=2");
  EXPECT_THAT(initiator.sent(), IsEmpty());
  EXPECT_EQ(initiator.next_in(), 3U);
}

TEST(Logon, answer_to_our_reset_is_not_answered_again) {
  // FIX 4.4, Logon, ResetSeqNumFlag. The acceptor answers our Logon with the flag: answering it
  // would never end.
  Side initiator{initiator_config(), {.next_inbound = 3, .next_outbound = 4}};
  initiator.connect();
  initiator.in("35=A|34=1|98=0|108=30|141=Y");
  (void)initiator.sent();
  initiator.in("35=A|34=1|98=0|108=30|141=Y");
  EXPECT_THAT(initiator.sent(), IsEmpty());
  EXPECT_EQ(initiator.resets, 1);
  EXPECT_EQ(initiator.next_in(), 2U);
  EXPECT_EQ(initiator.next_out(), 2U);
  initiator.in("35=1|34=2|112=X");
  EXPECT_THAT(initiator.sent(), ElementsAre("35=0|34=2|112=X"));
}

TEST(Logon, each_reset_within_a_session_resets_and_is_answered) {
  // FIX 4.4, Logon, ResetSeqNumFlag. The second one is no answer to our answer, whether a message
  // comes between them or not, and whether our own Logon asked for a reset or not.
  for (const bool is_initiator : {false, true}) {
    for (const bool resets_on_logon : {false, true}) {
      for (const char* between : {"", "35=0|34=2", "35=1|34=2|112=X", "35=D|34=2|11=ID"}) {
        SessionConfig config = is_initiator ? initiator_config() : acceptor_config();
        config.reset.on_logon = resets_on_logon;
        Side side{config};
        side.connect();
        side.in("35=A|34=1|98=0|108=30" +
                std::string{is_initiator && resets_on_logon ? "|141=Y" : ""});
        const int before = side.resets;
        for (int reset = 1; reset <= 3; ++reset) {
          (void)side.sent();
          side.in("35=A|34=1|98=0|108=30|141=Y");
          EXPECT_THAT(side.sent(), ElementsAre("35=A|34=1|98=0|108=30|141=Y"))
              << is_initiator << resets_on_logon << ' ' << between << ' ' << reset;
          EXPECT_EQ(side.resets, before + reset) << between;
          EXPECT_EQ(side.next_in(), 2U);
          if (*between != '\0') side.in(between);
        }
      }
    }
  }
}

TEST(Logon, only_the_next_message_after_a_reset_can_be_the_answer_to_it) {
  // Our Logon with the flag answers the acceptor's. One that follows at once is the acceptor's
  // answer to it; after that answer, or any other message, it is another reset.
  const std::string reset = "35=A|34=1|98=0|108=30|141=Y";
  for (const std::string& next : {reset, std::string{"35=0|34=2"}, std::string{"35=1|34=2|112=X"},
                                  std::string{"35=D|34=2|11=ID"}, std::string{"35=0|34=9"}}) {
    Side initiator{initiator_config(), {.next_inbound = 3, .next_outbound = 4}};
    initiator.connect();
    initiator.in(reset);
    initiator.in(next);
    EXPECT_EQ(initiator.resets, 1) << next;
    (void)initiator.sent();
    initiator.in(reset);
    EXPECT_THAT(initiator.sent(), ElementsAre(reset)) << next;
    EXPECT_EQ(initiator.resets, 2) << next;
  }
}

TEST(Logon, reset_within_a_session_needs_msg_seq_num_one) {
  // FIX 4.4, Logon, ResetSeqNumFlag: the Logon that resets is message 1.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=A|34=2|98=0|108=30|141=Y");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=5|34=2|58=ResetSeqNumFlag with MsgSeqNum other than 1"));
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::ProtocolViolation);
  EXPECT_EQ(acceptor.logged_out, 1);
}

TEST(Logon, resent_reset_logon_does_not_reset_again) {
  // FIX Session Layer, "ResendRequest": administrative messages are not resent. An engine that
  // resends them must not be able to reset the session.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=0|34=2");
  acceptor.in("35=A|34=1|43=Y|122=20240115-10:29:00|98=0|108=30|141=Y");
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.resets, 0);
  EXPECT_EQ(acceptor.next_in(), 3U);
}

TEST(Logon, second_logon_without_reset_is_rejected_and_the_session_continues) {
  // FIX Session Layer, "Logon": one for each connection, unless it resets.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=A|34=2|98=0|108=30");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=3|34=2|45=2|58=Logon while logged on|372=A|373=99"));
  EXPECT_EQ(acceptor.state(), State::LoggedOn);
  EXPECT_EQ(acceptor.next_in(), 3U);
}

TEST(Logon, fix40_has_no_reset_seq_num_flag) {
  // FIX 4.0, Logon: 141 was introduced in FIX 4.1; a configured initiator still starts at 1.
  SessionConfig config = initiator_config("FIX.4.0");
  config.reset.on_logon = true;
  Side initiator{config, {.next_inbound = 4, .next_outbound = 5}};
  initiator.connect();
  EXPECT_THAT(initiator.sent(), ElementsAre("35=A|34=1|98=0|108=30"));
}

TEST(Logon, fixt_needs_default_appl_ver_id_and_answers_with_its_own) {
  // FIXT 1.1, Logon: DefaultApplVerID is required (TC 1d, NoDefaultApplVerID).
  Side without{acceptor_config("FIXT.1.1")};
  without.connect();
  without.in("35=A|34=1|98=0|108=30");
  EXPECT_EQ(without.disconnect_reason, DisconnectReason::LogonRefused);

  Side with{acceptor_config("FIXT.1.1")};
  with.connect();
  with.in("35=A|34=1|98=0|108=30|141=Y|1137=9");
  EXPECT_THAT(with.sent(), ElementsAre("35=A|34=1|98=0|108=30|141=Y|1137=9"));
}

TEST(Logon, messages_after_a_refused_logon_are_not_read) {
  // TC 1S e. The bytes after it in the same read belong to no session.
  Side acceptor{acceptor_config()};
  acceptor.connect();
  const SessionConfig config = acceptor_config();
  wire::Parser parser;
  const std::string refused = message_to(config, acceptor.now(), "35=0|34=1");
  acceptor.machine().on_message(*parser.parse(refused), acceptor.now());
  std::array<char, StateMachine::kScratchBytes> scratch;
  while (acceptor.machine().next_action(scratch)) {
  }
  const std::string next = message_to(config, acceptor.now(), "35=A|34=1|98=0|108=30");
  acceptor.machine().on_message(*parser.parse(next), acceptor.now());
  EXPECT_FALSE(acceptor.machine().next_action(scratch).has_value());
  EXPECT_EQ(acceptor.state(), State::Disconnected);
}

TEST(Logon, two_of_our_machines_log_on_and_agree) {
  // TC 1B and 1S together, in each version.
  for (const char* version : {"FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4", "FIXT.1.1"}) {
    Pair pair{version};
    pair.connect();
    EXPECT_EQ(pair.initiator.state(), State::LoggedOn) << version;
    EXPECT_EQ(pair.acceptor.state(), State::LoggedOn) << version;
    EXPECT_EQ(pair.initiator.next_in(), pair.acceptor.next_out()) << version;
    EXPECT_EQ(pair.initiator.next_out(), pair.acceptor.next_in()) << version;
  }
}

}  // namespace
}  // namespace nexusfix::session::test
