#include "console/site/console_acts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nexusfix::web {
namespace {

using ::testing::HasSubstr;

std::string error_of(std::string_view body) {
  const auto act = read_act(body);
  return act ? std::string{} : act.error();
}

TEST(ConsoleActs, act_on_a_session_is_a_command_with_its_reason) {
  const auto act = read_act(R"({"version":8,"request":"log-out","session":"FIX.4.4:A->B",)"
                            R"("text":"end of day","reason":"by phone"})");
  ASSERT_TRUE(act) << act.error();
  const auto& command = std::get<engine::OperatorCommand>(*act);
  EXPECT_EQ(command.act, engine::OperatorAct::LogOut);
  EXPECT_EQ(command.session, "FIX.4.4:A->B");
  EXPECT_EQ(command.text, "end of day");
  EXPECT_EQ(command.reason, "by phone");
}

TEST(ConsoleActs, numbers_are_set_only_if_the_present_ones_are_given) {
  const auto act = read_act(R"({"version":8,"request":"set-numbers","session":"S","reason":"r",)"
                            R"("expected":{"in":1,"out":2},)"
                            R"("wanted":{"in":3,"out":4}})");
  ASSERT_TRUE(act) << act.error();
  const auto& numbers = std::get<engine::LiveNumbers>(*act);
  EXPECT_EQ(numbers.expected, (session::Numbers{1, 2}));
  EXPECT_EQ(numbers.wanted, (session::Numbers{3, 4}));
  constexpr std::string_view kSet = R"({"version":8,"request":"set-numbers","session":"S",)"
                                    R"("reason":"r","expected":{"in":1,"out":2})";
  EXPECT_THAT(error_of(std::string{kSet} + "}"), HasSubstr("wanted: an object was expected"));
  EXPECT_THAT(error_of(std::string{kSet} + R"(,"wanted":{"in":1,"out":-4}})"),
              HasSubstr("out: a whole number"));
}

TEST(ConsoleActs, wrong_bodies_are_refused_in_one_line) {
  EXPECT_THAT(error_of(""), HasSubstr("a JSON object"));
  EXPECT_THAT(error_of("[1]"), HasSubstr("a JSON object"));
  EXPECT_THAT(error_of(R"({"version":8,"request":"stop"})"), HasSubstr("a reason"));
  EXPECT_THAT(error_of(R"({"version":8,"request":"stop","reason":"a\nb"})"),
              HasSubstr("reason: printable characters were expected"));
  EXPECT_THAT(error_of(R"({"version":8,"request":"fly","reason":"r"})"),
              HasSubstr("request: a known request"));
  EXPECT_THAT(error_of(R"({"version":8,"request":"log-out","reason":"r"})"),
              HasSubstr("a session was expected"));
  EXPECT_THAT(error_of(R"({"version":8,"request":"stop","session":"S","reason":"r"})"),
              HasSubstr("no session was expected"));
  EXPECT_THAT(
      error_of(R"({"version":8,"request":"reset","session":"S","reason":"r","text":"a\u0001b"})"),
      HasSubstr("text: printable characters were expected"));
  EXPECT_THAT(error_of(R"({"version":8,"request":"status"})"),
              HasSubstr("request: a command was expected"));
  EXPECT_THAT(
      error_of(R"({"version":8,"request":"stop","reason":")" + std::string(1'001, 'x') + "\"}"),
      HasSubstr("a reason of 1 to 1000"));
  EXPECT_THAT(error_of(R"({"version":8,"request":"reset","session":"S","reason":"r","text":")" +
                       std::string(256, 'x') + "\"}"),
              HasSubstr("a text of at most 255"));
}

}  // namespace
}  // namespace nexusfix::web
