// The language of the scenarios, and the text of a failing line; README.md is the reference.
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "peers/scenarios/message_text.hpp"
#include "peers/scenarios/player.hpp"
#include "support/disks/temporary_folder.hpp"
#include "support/fix_text.hpp"

namespace nexusfix::scenarios {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::size_t kFix40 = 0;
constexpr std::size_t kFix44 = 4;
constexpr std::string_view kSource = "# A scenario of this test\n";
constexpr std::string_view kLogOn =
    "expect connect\nexpect 35=A|98=0|108=30\nsend 35=A|98=0|108=30\napp logged on\n";

class RunnerTest : public ::testing::Test {
 protected:
  std::expected<Script, std::string> read(std::string_view text) {
    write("a.scenario", text);
    return read_script(folder_.path() + "/a.scenario", folder_.path());
  }
  std::string error_of(std::string_view text) {
    const auto script = read(text);
    return script ? "no error" : script.error();
  }
  // The result of a scenario that begins after the Logons, which are lines 2 to 5.
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

TEST_F(RunnerTest, scenario_that_does_not_name_its_source_is_refused) {
  // README.md, "A file".
  EXPECT_THAT(error_of("expect connect\n"), StartsWith("a.scenario:1: the first line must be"));
  EXPECT_THAT(error_of("#\nexpect connect\n"), StartsWith("a.scenario:1: the first line must be"));
  EXPECT_EQ(error_of("# Only a source\n"), "a: the file is empty");
}

TEST_F(RunnerTest, mistakes_are_named_with_file_and_line) {
  // README.md, "Statements".
  const auto error = [&](std::string_view line) {
    return error_of(std::string{kSource}.append("expect connect\n").append(line));
  };
  EXPECT_EQ(error("expects 35=0"), "a.scenario:3: unknown statement: expects 35=0");
  EXPECT_EQ(error("wait"), "a.scenario:3: \"wait\" needs an argument");
  EXPECT_EQ(error("disconnect now"), "a.scenario:3: \"disconnect\" takes no argument");
  EXPECT_EQ(error("[4.2 wait 1s"), "a.scenario:3: \"]\" is missing");
  EXPECT_THAT(error("[4.5] wait 1s"), StartsWith("a.scenario:3: unknown version \"4.5\""));
  EXPECT_EQ(error("[4.4-4.2] wait 1s"), "a.scenario:3: no version is in 4.4-4.2");
  EXPECT_EQ(error("versions 4.0"), "a.scenario:3: \"versions\" must come first");
  EXPECT_THAT(error("include nothing"), HasSubstr("nothing.part: cannot be read"));
}

TEST_F(RunnerTest, included_lines_keep_their_place_and_have_the_versions_of_the_include) {
  // README.md, "Parts".
  write("b.part", "# A part of this test\nwait 1s\n[4.0-4.1] wait 2s\n");
  const auto script = read(std::string{kSource} + "versions 4.0+\n[4.1+] include b\n");
  ASSERT_TRUE(script.has_value()) << script.error();
  ASSERT_EQ(script->lines.size(), 2U);
  EXPECT_EQ(script->lines[1].place, "b.part:3");
  EXPECT_EQ(script->lines[0].versions, *parse_versions("4.1+"));
  EXPECT_EQ(script->lines[1].versions, *parse_versions("4.1"));
}

TEST_F(RunnerTest, fields_are_those_of_the_version_with_names_replaced) {
  // README.md, "Messages".
  Meaning meaning;
  meaning.version = kFix40;
  meaning.now = WallTime{std::chrono::seconds{1'705'314'600}};
  meaning.lets["twice"] = "7=1|<once>";
  meaning.lets["once"] = "[4.0]16=999999|[4.2+]16=0";
  meaning.lets["endless"] = "<endless>";
  EXPECT_THAT(*expand("35=2|<twice>", meaning), ElementsAre("35=2", "7=1", "16=999999"));
  EXPECT_THAT(*expand("60=<now-90s>", meaning), ElementsAre("60=20240115-10:28:30"));
  meaning.version = kFix44;
  EXPECT_THAT(*expand("60=<now+1500ms>", meaning), ElementsAre("60=20240115-10:30:01.500"));
  EXPECT_EQ(expand("<unknown>", meaning).error(), "<unknown> means nothing");
  EXPECT_EQ(expand("<now-soon>", meaning).error(), "<now-soon> means nothing");
  EXPECT_EQ(expand("<endless>", meaning).error(), "<endless> has no end");
  EXPECT_EQ(expand("[4.0]1=2", meaning).error(), "no field is left for this version");
}

TEST_F(RunnerTest, header_is_completed_in_the_order_of_its_tags) {
  // README.md, "Messages".
  Meaning meaning;
  meaning.version = kFix44;
  const Writer writer{"A", "B", 7};
  EXPECT_THAT(*complete({"35=0", "112=x", "43=Y", "34=2", "-52"}, writer, meaning),
              ElementsAre("35=0", "34=2", "43=Y", "49=A", "56=B", "112=x"));
  EXPECT_EQ(complete({"112=x"}, writer, meaning).error(), "35= must come first");
  EXPECT_THAT(complete({"35=0", "43=Y"}, writer, meaning).error(), HasSubstr("must be given"));
  EXPECT_EQ(testing::bar(frame({"35=0", "9=99", "8=X", "10=1"}, meaning)), "8=X|9=99|35=0|10=1|");
}

TEST_F(RunnerTest, line_that_fails_is_shown_with_the_actual_result) {
  // README.md, "When a line fails".
  EXPECT_EQ(outcome("send 35=1|112=1\nexpect 35=0|112=1\n"), "all true");
  EXPECT_THAT(outcome("send 35=1|112=1\nexpect 35=0|112=2\n"),
              AllOf(StartsWith("a.scenario:7: expect 35=0|112=2: \n  expected: 8=FIX.4.4|"),
                    HasSubstr("|112=2|10="), HasSubstr("\n  got:      8=FIX.4.4|9=60|35=0|34=2|"),
                    HasSubstr("The engine's log:\n")));
  EXPECT_THAT(outcome("expect disconnect\n"),
              HasSubstr("expected: the end of the connection\n  got:      nothing"));
  EXPECT_THAT(outcome("app logged out\n"), HasSubstr("expected: logged out\n  got:      nothing"));
  EXPECT_THAT(outcome("app got 35=8\n"), HasSubstr("expected: 35=8\n  got:      nothing"));
}

TEST_F(RunnerTest, unexpected_event_fails_the_scenario) {
  // README.md, "Everything must be expected".
  EXPECT_THAT(outcome("send 35=1|112=1\nsend 35=0\n"),
              AllOf(StartsWith("a.scenario:7: "), HasSubstr("unexpected: 8=FIX.4.4|")));
  EXPECT_THAT(outcome("send 35=1|112=1\n"), HasSubstr("at the end: unexpected: 8=FIX"));
  EXPECT_THAT(outcome("disconnect\n"), HasSubstr("unexpected in the application: "));
  EXPECT_THAT(outcome("wait 31s\n"), HasSubstr("after 30000 ms: unexpected: "));
}

TEST_F(RunnerTest, statements_that_cannot_be_executed_fail) {
  // README.md, "Statements".
  EXPECT_THAT(outcome("wait soon\n"), HasSubstr("not a time like 30s"));
  EXPECT_THAT(outcome("setting HeartBtInt=5\n"), HasSubstr("settings must come before"));
  EXPECT_THAT(outcome("let x\n"), HasSubstr("let NAME = TEXT"));
  EXPECT_THAT(outcome("app sends 11=A\n"), HasSubstr("35= is missing"));
  EXPECT_THAT(outcome("app sends 35=0\n"), HasSubstr("administrative"));
  EXPECT_THAT(outcome("disconnect\napp logged out\nsend 35=0\n"), HasSubstr("no connection"));
}

}  // namespace
}  // namespace nexusfix::scenarios
