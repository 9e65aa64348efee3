#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "settings_fixture.hpp"

namespace nexusfix::config {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(SettingsText, keys_and_sections_are_read_in_any_case_and_odd_ones_are_reported) {
  EXPECT_EQ(session_with("HEARTBTINT=7").session.heartbeat.heart_bt_int.count(), 7);
  EXPECT_THAT(warnings_of("heartbtint=7"),
              ElementsAre("t.cfg:11: heartbtint: read, but its usual spelling is HeartBtInt"));
  std::string text{kInitiator};
  text.replace(text.find("[SESSION]"), 9, "[Session]");
  text.replace(text.find("[DEFAULT]"), 9, "[ default ]");
  EXPECT_THAT(accepted(text).warnings, IsEmpty());
}

TEST(SettingsText, a_key_given_twice_counts_the_last_time_and_is_reported) {
  const Settings settings = accepted(joined(kInitiator, "LogonTimeout=5\nlogontimeout=6\n"));
  EXPECT_EQ(settings.sessions.at(0).session.logon.timeout.count(), 6);
  EXPECT_THAT(
      texts(settings.warnings),
      Contains("t.cfg:12: logontimeout: given before in this section; the last one counts"));
}

TEST(SettingsText, of_two_default_sections_the_first_counts) {
  const Settings settings = accepted(joined(kInitiator, "[DEFAULT]\nHeartBtInt=99\n"));
  EXPECT_EQ(settings.sessions.at(0).session.heartbeat.heart_bt_int.count(), 30);
  EXPECT_THAT(texts(settings.warnings),
              ElementsAre("t.cfg:11: a second [DEFAULT] is ignored; the one in line 1 counts"));
}

TEST(SettingsText, the_default_section_may_stand_after_the_sessions) {
  const std::string text{kInitiator};
  const std::size_t session = text.find("[SESSION]");
  EXPECT_EQ(accepted(text.substr(session) + text.substr(0, session))
                .sessions.at(0)
                .session.heartbeat.heart_bt_int.count(),
            30);
}

TEST(SettingsText, foreign_sections_are_ignored_but_misspelt_ones_are_errors) {
  EXPECT_THAT(warnings_of("[MYAPP]\nHeartBtInt=99"),
              ElementsAre(HasSubstr("t.cfg:11: [MYAPP]: the section is ignored")));
  for (const std::string_view line : {"[SESION]", "[SESSIONS]", "[DEFALUT]", "[SESSION", "["}) {
    EXPECT_THAT(errors_of(line), ElementsAre(HasSubstr("[DEFAULT] or [SESSION] was expected")))
        << line;
  }
}

TEST(SettingsText, a_comment_may_follow_the_name_of_a_section) {
  std::string text{kInitiator};
  text.replace(text.find("[SESSION]"), 9, "[SESSION] # our broker [UAT]");
  text.replace(text.find("[DEFAULT]"), 9, "[ DEFAULT ]# for all");
  const Settings settings = accepted(text);
  EXPECT_THAT(settings.warnings, IsEmpty());
  ASSERT_EQ(settings.sessions.size(), 1U);
  EXPECT_EQ(settings.sessions[0].session.heartbeat.heart_bt_int.count(), 30);
  for (const std::string_view line : {"[SESSION] our broker", "[SESSION]]", "[SESSION # x"}) {
    EXPECT_THAT(errors_of(line), ElementsAre(HasSubstr("[DEFAULT] or [SESSION] was expected")))
        << line;
  }
}

TEST(SettingsText, a_file_of_utf_16_is_named_as_such_alone) {
  const auto wide = [](std::string_view text, bool is_big) {
    std::string bytes;
    for (const char c : text) bytes += is_big ? std::string{'\0', c} : std::string{c, '\0'};
    return bytes;
  };
  const std::string little = wide(kInitiator, false);
  const std::string big = wide(kInitiator, true);
  for (const std::string& text : {little, big, "\xFF\xFE" + little, "\xFE\xFF" + big}) {
    EXPECT_THAT(errors(text), ElementsAre(HasSubstr("t.cfg: the file is UTF-16")));
  }
}

TEST(SettingsText, the_same_warning_of_many_sessions_is_one_line_with_a_count) {
  std::string text{kInitiator};
  constexpr int kSessions = 500;
  for (int i = 0; i < kSessions; ++i) {
    text += "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=T" + std::to_string(i) +
            "\nTargetCompID=V\nDescription=ours\n";
  }
  EXPECT_THAT(texts(accepted(text).warnings),
              ElementsAre("t.cfg:15: Description is not honoured: nothing is done with it (and "
                          "the same of 499 other lines, the last one is 2510)"));
  EXPECT_THAT(texts(accepted(joined(kInitiator, "Description=a\nDescription=b\n")).warnings),
              Contains("t.cfg:11: Description is not honoured: nothing is done with it (and the "
                       "same of 1 other line: 12)"));
}

TEST(SettingsText, comments_blanks_and_line_ends_of_every_kind_are_read) {
  std::string text = "\xEF\xBB\xBF# a comment = no key\r\n  # another\r\n\r\n";
  for (const char c : kInitiator) {
    if (c == '\n') text += " \t\r";
    text += c;
    if (c == '=') text += "  ";
  }
  const Settings settings = accepted(text);
  EXPECT_THAT(settings.warnings, IsEmpty());
  EXPECT_EQ(settings.sessions.at(0).session.id.sender_comp_id, "TRADER");
  EXPECT_EQ(settings.sessions.at(0).line, 10U);
}

TEST(SettingsText, the_first_equals_sign_splits_and_hash_is_part_of_a_value) {
  EXPECT_EQ(session_with("SenderCompID=A=B#C").session.id.sender_comp_id, "A=B#C");
}

TEST(SettingsText, the_last_line_needs_no_end) {
  std::string text{kInitiator};
  text.pop_back();
  EXPECT_EQ(accepted(text).sessions.at(0).session.id.target_comp_id, "VENUE");
}

TEST(SettingsText, lines_that_are_no_entries_are_reported) {
  EXPECT_THAT(warnings_of("HeartBtInt 30"), ElementsAre(HasSubstr("Key=Value was expected")));
  EXPECT_THAT(warnings_of("=30"), ElementsAre(HasSubstr("no key stands before the =")));
  EXPECT_THAT(texts(accepted(joined("HeartBtInt=5\n", kInitiator)).warnings),
              ElementsAre("t.cfg:1: HeartBtInt: ignored, as it stands before the first section"));
}

TEST(SettingsText, long_lines_are_read_whole) {
  const std::string text = joined(kInitiator, "# " + std::string(5'000, 'x') + "\nWibble=" +
                                                  std::string(1U << 20U, 'y') + "\nHeartBtInt=9\n");
  EXPECT_EQ(accepted(text).sessions.at(0).session.heartbeat.heart_bt_int.count(), 9);
  const auto reported = errors_of("SenderCompID=" + std::string(1U << 20U, 'y'));
  EXPECT_THAT(reported, ElementsAre(HasSubstr("yyy...: a name of 1 to 255 bytes was expected")));
  EXPECT_THAT(warnings_of(std::string(1U << 20U, 'k') + "=1"),
              ElementsAre(SizeIs(::testing::Lt(200U))));
}

TEST(SettingsText, control_characters_are_errors_with_their_column) {
  EXPECT_THAT(errors_of(std::string{"SenderCompID=A\0B", 16}),
              ElementsAre("t.cfg:11: a control character (\\x00) in column 15; text was expected"));
  EXPECT_THAT(errors_of("  TargetCompID=A\x01"), ElementsAre(HasSubstr("(\\x01) in column 17")));
}

TEST(SettingsText, a_file_that_is_no_configuration_gets_a_bounded_answer) {
  EXPECT_THAT(errors(""), ElementsAre("t.cfg: no [SESSION]; at least one was expected"));
  std::string binary;
  for (unsigned i = 0; i < 200'000; ++i) binary += static_cast<char>((i * 2'654'435'761U) >> 13U);
  EXPECT_THAT(errors(binary), SizeIs(::testing::Le(101U)));
  std::string sessions;
  for (int i = 0; i < 100'001; ++i) sessions += "[SESSION]\n";
  EXPECT_THAT(errors(sessions), Contains(HasSubstr("more than 100,000 sessions")));
  EXPECT_THAT(errors(std::string((16U << 20U) + 1, '\n')),
              ElementsAre("t.cfg: larger than 16 MiB; a configuration was expected"));
}

TEST(SettingsText, tabs_may_stand_around_an_equals_sign) {
  EXPECT_EQ(session_with("HeartBtInt\t=\t7\n").session.heartbeat.heart_bt_int.count(), 7);
}

TEST(SettingsText, errors_beyond_the_limit_are_counted) {
  std::string text{kInitiator};
  for (int i = 0; i < 103; ++i) text += "MaxLatency=x\n";
  const std::vector<std::string> found = errors(text);
  ASSERT_EQ(found.size(), 101U);
  EXPECT_THAT(found.back(), HasSubstr("and 3 more of this kind"));
}

TEST(SettingsText, a_name_that_no_store_takes_is_an_error) {
  const std::string wide = "=" + std::string(255, 'x') + "\n";
  EXPECT_THAT(errors_of("SenderSubID" + wide + "SenderLocationID" + wide + "TargetSubID" + wide +
                        "TargetLocationID" + wide + "SessionQualifier" + wide),
              Contains(HasSubstr("bytes, and a store takes 1024")));
}

TEST(SettingsText, any_piece_of_a_configuration_is_answered) {
  const std::string text = joined(kInitiator, kAcceptor);
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto settings = parse_settings(std::string_view{text}.substr(0, size), "t.cfg");
    EXPECT_TRUE(settings || !settings.error().empty());
  }
}

}  // namespace
}  // namespace nexusfix::config
