// SequenceReset in both modes, with every wrong value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kOutOfRange = "58=Value is incorrect (out of range) for this tag";

TEST(GapFill, with_the_expected_number_continues_at_new_seq_no) {
  // TC 10b.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  acceptor.in("35=4|34=2|36=20|123=Y");
  acceptor.in("35=1|34=20|112=HELLO");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=2|112=HELLO"));
  EXPECT_EQ(acceptor.next_in(), 21U);
}

TEST(GapFill, too_high_is_a_gap_and_is_not_applied) {
  // TC 10a.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  acceptor.in("35=4|34=10|36=20|123=Y");
  acceptor.in("35=1|34=20|112=HELLO");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=9"));
  EXPECT_EQ(acceptor.next_in(), 2U);
  acceptor.in("35=5|34=2");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=3"));
}

TEST(GapFill, early_one_is_applied_when_its_turn_comes) {
  // TC 10a, continued: the gap is filled up to it.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=4|34=10|36=20|123=Y");
  acceptor.in("35=4|34=2|43=Y|122=20240115-10:30:00|36=10|123=Y");
  EXPECT_EQ(acceptor.next_in(), 20U);
}

TEST(GapFill, too_low_with_poss_dup_is_ignored_and_without_it_is_fatal) {
  // TC 10c, 10d.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  acceptor.in("35=4|34=1|43=Y|122=20240115-10:29:59|36=20|123=Y");
  acceptor.in("35=1|34=2|112=HELLO");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=2|112=HELLO"));
  acceptor.in("35=4|34=1|36=20|123=Y");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=5|34=3|58=MsgSeqNum too low, expecting 3 but received 1"));
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::MsgSeqNumTooLow);
}

TEST(GapFill, needs_no_orig_sending_time) {
  // QuickFIX, Session::doPossDup, excludes SequenceReset. Some engines set PossDupFlag on a gap
  // fill without an OrigSendingTime.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=4|34=2|43=Y|36=5|123=Y");
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.next_in(), 5U);
}

TEST(GapFill, without_progress_is_rejected_and_uses_up_its_number) {
  // TC 10e.
  for (const char* new_seq_no : {"2", "1"}) {
    Side acceptor{acceptor_config()};
    acceptor.establish();
    acceptor.in(std::string{"35=4|34=2|36="} + new_seq_no + "|123=Y");
    EXPECT_THAT(acceptor.sent(),
                ElementsAre(std::string{"35=3|34=2|45=2|"} + kOutOfRange + "|372=4|373=5"))
        << new_seq_no;
    EXPECT_EQ(acceptor.next_in(), 3U) << new_seq_no;
  }
}

TEST(GapFill, by_one_is_the_smallest_step) {
  // TC 10b, the boundary to 10e.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=4|34=2|36=3|123=Y");
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.next_in(), 3U);
}

TEST(GapFill, with_no_readable_new_seq_no_is_rejected) {
  // FIX Session Layer, "Reject", reasons 1, 5 and 6.
  struct Case {
    const char* field;
    const char* answer;
  };
  for (const Case& c :
       {Case{"", "58=Required tag missing|371=36|372=4|373=1"},
        Case{"|36=next", "58=Incorrect data format for value|371=36|372=4|373=6"},
        Case{"|36=0", "58=Value is incorrect (out of range) for this tag|371=36|372=4|373=5"},
        Case{"|36=18446744073709551617",
             "58=Value is incorrect (out of range) for this tag|371=36|372=4|373=5"}}) {
    Side acceptor{acceptor_config()};
    acceptor.establish();
    acceptor.in(std::string{"35=4|34=2|123=Y"} + c.field);
    EXPECT_THAT(acceptor.sent(), ElementsAre(std::string{"35=3|34=2|45=2|"} + c.answer)) << c.field;
    EXPECT_EQ(acceptor.next_in(), 3U) << c.field;
  }
}

TEST(GapFill, closes_the_gap_and_releases_buffered_messages) {
  // TC 8 and 2b together, on the side that sent the request.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=D|34=7|11=buffered");
  acceptor.in("35=4|34=2|43=Y|122=20240115-10:30:00|36=7|123=Y");
  ASSERT_EQ(acceptor.delivered.size(), 1U);
  EXPECT_EQ(acceptor.delivered[0].msg_seq_num, 7U);
  EXPECT_EQ(acceptor.next_in(), 8U);
}

TEST(GapFill, over_buffered_messages_that_were_requested_discards_them) {
  // TC 10b. The counterparty will not resend 2 to 9: 7 is among them.
  SessionConfig config = acceptor_config();
  config.gap.closed_resend_requests = false;
  Side acceptor{config};
  acceptor.establish();
  acceptor.in("35=D|34=7|11=buffered");
  acceptor.in("35=D|34=8|11=buffered");
  acceptor.in("35=4|34=2|43=Y|122=20240115-10:30:00|36=10|123=Y");
  EXPECT_TRUE(acceptor.delivered.empty());
  EXPECT_THAT(acceptor.discarded, ElementsAre(7, 8));
  EXPECT_EQ(acceptor.next_in(), 10U);
}

TEST(SequenceReset, reset_mode_continues_at_a_greater_new_seq_no_with_any_own_number) {
  // TC 11a.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  acceptor.in("35=4|34=0|36=25");
  acceptor.in("35=1|34=25|112=HELLO");
  acceptor.in("35=4|34=0|36=50|123=N");
  acceptor.in("35=1|34=50|112=HELLO");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=2|112=HELLO", "35=0|34=3|112=HELLO"));
  EXPECT_EQ(acceptor.next_in(), 51U);
}

TEST(SequenceReset, reset_mode_is_reported_because_messages_may_be_lost) {
  // FIX Session Layer, "SequenceReset-Reset": for disaster recovery only.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=4|34=0|36=25");
  ASSERT_TRUE(acceptor.has_notice(NoticeCode::SequenceResetReceived));
  EXPECT_EQ(acceptor.notices.front().expected, 2U);
  EXPECT_EQ(acceptor.notices.front().received, 25U);
}

TEST(SequenceReset, reset_mode_to_the_expected_number_changes_nothing) {
  // TC 11b.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  acceptor.in("35=4|34=0|36=2");
  acceptor.in("35=1|34=2|112=HELLO");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=2|112=HELLO"));
}

TEST(SequenceReset, reset_mode_to_a_lower_number_is_rejected_and_changes_nothing) {
  // TC 11c.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  acceptor.in("35=4|34=0|36=1");
  acceptor.in("35=1|34=2|112=HELLO");
  acceptor.in("35=4|34=0|36=1|123=N");
  acceptor.in("35=1|34=3|112=HELLO");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre(std::string{"35=3|34=2|45=0|"} + kOutOfRange + "|372=4|373=5",
                          "35=0|34=3|112=HELLO",
                          std::string{"35=3|34=4|45=0|"} + kOutOfRange + "|372=4|373=5",
                          "35=0|34=5|112=HELLO"));
}

TEST(SequenceReset, gap_fill_flag_that_is_neither_yes_nor_no_is_rejected) {
  // FIX Session Layer, "Reject", reason 5: the mode is unknown.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=4|34=2|36=9|123=M");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre(std::string{"35=3|34=2|45=2|"} + kOutOfRange + "|371=123|372=4|373=5"));
  EXPECT_EQ(acceptor.next_in(), 2U);
}

TEST(SequenceReset, as_the_answer_to_a_resend_request_ends_the_gap) {
  // FIX Session Layer, "SequenceReset-Reset": accepted, although a gap fill was due.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=D|34=5|11=buffered");
  acceptor.in("35=4|34=2|36=6");
  EXPECT_EQ(acceptor.next_in(), 6U);
  EXPECT_TRUE(acceptor.delivered.empty());
  EXPECT_TRUE(acceptor.has_notice(NoticeCode::SequenceResetReceived));
  EXPECT_TRUE(acceptor.has_notice(NoticeCode::GapClosed));
  acceptor.in("35=0|34=8");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=4", "35=2|34=3|7=6|16=7"));
}

TEST(SequenceReset, reset_mode_that_is_not_allowed_is_reported_and_rejected) {
  // FIX Session Layer, "Reject", reason 99: there is no other reason. Gap fills are still accepted.
  SessionConfig config = acceptor_config();
  config.reset.allows_sequence_reset = false;
  Side acceptor{config};
  acceptor.establish();
  acceptor.in("35=D|34=5|11=buffered");
  static_cast<void>(acceptor.sent());
  acceptor.in("35=4|34=2|36=6");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=3|34=3|45=2|58=SequenceReset-Reset is not accepted|372=4|373=99"));
  EXPECT_EQ(acceptor.next_in(), 2U);
  EXPECT_TRUE(acceptor.has_notice(NoticeCode::SequenceResetReceived));
  EXPECT_FALSE(acceptor.has_notice(NoticeCode::GapClosed));
  acceptor.in("35=4|34=2|43=Y|36=5|123=Y");
  EXPECT_EQ(acceptor.next_in(), 6U);
  EXPECT_EQ(acceptor.delivered.size(), 1U);
}

TEST(SequenceReset, jump_beyond_the_limit_ends_the_session) {
  // A limit to TC 10b and 11a. A NewSeqNo near the largest number would leave no numbers for later
  // messages.
  for (const char* mode : {"|123=Y", "|123=N"}) {
    SessionConfig config = acceptor_config();
    config.reset.sequence_jump_max = 1'000;
    Side acceptor{config};
    acceptor.establish();
    acceptor.in(std::string{"35=4|34=2|36=1002"} + mode);
    EXPECT_EQ(acceptor.next_in(), 1002U) << mode;
    EXPECT_THAT(acceptor.sent(), IsEmpty()) << mode;
    acceptor.in(std::string{"35=4|34=1002|36=2003"} + mode);
    EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=2|58=NewSeqNo too far ahead")) << mode;
    EXPECT_EQ(acceptor.next_in(), 1002U) << mode;
    EXPECT_EQ(acceptor.state(), State::LogoutSent) << mode;
  }
}

}  // namespace
}  // namespace nexusfix::session::test
