// Application messages: their numbers, and the time of their transmission.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nexusfix/wire/field.hpp>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Send, takes_the_next_number_and_the_header_of_the_session) {
  // FIX Session Layer, "Sequence numbers".
  Side acceptor{acceptor_config()};
  acceptor.establish();
  EXPECT_EQ(acceptor.send("8", "report"), 2U);
  EXPECT_THAT(acceptor.sent_in_full(),
              ElementsAre("8=FIX.4.4|35=8|34=2|49=VENUE|52=20240115-10:30:00.000|56=TRADER|"
                          "58=report"));
  EXPECT_EQ(acceptor.next_out(), 3U);
}

TEST(Send, failed_encoding_uses_no_number) {
  // FIX Session Layer, "Sequence numbers". A number without a message would be a gap that we
  // caused.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  std::array<char, 512> buffer;
  wire::Encoder encoder = acceptor.machine().begin_message(buffer, "D", acceptor.now());
  encoder.field(tag::Text,
                "a\x01"
                "b");
  const auto outbound = acceptor.machine().finish_message(encoder);
  ASSERT_FALSE(outbound.has_value());
  EXPECT_EQ(outbound.error().code, OutboundErrorCode::Encode);
  EXPECT_EQ(outbound.error().encode.code, wire::EncodeErrorCode::SohInValue);
  EXPECT_EQ(acceptor.next_out(), 2U);
  EXPECT_EQ(acceptor.send(), 2U);
}

TEST(Send, message_that_does_not_fit_uses_no_number) {
  // FIX Session Layer, "Sequence numbers". Truncation is an error.
  Side acceptor{acceptor_config()};
  std::array<char, 64> buffer;
  wire::Encoder encoder = acceptor.machine().begin_message(buffer, "D", acceptor.now());
  const auto outbound = acceptor.machine().finish_message(encoder);
  ASSERT_FALSE(outbound.has_value());
  EXPECT_EQ(outbound.error().encode.code, wire::EncodeErrorCode::BufferFull);
  EXPECT_EQ(acceptor.next_out(), 1U);
}

TEST(Send, administrative_messages_are_refused) {
  // FIX 4.4, MsgType: 0 to 5 and A are administrative. Only the session layer sends them.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  for (const char* type : {"0", "1", "2", "3", "4", "5", "A"}) {
    std::array<char, 512> buffer;
    wire::Encoder encoder = acceptor.machine().begin_message(buffer, type, acceptor.now());
    const auto outbound = acceptor.machine().finish_message(encoder);
    ASSERT_FALSE(outbound.has_value()) << type;
    EXPECT_EQ(outbound.error().code, OutboundErrorCode::NotApplicationMessage) << type;
  }
  EXPECT_EQ(acceptor.next_out(), 2U);
  EXPECT_EQ(acceptor.send("AA"), 2U);  // only the whole MsgType counts
}

TEST(Send, while_disconnected_reaches_the_counterparty_after_the_next_logon) {
  // TC 16: queued, numbered at once, resent when the counterparty requests the missing messages.
  Pair pair;
  EXPECT_EQ(pair.acceptor.send("8", "one"), 1U);
  EXPECT_EQ(pair.acceptor.send("8", "two"), 2U);
  EXPECT_THAT(pair.acceptor.sent(), IsEmpty());
  pair.connect();
  ASSERT_EQ(pair.initiator.delivered.size(), 2U);
  EXPECT_EQ(pair.initiator.delivered[0].text, "35=8|34=1|43=Y|122=20240115-10:30:00.000|58=one");
  EXPECT_TRUE(pair.initiator.delivered[1].poss_dup);
  EXPECT_EQ(pair.initiator.next_in(), pair.acceptor.next_out());
}

TEST(Send, while_the_logon_is_unanswered_goes_out_first_after_the_answer) {
  // FIX Session Layer, "Logon": nothing before the answer. Without a message after it, the
  // counterparty would see the gap only at the next message, at the latest a Heartbeat.
  Side initiator{initiator_config()};
  initiator.connect();
  initiator.send("D", "one");
  initiator.send("D", "two");
  EXPECT_THAT(initiator.sent(), ElementsAre("35=A|34=1|98=0|108=30"));
  initiator.in("35=A|34=1|98=0|108=30");
  EXPECT_THAT(initiator.sent(), ElementsAre("35=D|34=2|58=one", "35=D|34=3|58=two"));
  initiator.send("D", "three");
  EXPECT_THAT(initiator.sent(), ElementsAre("35=D|34=4|58=three"));
  initiator.in("35=2|34=2|7=2|16=2");  // it is resent like any other
  EXPECT_THAT(initiator.sent(), ElementsAre("35=D|34=2|43=Y|122=20240115-10:30:00.000|58=one"));
}

TEST(Send, while_the_logon_is_unanswered_comes_before_the_answers_resend) {
  // FIX Session Layer, "Sequence numbers": in the order of transmission.
  SessionConfig config = initiator_config();
  config.shows_administrative = true;
  Side initiator{config};
  initiator.connect();
  initiator.send("D", "before the answer");
  initiator.on_administrative = [](Side& side) { side.send("D", "at its sight"); };
  static_cast<void>(initiator.sent());
  initiator.in("35=A|34=5|98=0|108=30");
  EXPECT_THAT(initiator.sent(), ElementsAre("35=D|34=2|58=before the answer",
                                            "35=D|34=3|58=at its sight", "35=2|34=4|7=1|16=4"));
}

TEST(Send, while_the_logon_is_unanswered_is_stored_for_the_next_connection) {
  Side initiator{initiator_config()};
  initiator.connect();
  initiator.send("D", "early");
  initiator.disconnect();
  static_cast<void>(initiator.sent());
  initiator.connect();
  initiator.in("35=A|34=1|98=0|108=30");
  EXPECT_THAT(initiator.sent(), ElementsAre("35=A|34=3|98=0|108=30"));
  initiator.in("35=2|34=2|7=2|16=0");  // the Logon's number has shown the gap
  EXPECT_THAT(initiator.sent(), ElementsAre("35=D|34=2|43=Y|122=20240115-10:30:00.000|58=early",
                                            "35=4|34=3|43=Y|122=20240115-10:30:00.000|36=4|123=Y"));
}

TEST(Send, while_the_logon_is_unanswered_and_not_queued_is_announced_by_a_heartbeat) {
  Side initiator{initiator_config()};
  initiator.queues_until_logon = false;
  initiator.connect();
  initiator.send("D", "early");
  static_cast<void>(initiator.sent());
  initiator.in("35=A|34=1|98=0|108=30");
  EXPECT_THAT(initiator.sent(), ElementsAre("35=0|34=3"));
}

TEST(Send, after_a_logon_that_resets_belongs_to_the_new_numbers) {
  SessionConfig config = initiator_config();
  config.reset.on_logon = true;
  Side initiator{config, {.next_inbound = 8, .next_outbound = 9}};
  initiator.connect();
  EXPECT_EQ(initiator.send("D", "early"), 2U);
  static_cast<void>(initiator.sent());
  initiator.in("35=A|34=1|98=0|108=30|141=Y");
  EXPECT_THAT(initiator.sent(), ElementsAre("35=D|34=2|58=early"));
  EXPECT_EQ(initiator.resets, 1);
}

TEST(Send, before_the_answer_to_a_pending_logon_is_requested_by_the_answers_number) {
  // FIX Session Layer, "Logon": nothing before it, so the message is numbered before it and stored.
  SessionConfig config = acceptor_config();
  config.logon.authenticates = true;
  Side acceptor{config};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30");
  EXPECT_EQ(acceptor.send("8", "early"), 1U);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  acceptor.decide({});
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=2|98=0|108=30"));
}

TEST(Send, in_the_callback_of_a_logon_does_not_overtake_the_answer) {
  // TC 1S: the answer comes first.
  SessionConfig config = acceptor_config();
  config.shows_administrative = true;
  Side acceptor{config};
  acceptor.on_administrative = [](Side& side) {
    EXPECT_EQ(side.machine().outlet(), Outlet::Resend);
    side.send("8", "early");
  };
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=2|98=0|108=30"));
}

TEST(Send, in_the_callback_of_a_logon_that_resets_is_refused) {
  SessionConfig config = acceptor_config();
  config.shows_administrative = true;
  Side acceptor{config, {.next_inbound = 8, .next_outbound = 9}};
  bool is_seen = false;
  acceptor.on_administrative = [&](Side& side) {
    is_seen = true;
    EXPECT_TRUE(side.machine().is_about_to_reset());
  };
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30|141=Y");
  EXPECT_TRUE(is_seen);
  EXPECT_FALSE(acceptor.machine().is_about_to_reset());
}

TEST(Send, from_the_logon_callback_is_numbered_after_the_logon) {
  // FIX Session Layer, "Sequence numbers"; TC 1S a. Numbers are in the order of transmission.
  Side acceptor{acceptor_config()};
  acceptor.connect();
  acceptor.in("35=A|34=3|98=0|108=30");
  acceptor.send("8", "hello");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=A|34=1|98=0|108=30", "35=2|34=2|7=1|16=2", "35=8|34=3|58=hello"));
}

TEST(Send, rewind_returns_the_numbers_of_a_callback_that_failed) {
  // FIX Session Layer, "Sequence numbers": consecutive, none omitted. A callback is a transaction:
  // its messages are undone with it.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.send("8", "kept");
  const std::uint64_t before = acceptor.next_out();
  acceptor.send("8", "undone");
  acceptor.send("8", "undone too");
  acceptor.machine().rewind_outbound(before);
  EXPECT_EQ(acceptor.next_out(), 3U);
  EXPECT_EQ(acceptor.send("8", "instead"), 3U);
}

// As an owner does when a callback throws.
detail::DeliveryDecision send_and_undo(Side& side, const Deliver&) {
  const std::uint64_t before = side.next_out();
  for (int i = 0; i < 2; ++i) {
    std::array<char, 512> buffer;
    wire::Encoder encoder = side.machine().begin_message(buffer, "8", side.now());
    EXPECT_TRUE(side.machine().finish_message(encoder).has_value());
    side.set_now({.wall = side.now().wall + 1ms, .mono = side.now().mono + 1ms});
  }
  side.machine().rewind_outbound(before);
  return {};
}

TEST(Send, rewind_leaves_the_heartbeat_due_when_it_was) {
  // FIX Session Layer, "Heartbeat": after HeartBtInt without a message from us. An undone message
  // was not sent.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.advance(5s);
  acceptor.send("8", "kept");
  static_cast<void>(acceptor.sent());
  acceptor.application = send_and_undo;
  for (int i = 0; i < 3; ++i) {
    acceptor.in("35=D|34=" + std::to_string(acceptor.next_in()));
    acceptor.advance(9'900ms);
    EXPECT_THAT(acceptor.sent(), IsEmpty());
  }
  acceptor.in("35=D|34=" + std::to_string(acceptor.next_in()));
  acceptor.advance(300ms);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=3"));
}

TEST(Send, fix41_sends_whole_seconds) {
  // FIX 4.1, UTCTimestamp has no fraction.
  Side acceptor{acceptor_config("FIX.4.1")};
  acceptor.establish();
  acceptor.send("8", "report");
  EXPECT_THAT(acceptor.sent_in_full(),
              ElementsAre("8=FIX.4.1|35=8|34=2|49=VENUE|52=20240115-10:30:00|56=TRADER|58=report"));
}

TEST(Send, precision_of_sending_time_is_configurable) {
  // FIX 5.0 SP2, UTCTimestamp: up to nanoseconds and beyond.
  SessionConfig config = acceptor_config();
  config.header.time_precision = wire::TimePrecision::Nanos;
  Side acceptor{config};
  acceptor.establish();
  acceptor.in("35=1|34=2|112=X");
  EXPECT_THAT(acceptor.sent_in_full(),
              ElementsAre("8=FIX.4.4|35=0|34=2|49=VENUE|52=20240115-10:30:00.000000000|56=TRADER|"
                          "112=X"));
}

TEST(Send, gap_fill_of_an_operator_names_the_numbers_that_it_skips) {
  // The owner stores that they are used: the counterparty expects NewSeqNo from here on.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.machine().on_gap_fill_command(50, acceptor.now());
  std::vector<char> scratch(StateMachine::kScratchBytes);
  const std::optional<Action> action = acceptor.machine().next_action(scratch);
  ASSERT_TRUE(action && std::holds_alternative<Transmit>(*action));
  EXPECT_EQ(std::get<Transmit>(*action).msg_seq_num, 2U);
  EXPECT_EQ(std::get<Transmit>(*action).skips_to, 50U);
  EXPECT_EQ(acceptor.next_out(), 50U);
}

}  // namespace
}  // namespace nexusfix::session::test
