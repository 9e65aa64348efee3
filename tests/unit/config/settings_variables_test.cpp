// Variables of the environment in the values of a configuration.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "config/api/explain_settings.hpp"
#include "settings_fixture.hpp"
#include "support/disks/fake_disk.hpp"

namespace nexusfix::config {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kExpanding =
    "[DEFAULT]\n"                // 1
    "ExpandVariables=Y\n"        // 2
    "ConnectionType=acceptor\n"  // 3
    "FileStorePath=store\n"      // 4
    "SocketAcceptPort=0\n"       // 5
    "[SESSION]\n"                // 6
    "BeginString=FIX.4.4\n"      // 7
    "SenderCompID=VENUE\n";      // 8; what a test adds is line 9

struct SettingsVariables : ::testing::Test {
  SettingsVariables() {
    ::setenv("NEXUSFIX_T_DESK", "DESK", 1);
    ::setenv("NEXUSFIX_T_EMPTY", "", 1);
    ::setenv("NEXUSFIX_T_BLANKS", "  B A  ", 1);
    ::setenv("NEXUSFIX_T_LINES", "A\nHeartBtInt=1", 1);
    ::setenv("NEXUSFIX_T_VARIABLE", "${NEXUSFIX_T_DESK}", 1);
    ::setenv("nexusfix.t.dotted", "DOTS", 1);
    ::unsetenv("NEXUSFIX_T_UNSET");
  }
  static std::string target(std::string_view value) {
    const Settings settings = accepted(joined(kExpanding, joined("TargetCompID=", value)));
    return settings.sessions.empty() ? "" : settings.sessions.front().session.id.target_comp_id;
  }
};

TEST_F(SettingsVariables, the_three_ways_to_write_one_mean_the_same) {
  EXPECT_EQ(target("${NEXUSFIX_T_DESK}"), "DESK");
  EXPECT_EQ(target("$(NEXUSFIX_T_DESK)"), "DESK");
  EXPECT_EQ(target("$NEXUSFIX_T_DESK"), "DESK");
  EXPECT_EQ(target("A-${NEXUSFIX_T_DESK}.$NEXUSFIX_T_DESK-${NEXUSFIX_T_DESK}Z"),
            "A-DESK.DESK-DESKZ");
  EXPECT_EQ(target("${nexusfix.t.dotted}"), "DOTS");
  EXPECT_EQ(target("A${NEXUSFIX_T_EMPTY}"), "A");
}

TEST_F(SettingsVariables, two_dollars_are_one_and_one_before_no_name_is_itself) {
  EXPECT_EQ(target("$${NEXUSFIX_T_DESK}"), "${NEXUSFIX_T_DESK}");
  EXPECT_EQ(target("A$$B"), "A$B");
  EXPECT_EQ(target("5$ or $5"), "5$ or $5");
  EXPECT_EQ(target("A$"), "A$");
}

TEST_F(SettingsVariables, what_a_variable_has_is_a_value_and_not_read_again) {
  EXPECT_EQ(target("${NEXUSFIX_T_VARIABLE}"), "${NEXUSFIX_T_DESK}");
  EXPECT_EQ(target("${NEXUSFIX_T_BLANKS}"), "B A");
  EXPECT_THAT(accepted(joined(kExpanding, "TargetCompID=${NEXUSFIX_T_VARIABLE}")).warnings,
              IsEmpty());
}

TEST_F(SettingsVariables, one_that_is_not_set_is_an_error_that_names_it_alone) {
  EXPECT_THAT(errors(joined(kExpanding, "TargetCompID=T\nHeartBtInt=${NEXUSFIX_T_UNSET}")),
              ElementsAre("t.cfg:10: HeartBtInt: the variable NEXUSFIX_T_UNSET is not set in the "
                          "environment"));
  EXPECT_THAT(errors(joined(kExpanding, "TargetCompID=$NEXUSFIX_T_UNSET")),
              ElementsAre(HasSubstr("t.cfg:9: TargetCompID: the variable NEXUSFIX_T_UNSET")));
  EXPECT_THAT(errors(joined(kExpanding, "TargetCompID=T\nTimestampPrecision=$NEXUSFIX_T_UNSET")),
              ElementsAre(HasSubstr("t.cfg:10: TimestampPrecision: the variable")));
}

TEST_F(SettingsVariables, mistakes_in_one_are_reported) {
  EXPECT_THAT(errors(joined(kExpanding, "TargetCompID=${NEXUSFIX_T_DESK")),
              ElementsAre("t.cfg:9: TargetCompID: ${ without }"));
  EXPECT_THAT(errors(joined(kExpanding, "TargetCompID=$()")),
              ElementsAre("t.cfg:9: TargetCompID: $() has no name"));
  EXPECT_THAT(errors(joined(kExpanding, "TargetCompID=${NEXUSFIX_T_LINES}")),
              ElementsAre("t.cfg:9: TargetCompID: the variable NEXUSFIX_T_LINES has a control "
                          "character"));
}

TEST_F(SettingsVariables, a_wrong_value_is_wrong_wherever_it_came_from) {
  EXPECT_THAT(errors(joined(kExpanding, "TargetCompID=T\nHeartBtInt=${NEXUSFIX_T_DESK}")),
              ElementsAre(HasSubstr("t.cfg:10: HeartBtInt=DESK: a whole number of seconds")));
}

TEST_F(SettingsVariables, nothing_is_expanded_unless_the_file_says_so) {
  EXPECT_EQ(session_with("SenderSubID=${NEXUSFIX_T_DESK}").session.id.sender_sub_id,
            "${NEXUSFIX_T_DESK}");
  EXPECT_THAT(warnings_of("SenderSubID=${NEXUSFIX_T_DESK}"),
              ElementsAre(EndsWith("taken as it is; ExpandVariables=Y expands ${...}")));
  EXPECT_THAT(warnings_of("SenderSubID=$NEXUSFIX_T_DESK"), IsEmpty());
}

TEST_F(SettingsVariables, a_property_of_java_is_reported_with_the_variable_that_has_the_same) {
  EXPECT_THAT(warnings_of("SenderSubID=${user.home}/x"),
              ElementsAre(EndsWith("ExpandVariables=Y expands ${...}; user.home is a property of "
                                   "Java: write ${HOME}, with ExpandVariables=Y in [DEFAULT]")));
  EXPECT_THAT(errors(joined(kExpanding, "TargetCompID=${user.name}")),
              ElementsAre(HasSubstr("user.name is a property of Java: write ${USER}")));
  EXPECT_THAT(warnings_of("SenderSubID=${"), ElementsAre(EndsWith("expands ${...}")));
}

TEST_F(SettingsVariables, the_wish_is_the_files_and_not_a_sessions) {
  EXPECT_THAT(errors_of("ExpandVariables=Y"),
              ElementsAre("t.cfg:11: ExpandVariables counts for the whole file: [DEFAULT] is its "
                          "place"));
}

TEST_F(SettingsVariables, an_explanation_has_the_value_and_what_it_was_written_as) {
  nexusfix::testing::FakeDisk disk;
  disk.set_contents("t.cfg", joined(kExpanding,
                                    "TargetCompID=T\nSenderSubID=${NEXUSFIX_T_DESK}\n"
                                    "Password=CANARY${NEXUSFIX_T_DESK}\n"
                                    "LogonTag=58=CANARY${NEXUSFIX_T_DESK}\n"));
  const auto explained = explain_settings(disk, "t.cfg");
  ASSERT_TRUE(explained);
  const auto value_of = [&](std::string_view key) {
    return *std::ranges::find_if(explained->sessions.front().values,
                                 [&](const EffectiveValue& one) { return one.key->name == key; });
  };
  EXPECT_EQ(value_of("SenderSubID").value, "DESK");
  EXPECT_EQ(value_of("SenderSubID").written, "${NEXUSFIX_T_DESK}");
  EXPECT_EQ(value_of("SenderSubID").line, 10U);
  EXPECT_EQ(value_of("TargetCompID").written, "");
  EXPECT_EQ(value_of("Password").value, "...");
  EXPECT_EQ(value_of("Password").written, "...");
  EXPECT_EQ(value_of("LogonTag").value, "58=...");
  EXPECT_EQ(value_of("LogonTag").written, "...");
}

TEST_F(SettingsVariables, the_last_wish_counts) {
  const std::string text = "[DEFAULT]\nExpandVariables=Y\nExpandVariables=N\n" +
                           std::string{kInitiator.substr(10)} + "SenderSubID=${NEXUSFIX_T_NONE}\n";
  EXPECT_EQ(accepted(text).sessions.at(0).session.id.sender_sub_id, "${NEXUSFIX_T_NONE}");
}

TEST_F(SettingsVariables, a_folder_that_cannot_be_had_is_not_missing_in_addition) {
  const std::string text = "[DEFAULT]\nExpandVariables=Y\nFileStorePaht=a\n" +
                           std::string{kInitiator.substr(10)} +
                           "FileStorePath=${NEXUSFIX_T_NONE}\n";
  std::string alone = text;
  alone.erase(alone.find("FileStorePath=store\n"), 20);
  EXPECT_THAT(errors(alone), ::testing::Each(::testing::Not(HasSubstr("is missing"))));
}

}  // namespace
}  // namespace nexusfix::config
