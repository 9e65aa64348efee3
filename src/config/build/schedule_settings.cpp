#include <algorithm>
#include <string>
#include <utility>

#include "base/api/ascii.hpp"
#include "base/api/utf8.hpp"
#include "config/build/session_settings.hpp"
#include "config/text/settings_values.hpp"

namespace nexusfix::config {
namespace {

using session::LocalTime;
using session::ScheduleRules;
using session::SessionHours;

constexpr Key kOfSchedule[] = {"StartTime", "EndTime",    "StartDay", "EndDay",    "Weekdays",
                               "LogonTime", "LogoutTime", "LogonDay", "LogoutDay", "ResetSeqTime"};

constexpr Key kOfLogons[] = {"LogonTime", "LogoutTime", "LogonDay", "LogoutDay"};

constexpr Key kOfHolidays[] = {"Holidays", "HolidayFile"};

class ScheduleBuilder {
 public:
  ScheduleBuilder(const MergedSection& keys, SettingsReport& report, Calendars& calendars)
      : keys_{keys}, report_{report}, calendars_{calendars} {}

  [[nodiscard]] session::Schedule build() {
    if (is_non_stop() || !has_times()) return {};
    zone_ = session_zone();
    ScheduleRules rules;
    rules.session.start = local_time("StartTime");
    rules.session.end = local_time("EndTime");
    rules.session.start_day = day("StartDay");
    rules.session.end_day = day("EndDay");
    if (const Given* days = given("Weekdays")) rules.weekdays = *read_days(days->value);
    rules.logon = logon_window(rules.session);
    if (given("ResetSeqTime") != nullptr) rules.reset_time = local_time("ResetSeqTime");
    rules.holidays = holidays();
    auto schedule = session::Schedule::make(std::move(rules));
    if (!schedule) {
      report_.error(keys_.line(), "[SESSION]: " + schedule.error());
      return {};
    }
    check_logons(*schedule);
    return std::move(*schedule);
  }

 private:
  // An empty value in [SESSION] takes the one in [DEFAULT] back.
  [[nodiscard]] bool is_given(Key key) const {
    const Given* const found = keys_.find(key);
    return found != nullptr && !found->value.empty();
  }
  // Null: not given, empty, or invalid.
  [[nodiscard]] const Given* given(Key key) const {
    return is_given(key) ? keys_.valid(key) : nullptr;
  }
  [[nodiscard]] bool is_non_stop() {
    if (!keys_.says_yes("NonStopSession")) return false;
    for (const Key key : kOfSchedule) warn_of_unused(key);
    for (const Key key : kOfHolidays) warn_of_unused(key);
    return true;
  }

  // In [DEFAULT] a key may be for other sessions, unless NonStopSession stands there as well.
  void warn_of_unused(Key key) {
    const bool is_of_all = keys_.section().own("NonStopSession") == nullptr;
    const Given* given = is_of_all ? keys_.find(key) : keys_.section().own(key);
    if (!given) return;
    report_.warning(given->line, std::string{key.name()} +
                                     ": not used, because NonStopSession=Y is always open");
  }

  // QuickFIX does not start without StartTime and EndTime. Here such a session is always open.
  [[nodiscard]] bool has_times() {
    const bool has_start = is_given("StartTime");
    const bool has_end = is_given("EndTime");
    if (has_start && has_end) return true;
    if (has_start != has_end) {
      report_.error(keys_.line(), std::string{"[SESSION]: "} +
                                      (has_start ? "EndTime is missing beside StartTime"
                                                 : "StartTime is missing beside EndTime"));
      return false;
    }
    for (const Key key : kOfSchedule) {
      if (is_given(key)) {
        report_.error(keys_.find(key)->line,
                      std::string{key.name()} + ": needs StartTime and EndTime, which are missing");
      }
    }
    for (const Key key : kOfHolidays) {
      if (is_given(key)) {
        report_.warning(keys_.find(key)->line,
                        std::string{key.name()} +
                            ": not used without StartTime and EndTime: the session is always open");
      }
    }
    return false;
  }

  // Null: UTC.
  [[nodiscard]] std::shared_ptr<const session::TimeZone> session_zone() {
    const bool is_local = keys_.says_yes("UseLocalTime");
    const Given* named = keys_.valid("TimeZone");
    if (named != nullptr) {
      if (is_local) {
        report_.warning(keys_.find("UseLocalTime")->line,
                        "UseLocalTime: not used, because TimeZone names the zone");
      }
      return checked(calendars_.zones().find(named->value), "TimeZone", *named);
    }
    if (!is_local) return nullptr;
    const Given& given = *keys_.find("UseLocalTime");
    auto zone = checked(calendars_.zones().local(), "UseLocalTime", given);
    if (const std::string& remark = calendars_.zones().local_remark(); !remark.empty()) {
      report_.warning(given.line, "UseLocalTime: " + remark);
    }
    return zone;
  }

  [[nodiscard]] std::shared_ptr<const session::TimeZone> checked(const TimeZones::Found& found,
                                                                 Key key, const Given& given) {
    if (found) return *found;
    has_wrong_zone_ = true;
    report_.error(given.line,
                  std::string{key.name()} + "=" + shown(given.value) + ": " + found.error());
    return nullptr;
  }

  // With the zone that QuickFIX/J allows after a time: "08:00:00 Europe/London".
  [[nodiscard]] LocalTime local_time(Key key) {
    const Given* const found = given(key);
    if (found == nullptr) return {};
    const auto [time, zone] = *read_time_of_day(found->value);
    return {.time_of_day = time,
            .zone = zone.empty() ? zone_ : checked(calendars_.zones().find(zone), key, *found)};
  }

  [[nodiscard]] std::optional<std::chrono::weekday> day(Key key) const {
    const Given* const found = given(key);
    return found == nullptr ? std::nullopt : read_day(found->value);
  }

  [[nodiscard]] std::set<std::chrono::local_days> holidays() {
    std::set<std::chrono::local_days> result;
    if (const Given* dates = given("Holidays")) result = *read_dates(dates->value);
    if (const Given* named = given("HolidayFile")) {
      const Calendars::Holidays& file = calendars_.holidays(std::string{named->value});
      if (file) {
        result.insert(file->begin(), file->end());
      } else {
        report_.error(named->line, "HolidayFile: " + file.error());
      }
    }
    return result;
  }

  // The parts that are not given are the session's.
  [[nodiscard]] std::optional<SessionHours> logon_window(const SessionHours& session) {
    const auto has = [this](Key key) { return given(key) != nullptr; };
    if (std::ranges::none_of(kOfLogons, has)) return std::nullopt;
    SessionHours window = session;
    if (given("LogonTime") != nullptr) window.start = local_time("LogonTime");
    if (given("LogoutTime") != nullptr) window.end = local_time("LogoutTime");
    if (const auto given = day("LogonDay")) window.start_day = given;
    if (const auto given = day("LogoutDay")) window.end_day = given;
    return window;
  }

  // A session that accepts no Logon at any time is a mistake. Holidays are left out: without them
  // the schedule repeats itself, so that any year shows all of it.
  void check_logons(const session::Schedule& schedule) {
    constexpr std::chrono::sys_seconds kAnyYear =
        std::chrono::sys_days{std::chrono::year{2026} / 1 / 1};
    const auto is_invalid = [&](Key key) { return is_given(key) && keys_.valid(key) == nullptr; };
    if (!schedule.rules()->logon || has_wrong_zone_ ||
        std::ranges::any_of(kOfSchedule, is_invalid)) {
      return;
    }
    ScheduleRules rules = *schedule.rules();
    rules.holidays.clear();
    const auto repeated = session::Schedule::make(std::move(rules));
    if (!repeated || repeated->next_logon(kAnyYear)) return;
    const Key key = *std::ranges::find_if(kOfLogons, [&](Key one) { return is_given(one); });
    report_.error(keys_.find(key)->line,
                  std::string{key.name()} +
                      ": the time for Logons (LogonTime, LogoutTime, LogonDay, LogoutDay) lies "
                      "outside of the session, so that no Logon would ever be accepted; a part of "
                      "the time between StartTime and EndTime was expected");
  }

  const MergedSection& keys_;
  SettingsReport& report_;
  Calendars& calendars_;
  std::shared_ptr<const session::TimeZone> zone_;
  bool has_wrong_zone_ = false;
};

}  // namespace

const Calendars::Holidays& Calendars::holidays(const std::string& path) {
  const auto known = files_.find(path);
  return known != files_.end() ? known->second : files_.emplace(path, read(path)).first->second;
}

Calendars::Holidays Calendars::read(const std::string& path) const {
  constexpr std::size_t kBytesMax = 1U << 20U;
  if (disk_ == nullptr) {
    return std::unexpected{"a file can be named by a configuration only that is a file itself"};
  }
  const DiskResult<std::string> text = read_regular_file(*disk_, path, kBytesMax);
  if (!text) return std::unexpected{text.error().what()};
  std::set<std::chrono::local_days> dates;
  std::size_t number = 0;
  for (std::string_view rest = without_byte_order_mark(*text); !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++number;
    line = line.substr(0, line.find('#'));
    line = trimmed(line);
    if (line.empty()) continue;
    const std::string_view word = line.substr(0, line.find_first_of(" \t\r,;"));
    const auto date = read_date(word);
    if (!date) {
      return std::unexpected{path + ":" + std::to_string(number) + ": " + shown(word) +
                             ": a date such as 2026-12-25 was expected"};
    }
    dates.insert(*date);
  }
  return dates;
}

session::Schedule build_schedule(const MergedSection& keys, SettingsReport& report,
                                 Calendars& calendars) {
  return ScheduleBuilder{keys, report, calendars}.build();
}

}  // namespace nexusfix::config
