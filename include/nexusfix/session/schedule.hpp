// When a session is open, and when its sequence numbers are reset: the timetable of QuickFIX's
// StartTime, EndTime and their relatives, over the clocks of one place or two. A value, and a
// function of the time: it has no clock. One thread at a time may change it, any may read it.
#pragma once

#include <chrono>
#include <expected>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nexusfix/session/time_zone.hpp>

namespace nexusfix::session {

// What the clocks of a place show.
struct LocalTime {
  std::chrono::seconds time_of_day{0};   // 0 to 86,399
  std::shared_ptr<const TimeZone> zone;  // null: UTC
};

// Opens at `start` and closes at the next `end` after it. Equal times are a day, or a week.
struct Timetable {
  LocalTime start;
  LocalTime end;
  // Weekly: both days. Daily: neither.
  std::optional<std::chrono::weekday> start_day{};
  std::optional<std::chrono::weekday> end_day{};
};

struct ScheduleRules {
  Timetable session;
  // The part of a session in which there may be a Logon. Nothing: all of it.
  std::optional<Timetable> logon{};
  // Of a daily session: the days, at its start, that have one. Empty: every day.
  std::vector<std::chrono::weekday> weekdays{};
  // Dates where the session starts. A daily session does not take place when it would start on one;
  // during a weekly one, no Logon is accepted.
  std::set<std::chrono::local_days> holidays{};
  // Once a day within a session the sequence numbers are reset: one session ends there, the next
  // one begins.
  std::optional<LocalTime> reset_time{};
};

// From begin on, until before end.
struct TimeSpan {
  std::chrono::sys_seconds begin;
  std::chrono::sys_seconds end;
  friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};

// What is true until next_change.
struct ScheduleState {
  // The session that the time lies in.
  std::optional<TimeSpan> session{};
  bool may_log_on = true;
  // Numbers of before this moment are those of a session that is over. min(): of none.
  std::chrono::sys_seconds numbers_since = std::chrono::sys_seconds::min();
  std::chrono::sys_seconds next_change = std::chrono::sys_seconds::max();  // max(): never
};

class Schedule {
 public:
  Schedule() = default;  // non-stop: always open, and nothing is reset
  // An error: which rule contradicts which, in the words of the configuration's keys.
  [[nodiscard]] static std::expected<Schedule, std::string> make(ScheduleRules rules);

  [[nodiscard]] bool is_non_stop() const noexcept { return !rules_; }
  [[nodiscard]] const std::optional<ScheduleRules>& rules() const noexcept { return rules_; }

  // Times are looked at by the second. O(days to look at): at most two years of them. Does not
  // allocate.
  [[nodiscard]] ScheduleState at(std::chrono::sys_seconds time) const noexcept;
  // The first session that begins after this moment; none within two years, or non-stop: nothing.
  [[nodiscard]] std::optional<TimeSpan> next_session(std::chrono::sys_seconds time) const noexcept;
  // The first moment from this one on at which there may be a Logon; nothing within two years.
  [[nodiscard]] std::optional<std::chrono::sys_seconds> next_logon(
      std::chrono::sys_seconds time) const noexcept;

 private:
  explicit Schedule(ScheduleRules rules) : rules_{std::move(rules)} {}
  std::optional<ScheduleRules> rules_;
};

}  // namespace nexusfix::session
