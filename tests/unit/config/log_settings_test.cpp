#include "settings_fixture.hpp"

namespace nexusfix::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

LogSettings log_of(std::string_view lines) {
  return accepted(joined(kInitiator, lines)).sessions[0].log;
}

TEST(LogSettings, without_a_key_there_are_no_files_and_events_go_to_standard_error) {
  const LogSettings log = log_of("");
  EXPECT_EQ(log.files.folder, "");
  EXPECT_FALSE(log.screen.has_incoming || log.screen.has_outgoing || log.screen.has_events);
  EXPECT_TRUE(log.has_standard_error);
}

TEST(LogSettings, keys_of_files_are_honoured) {
  const LogSettings log = log_of(
      "FileLogPath=log\nFileLogBackupPath=old\nFileLogHeartbeats=N\nLogMaxBytes=1000\n"
      "FileIncludeTimeStampForMessages=N\nLogKeepFiles=3\nLogDaily=Y\n");
  EXPECT_EQ(log.files.folder, "log");
  EXPECT_EQ(log.files.backup_folder, "old");
  EXPECT_FALSE(log.files.has_heartbeats);
  EXPECT_FALSE(log.files.has_message_times);
  EXPECT_EQ(log.files.bytes_max, 1'000U);
  EXPECT_EQ(log.files.backups_max, 3U);
  EXPECT_TRUE(log.files.is_daily);
  EXPECT_THAT(warnings_of("FileLogPath=log\nFileLogHeartbeats=N"), IsEmpty());
}

TEST(LogSettings, events_are_text_or_json) {
  EXPECT_EQ(log_of("FileLogPath=log").files.event_format, observe::EventFormat::Text);
  EXPECT_EQ(log_of("FileLogPath=log\nEventLogFormat=JSON").files.event_format,
            observe::EventFormat::Json);
  EXPECT_EQ(log_of("FileLogPath=log\nEventLogFormat=text").files.event_format,
            observe::EventFormat::Text);
  EXPECT_THAT(errors_of("FileLogPath=log\nEventLogFormat=xml"),
              ElementsAre(HasSubstr("EventLogFormat=xml: text or json was expected")));
  EXPECT_THAT(warnings_of("EventLogFormat=json"),
              ElementsAre(HasSubstr("EventLogFormat: not used without FileLogPath")));
}

// Only the template that DynamicSessions adds had them.
TEST(LogSettings, a_session_with_dynamic_sessions_logs_as_they_do) {
  const Settings settings = accepted(
      joined(kAcceptor,
             "DynamicSessions=Y\nFileLogPath=log\nScreenLogShowEvents=Y\nLogMaskedTags=448\n"
             "StoreMaskedTags=Y\n"));
  ASSERT_EQ(settings.sessions.size(), 2U);
  for (const SessionSettings& session : settings.sessions) {
    EXPECT_EQ(session.log.files.folder, "log");
    EXPECT_EQ(session.log.folder_line, 10U);
    EXPECT_FALSE(session.log.has_standard_error);
    EXPECT_EQ(session.log.masked.size(), 1U);
    EXPECT_TRUE(session.log.stores_masked);
  }
}

TEST(LogSettings, the_mode_of_files_is_octal_and_leaves_them_to_the_engine) {
  EXPECT_EQ(log_of("FileLogPath=log").files.permissions, 0U);
  EXPECT_EQ(log_of("FileLogPath=log\nLogFileMode=640").files.permissions, 0640U);
  EXPECT_EQ(log_of("FileLogPath=log\nLogFileMode=0600").files.permissions, 0600U);
  EXPECT_EQ(log_of("FileLogPath=log\nLogFileMode=0666").files.permissions, 0666U);
  for (const char* wrong : {"0400", "0644x", "0755", "4640", "00640", "8", "", "-600", "rw"}) {
    EXPECT_THAT(errors_of(std::string{"FileLogPath=log\nLogFileMode="} + wrong),
                ElementsAre(HasSubstr("LogFileMode")))
        << wrong;
  }
}

TEST(LogSettings, precision_is_nanoseconds_or_what_is_asked_for) {
  EXPECT_EQ(log_of("FileLogPath=log").files.fraction_digits, 9U);
  EXPECT_EQ(log_of("FileLogPath=log\nFileIncludeMilliseconds=Y").files.fraction_digits, 3U);
  EXPECT_EQ(log_of("FileLogPath=log\nFileIncludeMilliseconds=N").files.fraction_digits, 0U);
  EXPECT_EQ(log_of("ScreenIncludeMilliseconds=N").screen.fraction_digits, 0U);
}

TEST(LogSettings, keys_of_the_screen_are_honoured) {
  const LogSettings log = log_of(
      "ScreenLogShowIncoming=Y\nScreenLogShowOutgoing=Y\nScreenLogShowEvents=Y\n"
      "ScreenLogShowHeartBeats=N\n");
  EXPECT_TRUE(log.screen.has_incoming && log.screen.has_outgoing && log.screen.has_events);
  EXPECT_FALSE(log.screen.has_heartbeats || log.has_standard_error);
}

TEST(LogSettings, events_that_are_logged_nowhere_are_a_warning) {
  EXPECT_THAT(warnings_of("ScreenLogShowEvents=N"),
              ElementsAre(HasSubstr("without FileLogPath events are not logged")));
  EXPECT_THAT(warnings_of("ScreenLogShowEvents=N\nFileLogPath=log"), IsEmpty());
}

TEST(LogSettings, keys_that_need_files_say_so) {
  EXPECT_THAT(warnings_of("LogMaxBytes=1000"),
              ElementsAre("t.cfg:11: LogMaxBytes: not used without FileLogPath"));
}

TEST(LogSettings, masked_tags_know_their_length_fields) {
  const LogSettings log = log_of("LogMaskedTags=1, 96 355");
  ASSERT_EQ(log.masked.size(), 3U);
  EXPECT_EQ(log.masked[0].tag, 1U);
  EXPECT_EQ(log.masked[0].length_tag, 0U);
  EXPECT_EQ(log.masked[1].length_tag, 95U);
  EXPECT_EQ(log.masked[2].length_tag, 354U);
  for (const char* wrong : {"LogMaskedTags=8", "LogMaskedTags=x", "LogMaskedTags="}) {
    EXPECT_THAT(errors(joined(kInitiator, wrong)), ElementsAre(HasSubstr("tags, such as 1,448")));
  }
}

TEST(LogSettings, masked_messages_that_are_not_stored_are_warned_of) {
  EXPECT_THAT(warnings_of("LogMaskedTags=448"),
              ElementsAre(HasSubstr("messages with these tags are not stored")));
  for (const std::string known : {"Y", "N"}) {
    EXPECT_THAT(warnings_of("LogMaskedTags=448\nStoreMaskedTags=" + known), IsEmpty());
  }
}

TEST(LogSettings, unknown_sessions_are_logged_as_the_first_section_says) {
  const Settings settings =
      accepted(joined(kInitiator,
                      "LogMessageWhenSessionNotFound=N\nSocketConnectHost=a\n[SESSION]\n"
                      "BeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=B\n"
                      "LogMessageWhenSessionNotFound=Y\n"));
  EXPECT_FALSE(settings.logs_unknown_sessions);
  EXPECT_THAT(texts(settings.warnings),
              ElementsAre(HasSubstr("LogMessageWhenSessionNotFound: not used; all sessions share "
                                    "what line 11")));
}

}  // namespace
}  // namespace nexusfix::config
