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
  const auto act = read_act(
      R"({"act":"log-out","session":"FIX.4.4:A->B","text":"end of day","reason":"by phone"})");
  ASSERT_TRUE(act) << act.error();
  const auto& command = std::get<engine::OperatorCommand>(*act);
  EXPECT_EQ(command.act, engine::OperatorAct::LogOut);
  EXPECT_EQ(command.session, "FIX.4.4:A->B");
  EXPECT_EQ(command.text, "end of day");
  EXPECT_EQ(command.reason, "by phone");
}

TEST(ConsoleActs, numbers_are_set_only_if_the_present_ones_are_given) {
  const auto act =
      read_act(R"({"act":"set-numbers","session":"S","reason":"r","expected":{"in":1,"out":2},)"
               R"("wanted":{"in":3,"out":4}})");
  ASSERT_TRUE(act) << act.error();
  const auto& numbers = std::get<engine::LiveNumbers>(*act);
  EXPECT_EQ(numbers.expected, (session::Numbers{1, 2}));
  EXPECT_EQ(numbers.wanted, (session::Numbers{3, 4}));
  EXPECT_THAT(
      error_of(R"({"act":"set-numbers","session":"S","reason":"r","wanted":{"in":3,"out":4}})"),
      HasSubstr("expected and wanted numbers"));
  EXPECT_THAT(error_of(R"({"act":"set-numbers","session":"S","reason":"r",)"
                       R"("expected":{"in":1,"out":2},"wanted":{"in":0,"out":-4}})"),
              HasSubstr("from 1 on"));
}

TEST(ConsoleActs, wrong_bodies_are_refused_in_one_line) {
  EXPECT_THAT(error_of(""), HasSubstr("a JSON object"));
  EXPECT_THAT(error_of("[1]"), HasSubstr("a JSON object"));
  EXPECT_THAT(error_of(R"({"act":"stop"})"), HasSubstr("a reason"));
  EXPECT_THAT(error_of(R"({"act":"stop","reason":"a\nb"})"), HasSubstr("a reason"));
  EXPECT_THAT(error_of(R"({"act":"fly","reason":"r"})"), HasSubstr("no such act"));
  EXPECT_THAT(error_of(R"({"act":"log-out","reason":"r"})"), HasSubstr("a session was expected"));
  EXPECT_THAT(error_of(R"({"act":"stop","session":"S","reason":"r"})"),
              HasSubstr("no session was expected"));
  EXPECT_THAT(error_of(R"({"act":"reset","session":"S","reason":"r","text":"a\u0001b"})"),
              HasSubstr("a text"));
}

}  // namespace
}  // namespace nexusfix::web
