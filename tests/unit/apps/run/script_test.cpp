#include "nexusfix/run/script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/parser.hpp>

namespace nexusfix::command {
namespace {

using ::testing::HasSubstr;

Step parsed(std::string_view line) {
  const auto step = parse_step(line);
  EXPECT_TRUE(step.has_value()) << line << ": " << step.error();
  EXPECT_TRUE(step->has_value()) << line;
  return step->value_or(Step{});
}

std::string error(std::string_view line) {
  const auto step = parse_step(line);
  EXPECT_FALSE(step.has_value()) << line;
  return step ? std::string{} : step.error();
}

TEST(ScriptTest, empty_lines_and_comments_are_skipped) {
  for (const char* line : {"", "   ", "\t", "# 35=D", "  # x", "\r"}) {
    const auto step = parse_step(line);
    ASSERT_TRUE(step.has_value());
    EXPECT_FALSE(step->has_value()) << line;
  }
}

TEST(ScriptTest, send_keeps_fields_in_order_and_takes_the_message_type_out) {
  const Step step = parsed("  send 35=D|11=A1|58=hello world|60=now");
  EXPECT_EQ(step.kind, StepKind::Send);
  EXPECT_EQ(step.msg_type, "D");
  ASSERT_EQ(step.fields.size(), 3U);
  EXPECT_EQ(step.fields[0].tag, 11U);
  EXPECT_EQ(step.fields[1].value, "hello world");
  EXPECT_EQ(step.fields[2].value, "now");
}

TEST(ScriptTest, send_takes_soh_between_fields_and_one_at_the_end) {
  const Step step = parsed(
      "send 35=D\x01"
      "11=A1\x01");
  ASSERT_EQ(step.fields.size(), 1U);
  EXPECT_EQ(step.fields[0].value, "A1");
}

TEST(ScriptTest, send_keeps_an_equals_sign_in_a_value) {
  EXPECT_EQ(parsed("send 35=D|58=a=b").fields[0].value, "a=b");
}

TEST(ScriptTest, fields_of_the_session_cannot_be_sent) {
  for (const char* field : {"8=FIX.4.4", "9=1", "10=000", "34=1", "49=A", "52=now", "56=B"}) {
    EXPECT_THAT(error(std::string{"send 35=D|"} + field), HasSubstr("by the session itself"));
  }
}

TEST(ScriptTest, bad_fields_say_what_was_expected) {
  EXPECT_THAT(error("send 11=A1"), HasSubstr("MsgType"));
  EXPECT_THAT(error("send"), HasSubstr("MsgType"));
  EXPECT_THAT(error("send 35=D|x"), HasSubstr("tag=value"));
  EXPECT_THAT(error("send 35=D|0=x"), HasSubstr("tag=value"));
  EXPECT_THAT(error("send 35=D|4294967296=x"), HasSubstr("tag=value"));
  EXPECT_THAT(error("send 35=D|-5=x"), HasSubstr("tag=value"));
  EXPECT_THAT(error("send 35=D|55="), HasSubstr("empty"));
  EXPECT_THAT(error("send 35=D||55=A"), HasSubstr("tag=value"));
}

TEST(ScriptTest, wait_takes_fields_and_a_time_limit) {
  const Step step = parsed("wait 35=8 150=F timeout 2.5");
  EXPECT_EQ(step.kind, StepKind::Wait);
  ASSERT_EQ(step.fields.size(), 2U);
  EXPECT_EQ(step.time.count(), 2500);
  EXPECT_EQ(parsed("expect 35=8").kind, StepKind::Expect);
  EXPECT_EQ(parsed("expect 35=8").time.count(), 10'000);
}

TEST(ScriptTest, bad_times_say_what_was_expected) {
  for (const char* time : {"", "x", "-1", "nan", "inf", "86401", "1x"}) {
    EXPECT_THAT(error(std::string{"wait 35=8 timeout "} + time), HasSubstr("seconds"));
    EXPECT_THAT(error(std::string{"sleep "} + time), HasSubstr("seconds"));
  }
  EXPECT_EQ(parsed("sleep 86400").time.count(), 86'400'000);
}

TEST(ScriptTest, wait_without_anything_to_wait_for_is_an_error) {
  EXPECT_THAT(error("wait"), HasSubstr("what to wait for"));
  EXPECT_THAT(error("wait timeout 5"), HasSubstr("what to wait for"));
}

// The session handles them, so that such a wait would end with its time limit only.
TEST(ScriptTest, wait_for_a_message_of_the_session_is_an_error) {
  EXPECT_THAT(error("wait 35=3"), HasSubstr("a message of type 3 is the session's"));
  EXPECT_THAT(error("expect 45=2 35=A"), HasSubstr("a message of type A is the session's"));
  EXPECT_EQ(parsed("wait 35=j").kind, StepKind::Wait);
}

TEST(ScriptTest, unknown_words_are_answered_with_the_known_ones) {
  EXPECT_THAT(error("sned 35=D"), HasSubstr("send, wait, expect"));
  EXPECT_THAT(error("logout now"), HasSubstr("nothing was expected after"));
}

TEST(ScriptTest, every_command_of_the_help_is_understood) {
  EXPECT_EQ(parsed("logon").kind, StepKind::Logon);
  EXPECT_EQ(parsed("logout").kind, StepKind::Logout);
  EXPECT_EQ(parsed("print").kind, StepKind::Print);
  EXPECT_EQ(parsed("help").kind, StepKind::Help);
  EXPECT_EQ(parsed("quit").kind, StepKind::Quit);
}

TEST(ScriptTest, message_matches_when_every_field_is_equal) {
  char buffer[256];
  wire::Encoder encoder{
      buffer,
      {"FIX.4.4", "A", "B"},
      {.msg_type = "8", .msg_seq_num = 1, .sending_time = {}, .orig_sending_time = {}}};
  const auto bytes = encoder.field(150, 'F').field(55, "AAPL").finish();
  ASSERT_TRUE(bytes);
  wire::Parser parser;
  const auto message = parser.parse(*bytes);
  ASSERT_TRUE(message);
  EXPECT_TRUE(matches(*message, {{35, "8"}, {150, "F"}}));
  EXPECT_FALSE(matches(*message, {{35, "8"}, {150, "0"}}));
  EXPECT_FALSE(matches(*message, {{35, "8"}, {44, "1"}}));
}

}  // namespace
}  // namespace nexusfix::command
