// The keys of a schedule: StartTime and its relatives.
#include <chrono>

#include "settings_fixture.hpp"
#include "support/disks/fake_disk.hpp"

namespace nexusfix::config {
namespace {

using namespace std::chrono_literals;
using nexusfix::testing::FakeDisk;
using session::ScheduleRules;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::optional<ScheduleRules> rules_of(std::string_view lines) {
  return session_with(lines).schedule.rules();
}

TEST(ScheduleSettings, a_session_without_times_is_non_stop) {
  EXPECT_TRUE(session_with("").schedule.is_non_stop());
  EXPECT_TRUE(session_with("NonStopSession=Y\n").schedule.is_non_stop());
}

TEST(ScheduleSettings, times_are_utc_unless_a_zone_is_named) {
  const auto rules = rules_of("StartTime=08:00:00\nEndTime=17:30:15\n");
  ASSERT_TRUE(rules);
  EXPECT_EQ(rules->session.start.time_of_day, 8h);
  EXPECT_EQ(rules->session.end.time_of_day, 17h + 30min + 15s);
  EXPECT_EQ(rules->session.start.zone, nullptr);
}

TEST(ScheduleSettings, reset_seq_time_is_a_time_within_the_session) {
  const auto rules = rules_of("StartTime=08:00:00\nEndTime=17:00:00\nResetSeqTime=12:30:00\n");
  ASSERT_TRUE(rules && rules->reset_time);
  EXPECT_EQ(rules->reset_time->time_of_day, 12h + 30min);
  EXPECT_FALSE(rules_of("StartTime=08:00:00\nEndTime=17:00:00\n")->reset_time);
}

TEST(ScheduleSettings, a_zone_may_follow_a_time_or_have_its_key) {
  const auto rules =
      rules_of("TimeZone=America/New_York\nStartTime=08:00:00 Europe/London\nEndTime=17:00:00\n");
  ASSERT_TRUE(rules);
  EXPECT_EQ(rules->session.start.zone->name(), "Europe/London");
  EXPECT_EQ(rules->session.end.zone->name(), "America/New_York");
}

TEST(ScheduleSettings, empty_value_takes_a_default_of_the_file_back) {
  const std::string defaults =
      "[DEFAULT]\nConnectionType=acceptor\nFileStorePath=store\nSocketAcceptPort=5001\n"
      "StartTime=08:00:00\nEndTime=17:00:00\nStartDay=Mon\nEndDay=Fri\nLogonTime=09:00:00\n"
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n";
  EXPECT_TRUE(accepted(defaults).sessions[0].schedule.rules()->session.start_day);
  const Settings daily = accepted(defaults + "StartDay=\nEndDay=\n");
  EXPECT_FALSE(daily.sessions[0].schedule.rules()->session.start_day);
  EXPECT_TRUE(daily.sessions[0].schedule.rules()->logon);
  EXPECT_FALSE(accepted(defaults + "LogonTime=\n").sessions[0].schedule.rules()->logon);
  EXPECT_TRUE(accepted(defaults + "StartTime=\nEndTime=\nStartDay=\nEndDay=\nLogonTime=\n")
                  .sessions[0]
                  .schedule.is_non_stop());
}

TEST(ScheduleSettings, use_local_time_is_the_zone_of_this_machine) {
  const auto rules = rules_of("UseLocalTime=Y\nStartTime=08:00:00\nEndTime=17:00:00\n");
  ASSERT_TRUE(rules);
  EXPECT_NE(rules->session.start.zone, nullptr);
}

TEST(ScheduleSettings, time_zone_counts_beside_use_local_time) {
  const auto rules =
      rules_of("UseLocalTime=Y\nTimeZone=Asia/Tokyo\nStartTime=08:00:00\nEndTime=17:00:00\n");
  ASSERT_TRUE(rules);
  EXPECT_EQ(rules->session.start.zone->name(), "Asia/Tokyo");
}

TEST(ScheduleSettings, days_are_known_by_their_first_two_letters) {
  const auto rules =
      rules_of("StartTime=17:00:00\nEndTime=16:00:00\nStartDay=sun\nEndDay=Friday\n");
  ASSERT_TRUE(rules);
  EXPECT_EQ(rules->session.start_day, std::chrono::Sunday);
  EXPECT_EQ(rules->session.end_day, std::chrono::Friday);
}

TEST(ScheduleSettings, weekdays_are_a_list) {
  const auto rules = rules_of("StartTime=08:00:00\nEndTime=17:00:00\nWeekdays=Mon,Tue, We\n");
  ASSERT_TRUE(rules);
  EXPECT_THAT(rules->weekdays,
              ElementsAre(std::chrono::Monday, std::chrono::Tuesday, std::chrono::Wednesday));
}

TEST(ScheduleSettings, a_logon_window_takes_from_the_session_what_it_does_not_say) {
  const auto rules = rules_of(
      "StartTime=17:00:00\nEndTime=16:00:00\nStartDay=Sun\nEndDay=Fri\nLogonTime=18:00:00\n");
  ASSERT_TRUE(rules && rules->logon);
  EXPECT_EQ(rules->logon->start.time_of_day, 18h);
  EXPECT_EQ(rules->logon->end.time_of_day, 16h);
  EXPECT_EQ(rules->logon->start_day, std::chrono::Sunday);
}

TEST(ScheduleSettings, holidays_are_dates_here_or_in_a_file) {
  FakeDisk disk;
  disk.set_contents("t.cfg",
                    joined(kInitiator,
                           "StartTime=08:00:00\nEndTime=17:00:00\nHolidays=2026-12-25, 20270101\n"
                           "HolidayFile=days.txt\n"));
  disk.set_contents("days.txt", "# ours\n2026-12-26 Boxing Day\r\n\n  2026-04-03  # Good Friday");
  const auto settings = config::load_settings(disk, "t.cfg");
  ASSERT_TRUE(settings) << settings.error().front().what();
  const auto& holidays = settings->sessions.front().schedule.rules()->holidays;
  EXPECT_EQ(holidays.size(), 4U);
  EXPECT_TRUE(
      holidays.contains(std::chrono::local_days{std::chrono::year{2026} / std::chrono::April / 3}));
}

TEST(ScheduleSettings, a_holiday_file_may_begin_with_a_byte_order_mark) {
  FakeDisk disk;
  disk.set_contents(
      "t.cfg", joined(kInitiator, "StartTime=08:00:00\nEndTime=17:00:00\nHolidayFile=days.txt\n"));
  disk.set_contents("days.txt",
                    "\xEF\xBB\xBF"
                    "2026-12-26\r\n2026-12-26");
  const auto settings = config::load_settings(disk, "t.cfg");
  ASSERT_TRUE(settings) << settings.error().front().what();
  EXPECT_EQ(settings->sessions.front().schedule.rules()->holidays.size(), 1U);
}

TEST(ScheduleSettings, a_wrong_line_of_a_holiday_file_is_named) {
  FakeDisk disk;
  disk.set_contents(
      "t.cfg", joined(kInitiator, "StartTime=08:00:00\nEndTime=17:00:00\nHolidayFile=days.txt\n"));
  disk.set_contents("days.txt", "2026-12-26\n2026-02-30\n");
  const auto settings = config::load_settings(disk, "t.cfg");
  ASSERT_FALSE(settings);
  EXPECT_THAT(texts(settings.error()),
              ElementsAre("t.cfg:13: HolidayFile: days.txt:2: 2026-02-30: a date such as "
                          "2026-12-25 was expected"));
}

TEST(ScheduleSettings, values_that_are_wrong_are_reported_with_what_was_expected) {
  EXPECT_THAT(errors_of("StartTime=8:00"),
              ElementsAre("t.cfg:7: [SESSION]: EndTime is missing beside StartTime",
                          "t.cfg:11: StartTime=8:00: a time HH:MM:SS, with or without a time zone "
                          "after it, was expected"));
  EXPECT_THAT(errors_of("StartTime=24:00:00\nEndTime=17:00:00"),
              ElementsAre(HasSubstr("StartTime=24:00:00: a time HH:MM:SS")));
  EXPECT_THAT(errors_of("StartDay=Someday\nStartTime=08:00:00\nEndTime=17:00:00"),
              ElementsAre(HasSubstr("StartDay=Someday: a day of the week")));
  EXPECT_THAT(errors_of("Weekdays=Mon,Xyz\nStartTime=08:00:00\nEndTime=17:00:00"),
              ElementsAre(HasSubstr("Weekdays=Mon,Xyz: days of the week")));
  EXPECT_THAT(errors_of("TimeZone=Europe/Londn\nStartTime=08:00:00\nEndTime=17:00:00"),
              ElementsAre(HasSubstr("TimeZone=Europe/Londn: a time zone of the tz database")));
  EXPECT_THAT(errors_of("Holidays=2026-13-01\nStartTime=08:00:00\nEndTime=17:00:00"),
              ElementsAre(HasSubstr("Holidays=2026-13-01: dates")));
}

TEST(ScheduleSettings, keys_that_belong_together_are_missed) {
  EXPECT_THAT(errors_of("StartDay=Mon\nStartTime=08:00:00\nEndTime=17:00:00"),
              ElementsAre("t.cfg:7: [SESSION]: StartDay and EndDay belong together"));
  EXPECT_THAT(errors_of("LogonTime=08:00:00"),
              ElementsAre("t.cfg:11: LogonTime: needs StartTime and EndTime, which are missing"));
  EXPECT_THAT(errors_of("Weekdays=Mon\nStartDay=Mon\nEndDay=Fri\nStartTime=08:00:00\n"
                        "EndTime=17:00:00"),
              ElementsAre(HasSubstr("only one of them may be given")));
}

TEST(ScheduleSettings, each_part_of_the_time_for_logons_has_its_key) {
  // A part that is not given is that of the session.
  const std::string session = "StartTime=08:00:00\nEndTime=17:00:00\nStartDay=Mon\nEndDay=Fri\n";
  const auto window_of = [&](const std::string& lines) {
    const auto rules = rules_of(session + lines);
    EXPECT_TRUE(rules && rules->logon) << lines;
    return rules && rules->logon ? *rules->logon : session::SessionHours{};
  };
  const session::SessionHours days = window_of("LogonDay=Tue\nLogoutDay=Thu\n");
  EXPECT_EQ(days.start_day, std::chrono::Tuesday);
  EXPECT_EQ(days.end_day, std::chrono::Thursday);
  EXPECT_EQ(days.start.time_of_day, 8h);
  EXPECT_EQ(days.end.time_of_day, 17h);
  EXPECT_EQ(window_of("LogonDay=Tue\n").start_day, std::chrono::Tuesday);
  EXPECT_EQ(window_of("LogonDay=Tue\n").end_day, std::chrono::Friday);
  EXPECT_EQ(window_of("LogoutDay=Thu\n").start_day, std::chrono::Monday);
  EXPECT_EQ(window_of("LogoutDay=Thu\n").end_day, std::chrono::Thursday);
  EXPECT_EQ(window_of("LogonTime=09:00:00\n").start.time_of_day, 9h);
  EXPECT_EQ(window_of("LogonTime=09:00:00\n").end.time_of_day, 17h);
  EXPECT_EQ(window_of("LogoutTime=16:00:00\n").end.time_of_day, 16h);
}

TEST(ScheduleSettings, a_time_for_logons_that_lies_outside_of_the_session_is_an_error) {
  const std::string daily = "StartTime=08:00:00\nEndTime=17:00:00\n";
  EXPECT_THAT(errors_of(daily + "LogonTime=18:00:00\nLogoutTime=19:00:00"),
              ElementsAre(HasSubstr("t.cfg:13: LogonTime: the time for Logons (LogonTime, "
                                    "LogoutTime, LogonDay, LogoutDay) lies outside")));
  EXPECT_THAT(errors_of(daily + "LogonTime=17:00:00\nLogoutTime=08:00:00"),
              ElementsAre(HasSubstr("t.cfg:13: LogonTime: ")));
  EXPECT_THAT(warnings_of(daily + "LogonTime=16:59:59\nLogoutTime=19:00:00"), IsEmpty());
  EXPECT_THAT(warnings_of(daily + "LogonTime=18:00:00\nLogoutTime=08:00:01"), IsEmpty());
  EXPECT_THAT(warnings_of(daily + "LogonTime=16:59:59\nHolidays=2026-01-01"), IsEmpty());
  const std::string weekly = daily + "StartDay=Mon\nEndDay=Wed\n";
  EXPECT_THAT(errors_of(weekly + "LogonDay=Thu\nLogoutDay=Fri"),
              ElementsAre(HasSubstr("t.cfg:15: LogonDay: ")));
  EXPECT_THAT(warnings_of(weekly + "LogonDay=Tue\nLogoutDay=Fri"), IsEmpty());
  // Two zones, which overlap.
  EXPECT_THAT(warnings_of(daily + "LogonTime=18:00:00 Asia/Tokyo\nLogoutTime=19:00:00 Asia/Tokyo"),
              IsEmpty());
  // One error is reported once.
  EXPECT_THAT(errors_of(daily + "LogonTime=18:00:00 Asia/Tokio\nLogoutTime=19:00:00"),
              ElementsAre(HasSubstr("t.cfg:13: LogonTime=18:00:00 Asia/Tokio: a time zone")));
  EXPECT_THAT(errors_of(daily + "LogonTime=18\nLogoutTime=07:00:00"),
              ElementsAre(HasSubstr("t.cfg:13: LogonTime=18: a time HH:MM:SS")));
}

// QuickFIX/J starts with both, and is always open.
TEST(ScheduleSettings, times_beside_non_stop_are_a_warning) {
  EXPECT_THAT(
      warnings_of("NonStopSession=Y\nStartTime=08:00:00"),
      ElementsAre("t.cfg:12: StartTime: not used, because NonStopSession=Y is always open"));
  EXPECT_THAT(warnings_of("NonStopSession=Y"), IsEmpty());
  EXPECT_THAT(
      warnings_of("NonStopSession=Y\nHolidayFile=nowhere"),
      ElementsAre("t.cfg:12: HolidayFile: not used, because NonStopSession=Y is always open"));
  // Where both are for all sessions.
  EXPECT_THAT(texts(accepted("[DEFAULT]\nNonStopSession=Y\nHolidays=2026-12-25\n" +
                             joined(kInitiator, "").substr(std::string_view{"[DEFAULT]\n"}.size()))
                        .warnings),
              ElementsAre("t.cfg:3: Holidays: not used, because NonStopSession=Y is always open"));
  EXPECT_THAT(warnings_of("HolidayFile=nowhere"),
              ElementsAre("t.cfg:11: HolidayFile: not used without StartTime and EndTime: the "
                          "session is always open"));
}

}  // namespace
}  // namespace nexusfix::config
