#include <algorithm>
#include <utility>

#include "session/api/config.hpp"

namespace nexusfix::session {
namespace {

using std::chrono::days;
using std::chrono::local_days;
using std::chrono::sys_seconds;
using std::chrono::weekday;

// The search for the next session goes this far: holidays may cancel some.
constexpr int kDaysMax = 740;

const TimeZone& zone_of(const LocalTime& time) noexcept {
  static const TimeZone kUtc;
  return time.zone == nullptr ? kUtc : *time.zone;
}

local_days local_day(const TimeZone& zone, sys_seconds time) noexcept {
  return std::chrono::floor<days>(zone.to_local(time));
}

sys_seconds moment(const LocalTime& time, local_days day) noexcept {
  return zone_of(time).to_utc(day + time.time_of_day);
}

// The moments at which clocks show a time, on the days that a filter wants.
template <class Wanted>
std::optional<sys_seconds> first_after(const LocalTime& time, sys_seconds after,
                                       Wanted wanted) noexcept {
  local_days day = local_day(zone_of(time), after) - days{1};
  for (int i = 0; i < kDaysMax; ++i, day += days{1}) {
    if (!wanted(day)) continue;
    if (const sys_seconds found = moment(time, day); found > after) return found;
  }
  return std::nullopt;
}

template <class Wanted>
std::optional<sys_seconds> last_until(const LocalTime& time, sys_seconds until,
                                      Wanted wanted) noexcept {
  local_days day = local_day(zone_of(time), until) + days{1};
  for (int i = 0; i < kDaysMax; ++i, day -= days{1}) {
    if (!wanted(day)) continue;
    if (const sys_seconds found = moment(time, day); found <= until) return found;
  }
  return std::nullopt;
}

// The hours of a session with what decides about its days.
class Openings {
 public:
  explicit Openings(const SessionHours& hours, const ScheduleRules* daily = nullptr)
      : hours_{hours}, daily_{hours.start_day ? nullptr : daily} {}

  [[nodiscard]] std::optional<sys_seconds> last_begin(sys_seconds until) const noexcept {
    return last_until(hours_.start, until, [this](local_days day) { return starts_on(day); });
  }
  [[nodiscard]] std::optional<sys_seconds> next_begin(sys_seconds after) const noexcept {
    return first_after(hours_.start, after, [this](local_days day) { return starts_on(day); });
  }
  [[nodiscard]] sys_seconds end_of(sys_seconds begin) const noexcept {
    const auto end = first_after(hours_.end, begin, [this](local_days day) {
      return !hours_.end_day || weekday{day} == *hours_.end_day;
    });
    const auto next = next_begin(begin);
    return next ? std::min(*end, *next) : *end;
  }
  // The opening that the time lies in.
  [[nodiscard]] std::optional<TimeSpan> at(sys_seconds time) const noexcept {
    const auto begin = last_begin(time);
    if (!begin) return std::nullopt;
    const TimeSpan span{*begin, end_of(*begin)};
    return time < span.end ? std::optional{span} : std::nullopt;
  }

 private:
  // Clocks that go forward skip its start and its end.
  [[nodiscard]] bool is_skipped(local_days day) const noexcept {
    const auto& [start, end, start_day, end_day] = hours_;
    return start.time_of_day < end.time_of_day && start.zone == end.zone && start_day == end_day &&
           moment(start, day) == moment(end, day);
  }
  [[nodiscard]] bool starts_on(local_days day) const noexcept {
    if (hours_.start_day && weekday{day} != *hours_.start_day) return false;
    if (is_skipped(day)) return false;
    if (daily_ == nullptr) return true;
    if (daily_->holidays.contains(day)) return false;
    return daily_->weekdays.empty() ||
           std::ranges::find(daily_->weekdays, weekday{day}) != daily_->weekdays.end();
  }

  const SessionHours& hours_;
  const ScheduleRules* daily_;
};

bool every_day(local_days /*day*/) noexcept { return true; }

// Sessions: openings, cut where the numbers are reset in between.
class Sessions {
 public:
  explicit Sessions(const ScheduleRules& rules) : rules_{rules}, openings_{rules.session, &rules} {}

  [[nodiscard]] std::optional<TimeSpan> at(sys_seconds time) const noexcept {
    std::optional<TimeSpan> span = openings_.at(time);
    if (span && rules_.reset_time) {
      if (const auto last = last_until(*rules_.reset_time, time, every_day)) {
        span->begin = std::max(span->begin, *last);
      }
      cut_end(*span);
    }
    return span;
  }
  [[nodiscard]] std::optional<TimeSpan> next(sys_seconds after) const noexcept {
    if (const auto current = at(after); current && rules_.reset_time) {
      if (const auto following = at(current->end)) return following;
    }
    const auto begin = openings_.next_begin(after);
    if (!begin) return std::nullopt;
    TimeSpan span{*begin, openings_.end_of(*begin)};
    if (rules_.reset_time) cut_end(span);
    return span;
  }
  // The end of the last session that is over.
  [[nodiscard]] sys_seconds last_end(sys_seconds time) const noexcept {
    const auto current = at(time);
    if (current && openings_.at(time)->begin != current->begin) return current->begin;
    // The opening before the one that the time lies in, or after whose end it lies.
    const sys_seconds before = current ? current->begin - std::chrono::seconds{1} : time;
    const auto begin = openings_.last_begin(before);
    return begin ? openings_.end_of(*begin) : sys_seconds::min();
  }

 private:
  void cut_end(TimeSpan& span) const noexcept {
    if (const auto reset = first_after(*rules_.reset_time, span.begin, every_day)) {
      span.end = std::min(span.end, *reset);
    }
  }

  const ScheduleRules& rules_;
  Openings openings_;
};

bool is_time_of_day(const LocalTime& time) noexcept {
  return time.time_of_day.count() >= 0 && time.time_of_day < days{1};
}

std::string find_conflict(const ScheduleRules& rules) {
  const SessionHours& session = rules.session;
  if (session.start_day.has_value() != session.end_day.has_value()) {
    return "StartDay and EndDay belong together";
  }
  if (session.start_day && !rules.weekdays.empty()) {
    return "Weekdays are of a daily session, StartDay and EndDay of a weekly one: only one of them "
           "may be given";
  }
  const std::optional<SessionHours>& logon = rules.logon;
  if (logon && logon->start_day.has_value() != logon->end_day.has_value()) {
    return "LogonDay and LogoutDay belong together";
  }
  const bool times_are_valid =
      is_time_of_day(session.start) && is_time_of_day(session.end) &&
      (!logon || (is_time_of_day(logon->start) && is_time_of_day(logon->end))) &&
      (!rules.reset_time || is_time_of_day(*rules.reset_time));
  return times_are_valid ? std::string{} : "a time of day is between 00:00:00 and 23:59:59";
}

}  // namespace

std::expected<Schedule, std::string> Schedule::make(ScheduleRules rules) {
  if (std::string wrong = find_conflict(rules); !wrong.empty()) {
    return std::unexpected{std::move(wrong)};
  }
  return Schedule{std::move(rules)};
}

ScheduleState Schedule::at(sys_seconds time) const noexcept {
  if (!rules_) return {};
  const Sessions sessions{*rules_};
  ScheduleState state{.session = sessions.at(time), .numbers_since = sessions.last_end(time)};
  state.may_log_on = state.session.has_value();
  const auto changes_at = [&](std::optional<sys_seconds> moment) {
    if (moment) state.next_change = std::min(state.next_change, *moment);
  };
  if (state.session) {
    changes_at(state.session->end);
  } else if (const auto next = sessions.next(time)) {
    changes_at(next->begin);
  }
  if (rules_->logon) {
    const Openings window{*rules_->logon};
    const auto open = window.at(time);
    if (!open) state.may_log_on = false;
    changes_at(open ? open->end : window.next_begin(time));
  }
  if (rules_->session.start_day && !rules_->holidays.empty()) {
    const LocalTime midnight{.zone = rules_->session.start.zone};
    const bool is_holiday = rules_->holidays.contains(local_day(zone_of(midnight), time));
    if (is_holiday) state.may_log_on = false;
    changes_at(first_after(midnight, time, [&](local_days day) {
      return rules_->holidays.contains(day) != is_holiday;
    }));
  }
  return state;
}

std::optional<TimeSpan> Schedule::next_session(sys_seconds time) const noexcept {
  return rules_ ? Sessions{*rules_}.next(time) : std::nullopt;
}

std::optional<sys_seconds> Schedule::next_logon(sys_seconds time) const noexcept {
  const sys_seconds limit = time + days{kDaysMax};
  while (time < limit) {
    const ScheduleState state = at(time);
    if (state.may_log_on) return time;
    time = state.next_change;
  }
  return std::nullopt;
}

}  // namespace nexusfix::session
