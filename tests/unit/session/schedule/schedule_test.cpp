// The schedule of a session. A source is named where QuickFIX's key has its own meaning.
#include <array>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/api/config.hpp"

namespace nexusfix::session {
namespace {

using namespace std::chrono_literals;
using std::chrono::December;
using std::chrono::Friday;
using std::chrono::January;
using std::chrono::March;
using std::chrono::Monday;
using std::chrono::October;
using std::chrono::seconds;
using std::chrono::Sunday;
using std::chrono::sys_days;
using std::chrono::sys_seconds;
using std::chrono::Wednesday;
using std::chrono::year_month_day;

sys_seconds utc(year_month_day day, seconds time = 0s) { return sys_days{day} + time; }
constexpr year_month_day date(int year, unsigned month, unsigned day) {
  return std::chrono::year{year} / std::chrono::month{month} / std::chrono::day{day};
}
std::chrono::local_days local(year_month_day day) { return std::chrono::local_days{day}; }

// London in 2026: BST from 29 March 01:00 UTC to 25 October 01:00 UTC.
std::shared_ptr<const TimeZone> london() {
  return std::make_shared<const TimeZone>(
      "Europe/London", std::vector<TimeZone::Change>{{utc(date(2025, 10, 26), 1h), 0s, "GMT"},
                                                     {utc(date(2026, 3, 29), 1h), 1h, "BST"},
                                                     {utc(date(2026, 10, 25), 1h), 0s, "GMT"}});
}

Schedule made(ScheduleRules rules) {
  auto schedule = Schedule::make(std::move(rules));
  if (!schedule) ADD_FAILURE() << schedule.error();
  return schedule ? *schedule : Schedule{};
}

ScheduleRules daily(seconds start, seconds end, std::shared_ptr<const TimeZone> zone = nullptr) {
  return {.session = {.start = {start, zone}, .end = {end, zone}}};
}
ScheduleRules weekly(std::chrono::weekday start_day, seconds start, std::chrono::weekday end_day,
                     seconds end) {
  return {.session = {.start = {start, nullptr},
                      .end = {end, nullptr},
                      .start_day = start_day,
                      .end_day = end_day}};
}

// 2026-11-20 is a Friday.
constexpr year_month_day kFriday = date(2026, 11, 20);

TEST(Schedule, non_stop_is_always_open_and_never_changes) {
  const ScheduleState state = Schedule{}.at(utc(kFriday, 12h));
  EXPECT_TRUE(state.may_log_on);
  EXPECT_FALSE(state.session);
  EXPECT_EQ(state.next_change, sys_seconds::max());
  EXPECT_EQ(state.numbers_since, sys_seconds::min());
}

TEST(Schedule, a_daily_session_is_open_from_its_start_until_before_its_end) {
  const Schedule schedule = made(daily(8h, 17h));
  EXPECT_FALSE(schedule.at(utc(kFriday, 8h - 1s)).session);
  EXPECT_EQ(schedule.at(utc(kFriday, 8h)).session, (TimeSpan{utc(kFriday, 8h), utc(kFriday, 17h)}));
  EXPECT_TRUE(schedule.at(utc(kFriday, 17h - 1s)).may_log_on);
  EXPECT_FALSE(schedule.at(utc(kFriday, 17h)).session);
  EXPECT_EQ(schedule.at(utc(kFriday, 17h)).next_change, utc(kFriday, 32h));
}

TEST(Schedule, a_session_may_run_over_midnight) {
  const Schedule schedule = made(daily(22h, 6h));
  EXPECT_EQ(schedule.at(utc(kFriday, 23h)).session,
            (TimeSpan{utc(kFriday, 22h), utc(kFriday, 30h)}));
  EXPECT_EQ(schedule.at(utc(kFriday, 5h)).session, (TimeSpan{utc(kFriday, -2h), utc(kFriday, 6h)}));
  EXPECT_FALSE(schedule.at(utc(kFriday, 6h)).session);
}

// QuickFIX: equal times are a session of 24 hours.
TEST(Schedule, equal_times_are_consecutive_sessions_of_a_day) {
  const Schedule schedule = made(daily(0h, 0h));
  const ScheduleState state = schedule.at(utc(kFriday));
  EXPECT_EQ(state.session, (TimeSpan{utc(kFriday), utc(kFriday, 24h)}));
  EXPECT_EQ(state.numbers_since, utc(kFriday));
}

TEST(Schedule, weekdays_are_the_days_on_which_a_session_starts) {
  ScheduleRules rules = daily(22h, 6h);
  rules.weekdays = {Monday, Friday};
  const Schedule schedule = made(rules);
  EXPECT_TRUE(schedule.at(utc(kFriday, 29h)).session);   // Saturday morning, Friday's session
  EXPECT_FALSE(schedule.at(utc(kFriday, 47h)).session);  // Saturday evening
  EXPECT_EQ(schedule.next_session(utc(kFriday, 30h))->begin, utc(kFriday, 72h + 22h));
}

TEST(Schedule, a_weekly_session_runs_from_day_to_day) {
  const Schedule schedule = made(weekly(Sunday, 17h, Friday, 16h));
  EXPECT_EQ(schedule.at(utc(kFriday, 15h)).session,
            (TimeSpan{utc(kFriday, -103h), utc(kFriday, 16h)}));
  const ScheduleState closed = schedule.at(utc(kFriday, 16h));
  EXPECT_FALSE(closed.session);
  EXPECT_EQ(closed.next_change, utc(kFriday, 48h + 17h));
}

TEST(Schedule, equal_days_and_times_are_a_week) {
  const Schedule schedule = made(weekly(Sunday, 17h, Sunday, 17h));
  const auto session = schedule.at(utc(kFriday)).session;
  ASSERT_TRUE(session);
  EXPECT_EQ(session->end - session->begin, 7 * 24h);
}

// An equal day with an earlier end is a week minus some hours, as in QuickFIX.
TEST(Schedule, a_week_may_end_on_the_day_that_it_started_on) {
  const Schedule schedule = made(weekly(Sunday, 17h, Sunday, 16h));
  const auto session = schedule.at(utc(kFriday)).session;
  ASSERT_TRUE(session);
  EXPECT_EQ(session->end - session->begin, 7 * 24h - 1h);
}

TEST(Schedule, clocks_that_change_make_a_day_shorter_or_longer) {
  const Schedule schedule = made(daily(0h, 0h, london()));
  const auto spring = schedule.at(utc(date(2026, 3, 29), 12h)).session;
  const auto autumn = schedule.at(utc(date(2026, 10, 25), 12h)).session;
  ASSERT_TRUE(spring && autumn);
  EXPECT_EQ(spring->end - spring->begin, 23h);
  EXPECT_EQ(autumn->end - autumn->begin, 25h);
}

TEST(Schedule, a_skipped_start_means_the_moment_of_the_change) {
  const Schedule schedule = made(daily(1h + 30min, 17h, london()));
  EXPECT_EQ(schedule.at(utc(date(2026, 3, 29), 12h)).session->begin, utc(date(2026, 3, 29), 1h));
}

TEST(Schedule, a_session_whose_whole_time_is_skipped_does_not_take_place) {
  const auto noon = utc(date(2026, 3, 29), 12h);
  const auto next = TimeSpan{utc(date(2026, 3, 30), 15min), utc(date(2026, 3, 30), 45min)};
  const Schedule by_day = made(daily(1h + 15min, 1h + 45min, london()));
  EXPECT_FALSE(by_day.at(noon).session);
  EXPECT_EQ(by_day.next_session(utc(date(2026, 3, 29))), next);
  EXPECT_EQ(by_day.at(noon).numbers_since, utc(date(2026, 3, 28), 1h + 45min));
  ScheduleRules rules = daily(1h + 15min, 1h + 45min, london());
  rules.session.start_day = rules.session.end_day = Sunday;
  EXPECT_FALSE(made(rules).at(noon).session);
  rules = daily(0s, 0s, london());
  rules.logon = daily(1h + 15min, 1h + 45min, london()).session;
  EXPECT_FALSE(made(rules).at(noon).may_log_on);
}

TEST(Schedule, a_day_from_a_skipped_time_lasts_until_that_time_of_the_next_day) {
  for (const seconds end : {1h + 30min, 1h + 15min}) {
    const Schedule schedule = made(daily(1h + 30min, end, london()));
    EXPECT_EQ(schedule.at(utc(date(2026, 3, 29), 12h)).session,
              (TimeSpan{utc(date(2026, 3, 29), 1h), utc(date(2026, 3, 30), end - 1h)}));
  }
}

TEST(Schedule, start_and_end_may_have_different_time_zones) {
  const auto tokyo = std::make_shared<const TimeZone>(
      "Asia/Tokyo", std::vector<TimeZone::Change>{{utc(date(1970, 1, 1)), 9h, "JST"}});
  const Schedule schedule = made({.session = {.start = {9h, tokyo}, .end = {17h, london()}}});
  EXPECT_EQ(schedule.at(utc(kFriday, 10h)).session, (TimeSpan{utc(kFriday), utc(kFriday, 17h)}));
}

TEST(Schedule, a_leap_day_and_the_end_of_a_year_are_ordinary_days) {
  const Schedule schedule = made(daily(8h, 17h));
  EXPECT_EQ(schedule.next_session(utc(date(2028, 2, 28), 17h))->begin, utc(date(2028, 2, 29), 8h));
  EXPECT_EQ(schedule.next_session(utc(date(2026, 12, 31), 17h))->begin, utc(date(2027, 1, 1), 8h));
}

TEST(Schedule, numbers_belong_to_the_time_since_the_last_session_ended) {
  const Schedule schedule = made(daily(8h, 17h));
  EXPECT_EQ(schedule.at(utc(kFriday, 12h)).numbers_since, utc(kFriday, 17h - 24h));
  EXPECT_EQ(schedule.at(utc(kFriday, 17h)).numbers_since, utc(kFriday, 17h));
  EXPECT_EQ(schedule.at(utc(kFriday, 20h)).numbers_since, utc(kFriday, 17h));
  EXPECT_EQ(schedule.at(utc(kFriday, 31h)).numbers_since, utc(kFriday, 17h));
}

// QuickFIX's LogonTime and LogoutTime: a window within the session, whose end resets nothing.
TEST(Schedule, a_logon_window_limits_when_a_session_may_log_on) {
  ScheduleRules rules = weekly(Sunday, 17h, Friday, 16h);
  rules.logon = SessionHours{.start = {8h, nullptr}, .end = {15h, nullptr}};
  const Schedule schedule = made(rules);
  const ScheduleState before = schedule.at(utc(kFriday, 7h));
  EXPECT_TRUE(before.session);
  EXPECT_FALSE(before.may_log_on);
  EXPECT_EQ(before.next_change, utc(kFriday, 8h));
  EXPECT_TRUE(schedule.at(utc(kFriday, 8h)).may_log_on);
  EXPECT_EQ(schedule.at(utc(kFriday, 8h)).next_change, utc(kFriday, 15h));
  EXPECT_EQ(schedule.at(utc(kFriday, 7h)).numbers_since,
            schedule.at(utc(kFriday, 9h)).numbers_since);
  EXPECT_EQ(schedule.next_logon(utc(kFriday, 15h)), utc(kFriday, 48h + 17h + 15h));
}

// QuickFIX/J's LogonDay and LogoutDay.
TEST(Schedule, a_logon_window_of_days_ends_on_its_logout_day) {
  ScheduleRules rules = weekly(Sunday, 17h, Friday, 16h);
  rules.logon = SessionHours{
      .start = {8h, nullptr}, .end = {15h, nullptr}, .start_day = Monday, .end_day = Wednesday};
  const Schedule schedule = made(rules);
  const year_month_day monday = date(2026, 11, 16);
  EXPECT_FALSE(schedule.at(utc(monday, 7h)).may_log_on);
  EXPECT_TRUE(schedule.at(utc(monday, 8h)).may_log_on);
  EXPECT_EQ(schedule.at(utc(monday, 8h)).next_change, utc(date(2026, 11, 18), 15h));
  EXPECT_TRUE(schedule.at(utc(date(2026, 11, 17), 3h)).may_log_on);
  EXPECT_TRUE(schedule.at(utc(date(2026, 11, 18), 14h)).may_log_on);
  EXPECT_FALSE(schedule.at(utc(date(2026, 11, 18), 15h)).may_log_on);
  EXPECT_FALSE(schedule.at(utc(date(2026, 11, 19), 9h)).may_log_on);
  EXPECT_EQ(schedule.next_logon(utc(date(2026, 11, 18), 15h)), utc(date(2026, 11, 23), 8h));
}

TEST(Schedule, a_daily_session_does_not_take_place_on_a_holiday) {
  ScheduleRules rules = daily(8h, 17h);
  rules.holidays = {local(kFriday), local(date(2026, 11, 21))};
  const Schedule schedule = made(rules);
  EXPECT_FALSE(schedule.at(utc(kFriday, 12h)).session);
  EXPECT_EQ(schedule.at(utc(kFriday, 12h)).next_change, utc(kFriday, 56h));
  EXPECT_EQ(schedule.at(utc(kFriday, 12h)).numbers_since, utc(kFriday, -7h));
}

TEST(Schedule, no_logon_on_a_holiday_within_a_week_and_the_numbers_stay) {
  ScheduleRules rules = weekly(Sunday, 17h, Friday, 16h);
  rules.holidays = {local(date(2026, 11, 19))};
  const Schedule schedule = made(rules);
  const ScheduleState wednesday = schedule.at(utc(date(2026, 11, 18), 12h));
  EXPECT_TRUE(wednesday.may_log_on);
  EXPECT_EQ(wednesday.next_change, utc(date(2026, 11, 19)));
  const ScheduleState holiday = schedule.at(utc(date(2026, 11, 19), 12h));
  EXPECT_FALSE(holiday.may_log_on);
  EXPECT_EQ(holiday.session, wednesday.session);
  EXPECT_EQ(holiday.next_change, utc(kFriday));
}

// QuickFIX/Go's ResetSeqTime.
TEST(Schedule, a_reset_time_splits_a_session) {
  ScheduleRules rules = weekly(Sunday, 17h, Friday, 16h);
  rules.reset_time = LocalTime{.time_of_day = 5h, .zone = nullptr};
  const Schedule schedule = made(rules);
  const ScheduleState state = schedule.at(utc(kFriday, 6h));
  EXPECT_EQ(state.session, (TimeSpan{utc(kFriday, 5h), utc(kFriday, 16h)}));
  EXPECT_EQ(state.numbers_since, utc(kFriday, 5h));
  EXPECT_EQ(schedule.at(utc(kFriday, 4h)).session,
            (TimeSpan{utc(kFriday, -19h), utc(kFriday, 5h)}));
  EXPECT_EQ(schedule.next_session(utc(kFriday, 4h))->begin, utc(kFriday, 5h));
}

// With any rules: the result of at() is valid until next_change, sessions do not overlap, and
// numbers never belong to a future time.
TEST(Schedule, a_reset_time_ends_the_next_session_too) {
  ScheduleRules rules = daily(8h, 17h);
  rules.reset_time = LocalTime{12h, nullptr};
  const auto next = made(rules).next_session(utc(kFriday, 7h));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->begin, utc(kFriday, 8h));
  EXPECT_EQ(next->end, utc(kFriday, 12h));
}

TEST(Schedule, a_state_is_valid_until_its_next_change) {
  std::vector<ScheduleRules> all{daily(8h, 17h, london()), daily(22h, 6h, london()),
                                 daily(1h + 30min, 1h + 30min, london()),
                                 weekly(Sunday, 17h, Friday, 16h), weekly(Friday, 1h, Friday, 1h)};
  all.push_back(daily(8h, 17h));
  all.back().weekdays = {Monday, Wednesday};
  all.back().holidays = {local(date(2026, 10, 26))};
  all.back().reset_time = LocalTime{.time_of_day = 12h, .zone = london()};
  all.push_back(weekly(Sunday, 17h, Friday, 16h));
  all.back().logon = SessionHours{.start = {8h, london()}, .end = {15h, london()}};
  all.back().holidays = {local(date(2026, 10, 27))};
  for (const ScheduleRules& rules : all) {
    const Schedule schedule = made(rules);
    ScheduleState state = schedule.at(utc(date(2026, 10, 15)));
    for (sys_seconds time = utc(date(2026, 10, 15)); time < utc(date(2026, 11, 10));
         time += 10min) {
      const ScheduleState now = schedule.at(time);
      EXPECT_LE(now.numbers_since, time);
      EXPECT_GT(now.next_change, time);
      if (now.session) {
        EXPECT_LE(now.session->begin, time);
        EXPECT_GT(now.session->end, time);
      } else {
        EXPECT_FALSE(now.may_log_on);
      }
      if (time < state.next_change) {
        EXPECT_EQ(now.session, state.session);
        EXPECT_EQ(now.may_log_on, state.may_log_on);
        EXPECT_EQ(now.numbers_since, state.numbers_since);
        EXPECT_EQ(now.next_change, state.next_change);
      }
      state = now;
    }
  }
}

TEST(Schedule, rules_that_contradict_each_other_are_an_error) {
  ScheduleRules half = daily(8h, 17h);
  half.session.start_day = Monday;
  EXPECT_EQ(Schedule::make(half).error(), "StartDay and EndDay belong together");
  ScheduleRules both = weekly(Sunday, 17h, Friday, 16h);
  both.weekdays = {Monday};
  EXPECT_FALSE(Schedule::make(both));
  EXPECT_FALSE(Schedule::make(daily(8h, 24h)));
}

TEST(Schedule, a_session_that_never_takes_place_has_no_next_one) {
  ScheduleRules rules = daily(8h, 17h);
  for (auto day = local(kFriday); day < local(date(2029, 1, 1)); day += std::chrono::days{1}) {
    rules.holidays.insert(day);
  }
  const Schedule schedule = made(rules);
  EXPECT_FALSE(schedule.next_session(utc(kFriday, 12h)));
  EXPECT_FALSE(schedule.next_logon(utc(kFriday, 12h)));
}

}  // namespace
}  // namespace nexusfix::session
