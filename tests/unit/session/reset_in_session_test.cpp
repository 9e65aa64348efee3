// A reset within a session from our side: a TestRequest, then a Logon with ResetSeqNumFlag on the
// connection.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SessionConfig of_role(Role role) {
  return role == Role::Acceptor ? acceptor_config() : initiator_config();
}

TEST(ResetInSession, begins_when_a_heartbeat_shows_that_nothing_is_missing) {
  // FIX 4.4 volume 2, "Logon", use of ResetSeqNumFlag, from either side.
  for (const Role role : {Role::Acceptor, Role::Initiator}) {
    Side side{of_role(role)};
    side.establish();
    side.reset_in_session();
    EXPECT_THAT(side.sent(), ElementsAre("35=1|34=2|112=RESET"));
    side.in("35=D|34=2|11=a");
    side.in("35=0|34=3|112=RESET");
    EXPECT_EQ(side.resets, 1);
    EXPECT_THAT(side.sent(), ElementsAre("35=A|34=1|98=0|108=30|141=Y"));
    side.in("35=A|34=1|98=0|108=30|141=Y");
    EXPECT_THAT(side.sent(), IsEmpty());
    EXPECT_EQ(side.next_in(), 2U);
    EXPECT_EQ(side.next_out(), 2U);
    EXPECT_EQ(side.send("8", "new"), 2U);
    EXPECT_THAT(side.sent(), ElementsAre("35=8|34=2|58=new"));
    EXPECT_EQ(side.logged_on, 1);
    EXPECT_EQ(side.logged_out, 0);
  }
}

TEST(ResetInSession, both_sides_begin_again_at_1) {
  for (const bool by_initiator : {true, false}) {
    Pair pair;
    pair.connect();
    pair.initiator.send();
    pair.acceptor.send("8", "fill");
    pair.exchange();
    (by_initiator ? pair.initiator : pair.acceptor).reset_in_session();
    pair.exchange();
    EXPECT_EQ(pair.initiator.next_in(), 2U);
    EXPECT_EQ(pair.initiator.next_out(), 2U);
    EXPECT_EQ(pair.acceptor.next_in(), 2U);
    EXPECT_EQ(pair.acceptor.next_out(), 2U);
    pair.initiator.send();
    pair.acceptor.send("8", "fill");
    pair.exchange();
    EXPECT_EQ(pair.acceptor.delivered.size(), 2U);
    EXPECT_EQ(pair.initiator.delivered.size(), 2U);
    EXPECT_FALSE(pair.acceptor.has_notice(NoticeCode::GapDetected));
    EXPECT_FALSE(pair.initiator.has_notice(NoticeCode::GapDetected));
  }
}

TEST(ResetInSession, by_both_sides_at_once_is_one_reset) {
  Pair pair;
  pair.connect();
  pair.initiator.reset_in_session();
  pair.acceptor.reset_in_session();
  pair.exchange();
  pair.initiator.send();
  pair.acceptor.send("8", "fill");
  pair.exchange();
  EXPECT_EQ(pair.initiator.state(), State::LoggedOn);
  EXPECT_EQ(pair.acceptor.state(), State::LoggedOn);
  EXPECT_EQ(pair.acceptor.delivered.size(), 1U);
  EXPECT_EQ(pair.initiator.delivered.size(), 1U);
  EXPECT_EQ(pair.initiator.next_out(), pair.acceptor.next_in());
  EXPECT_EQ(pair.acceptor.next_out(), pair.initiator.next_in());
}

TEST(ResetInSession, message_on_its_way_with_an_old_number_is_delivered) {
  Side side{acceptor_config()};
  side.establish();
  side.reset_in_session();
  side.in("35=0|34=2|112=RESET");
  (void)side.sent();
  side.in("35=D|34=3|11=old");
  side.in("35=1|34=4|112=are you there");
  EXPECT_EQ(side.delivered.size(), 1U);
  EXPECT_EQ(side.next_in(), 1U);
  EXPECT_THAT(side.sent(), ElementsAre("35=0|34=2|112=are you there"));
  side.in("35=A|34=1|98=0|108=30|141=Y");
  side.in("35=D|34=2|11=new");
  EXPECT_EQ(side.delivered.size(), 2U);
  EXPECT_EQ(side.next_in(), 3U);
}

TEST(ResetInSession, message_sent_before_the_answer_follows_it) {
  Side side{acceptor_config()};
  side.establish();
  side.reset_in_session();
  side.in("35=0|34=2|112=RESET");
  (void)side.sent();
  EXPECT_EQ(side.send("8", "early"), 2U);
  EXPECT_THAT(side.sent(), IsEmpty());
  side.in("35=A|34=1|98=0|108=30|141=Y");
  EXPECT_THAT(side.sent(), ElementsAre("35=8|34=2|58=early", "35=0|34=3"));
}

TEST(ResetInSession, waits_for_the_end_of_a_gap_and_of_a_resend) {
  Side side{acceptor_config()};
  side.serves_replays_in_slices = true;
  side.establish();
  side.send("8", "fill");
  side.in("35=2|34=2|7=2|16=2");  // a resend begins
  side.in("35=D|34=5|11=late");   // 3 and 4 are missing
  (void)side.sent();
  side.reset_in_session();
  side.advance(2s);
  EXPECT_EQ(side.resets, 0);
  while (side.serve_slice()) {
  }
  side.in("35=4|34=3|43=Y|122=20240115-10:29:00|123=Y|36=5");
  (void)side.sent();
  side.advance(1s);
  EXPECT_THAT(side.sent(), ElementsAre("35=1|34=4|112=RESET"));
  side.in("35=0|34=6|112=RESET");
  EXPECT_EQ(side.resets, 1);
}

TEST(ResetInSession, without_an_answer_to_the_test_request_keeps_the_numbers_or_logs_out) {
  for (const ResetFallback fallback : {ResetFallback::KeepNumbers, ResetFallback::LogOut}) {
    SessionConfig config = acceptor_config();
    config.heartbeat.heart_bt_int_max = 3600s;
    Side side{config};
    side.connect();
    side.in("35=A|34=1|98=0|108=3600");
    (void)side.sent();
    side.reset_in_session(fallback);
    side.advance(10s);
    EXPECT_TRUE(side.has_notice(NoticeCode::ResetNotAgreed));
    EXPECT_EQ(side.sent().size(), fallback == ResetFallback::LogOut ? 11U : 10U);
    EXPECT_EQ(side.state(),
              fallback == ResetFallback::LogOut ? State::LogoutSent : State::LoggedOn);
    if (fallback == ResetFallback::LogOut) side.in("35=5|34=2");
    EXPECT_EQ(side.resets, fallback == ResetFallback::LogOut ? 1 : 0);
  }
}

TEST(ResetInSession, unanswered_logon_is_repeated_after_a_reconnect) {
  // The counterparty may have carried the reset out, or may not know of it.
  Side side{initiator_config()};
  side.establish();
  side.reset_in_session();
  side.in("35=0|34=2|112=RESET");
  EXPECT_EQ(side.send("D", "early"), 2U);
  side.disconnect();
  (void)side.sent();
  side.connect();
  EXPECT_THAT(side.sent(), ElementsAre("35=A|34=1|98=0|108=30|141=Y"));
  EXPECT_EQ(side.resets, 1);
  side.in("35=A|34=1|98=0|108=30|141=Y");
  EXPECT_THAT(side.sent(), ElementsAre("35=0|34=3"));  // shows that 2 is missing
  side.in("35=2|34=2|7=2|16=0");
  EXPECT_THAT(side.sent(), testing::Contains(testing::HasSubstr("|58=early")));
}

TEST(ResetInSession, acceptor_repeats_an_unanswered_logon_as_its_answer) {
  for (const int number : {2, 57}) {  // the counterparty has the new numbers, or the old ones
    Side side{acceptor_config()};
    side.establish();
    side.reset_in_session();
    side.in("35=0|34=2|112=RESET");
    side.disconnect();
    (void)side.sent();
    side.connect();
    side.in("35=A|34=" + std::to_string(number) + "|98=0|108=30");
    EXPECT_THAT(side.sent(), ElementsAre("35=A|34=1|98=0|108=30|141=Y"));
    side.in("35=A|34=1|98=0|108=30|141=Y");
    EXPECT_EQ(side.next_in(), 2U);
    EXPECT_EQ(side.next_out(), 2U);
    EXPECT_EQ(side.state(), State::LoggedOn);
    side.in("35=D|34=2|11=new");
    EXPECT_EQ(side.delivered.size(), 1U);
  }
}

TEST(ResetInSession, unanswered_logon_is_repeated_after_a_restart) {
  Side side{initiator_config(), {.next_inbound = 1, .next_outbound = 4}};
  side.machine().resume_reset();
  side.connect();
  EXPECT_THAT(side.sent(), ElementsAre("35=A|34=1|98=0|108=30|141=Y"));
  EXPECT_EQ(side.next_out(), 4U);
}

TEST(ResetInSession, logon_that_is_not_answered_ends_the_connection) {
  Side side{acceptor_config()};
  side.establish();
  side.reset_in_session();
  side.in("35=0|34=2|112=RESET");
  side.advance(10s);
  EXPECT_EQ(side.disconnect_reason, DisconnectReason::LogonTimeout);
}

// The side has sent its Logon, which is not answered.
void ask_for_reset(Side& side) {
  side.establish();
  side.reset_in_session();
  side.in("35=0|34=2|112=RESET");
  (void)side.sent();
}

TEST(ResetInSession, message_with_number_1_shows_that_the_other_side_has_reset) {
  // QuickFIX/J as initiator resets at our Logon, and sends no Logon in answer.
  for (const Role role : {Role::Acceptor, Role::Initiator}) {
    Side side{of_role(role)};
    ask_for_reset(side);
    EXPECT_EQ(side.send("8", "early"), 2U);
    EXPECT_THAT(side.sent(), IsEmpty());
    side.in("35=D|34=1|11=new");
    EXPECT_EQ(side.delivered.size(), 1U);
    EXPECT_THAT(side.sent(), ElementsAre("35=8|34=2|58=early", "35=0|34=3"));
    EXPECT_EQ(side.next_in(), 2U);
    side.advance(10s);
    EXPECT_EQ(side.state(), State::LoggedOn);
    side.disconnect();
    (void)side.sent();
    side.connect();
    if (role == Role::Acceptor) side.in("35=A|34=2|98=0|108=30");
    EXPECT_THAT(side.sent(), ElementsAre("35=A|34=4|98=0|108=30")) << "the reset is done";
  }
}

TEST(ResetInSession, idle_counterparty_that_sends_no_logon_answers_a_test_request) {
  Side side{acceptor_config()};
  ask_for_reset(side);
  side.advance(1s);
  EXPECT_THAT(side.sent(), ElementsAre("35=1|34=2|112=RESET"));
  side.in("35=0|34=1|112=RESET");
  EXPECT_EQ(side.next_in(), 2U);
  side.advance(10s);
  EXPECT_EQ(side.state(), State::LoggedOn);
  side.in("35=D|34=2|11=new");
  EXPECT_EQ(side.delivered.size(), 1U);
  EXPECT_EQ(side.resets, 1);
}

TEST(ResetInSession, test_request_while_it_waits_does_not_replace_the_logon_that_answers) {
  Side side{acceptor_config()};
  ask_for_reset(side);
  side.advance(9s);
  EXPECT_THAT(side.sent(), ElementsAre("35=1|34=2|112=RESET")) << "only one";
  side.in("35=A|34=1|98=0|108=30|141=Y");
  side.in("35=0|34=2|112=RESET");
  EXPECT_EQ(side.next_in(), 3U);
  EXPECT_EQ(side.state(), State::LoggedOn);
}

TEST(ResetInSession, request_for_a_resend_with_number_1_is_served) {
  Side side{acceptor_config()};
  ask_for_reset(side);
  EXPECT_EQ(side.send("8", "early"), 2U);
  side.advance(1s);
  EXPECT_THAT(side.sent(), ElementsAre("35=1|34=3|112=RESET"));
  side.in("35=2|34=1|7=2|16=0");
  EXPECT_THAT(side.sent(), testing::Contains(testing::HasSubstr("|43=Y|")));
  EXPECT_EQ(side.next_in(), 2U);
}

TEST(ResetInSession, poss_dup_with_number_1_shows_nothing) {
  Side side{acceptor_config()};
  ask_for_reset(side);
  side.in("35=D|34=1|43=Y|122=20240115-10:29:00|11=old");
  EXPECT_THAT(side.delivered, IsEmpty());
  EXPECT_EQ(side.next_in(), 1U);
  side.advance(10s);
  EXPECT_EQ(side.disconnect_reason, DisconnectReason::LogonTimeout);
}

TEST(ResetInSession, reset_that_the_owner_did_not_take_changes_nothing) {
  Side side{acceptor_config()};
  side.establish();
  side.reset_in_session();
  wire::Parser parser;
  const std::string bytes = message_to(side.config(), side.now(), "35=0|34=2|112=RESET");
  const wire::MessageView message = *parser.parse(bytes);
  side.machine().on_message(message, side.now());
  side.machine().on_disconnected(side.now());
  std::array<char, StateMachine::kScratchBytes> scratch;
  while (side.machine().next_action(scratch)) {
  }
  EXPECT_EQ(side.next_in(), 3U);
  EXPECT_EQ(side.next_out(), 3U);
  side.machine().on_connected(side.now());
}

TEST(ResetInSession, version_without_the_flag_and_closed_session_ignore_it) {
  Side old{acceptor_config("FIX.4.0")};
  old.establish();
  old.reset_in_session();
  EXPECT_THAT(old.sent(), IsEmpty());
  Side closed{acceptor_config()};
  closed.reset_in_session();
  EXPECT_THAT(closed.sent(), IsEmpty());
}

}  // namespace
}  // namespace nexusfix::session::test
