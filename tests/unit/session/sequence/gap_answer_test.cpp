// The counterparty's answer to a ResendRequest, if it exceeds the request or ends too early.
// "Session Layer" is the FIX Session Layer specification.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::uint64_t> delivered_numbers(const std::vector<Delivered>& messages) {
  std::vector<std::uint64_t> numbers;
  for (const Delivered& message : messages) numbers.push_back(message.msg_seq_num);
  return numbers;
}

std::string order_of(int number, std::string_view rest = {}) {
  return "35=D|34=" + std::to_string(number) + "|11=x" + std::string{rest};
}
constexpr std::string_view kAgain = "|43=Y|122=20240115-10:29:00";

std::string gap_fill_from(int number, int new_seq_no) {
  return "35=4|34=" + std::to_string(number) + std::string{kAgain} +
         "|123=Y|36=" + std::to_string(new_seq_no);
}

// Without Heartbeats, so that all sent messages concern the gap.
void log_on_quietly(Side& acceptor) {
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=0");
  static_cast<void>(acceptor.sent());
  acceptor.notices.clear();
}

TEST(GapAnswer, gap_fill_to_the_end_of_the_gap_keeps_buffered_messages) {
  // FIX 4.4 volume 2, "Ordered Message Processing": early messages are kept, missing ones
  // requested.
  Side acceptor{acceptor_config()};
  log_on_quietly(acceptor);
  for (int number = 3; number <= 9; ++number) acceptor.in(order_of(number));
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=2"));
  acceptor.in(gap_fill_from(2, 3));
  EXPECT_THAT(delivered_numbers(acceptor.delivered), ElementsAre(3, 4, 5, 6, 7, 8, 9));
  EXPECT_FALSE(acceptor.has_notice(NoticeCode::GapFillBeyondRequest));
}

TEST(GapAnswer, gap_fill_beyond_the_request_keeps_buffered_messages) {
  // The counterparty ignores EndSeqNo. The buffered messages were not requested, so the gap fill is
  // no answer for them.
  Side acceptor{acceptor_config()};
  log_on_quietly(acceptor);
  for (int number = 3; number <= 9; ++number) acceptor.in(order_of(number));
  static_cast<void>(acceptor.sent());
  acceptor.in(gap_fill_from(2, 10));
  EXPECT_THAT(delivered_numbers(acceptor.delivered), ElementsAre(3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(acceptor.discarded, IsEmpty());
  EXPECT_TRUE(acceptor.has_notice(NoticeCode::GapFillBeyondRequest));
  EXPECT_EQ(acceptor.next_in(), 10U);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
}

TEST(GapAnswer, gap_fill_past_the_last_buffered_message_is_obeyed_after_it) {
  // TC 10b: the next number is NewSeqNo, so 9 to 15 are not requested.
  Side acceptor{acceptor_config()};
  log_on_quietly(acceptor);
  acceptor.in(order_of(4));
  static_cast<void>(acceptor.sent());
  acceptor.in(gap_fill_from(2, 10));
  EXPECT_THAT(delivered_numbers(acceptor.delivered), ElementsAre(4));
  EXPECT_EQ(acceptor.next_in(), 10U);
  acceptor.in(order_of(10));
  EXPECT_THAT(delivered_numbers(acceptor.delivered), ElementsAre(4, 10));
  EXPECT_THAT(acceptor.sent(), IsEmpty());
}

TEST(GapAnswer, gap_fill_past_a_second_gap_fills_it_too) {
  Side acceptor{acceptor_config()};
  log_on_quietly(acceptor);
  for (const int number : {4, 7, 8}) acceptor.in(order_of(number));
  static_cast<void>(acceptor.sent());
  acceptor.in(gap_fill_from(2, 12));
  EXPECT_THAT(delivered_numbers(acceptor.delivered), ElementsAre(4, 7, 8));
  EXPECT_EQ(acceptor.next_in(), 12U);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
}

TEST(GapAnswer, gap_fill_that_ends_within_a_second_gap_leaves_its_rest_to_be_requested) {
  Side acceptor{acceptor_config()};
  log_on_quietly(acceptor);
  for (const int number : {4, 9}) acceptor.in(order_of(number));
  static_cast<void>(acceptor.sent());
  acceptor.in(gap_fill_from(2, 7));
  EXPECT_THAT(delivered_numbers(acceptor.delivered), ElementsAre(4));
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=3|7=7|16=8"));
  acceptor.in(gap_fill_from(7, 9));
  EXPECT_EQ(acceptor.next_in(), 10U);
}

// ResendRequests with the MsgSeqNums 4 and 6, while 2 is expected.
void request_early(Side& acceptor) {
  log_on_quietly(acceptor);
  acceptor.send("8", "report");
  for (const int number : {4, 6}) {
    acceptor.in("35=2|34=" + std::to_string(number) + "|7=1|16=1");
  }
}

TEST(GapAnswer, gap_fill_past_early_resend_requests_counts_them) {
  Side acceptor{acceptor_config()};
  request_early(acceptor);
  acceptor.in(order_of(7));
  static_cast<void>(acceptor.sent());
  acceptor.in(gap_fill_from(2, 9));
  EXPECT_THAT(delivered_numbers(acceptor.delivered), ElementsAre(7));
  EXPECT_EQ(acceptor.next_in(), 9U);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
}

TEST(GapAnswer, gap_fill_past_early_resend_requests_alone_counts_them) {
  Side acceptor{acceptor_config()};
  request_early(acceptor);
  static_cast<void>(acceptor.sent());
  acceptor.in(gap_fill_from(2, 9));
  EXPECT_EQ(acceptor.next_in(), 9U);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
}

TEST(GapAnswer, gap_fill_over_a_dropped_message_does_not_replace_it) {
  // The request said that this session has it, so the counterparty cannot have judged it.
  Side acceptor{acceptor_config()};
  log_on_quietly(acceptor);
  acceptor.in(order_of(4));
  acceptor.can_buffer = false;
  acceptor.in(order_of(5));
  acceptor.can_buffer = true;
  static_cast<void>(acceptor.sent());
  acceptor.in(gap_fill_from(2, 9));
  EXPECT_EQ(acceptor.next_in(), 5U);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=3|7=5|16=5"));
  acceptor.in(order_of(5, kAgain));
  EXPECT_THAT(delivered_numbers(acceptor.delivered), ElementsAre(4, 5));
  EXPECT_EQ(acceptor.next_in(), 9U);
}

TEST(GapAnswer, second_gap_fill_within_the_first_one_ends_where_the_first_one_does) {
  Side acceptor{acceptor_config()};
  log_on_quietly(acceptor);
  acceptor.can_buffer = false;
  acceptor.in(order_of(4));
  acceptor.in(order_of(5));
  acceptor.in(gap_fill_from(2, 12));
  EXPECT_EQ(acceptor.next_in(), 4U);
  acceptor.in(gap_fill_from(4, 8));
  EXPECT_EQ(acceptor.next_in(), 12U);
}

TEST(GapAnswer, message_that_comes_although_a_gap_fill_covers_it_is_delivered_while_others_miss) {
  Side acceptor{acceptor_config()};
  log_on_quietly(acceptor);
  acceptor.in(order_of(4));
  acceptor.can_buffer = false;
  acceptor.in(order_of(5));
  acceptor.can_buffer = true;
  acceptor.in(gap_fill_from(2, 9));
  acceptor.in(order_of(7, kAgain));
  acceptor.in(order_of(5, kAgain));
  EXPECT_THAT(delivered_numbers(acceptor.delivered), ElementsAre(4, 5, 7));
  EXPECT_EQ(acceptor.next_in(), 9U);
}

TEST(GapAnswer, gap_fill_over_an_early_logon_and_later_messages_keeps_buffered_messages) {
  // TC 1S a: the Logon's number is counted, later messages are buffered.
  Side acceptor{acceptor_config()};
  acceptor.connect();
  acceptor.in("35=A|34=4|98=0|108=0");
  acceptor.in(order_of(5));
  static_cast<void>(acceptor.sent());
  acceptor.in(gap_fill_from(1, 6));
  EXPECT_THAT(delivered_numbers(acceptor.delivered), ElementsAre(5));
  EXPECT_EQ(acceptor.next_in(), 6U);
}

TEST(GapAnswer, gap_fill_that_answers_789_keeps_buffered_messages) {
  // FIX 4.4, NextExpectedMsgSeqNum: it implies a resend up to the Logon, and no further.
  SessionConfig config = acceptor_config();
  config.logon.send_next_expected_msg_seq_num = true;
  Side acceptor{config};
  acceptor.connect();
  acceptor.in("35=A|34=4|98=0|108=0|789=1");
  acceptor.in(order_of(5));
  acceptor.in(gap_fill_from(1, 6));
  EXPECT_THAT(delivered_numbers(acceptor.delivered), ElementsAre(5));
}

TEST(GapAnswer, reset_over_buffered_messages_discards_them) {
  // TC 11a: SequenceReset-Reset abandons the missing messages, and those buffered for them.
  Side acceptor{acceptor_config()};
  log_on_quietly(acceptor);
  for (const int number : {4, 5, 6}) acceptor.in(order_of(number));
  acceptor.in("35=4|34=0|36=6");
  EXPECT_THAT(acceptor.discarded, ElementsAre(4, 5));
  EXPECT_THAT(delivered_numbers(acceptor.delivered), ElementsAre(6));
}

TEST(GapAnswer, chunk_whose_gap_fill_ends_one_too_early_causes_the_next_request_at_once) {
  // QuickFIX/J's ResendRequestChunkSize; the counterparty takes EndSeqNo for NewSeqNo.
  SessionConfig config = acceptor_config();
  config.gap.resend_request_chunk = 4;
  Side acceptor{config};
  log_on_quietly(acceptor);
  acceptor.in(order_of(12));
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=5"));
  acceptor.in(gap_fill_from(2, 5));
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=3|7=5|16=8"));
  acceptor.in(gap_fill_from(5, 8));
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=4|7=8|16=11"));
  acceptor.in(gap_fill_from(8, 11));
  EXPECT_THAT(acceptor.sent(), IsEmpty()) << "11 may still come";
  acceptor.advance(1s);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=5|7=11|16=11"));
  EXPECT_TRUE(acceptor.has_notice(NoticeCode::ResendIncomplete));
  acceptor.in(order_of(11, kAgain));
  EXPECT_EQ(acceptor.next_in(), 13U);
}

TEST(GapAnswer, that_ends_too_early_causes_another_request) {
  // A rule of this engine: a second without a further part, where the parts took less.
  for (const int last : {2, 3, 7}) {
    Side acceptor{acceptor_config()};
    log_on_quietly(acceptor);
    acceptor.in(order_of(9));
    static_cast<void>(acceptor.sent());
    for (int number = 2; number <= last; ++number) {
      acceptor.advance(100ms);
      acceptor.in(order_of(number, kAgain));
    }
    acceptor.advance(999ms);
    EXPECT_THAT(acceptor.sent(), IsEmpty()) << last;
    acceptor.advance(1ms);
    const std::string request = "35=2|34=3|7=" + std::to_string(last + 1) + "|16=8";
    EXPECT_THAT(acceptor.sent(), ElementsAre(request)) << last;
    // If the second request gets no answer, the next one does not come sooner.
    acceptor.advance(29'999ms);
    EXPECT_THAT(acceptor.sent(), IsEmpty()) << last;
    acceptor.advance(1ms);
    EXPECT_EQ(acceptor.sent().size(), 1U) << last;
  }
}

TEST(GapAnswer, within_which_a_message_is_lost_causes_another_request) {
  // TC 3b: 3 was garbled. Later messages are buffered, and only 3 is requested.
  Side acceptor{acceptor_config()};
  log_on_quietly(acceptor);
  acceptor.in(order_of(9));
  static_cast<void>(acceptor.sent());
  acceptor.in(order_of(2, kAgain));
  for (int number = 4; number <= 8; ++number) {
    acceptor.advance(500ms);
    acceptor.in(order_of(number, kAgain));
  }
  acceptor.advance(1'999ms);  // four times the longest pause
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  acceptor.advance(1ms);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=3|7=3|16=3"));
  acceptor.in(gap_fill_from(3, 4));
  EXPECT_EQ(acceptor.next_in(), 10U);
  EXPECT_EQ(acceptor.delivered.size(), 7U);
}

TEST(GapAnswer, is_not_continued_by_live_messages) {
  // Session Layer, "ResendRequest": resent messages have PossDupFlag. Live ones, which come without
  // it during the resend, are no part of the answer: it is over a second after its last part.
  for (const MonoTime::duration pause : {100ms, 500ms, 900ms}) {
    Side acceptor{acceptor_config()};
    log_on_quietly(acceptor);
    acceptor.in(order_of(9));
    acceptor.in(order_of(2, kAgain));
    (void)acceptor.sent();
    const MonoTime answered_at = acceptor.now().mono;
    for (int number = 10; acceptor.now().mono - answered_at + pause < 1s; ++number) {
      acceptor.advance(pause);
      acceptor.in(order_of(number));
    }
    EXPECT_THAT(acceptor.sent(), IsEmpty());
    acceptor.advance(answered_at + 1s - acceptor.now().mono);
    EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=3|7=3|16=8"));
  }
}

TEST(GapAnswer, whose_last_dropped_message_misses_is_completed) {
  // Each early message from the first dropped one on is requested, also when only the last is.
  for (int kept = 4; kept <= 7; ++kept) {
    Side acceptor{acceptor_config()};
    log_on_quietly(acceptor);
    for (int number = 4; number <= kept; ++number) acceptor.in(order_of(number));
    acceptor.can_buffer = false;
    for (int number = kept + 1; number <= 8; ++number) acceptor.in(order_of(number));
    acceptor.can_buffer = true;
    (void)acceptor.sent();
    for (const int number : {2, 3}) acceptor.in(order_of(number, kAgain));
    EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=3|7=" + std::to_string(kept + 1) + "|16=8"));
    for (int number = kept + 1; number <= 8; ++number) acceptor.in(order_of(number, kAgain));
    EXPECT_EQ(acceptor.next_in(), 9U);
    EXPECT_EQ(acceptor.delivered.size(), 7U);
  }
}

TEST(GapAnswer, that_comes_slowly_causes_no_second_request) {
  // A resend over a slow link is requested once.
  Side acceptor{acceptor_config()};
  log_on_quietly(acceptor);
  acceptor.in(order_of(12));
  static_cast<void>(acceptor.sent());
  for (int number = 2; number <= 11; ++number) {
    acceptor.advance(5s);
    acceptor.in(order_of(number, kAgain));
  }
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.next_in(), 13U);
}

TEST(GapAnswer, whose_parts_bring_no_progress_is_requested_again_after_the_timeout) {
  // The counterparty repeats received messages: the wait is bounded, whatever it does.
  Side acceptor{acceptor_config()};
  log_on_quietly(acceptor);
  acceptor.in(order_of(9));
  static_cast<void>(acceptor.sent());
  for (int i = 0; i < 299; ++i) {
    acceptor.advance(100ms);
    acceptor.in(order_of(9, kAgain));
  }
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  acceptor.advance(100ms);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=3|7=2|16=8"));
}

TEST(GapAnswer, is_waited_for_as_long_as_configured) {
  SessionConfig config = acceptor_config();
  config.gap.resend_timeout = 3s;
  Side acceptor{config};
  log_on_quietly(acceptor);
  acceptor.in(order_of(4));
  static_cast<void>(acceptor.sent());
  acceptor.advance(2'999ms);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  acceptor.advance(1ms);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=3|7=2|16=3"));
}

TEST(GapAnswer, of_a_counterparty_that_always_ends_one_too_early_closes_any_gap) {
  // With any chunk size, resend_timeout never delays the gap.
  for (const std::uint64_t chunk : {0U, 1U, 2U, 3U, 7U, 100U}) {
    for (const std::uint64_t missing : {1U, 2U, 3U, 8U, 50U}) {
      SessionConfig config = acceptor_config();
      config.gap.resend_request_chunk = chunk;
      Side acceptor{config};
      log_on_quietly(acceptor);
      acceptor.in(order_of(static_cast<int>(missing) + 2));
      std::uint64_t next = 2;
      for (int round = 0; round < 200 && acceptor.next_in() <= missing + 1; ++round) {
        for (const std::string& message : acceptor.sent()) {
          if (!message.starts_with("35=2|")) continue;
          const std::size_t begin = message.find("|7=") + 3;
          const std::size_t end = message.find("|16=") + 4;
          acceptor.in(
              gap_fill_from(std::stoi(message.substr(begin)), std::stoi(message.substr(end))));
        }
        acceptor.advance(500ms);
        next = acceptor.next_in();
      }
      EXPECT_EQ(next, missing + 3) << "chunk " << chunk << ", missing " << missing;
      EXPECT_FALSE(acceptor.has_notice(NoticeCode::ResendNotAnswered)) << chunk << " " << missing;
    }
  }
}

TEST(GapAnswer, early_resend_requests_are_counted_without_being_buffered) {
  // TC 20. They are served at once; those for whose numbers there is no room are buffered.
  Side acceptor{acceptor_config()};
  log_on_quietly(acceptor);
  acceptor.send("8", "report");
  for (int number = 3; number <= 22; ++number) {
    acceptor.in("35=2|34=" + std::to_string(number) + "|7=1|16=1");
  }
  EXPECT_EQ(acceptor.buffered_numbers.size(), 4U);
  acceptor.in(order_of(23));
  static_cast<void>(acceptor.sent());
  acceptor.in(order_of(2, kAgain));
  EXPECT_EQ(acceptor.next_in(), 24U);
  EXPECT_THAT(delivered_numbers(acceptor.delivered), ElementsAre(2, 23));
}

TEST(GapAnswer, early_resend_request_that_comes_again_takes_no_more_room) {
  SessionConfig config = acceptor_config();
  config.resend.repeats_max = 0;
  Side acceptor{config};
  log_on_quietly(acceptor);
  acceptor.send("8", "report");
  for (int i = 0; i < 20; ++i) acceptor.in("35=2|34=3|7=1|16=1");
  EXPECT_THAT(acceptor.buffered_numbers, IsEmpty());
  acceptor.in(order_of(2, kAgain));
  EXPECT_EQ(acceptor.next_in(), 4U);
}

TEST(GapAnswer, early_resend_requests_between_buffered_messages_are_counted) {
  Side acceptor{acceptor_config()};
  log_on_quietly(acceptor);
  acceptor.send("8", "report");
  for (const int number : {3, 6, 9}) {
    acceptor.in("35=2|34=" + std::to_string(number) + "|7=1|16=1");
    acceptor.in(order_of(number + 1));
    acceptor.in(order_of(number + 2));
  }
  static_cast<void>(acceptor.sent());
  acceptor.in(order_of(2, kAgain));
  EXPECT_THAT(delivered_numbers(acceptor.delivered), ElementsAre(2, 4, 5, 7, 8, 10, 11));
  EXPECT_EQ(acceptor.next_in(), 12U);
}

}  // namespace
}  // namespace nexusfix::session::test
