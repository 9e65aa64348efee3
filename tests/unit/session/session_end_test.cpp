// The end of a scheduled session. FIX Session Layer, "Session": both sides agree on when sequence
// numbers start again at 1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SessionEnd, logs_out_and_resets_when_the_connection_has_ended) {
  // QuickFIX's EndTime.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.end_of_session("end of the day");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=2|58=end of the day"));
  EXPECT_EQ(acceptor.resets, 0);
  acceptor.in("35=5|34=2");
  EXPECT_FALSE(acceptor.is_connected());
  EXPECT_GE(acceptor.resets, 1);
  EXPECT_EQ(acceptor.next_in(), 1U);
  EXPECT_EQ(acceptor.next_out(), 1U);
  EXPECT_EQ(acceptor.logged_out, 1);
}

TEST(SessionEnd, resets_also_if_the_logout_is_not_answered) {
  // QuickFIX's EndTime, LogoutTimeout.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.end_of_session();
  acceptor.advance(acceptor.config().logon.logout_timeout);
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogoutTimeout);
  EXPECT_EQ(acceptor.next_out(), 1U);
}

TEST(SessionEnd, refuses_messages_from_the_logout_on) {
  for (const auto resets : {&ResetConfig::on_logout, &ResetConfig::on_disconnect}) {
    SessionConfig config = acceptor_config();
    config.reset.*resets = true;
    Side leaving{config};
    EXPECT_FALSE(leaving.machine().is_about_to_reset());
    leaving.establish();
    EXPECT_FALSE(leaving.machine().is_about_to_reset());
    leaving.log_out();
    EXPECT_TRUE(leaving.machine().is_about_to_reset());
    leaving.in("35=5|34=2");
    EXPECT_FALSE(leaving.machine().is_about_to_reset());
  }
  Side staying{acceptor_config()};
  staying.establish();
  staying.log_out();
  EXPECT_FALSE(staying.machine().is_about_to_reset());
  staying.end_of_session();
  EXPECT_TRUE(staying.machine().is_about_to_reset());
  staying.advance(staying.config().logon.logout_timeout);
  EXPECT_FALSE(staying.machine().is_about_to_reset());
}

TEST(SessionEnd, without_a_connection_resets_at_once) {
  // QuickFIX's EndTime.
  Side acceptor{acceptor_config(), {.next_inbound = 5, .next_outbound = 7}};
  acceptor.end_of_session();
  EXPECT_EQ(acceptor.resets, 1);
  EXPECT_EQ(acceptor.next_in(), 1U);
  EXPECT_EQ(acceptor.next_out(), 1U);
}

TEST(SessionEnd, before_the_logon_is_answered_closes_without_a_message) {
  // QuickFIX's EndTime; FIX Session Layer, "Logout": the end of a session.
  Side initiator{initiator_config(), {.next_inbound = 5, .next_outbound = 7}};
  initiator.connect();
  static_cast<void>(initiator.sent());
  initiator.end_of_session();
  EXPECT_THAT(initiator.sent(), IsEmpty());
  EXPECT_EQ(initiator.disconnect_reason, DisconnectReason::SessionTimeOver);
  EXPECT_EQ(initiator.next_in(), 1U);
  EXPECT_EQ(initiator.next_out(), 1U);
}

TEST(SessionEnd, after_our_logout_sends_nothing_more_and_resets) {
  // FIX 4.4 volume 2, "Logout": after it a side sends nothing, except a resend.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.log_out();
  static_cast<void>(acceptor.sent());
  acceptor.end_of_session();
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  acceptor.in("35=5|34=2");
  EXPECT_EQ(acceptor.next_out(), 1U);
}

TEST(SessionEnd, that_was_followed_by_a_new_logon_does_not_reset_again) {
  // QuickFIX's EndTime: one reset for each.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.end_of_session();
  acceptor.in("35=5|34=2");
  acceptor.establish();
  const int resets = acceptor.resets;
  acceptor.disconnect();
  EXPECT_EQ(acceptor.resets, resets);
  EXPECT_EQ(acceptor.next_in(), 2U);
}

// TC 2c, for an initiator whose store is an old copy: it has lost its sequence numbers.
void refuse_logon(Side& initiator) {
  initiator.connect();
  initiator.in("35=5|34=1|58=MsgSeqNum too low, expecting 9 but received 1");
  ASSERT_EQ(initiator.disconnect_reason, DisconnectReason::MsgSeqNumTooLow);
  (void)initiator.sent();
}

TEST(SequenceNumbers, are_known_again_when_an_operator_sets_them) {
  // QuickFIX/J, Session.setNextSenderMsgSeqNum.
  Side initiator{initiator_config()};
  refuse_logon(initiator);
  initiator.machine().set_sequence_numbers({.next_inbound = 2, .next_outbound = 9});
  EXPECT_EQ(initiator.resets, 0);
  initiator.connect();
  EXPECT_THAT(initiator.sent(), ElementsAre("35=A|34=9|98=0|108=30"));
}

TEST(SequenceNumbers, are_known_again_after_a_reset_without_a_connection) {
  // QuickFIX's EndTime, StartTime: the next session starts at 1 on both sides.
  Side initiator{initiator_config()};
  refuse_logon(initiator);
  initiator.end_of_session();
  EXPECT_EQ(initiator.resets, 1);
  initiator.connect();
  EXPECT_THAT(initiator.sent(), ElementsAre("35=A|34=1|98=0|108=30"));
}

}  // namespace
}  // namespace nexusfix::session::test
