// MsgSeqNum as expected, too high and too low; PossDup.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::uint64_t> numbers_of(const std::vector<Delivered>& messages) {
  std::vector<std::uint64_t> numbers;
  for (const Delivered& message : messages) numbers.push_back(message.msg_seq_num);
  return numbers;
}

TEST(MsgSeqNum, consecutive_messages_are_accepted_without_an_answer) {
  // TC 2a.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  for (int number = 2; number <= 5; ++number) acceptor.in("35=0|34=" + std::to_string(number));
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.next_in(), 6U);
}

TEST(MsgSeqNum, application_message_counts_after_its_delivery) {
  // QuickFIX, Session::next, counts after fromApp, too. The engine's contract: a message is used up
  // only after the application has it.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  std::uint64_t during = 0;
  acceptor.application = [&](Side& side, const Deliver&) {
    during = side.next_in();
    return detail::DeliveryDecision{};
  };
  acceptor.in("35=D|34=2|11=ID");
  EXPECT_EQ(during, 2U);
  EXPECT_EQ(acceptor.next_in(), 3U);
  ASSERT_EQ(acceptor.delivered.size(), 1U);
  EXPECT_EQ(acceptor.delivered[0].text, "35=D|34=2|11=ID");
  EXPECT_FALSE(acceptor.delivered[0].poss_dup);
}

TEST(MsgSeqNum, too_high_is_buffered_until_the_gap_is_closed) {
  // TC 2b: 34=10 when 5 is expected; 5 to 9 come without PossDupFlag.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  for (int number = 2; number <= 4; ++number) acceptor.in("35=0|34=" + std::to_string(number));
  acceptor.in("35=D|34=10|11=late");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=5|16=9"));
  EXPECT_TRUE(acceptor.delivered.empty());
  for (int number = 5; number <= 9; ++number) {
    acceptor.in("35=D|34=" + std::to_string(number) + "|11=x");
  }
  EXPECT_THAT(numbers_of(acceptor.delivered), ElementsAre(5, 6, 7, 8, 9, 10));
  EXPECT_EQ(acceptor.next_in(), 11U);
  EXPECT_TRUE(acceptor.has_notice(NoticeCode::GapClosed));
  acceptor.in("35=5|34=11");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=3"));
}

TEST(MsgSeqNum, fix41_requests_to_infinity_with_999999) {
  // FIX 4.1, ResendRequest: EndSeqNo 999999.
  SessionConfig config = acceptor_config("FIX.4.1");
  config.gap.closed_resend_requests = false;
  Side acceptor{config};
  acceptor.establish();
  acceptor.in("35=0|34=4");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=999999"));
}

TEST(MsgSeqNum, one_resend_request_for_a_gap_and_any_number_of_later_messages) {
  // QuickFIX's SendRedundantResendRequests=N. Many messages after a gap must not cause a
  // ResendRequest each.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  for (int number = 4; number <= 40; ++number) {
    acceptor.in("35=D|34=" + std::to_string(number) + "|11=x");
  }
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=3"));
  EXPECT_EQ(acceptor.buffered_numbers.size(), 37U);
  acceptor.in("35=D|34=2|43=Y|122=20240115-10:29:00|11=x");
  EXPECT_EQ(acceptor.next_in(), 3U);
  acceptor.in("35=D|34=41|11=x");  // the gap is still open: no second request
  acceptor.in("35=D|34=3|43=Y|122=20240115-10:29:00|11=x");
  EXPECT_EQ(acceptor.next_in(), 42U);
  EXPECT_EQ(acceptor.delivered.size(), 40U);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
}

TEST(MsgSeqNum, second_gap_after_a_closed_one_is_requested) {
  // TC 2b, twice.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=0|34=3");
  acceptor.in("35=0|34=2|43=Y|122=20240115-10:29:00");
  acceptor.in("35=0|34=6");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=2", "35=2|34=3|7=4|16=5"));
}

TEST(MsgSeqNum, redundant_resend_requests_are_sent_if_configured) {
  // QuickFIX's SendRedundantResendRequests.
  SessionConfig config = acceptor_config();
  config.gap.send_redundant_resend_requests = true;
  Side acceptor{config};
  acceptor.establish();
  acceptor.in("35=0|34=4");
  acceptor.in("35=0|34=5");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=3", "35=2|34=3|7=2|16=3"));
}

TEST(MsgSeqNum, early_message_that_could_not_be_buffered_is_requested_when_its_turn_comes) {
  // FIX 4.4 volume 2, "Ordered Message Processing": buffered, or requested again. An owner with a
  // limit may drop an early message. The engine requests it without another message that shows the
  // gap.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.can_buffer = false;
  acceptor.in("35=D|34=4|11=x");
  for (int number = 2; number <= 4; ++number) {
    acceptor.in("35=D|34=" + std::to_string(number) + "|43=Y|122=20240115-10:29:00|11=x");
  }
  EXPECT_EQ(acceptor.next_in(), 5U);
  EXPECT_EQ(acceptor.delivered.size(), 3U);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=3", "35=2|34=3|7=4|16=4"));
}

TEST(MsgSeqNum, gap_closes_even_if_the_message_that_revealed_it_was_dropped) {
  // TC 2b, twice. 4 revealed the gap and was dropped; 2 and 3 fill it; 4 is requested, and 6 is
  // dropped, too.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.can_buffer = false;
  acceptor.in("35=D|34=4|11=x");
  acceptor.in("35=D|34=2|43=Y|122=20240115-10:29:00|11=x");
  acceptor.in("35=D|34=3|43=Y|122=20240115-10:29:00|11=x");
  acceptor.in("35=D|34=6|11=x");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=3", "35=2|34=3|7=4|16=4"));
}

TEST(MsgSeqNum, buffered_message_may_have_grown_old_while_it_was_buffered) {
  // TC 2o is checked when a message arrives, not when its turn comes. A long resend must not make
  // the SendingTime of buffered messages wrong.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=D|34=3|11=waits");
  acceptor.set_now({.wall = acceptor.now().wall + 10min, .mono = acceptor.now().mono + 25s});
  acceptor.in("35=D|34=2|43=Y|122=20240115-10:30:00|11=first");
  EXPECT_THAT(numbers_of(acceptor.delivered), ElementsAre(2, 3));
  EXPECT_EQ(acceptor.state(), State::LoggedOn);
}

TEST(MsgSeqNum, too_low_without_poss_dup_is_a_logout_and_a_disconnect) {
  // TC 2c.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  for (int number = 2; number <= 4; ++number) acceptor.in("35=0|34=" + std::to_string(number));
  acceptor.in("35=0|34=2");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=5|34=2|58=MsgSeqNum too low, expecting 5 but received 2"));
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::MsgSeqNumTooLow);
  EXPECT_EQ(acceptor.logged_out, 1);
  EXPECT_EQ(acceptor.next_in(), 5U);
}

TEST(MsgSeqNum, zero_is_too_low) {
  // FIX Session Layer, "Sequence numbers": they start at 1.
  for (const char* type : {"0", "1|112=X", "D|11=ID"}) {
    for (const char* zero : {"0", "00", "0000000000000000000000"}) {
      Side acceptor{acceptor_config()};
      acceptor.establish();
      acceptor.in("35=" + std::string{type} + "|34=" + zero);
      EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::MsgSeqNumTooLow) << type << zero;
      EXPECT_EQ(acceptor.next_in(), 2U);
      EXPECT_TRUE(acceptor.delivered.empty());
    }
  }
}

TEST(MsgSeqNum, zero_of_a_logon_is_malformed) {
  for (const char* zero : {"0", "00", "000"}) {
    Side acceptor{acceptor_config()};
    acceptor.connect();
    acceptor.in("35=A|34=" + std::string{zero} + "|98=0|108=30");
    EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=1|58=MsgSeqNum missing or malformed"));
    EXPECT_EQ(acceptor.next_in(), 1U);
  }
}

TEST(MsgSeqNum, leading_zeros_are_part_of_a_number_like_any_other) {
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=0|34=02");
  acceptor.in("35=D|34=0003|11=ID");
  acceptor.in("35=D|34=0004|11=ID");
  acceptor.in("35=D|34=5|11=ID");
  EXPECT_THAT(numbers_of(acceptor.delivered), ElementsAre(3, 4, 5));
  EXPECT_EQ(acceptor.next_in(), 6U);
}

TEST(MsgSeqNum, missing_or_unreadable_is_a_logout_and_a_disconnect) {
  // FIX Session Layer, "MsgSeqNum missing".
  struct Case {
    const char* fields;
    const char* text;
  };
  for (const Case& c :
       {Case{"35=0", "MsgSeqNum missing"}, Case{"35=0|34=", "MsgSeqNum missing or malformed"},
        Case{"35=0|34=x", "MsgSeqNum missing or malformed"},
        Case{"35=0|34=-2", "MsgSeqNum missing or malformed"},
        Case{"35=0|34=18446744073709551615", "MsgSeqNum missing or malformed"},
        Case{"35=0|34=18446744073709551618", "MsgSeqNum missing or malformed"}}) {
    Side acceptor{acceptor_config()};
    acceptor.establish();
    acceptor.in(c.fields);
    EXPECT_THAT(acceptor.sent(), ElementsAre(std::string{"35=5|34=2|58="} + c.text)) << c.fields;
    EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::ProtocolViolation) << c.fields;
    EXPECT_EQ(acceptor.next_in(), 2U) << c.fields;
  }
}

TEST(MsgSeqNum, above_the_largest_one_ends_the_session_and_is_not_counted) {
  // A rule of this engine: a store holds next numbers up to 2^62.
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 62U;
  Side acceptor{acceptor_config(), {.next_inbound = kLimit - 2, .next_outbound = 1}};
  acceptor.connect();
  acceptor.in("35=A|34=4611686018427387902|98=0|108=30");
  acceptor.in("35=1|34=4611686018427387903|112=X");
  static_cast<void>(acceptor.sent());
  EXPECT_EQ(acceptor.next_in(), kLimit);
  acceptor.in("35=1|34=4611686018427387904|112=X");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=3|58=MsgSeqNum missing or malformed"));
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::ProtocolViolation);
  EXPECT_EQ(acceptor.next_in(), kLimit);
  acceptor.connect();
  acceptor.in("35=A|34=4611686018427387904|98=0|108=30");
  EXPECT_EQ(acceptor.logged_on, 1);
  EXPECT_EQ(acceptor.next_in(), kLimit);
}

TEST(MsgSeqNum, beyond_32_bits_is_a_number_like_any_other) {
  // FIX 4.4 volume 1, "FIX Datatypes", SeqNum: positive, with no upper limit. An engine that reads
  // 2^32+2 as 2 would process the wrong message.
  Side acceptor{acceptor_config(), {.next_inbound = 4294967297, .next_outbound = 4294967300}};
  acceptor.establish();
  acceptor.in("35=1|34=4294967298|112=X");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=4294967301|112=X"));
  EXPECT_EQ(acceptor.next_in(), 4294967299U);
}

TEST(MsgSeqNum, garbled_message_uses_up_no_number_and_causes_a_gap) {
  // TC 2d, 3b, 3c.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  acceptor.garbled(wire::GarbledReason::CheckSumWrong);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.next_in(), 2U);
  EXPECT_TRUE(acceptor.has_notice(NoticeCode::MessageGarbled));
  acceptor.in("35=0|34=3");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=2"));
}

TEST(MsgSeqNum, lost_position_in_the_stream_ends_the_connection) {
  // TC 2m continues after a wrong BodyLength. With a BodyLength above every limit, the beginning of
  // the next message is unknown.
  for (const wire::GarbledReason reason :
       {wire::GarbledReason::BodyLengthTooLarge, wire::GarbledReason::TooLong}) {
    Side acceptor{acceptor_config()};
    acceptor.establish();
    acceptor.garbled(reason);
    EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::StreamUnusable);
    EXPECT_EQ(acceptor.logged_out, 1);
  }
}

TEST(PossDup, too_low_with_the_flag_is_ignored) {
  // TC 2e: already received.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=D|34=2|11=x");
  acceptor.in("35=D|34=2|43=Y|122=20240115-10:30:00|11=x");
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.delivered.size(), 1U);
  EXPECT_EQ(acceptor.next_in(), 3U);
}

TEST(PossDup, as_expected_with_the_flag_is_processed_and_marked) {
  // TC 2e: not yet received.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=D|34=2|43=Y|122=20240115-10:30:00|11=x");
  ASSERT_EQ(acceptor.delivered.size(), 1U);
  EXPECT_TRUE(acceptor.delivered[0].poss_dup);
  EXPECT_EQ(acceptor.next_in(), 3U);
}

TEST(PossDup, orig_sending_time_after_sending_time_is_rejected_and_ends_the_session) {
  // TC 2f.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  acceptor.in("35=D|34=2|11=ID");
  acceptor.in("35=D|34=3|11=ID");
  acceptor.in("35=D|34=2|43=Y|122=20240115-10:30:10|11=ID");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=3|34=2|45=2|58=SendingTime accuracy problem|372=D|373=10"));
  acceptor.advance(1s);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=3"));
  EXPECT_EQ(acceptor.state(), State::LogoutSent);
  acceptor.in("35=5|34=4");
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogoutComplete);
}

TEST(PossDup, without_orig_sending_time_is_rejected_and_changes_no_number) {
  // TC 2g.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  acceptor.in("35=D|34=2|11=ID");
  acceptor.in("35=D|34=3|11=ID");
  acceptor.in("35=D|34=2|43=Y|11=ID");
  acceptor.in("35=1|34=4|112=HELLO");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=3|34=2|45=2|58=Required tag missing|371=122|372=D|373=1",
                          "35=0|34=3|112=HELLO"));
}

TEST(PossDup, as_expected_without_orig_sending_time_is_rejected_and_uses_up_its_number) {
  // TC 2g, for a message that is new to us.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=D|34=2|43=Y|11=ID");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=3|34=2|45=2|58=Required tag missing|371=122|372=D|373=1"));
  EXPECT_TRUE(acceptor.delivered.empty());
  EXPECT_EQ(acceptor.next_in(), 3U);
}

TEST(PossDup, orig_sending_time_is_optional_if_configured) {
  // QuickFIX's RequiresOrigSendingTime=N.
  SessionConfig config = acceptor_config();
  config.header.requires_orig_sending_time = false;
  Side acceptor{config};
  acceptor.establish();
  acceptor.in("35=D|34=2|43=Y|11=ID");
  EXPECT_EQ(acceptor.delivered.size(), 1U);
}

TEST(PossDup, malformed_orig_sending_time_is_rejected) {
  // FIX Session Layer, "Reject", reason 6.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=D|34=2|43=Y|122=noon|11=ID");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=3|34=2|45=2|58=Incorrect data format for value|371=122|372=D|373=6"));
}

TEST(PossDup, too_high_with_the_flag_is_a_gap_like_any_other) {
  // TC 2b with 43=Y.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=D|34=4|43=Y|122=20240115-10:30:00|11=x");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=3"));
  EXPECT_THAT(acceptor.buffered_numbers, ElementsAre(4));
}

TEST(PossResend, is_passed_to_the_application_with_its_mark) {
  // TC 19: the application decides, by its own identifiers.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=D|34=2|97=Y|11=x");
  acceptor.in("35=D|34=3|97=N|11=x");
  ASSERT_EQ(acceptor.delivered.size(), 2U);
  EXPECT_TRUE(acceptor.delivered[0].poss_resend);
  EXPECT_FALSE(acceptor.delivered[1].poss_resend);
  EXPECT_EQ(acceptor.next_in(), 4U);
}

TEST(Gap, bad_message_within_a_gap_is_rejected_and_the_gap_stays_open) {
  // Acceptance script RejectResentMessage, with another fault than the data format.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  acceptor.in("35=1|34=3|112=HELLO1");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=2"));
  acceptor.in("35=D|34=2|43=Y|122=20240115-10:30:00|11=");
  acceptor.in("35=1|34=4|112=HELLO2");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=3|34=3|45=2|58=Tag specified without a value|371=11|372=D|373=4",
                          "35=0|34=4|112=HELLO1", "35=0|34=5|112=HELLO2"));
}

TEST(Gap, bad_message_that_is_too_high_is_rejected_when_its_turn_comes) {
  // FIX 4.4 volume 2, "Ordered Message Processing". Answers come in the order of the numbers.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=D|34=3|11=");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=2"));
  acceptor.in("35=0|34=2|43=Y|122=20240115-10:30:00");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=3|34=3|45=3|58=Tag specified without a value|371=11|372=D|373=4"));
  EXPECT_EQ(acceptor.next_in(), 4U);
}

TEST(Gap, test_request_after_a_gap_is_answered_in_order) {
  // FIX Session Layer, "Sequence gap": messages are processed in order, TestRequests included.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=1|34=3|112=X");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=2"));
  acceptor.in("35=0|34=2");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=3|112=X"));
}

TEST(Gap, unanswered_resend_request_is_repeated_and_then_ends_the_session) {
  // A rule of this engine, after TC 2b. A session must not wait for ever for a message that never
  // arrives.
  SessionConfig config = acceptor_config();
  config.gap.resend_timeout = 10s;
  Side acceptor{config};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=0");
  (void)acceptor.sent();
  acceptor.in("35=0|34=4");
  acceptor.advance(9'999ms);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=3"));
  acceptor.advance(20'001ms);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=3|7=2|16=3", "35=2|34=4|7=2|16=3",
                                           "35=5|34=5|58=ResendRequest not answered"));
  EXPECT_TRUE(acceptor.has_notice(NoticeCode::ResendNotAnswered));
  EXPECT_EQ(acceptor.state(), State::LogoutSent);
}

TEST(Gap, progress_keeps_an_open_gap_from_being_requested_again) {
  // A rule of this engine, after TC 2b. A resend of many messages over a slow link is not a missing
  // answer.
  SessionConfig config = acceptor_config();
  config.gap.resend_timeout = 10s;
  Side acceptor{config};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=0");
  acceptor.in("35=0|34=12");
  (void)acceptor.sent();
  for (int number = 2; number <= 10; ++number) {
    acceptor.advance(9s);
    acceptor.in("35=0|34=" + std::to_string(number) + "|43=Y|122=20240115-10:30:00");
  }
  EXPECT_THAT(acceptor.sent(), IsEmpty());
}

TEST(Gap, message_lost_within_a_resend_is_requested_after_the_timeout) {
  // TC 2d, 3b. A gap inside the answer to a ResendRequest: 3 is garbled.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=D|34=5|11=x");
  acceptor.in("35=D|34=2|43=Y|122=20240115-10:30:00|11=x");
  acceptor.garbled(wire::GarbledReason::CheckSumWrong);
  acceptor.in("35=D|34=4|43=Y|122=20240115-10:30:00|11=x");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=4"));
  acceptor.set_now({.wall = acceptor.now().wall + 30s, .mono = acceptor.now().mono + 30s});
  acceptor.wake();
  EXPECT_THAT(acceptor.sent(), testing::Contains("35=2|34=4|7=3|16=3"));
  acceptor.in("35=D|34=3|43=Y|122=20240115-10:30:00|11=x");
  EXPECT_EQ(acceptor.next_in(), 6U);
}

// HeartBtInt is 0, so only the gap has a deadline.
void open_a_gap(Side& acceptor) {
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=0");
  acceptor.in("35=D|34=4|11=x");
  EXPECT_THAT(acceptor.sent(), testing::Contains("35=2|34=2|7=2|16=3"));
}

TEST(Gap, its_deadline_ends_with_the_connection_and_with_a_reset) {
  // A rule of this engine, after TC 2b: a new connection or epoch has no open gap.
  for (const bool is_reset : {true, false}) {
    Side acceptor{acceptor_config()};
    open_a_gap(acceptor);
    if (is_reset) {
      acceptor.in("35=A|34=1|98=0|108=0|141=Y");
    } else {
      acceptor.disconnect();
      acceptor.connect();
      acceptor.in("35=A|34=2|98=0|108=0");
    }
    (void)acceptor.sent();
    acceptor.notices.clear();
    EXPECT_EQ(acceptor.machine().next_deadline(), kNever) << is_reset;
    acceptor.advance(10 * acceptor.config().gap.resend_timeout);
    EXPECT_THAT(acceptor.sent(), IsEmpty()) << is_reset;
    EXPECT_FALSE(acceptor.has_notice(NoticeCode::ResendNotAnswered)) << is_reset;
    EXPECT_EQ(acceptor.state(), State::LoggedOn) << is_reset;
  }
}

TEST(Gap, of_a_new_connection_is_requested_three_times_as_any_other) {
  // The requests of the connection before do not count.
  Side acceptor{acceptor_config()};
  open_a_gap(acceptor);
  acceptor.advance(acceptor.config().gap.resend_timeout);
  acceptor.disconnect();
  acceptor.connect();
  acceptor.in("35=A|34=2|98=0|108=0");
  acceptor.in("35=D|34=5|11=x");
  (void)acceptor.sent();
  acceptor.advance(3 * acceptor.config().gap.resend_timeout);
  EXPECT_THAT(acceptor.sent(),
              ElementsAre(testing::HasSubstr("|7=3|16=4"), testing::HasSubstr("|7=3|16=4"),
                          testing::HasSubstr("ResendRequest not answered")));
}

TEST(Gap, is_requested_again_on_the_next_connection) {
  // TC 2b on a connection, TC 1S a on the next.
  // The connection breaks before the answer to our ResendRequest comes.
  Pair pair;
  pair.connect();
  for (int i = 0; i < 4; ++i) pair.acceptor.send();
  (void)pair.acceptor.consume_wire();  // lost
  pair.break_link();
  pair.connect();
  EXPECT_EQ(pair.initiator.delivered.size(), 4U);
  EXPECT_EQ(pair.initiator.next_in(), pair.acceptor.next_out());
  for (const Delivered& message : pair.initiator.delivered) EXPECT_TRUE(message.poss_dup);
}

}  // namespace
}  // namespace nexusfix::session::test
