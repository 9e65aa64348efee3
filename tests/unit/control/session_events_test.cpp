// The text of a session's event has what a person asks for next.
#include "control/api/session_events.hpp"

#include <gmock/gmock.h>
#include <span>
#include <string>

#include <nexusfix/session/identity.hpp>
#include <nexusfix/wire/parser.hpp>

#include "support/fix_text.hpp"

namespace nexusfix::testing {
namespace {

using engine::describe;
using session::Notice;
using session::NoticeCode;

TEST(SessionEvents, gap_and_resend_have_their_range_and_count) {
  const auto text = [](NoticeCode code, std::uint64_t expected, std::uint64_t received) {
    return describe({.code = code, .expected = expected, .received = received}, {});
  };
  EXPECT_EQ(text(NoticeCode::GapDetected, 5, 93),
            "gap detected: MsgSeqNum 5 to 92 (88) missing, received 93");
  EXPECT_EQ(text(NoticeCode::GapDetected, 5, 6), "gap detected: MsgSeqNum 5 missing, received 6");
  EXPECT_EQ(text(NoticeCode::GapClosed, 5, 92), "gap closed: MsgSeqNum 5 to 92 (88)");
  EXPECT_EQ(text(NoticeCode::ResendServed, 1, 93), "resend served: MsgSeqNum 1 to 93 (93)");
  EXPECT_EQ(text(NoticeCode::ResendServed, 4, 4), "resend served: MsgSeqNum 4");
  EXPECT_EQ(text(NoticeCode::ResendNotAnswered, 5, 10),
            "ResendRequest not answered: MsgSeqNum 5 to 9 (5) missing");
  EXPECT_EQ(text(NoticeCode::ResendLimited, 51, 1),
            "resend limited: older messages are gap-filled: MsgSeqNum 1 to 50 (50)");
  EXPECT_EQ(text(NoticeCode::MsgSeqNumTooLow, 4, 1), "MsgSeqNum too low (expected 4, received 1)");
  EXPECT_EQ(text(NoticeCode::TestRequestSent, 0, 0), "TestRequest sent");
}

std::string rejected(std::string_view fields, unsigned reason, wire::Tag ref_tag,
                     std::span<const observe::MaskedField> masked = {}) {
  const std::string bytes = fix("FIX.4.4", std::string{fields});
  wire::Parser parser;
  const auto message = parser.parse(bytes);
  if (!message) return "not parsed";
  const std::string text{session::session_reject_text(reason)};
  return describe({.code = NoticeCode::MessageRejected,
                   .expected = ref_tag,
                   .received = 7,
                   .text = text,
                   .message = &*message,
                   .reason = reason},
                  masked);
}

TEST(SessionEvents, rejected_message_has_its_type_its_order_its_value_and_the_key) {
  EXPECT_EQ(rejected("35=D|34=7|11=A1|54=X|", 5, 54),
            "message rejected, MsgSeqNum 7: Value is incorrect (out of range) for this tag "
            "[35=D 11=A1 54=X]; see the keys AllowUnknownEnumValues, DataDictionary");
  EXPECT_EQ(rejected("35=D|34=7|11=A1|", 1, 55),
            "message rejected, MsgSeqNum 7: Required tag missing [35=D 11=A1]; see the keys "
            "DataDictionary");
  EXPECT_EQ(rejected("35=0|34=7|", 11, 0),
            "message rejected, MsgSeqNum 7: Invalid MsgType [35=0]; see the keys DataDictionary");
}

TEST(SessionEvents, rejected_message_of_ours_has_its_order_and_the_value_that_the_reject_names) {
  const auto ours = [](std::string_view fields, wire::Tag ref_tag,
                       std::span<const observe::MaskedField> masked = {}) {
    const std::string bytes = fix("FIX.4.4", std::string{fields});
    wire::Parser parser;
    const auto message = parser.parse(bytes);
    return message ? engine::describe_rejected(*message, ref_tag, masked) : "not parsed";
  };
  EXPECT_EQ(ours("35=G|34=7|11=A2|41=A1|44=-1|", 44), " [35=G 11=A2 41=A1 44=-1]");
  EXPECT_EQ(ours("35=G|34=7|11=A2|41=A1|44=-1|", 41), " [35=G 11=A2 41=A1]");
  EXPECT_EQ(ours("35=D|34=7|11=A2|", 0), " [35=D 11=A2]");
  EXPECT_EQ(ours("35=B|34=7|148=x|", 55), " [35=B]");
  const observe::MaskedField order{.tag = 41};
  EXPECT_EQ(ours("35=G|34=7|11=A2|41=A1|", 11, {&order, 1}), " [35=G 11=A2 41=***]");
}

TEST(SessionEvents, rejected_message_shows_no_secret) {
  const observe::MaskedField account{.tag = 1};
  EXPECT_THAT(rejected("35=D|34=7|11=A1|1=ACC|", 5, 1, {&account, 1}),
              ::testing::HasSubstr(" 1=***]"));
  EXPECT_THAT(rejected("35=BE|34=7|554=secret|", 5, 554), ::testing::HasSubstr(" 554=***]"));
  const observe::MaskedField order{.tag = 11};
  EXPECT_THAT(rejected("35=D|34=7|11=A1|54=X|", 5, 54, {&order, 1}),
              ::testing::HasSubstr(" 11=*** 54=X]"));
}

}  // namespace
}  // namespace nexusfix::testing
