// The words for the engine in memory, and the text of a failing line; README.md has both.
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "peers/scenarios/engine_in_memory.hpp"
#include "support/disks/temporary_folder.hpp"

namespace nexusfix::scenarios {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::size_t kFix44 = 4;
constexpr std::string_view kSource = "# A scenario of this test\nlanguage 1\n";
constexpr std::string_view kLogOn =
    "expect connect\nexpect exactly 35=A|98=0|108=30\nsend 35=A|98=0|108=30\napp logged on\n";

class RunnerTest : public ::testing::Test {
 protected:
  std::expected<tester::Script, std::string> read(std::string_view text) {
    write("a.scenario", text);
    return read_scenario(folder_.path() + "/a.scenario", folder_.path());
  }
  // The result of a scenario that begins after the Logons, which are lines 3 to 6.
  std::string outcome(std::string_view lines) {
    const auto script = read(std::string{kSource}.append(kLogOn).append(lines));
    if (!script) return script.error();
    return play(*script, kFix44).value_or("all true");
  }
  void write(const std::string& name, std::string_view text) {
    std::ofstream{folder_.path() + "/" + name} << text;
  }

 private:
  testing::TemporaryFolder folder_;
};

TEST_F(RunnerTest, line_that_fails_is_shown_with_the_actual_result) {
  // README.md, "When a line fails".
  EXPECT_EQ(outcome("send 35=1|112=1\nexpect exactly 35=0|112=1\n"), "all true");
  EXPECT_THAT(outcome("send 35=1|112=1\nexpect exactly 35=0|112=2\n"),
              AllOf(StartsWith("a.scenario:8: expect exactly 35=0|112=2: not the expected bytes\n"
                               "  expected: 8=FIX.4.4|"),
                    HasSubstr("|112=2|10="), HasSubstr("\n  got:      8=FIX.4.4|9=60|35=0|34=2|"),
                    HasSubstr("The engine's log:\n")));
  EXPECT_THAT(outcome("send 35=1|112=1\nexpect 35=0|112=2\n"),
              HasSubstr("112=1 instead of 112=2\n  expected: 35=0|112=2|\n  got:      8=FIX"));
  EXPECT_THAT(outcome("expect disconnect\n"),
              HasSubstr("expected: the end of the connection\n  got:      nothing"));
  EXPECT_THAT(outcome("app logged out\n"), HasSubstr("expected: logged out, got: nothing"));
  EXPECT_THAT(outcome("app got 35=8\n"), HasSubstr("expected: 35=8, got: nothing"));
}

TEST_F(RunnerTest, unexpected_event_fails_the_scenario) {
  // README.md, "Everything must be expected".
  EXPECT_THAT(outcome("send 35=1|112=1\nsend 35=0\n"),
              AllOf(StartsWith("a.scenario:8: "), HasSubstr("before this unexpected: 8=FIX.4.4|")));
  EXPECT_THAT(outcome("send 35=1|112=1\n"), HasSubstr("at the end unexpected: 8=FIX"));
  EXPECT_THAT(outcome("disconnect\n"), HasSubstr("unexpected in the application: logged out"));
  EXPECT_THAT(outcome("wait 31s\n"), HasSubstr("after 30 s unexpected: 8=FIX"));
}

TEST_F(RunnerTest, statements_that_cannot_be_executed_fail) {
  // README.md, "Statements".
  EXPECT_THAT(outcome("setting HeartBtInt=5\n"), HasSubstr("settings must come before"));
  EXPECT_THAT(outcome("app sends 11=A\n"), HasSubstr("35= is missing"));
  EXPECT_THAT(outcome("app sends 35=0\n"), HasSubstr("administrative"));
  EXPECT_THAT(outcome("app sleeps\n"), HasSubstr("unknown: app sleeps"));
  EXPECT_THAT(outcome("disconnect\napp logged out\nsend 35=0\n"), HasSubstr("no connection"));
}

}  // namespace
}  // namespace nexusfix::scenarios
