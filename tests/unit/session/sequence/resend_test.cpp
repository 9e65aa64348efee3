// The answer to a ResendRequest: what is resent, what is gap-filled, and where it ends.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Outbound 1 Logon, 2 to 4 Heartbeats, 5 and 6 orders, 7 and 8 Heartbeats, 9 an order.
std::uint64_t fill(Side& side) {
  std::uint64_t number = side.next_in();
  const auto test_requests = [&](int count) {
    for (int i = 0; i < count; ++i) side.in("35=1|34=" + std::to_string(number++) + "|112=X");
  };
  test_requests(3);
  side.send("D", "five");
  side.send("D", "six");
  test_requests(2);
  side.send("D", "nine");
  (void)side.consume_wire();
  return number;
}

std::string fill_text(int from, int to) {
  return "35=4|34=" + std::to_string(from) +
         "|43=Y|122=20240115-10:30:00.000|36=" + std::to_string(to) + "|123=Y";
}

std::string order(int number, const char* text) {
  return "35=D|34=" + std::to_string(number) + "|43=Y|122=20240115-10:30:00.000|58=" + text;
}

TEST(Resend, administrative_messages_become_one_gap_fill) {
  // TC 8, only administrative messages. The whole message, in the order of the acceptance scripts.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  const std::uint64_t number = fill(acceptor);
  acceptor.in("35=2|34=" + std::to_string(number) + "|7=1|16=4");
  EXPECT_THAT(acceptor.sent_in_full(),
              ElementsAre("8=FIX.4.2|35=4|34=1|43=Y|49=VENUE|52=20240115-10:30:00.000|56=TRADER|"
                          "122=20240115-10:30:00.000|36=5|123=Y"));
  EXPECT_EQ(acceptor.next_out(), 10U);
  EXPECT_EQ(acceptor.next_in(), number + 1);
}

TEST(Resend, application_messages_are_resent_with_their_numbers_and_poss_dup) {
  // TC 8, only application messages.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  const std::uint64_t number = fill(acceptor);
  acceptor.advance(2s);
  acceptor.in("35=2|34=" + std::to_string(number) + "|7=5|16=6");
  EXPECT_THAT(acceptor.sent_in_full(),
              ElementsAre("8=FIX.4.2|35=D|34=5|43=Y|49=VENUE|52=20240115-10:30:02.000|56=TRADER|"
                          "122=20240115-10:30:00.000|58=five",
                          "8=FIX.4.2|35=D|34=6|43=Y|49=VENUE|52=20240115-10:30:02.000|56=TRADER|"
                          "122=20240115-10:30:00.000|58=six"));
}

TEST(Resend, mixed_range_is_gap_filled_for_administrative_messages) {
  // TC 8, administrative and application messages, each range of the acceptance script.
  struct Case {
    const char* range;
    std::vector<std::string> answer;
  };
  const std::vector<Case> cases{
      {"7=2|16=4", {fill_text(2, 5)}},
      {"7=2|16=6", {fill_text(2, 5), order(5, "five"), order(6, "six")}},
      {"7=2|16=8", {fill_text(2, 5), order(5, "five"), order(6, "six"), fill_text(7, 9)}},
      {"7=2|16=9",
       {fill_text(2, 5), order(5, "five"), order(6, "six"), fill_text(7, 9), order(9, "nine")}},
      {"7=2|16=0",
       {fill_text(2, 5), order(5, "five"), order(6, "six"), fill_text(7, 9), order(9, "nine")}},
      {"7=6|16=7", {order(6, "six"), fill_text(7, 8)}},
      {"7=3|16=3", {fill_text(3, 4)}},
      {"7=9|16=9", {order(9, "nine")}},
  };
  Side acceptor{acceptor_config()};
  acceptor.establish();
  std::uint64_t number = fill(acceptor);
  for (const Case& c : cases) {
    acceptor.in("35=2|34=" + std::to_string(number++) + "|" + c.range);
    EXPECT_EQ(acceptor.sent(), c.answer) << c.range;
  }
  acceptor.in("35=1|34=" + std::to_string(number) + "|112=HELLO");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=10|112=HELLO"));
}

TEST(Resend, end_beyond_the_last_sent_means_the_last_sent) {
  // FIX Session Layer, "ResendRequest": numbers that were not sent are not answered.
  for (const char* end : {"10", "999999", "9223372036854775807", "0"}) {
    Side acceptor{acceptor_config()};
    acceptor.establish();
    const std::uint64_t number = fill(acceptor);
    acceptor.in("35=2|34=" + std::to_string(number) + "|7=7|16=" + end);
    EXPECT_THAT(acceptor.sent(), ElementsAre(fill_text(7, 9), order(9, "nine"))) << end;
  }
}

TEST(Resend, every_range_of_small_numbers_is_covered_exactly_or_rejected) {
  // FIX Session Layer, "ResendRequest": all pairs of BeginSeqNo and EndSeqNo around what was sent.
  for (std::uint64_t begin = 0; begin <= 12; ++begin) {
    for (std::uint64_t end = 0; end <= 12; ++end) {
      Side acceptor{acceptor_config()};
      acceptor.establish();
      const std::uint64_t number = fill(acceptor);
      acceptor.in("35=2|34=" + std::to_string(number) + "|7=" + std::to_string(begin) +
                  "|16=" + std::to_string(end));
      const std::vector<std::string> sent = acceptor.sent();
      const std::string where = std::to_string(begin) + " to " + std::to_string(end);
      if (begin == 0 || begin > 9 || (end != 0 && end < begin)) {
        ASSERT_EQ(sent.size(), 1U) << where;
        EXPECT_TRUE(sent[0].starts_with("35=3|34=10|")) << where << ": " << sent[0];
      } else {
        std::uint64_t next = begin;
        for (const std::string& message : sent) {
          const std::size_t at = message.find("|34=");
          EXPECT_EQ(std::stoull(message.substr(at + 4)), next) << where;
          const std::size_t new_seq_no = message.find("|36=");
          next = new_seq_no == std::string::npos ? next + 1
                                                 : std::stoull(message.substr(new_seq_no + 4));
        }
        EXPECT_EQ(next, (end == 0 || end > 9 ? 9 : end) + 1) << where;
      }
      EXPECT_EQ(acceptor.next_in(), number + 1) << where;
    }
  }
}

TEST(Resend, impossible_request_is_rejected_with_the_wrong_tag) {
  // FIX Session Layer, "Reject", reasons 1, 5 and 6.
  struct Case {
    const char* fields;
    const char* reject;
  };
  for (const Case& c : {
           Case{"7=0|16=0", "58=Value is incorrect (out of range) for this tag|371=7|372=2|373=5"},
           Case{"7=2|16=0", "58=Value is incorrect (out of range) for this tag|371=7|372=2|373=5"},
           Case{"16=0", "58=Required tag missing|371=7|372=2|373=1"},
           Case{"7=1", "58=Required tag missing|371=16|372=2|373=1"},
           Case{"7=one|16=0", "58=Incorrect data format for value|371=7|372=2|373=6"},
           Case{"7=1|16=-1", "58=Incorrect data format for value|371=16|372=2|373=6"},
       }) {
    Side acceptor{acceptor_config()};
    acceptor.establish();
    acceptor.in(std::string{"35=2|34=2|"} + c.fields);
    EXPECT_THAT(acceptor.sent(), ElementsAre(std::string{"35=3|34=2|45=2|"} + c.reject))
        << c.fields;
    EXPECT_EQ(acceptor.next_in(), 3U) << c.fields;
  }
}

TEST(Resend, too_low_request_is_answered_and_uses_up_no_number) {
  // TC 8, OnlyAdminMessages: a ResendRequest with 34=5 when 7 is expected.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  for (int n = 2; n <= 4; ++n) acceptor.in("35=1|34=" + std::to_string(n) + "|112=HELLO");
  acceptor.in("35=2|34=5|7=1|16=4");
  acceptor.in("35=1|34=6|112=HELLO");
  (void)acceptor.sent();
  acceptor.in("35=2|34=5|7=1|16=0");
  EXPECT_THAT(acceptor.sent(), ElementsAre(fill_text(1, 6)));
  EXPECT_EQ(acceptor.next_in(), 7U);
}

TEST(Resend, too_high_request_is_served_at_once_and_not_again_when_the_gap_closes) {
  // TC 20, SimultaneousResendRequest.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  acceptor.application = [](Side& side, const Deliver&) {
    side.send("D", "echo");
    return detail::DeliveryDecision{};
  };
  acceptor.in("35=D|34=2|11=ID");
  acceptor.in("35=D|34=3|11=ID");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=D|34=2|58=echo", "35=D|34=3|58=echo"));
  acceptor.in("35=0|34=7");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=4|7=4|16=6"));
  acceptor.in("35=2|34=8|7=2|16=3");
  EXPECT_THAT(acceptor.sent(), ElementsAre(order(2, "echo"), order(3, "echo")));
  for (int n = 4; n <= 6; ++n) {
    acceptor.in("35=0|34=" + std::to_string(n) + "|43=Y|122=20240115-10:30:00");
  }
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.next_in(), 9U);
  acceptor.in("35=5|34=7");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=5"));
}

TEST(Resend, request_that_reveals_a_gap_is_served_before_our_own_request) {
  // FIX 4.4 volume 2, "Message Recovery": the resend first, our own ResendRequest second. Two sides
  // that each wait for the other's resend would wait for ever.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.send("D", "order");
  (void)acceptor.consume_wire();
  acceptor.in("35=2|34=4|7=2|16=2");
  const std::vector<std::string> sent = acceptor.sent();
  EXPECT_THAT(sent, testing::UnorderedElementsAre(order(2, "order"), "35=2|34=3|7=2|16=3"));
  EXPECT_EQ(acceptor.next_in(), 2U);
}

TEST(Resend, both_sides_in_a_gap_recover) {
  // TC 20 with two of our machines: each has missed messages of the other.
  Pair pair;
  pair.connect();
  for (int i = 0; i < 3; ++i) {
    pair.initiator.send("D", "up");
    pair.acceptor.send("8", "down");
  }
  (void)pair.initiator.consume_wire();
  (void)pair.acceptor.consume_wire();
  pair.initiator.send("D", "up");
  pair.acceptor.send("8", "down");
  pair.exchange();
  EXPECT_EQ(pair.initiator.delivered.size(), 4U);
  EXPECT_EQ(pair.acceptor.delivered.size(), 4U);
  EXPECT_EQ(pair.initiator.next_in(), pair.acceptor.next_out());
  EXPECT_EQ(pair.initiator.next_out(), pair.acceptor.next_in());
}

TEST(Resend, does_not_cover_numbers_assigned_during_the_resend) {
  // TC 8, while new messages are sent. A gap fill up to "the next number", computed late, would
  // swallow a message that was sent meanwhile.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.serves_replays_in_slices = true;
  acceptor.in("35=1|34=2|112=X");
  acceptor.send("D", "three");
  acceptor.in("35=1|34=3|112=X");
  (void)acceptor.consume_wire();
  acceptor.in("35=2|34=4|7=1|16=0");
  EXPECT_TRUE(acceptor.serve_slice());
  acceptor.send("D", "five");
  while (acceptor.serve_slice()) {
  }
  EXPECT_THAT(acceptor.sent(), ElementsAre(fill_text(1, 3), order(3, "three"), "35=D|34=5|58=five",
                                           fill_text(4, 5)));
}

TEST(Resend, continues_in_slices_between_other_events) {
  // TC 8, with TC 4b in between. A long resend must not delay heartbeats and orders.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.serves_replays_in_slices = true;
  acceptor.send("D", "two");
  acceptor.send("D", "three");
  (void)acceptor.consume_wire();
  acceptor.in("35=2|34=2|7=1|16=0");
  EXPECT_TRUE(acceptor.serve_slice());
  acceptor.in("35=1|34=3|112=X");
  EXPECT_TRUE(acceptor.serve_slice());
  EXPECT_FALSE(acceptor.serve_slice());
  EXPECT_THAT(acceptor.sent(),
              ElementsAre(fill_text(1, 2), order(2, "two"), "35=0|34=4|112=X", order(3, "three")));
  const auto served = std::ranges::find(acceptor.notices, NoticeCode::ResendServed, &Notice::code);
  ASSERT_NE(served, acceptor.notices.end());
  EXPECT_EQ(served->expected, 1U);
  EXPECT_EQ(served->received, 3U);
}

TEST(Resend, requests_during_a_resend_are_answered_once_together_after_it) {
  // TC 8, repeated. A counterparty that repeats its request must not multiply the work.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.serves_replays_in_slices = true;
  acceptor.send("D", "two");
  acceptor.send("D", "three");
  (void)acceptor.consume_wire();
  acceptor.in("35=2|34=2|7=2|16=2");
  acceptor.in("35=2|34=3|7=3|16=3");
  acceptor.in("35=2|34=4|7=2|16=2");
  acceptor.in("35=2|34=5|7=2|16=0");
  while (acceptor.serve_slice()) {
  }
  EXPECT_THAT(acceptor.sent(), ElementsAre(order(2, "two"), order(2, "two"), order(3, "three")));
}

TEST(Resend, requests_during_a_resend_are_answered_up_to_the_highest_of_their_ends) {
  // TC 8, repeated, and the last request asks for less.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.serves_replays_in_slices = true;
  for (const char* text : {"two", "three", "four", "five"}) acceptor.send("D", text);
  (void)acceptor.consume_wire();
  acceptor.in("35=2|34=2|7=2|16=2");
  acceptor.in("35=2|34=3|7=3|16=5");
  acceptor.in("35=2|34=4|7=4|16=4");
  while (acceptor.serve_slice()) {
  }
  EXPECT_THAT(acceptor.sent(),
              ElementsAre(order(2, "two"), order(3, "three"), order(4, "four"), order(5, "five")));
}

TEST(Resend, is_cancelled_at_disconnect) {
  // TC 8, interrupted. The owner may still read the store when the connection is closed.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  const std::uint64_t sent = acceptor.send("D", "two");
  (void)acceptor.consume_wire();
  acceptor.serves_replays_in_slices = true;
  acceptor.in("35=2|34=2|7=1|16=0");
  acceptor.disconnect();
  std::array<char, StateMachine::kScratchBytes> scratch;
  acceptor.machine().on_replay_message(sent, acceptor.stored[sent], acceptor.now());
  EXPECT_FALSE(acceptor.machine().next_action(scratch).has_value());
  acceptor.machine().on_replay_done(acceptor.now());
  EXPECT_FALSE(acceptor.machine().next_action(scratch).has_value());
}

TEST(Resend, stored_message_that_is_damaged_becomes_a_gap_fill_and_a_notice) {
  // FIX 4.4 volume 2, "Sequence Reset": a gap fill replaces messages that are not resent. A hole in
  // the store must never become a malformed message.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.send("D", "two");
  acceptor.send("D", "three");
  acceptor.send("D", "four");
  (void)acceptor.consume_wire();
  acceptor.stored[3] = "not a message";
  acceptor.in("35=2|34=2|7=2|16=0");
  EXPECT_THAT(acceptor.sent(), ElementsAre(order(2, "two"), fill_text(3, 4), order(4, "four")));
  EXPECT_TRUE(acceptor.has_notice(NoticeCode::MessageNotResendable));
}

TEST(Resend, stored_administrative_message_is_gap_filled) {
  // FIX Session Layer, "ResendRequest": administrative messages are not resent.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=1|34=2|112=X");
  acceptor.stored[2] = acceptor.consume_wire().front();
  acceptor.in("35=2|34=3|7=2|16=0");
  EXPECT_THAT(acceptor.sent(), ElementsAre(fill_text(2, 3)));
}

TEST(Resend, without_persistence_everything_is_gap_filled) {
  // QuickFIX's PersistMessages=N.
  SessionConfig config = acceptor_config();
  config.resend.persist_messages = false;
  Side acceptor{config};
  acceptor.establish();
  acceptor.send("D", "two");
  acceptor.send("D", "three");
  (void)acceptor.consume_wire();
  acceptor.in("35=2|34=2|7=1|16=0");
  EXPECT_THAT(acceptor.sent(), ElementsAre(fill_text(1, 4)));
}

TEST(Resend, same_request_again_gets_the_same_answer) {
  // FIX Session Layer, "ResendRequest": a resend changes no outbound number.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  std::uint64_t number = fill(acceptor);
  acceptor.in("35=2|34=" + std::to_string(number++) + "|7=5|16=0");
  const std::vector<std::string> first = acceptor.sent();
  acceptor.in("35=2|34=" + std::to_string(number++) + "|7=5|16=0");
  EXPECT_EQ(acceptor.sent(), first);
  EXPECT_EQ(acceptor.next_out(), 10U);
}

TEST(Resend, fix41_sends_whole_seconds_and_reads_999999_as_infinity) {
  // FIX 4.1: UTCTimestamp without a fraction; EndSeqNo 999999.
  Side acceptor{acceptor_config("FIX.4.1")};
  acceptor.establish();
  acceptor.in("35=1|34=2|112=X");
  (void)acceptor.consume_wire();
  acceptor.in("35=2|34=3|7=1|16=999999");
  EXPECT_THAT(acceptor.sent_in_full(),
              ElementsAre("8=FIX.4.1|35=4|34=1|43=Y|49=VENUE|52=20240115-10:30:00|56=TRADER|"
                          "122=20240115-10:30:00|36=3|123=Y"));
}

TEST(Resend, business_message_reject_is_resent_as_an_application_message) {
  // FIX 4.2, BusinessMessageReject is an application message.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.application = [](Side&, const Deliver&) {
    return detail::DeliveryDecision{.kind = detail::DeliveryDecision::Kind::RejectBusiness,
                                    .reason = 3,
                                    .ref_tag = 0,
                                    .text = {}};
  };
  acceptor.in("35=8|34=2|37=id");
  (void)acceptor.consume_wire();
  acceptor.in("35=2|34=3|7=2|16=2");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=j|34=2|43=Y|122=20240115-10:30:00.000|45=2|"
                                           "58=Unsupported Message Type|372=8|380=3"));
}

TEST(Resend, to_infinity_of_fix41_begins_beyond_its_number_too) {
  // FIX 4.1: EndSeqNo 999999 is "everything", whatever the MsgSeqNums are.
  Side acceptor{acceptor_config("FIX.4.1"), {.next_inbound = 1, .next_outbound = 1'500'000}};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30");
  (void)acceptor.sent();
  acceptor.in("35=2|34=2|7=1400000|16=999999");
  EXPECT_THAT(acceptor.sent(), ElementsAre(testing::HasSubstr("|36=1500001|123=Y")));
}

TEST(Resend, stored_message_outside_of_the_range_is_not_sent_again) {
  // TC 8: exactly the requested messages, whatever the owner reads from its store.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  for (int i = 0; i < 4; ++i) acceptor.send();
  (void)acceptor.sent();
  acceptor.serves_replays_in_slices = true;
  acceptor.in("35=2|34=2|7=3|16=4");
  std::vector<char> scratch(StateMachine::kScratchBytes);
  for (const std::uint64_t number : {2U, 5U}) {
    acceptor.machine().on_replay_message(number, acceptor.stored[number], acceptor.now());
    EXPECT_FALSE(acceptor.machine().next_action(scratch)) << number;
  }
  while (acceptor.serve_slice()) {
  }
  EXPECT_EQ(acceptor.sent().size(), 2U);
}

}  // namespace
}  // namespace nexusfix::session::test
