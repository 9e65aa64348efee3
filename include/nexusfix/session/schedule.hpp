// When a session is open, and when its sequence numbers are reset: the timetable of QuickFIX's keys
// StartTime, EndTime and those that go with them, by the clocks of one or two places. A schedule is
// a value and has no clock: the time is an argument. One thread at a time may change it, any number
// of threads may read it.
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

// A time of the day on the clocks of one place.
struct LocalTime {
  std::chrono::seconds time_of_day{0};   // since midnight, 0 to 86,399
  std::shared_ptr<const TimeZone> zone;  // null: UTC
};

// Opens at `start`, and closes at the next `end` after it. If both are equal, it is open for a
// whole day, or a whole week.
struct Timetable {
  LocalTime start;  // when it opens
  LocalTime end;    // when it closes
  // The days on which a weekly timetable opens and closes. A daily one has neither.
  std::optional<std::chrono::weekday> start_day{};
  std::optional<std::chrono::weekday> end_day{};  // set if and only if start_day is set
};

// The rules of a schedule, as the configuration has them. Schedule::make() checks them.
struct ScheduleRules {
  Timetable session;  // when a session begins and ends
  // The part of a session in which a Logon is accepted. Unset: all of it.
  std::optional<Timetable> logon{};
  // Daily sessions: the weekdays on which a session starts. Empty: every day.
  std::vector<std::chrono::weekday> weekdays{};
  // Dates at the place where the session starts. A daily session that would start on one does not
  // take place. During a weekly session, no Logon is accepted on these dates.
  std::set<std::chrono::local_days> holidays{};
  // Once a day within a session, both sequence numbers are reset at this time: one session ends and
  // the next one begins.
  std::optional<LocalTime> reset_time{};
};

// The time from `begin` on and before `end`.
struct TimeSpan {
  std::chrono::sys_seconds begin;  // the first second
  std::chrono::sys_seconds end;    // the second after the last one
  // Equal if both moments are.
  friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};

// The state of a schedule at one moment. It stays the same until next_change.
struct ScheduleState {
  std::optional<TimeSpan> session{};  // the session in progress; unset: none
  bool may_log_on = true;             // whether a Logon is accepted
  // Sequence numbers that were used before this moment belong to a session that is over. min(): no
  // session is over, and none are reset.
  std::chrono::sys_seconds numbers_since = std::chrono::sys_seconds::min();
  std::chrono::sys_seconds next_change = std::chrono::sys_seconds::max();  // max(): never
};

// A checked schedule. Made from rules, or non-stop.
class Schedule {
 public:
  // Non-stop: always open, and no sequence numbers are reset.
  Schedule() = default;
  // The error is a text that names the rules that contradict each other, by the configuration's
  // keys. Allocates.
  [[nodiscard]] static std::expected<Schedule, std::string> make(ScheduleRules rules);

  // Whether the session is always open.
  [[nodiscard]] bool is_non_stop() const noexcept { return !rules_; }
  // The rules that it was made from; unset: non-stop. Valid as long as this object.
  [[nodiscard]] const std::optional<ScheduleRules>& rules() const noexcept { return rules_; }

  // The state at this moment. Searches at most two years, day by day. Does not allocate.
  [[nodiscard]] ScheduleState at(std::chrono::sys_seconds time) const noexcept;
  // The first session that begins after this moment. Unset: non-stop, or none within two years.
  // Does not allocate.
  [[nodiscard]] std::optional<TimeSpan> next_session(std::chrono::sys_seconds time) const noexcept;
  // The first moment, from this one on, at which a Logon is accepted. Unset: none within two years.
  // Does not allocate.
  [[nodiscard]] std::optional<std::chrono::sys_seconds> next_logon(
      std::chrono::sys_seconds time) const noexcept;

 private:
  explicit Schedule(ScheduleRules rules) : rules_{std::move(rules)} {}
  std::optional<ScheduleRules> rules_;
};

}  // namespace nexusfix::session
