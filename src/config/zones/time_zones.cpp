#include "config/zones/time_zones.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <date/tz.h>
#include <exception>
#include <optional>
#include <stdexcept>
#include <vector>

#include "config/text/settings_text.hpp"
#include "dictionary/api/nearest_name.hpp"

namespace nexusfix::config {
namespace {

using session::TimeZone;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

constexpr sys_seconds kFirst = sys_days{std::chrono::year{1970} / 1 / 1};
constexpr sys_seconds kLast = sys_days{std::chrono::year{2101} / 1 / 1};
constexpr std::string_view kLocalKey = "(local)";

// Names that Java, and so QuickFIX/J, knows beside those of the tz database.
struct Alias {
  std::string_view name;
  std::string_view zone;
};
constexpr Alias kAliases[] = {{"PST", "America/Los_Angeles"},
                              {"CST", "America/Chicago"},
                              {"JST", "Asia/Tokyo"},
                              {"AET", "Australia/Sydney"},
                              {"ECT", "Europe/Paris"}};

std::shared_ptr<const TimeZone> read_zone(std::string name, const date::time_zone& zone) {
  std::vector<TimeZone::Change> changes;
  for (sys_seconds time = kFirst; time < kLast;) {
    const date::sys_info info = zone.get_info(date::sys_seconds{time.time_since_epoch()});
    changes.push_back({time, info.offset, info.abbrev});
    const sys_seconds end{info.end.time_since_epoch()};
    if (end <= time) break;
    time = end;
  }
  return std::make_shared<const TimeZone>(std::move(name), std::move(changes));
}

// "GMT+8", "UTC-05:30".
std::optional<std::chrono::minutes> fixed_offset(std::string_view name) {
  if (!name.starts_with("GMT") && !name.starts_with("UTC")) return std::nullopt;
  name.remove_prefix(3);
  if (name.empty() || (name[0] != '+' && name[0] != '-')) return std::nullopt;
  const bool is_west = name[0] == '-';
  int hours = 0;
  int minutes = 0;
  const char* const end = name.data() + name.size();
  auto [stop, error] = std::from_chars(name.data() + 1, end, hours);
  if (error != std::errc{}) return std::nullopt;
  if (stop != end) {
    if (*stop != ':' || end - stop != 3) return std::nullopt;
    const auto rest = std::from_chars(stop + 1, end, minutes);
    if (rest.ec != std::errc{} || rest.ptr != end) return std::nullopt;
  }
  if (hours < 0 || hours > 14 || minutes < 0 || minutes > 59) return std::nullopt;
  const std::chrono::minutes offset = std::chrono::hours{hours} + std::chrono::minutes{minutes};
  return is_west ? -offset : offset;
}

std::string unknown_zone(const date::tzdb& database, std::string_view name) {
  std::string text = "a time zone of the tz database, such as Europe/London, was expected";
  if (const std::string_view zone = zone_of_windows_name(name); !zone.empty()) {
    return text + "; the name is one of Windows: did you mean " + std::string{zone} + "?";
  }
  std::vector<std::string_view> candidates;
  candidates.reserve(database.zones.size());
  for (const date::time_zone& zone : database.zones) candidates.push_back(zone.name());
  if (const auto nearest = dictionary::nearest_name(name, candidates)) {
    text += "; did you mean " + std::string{*nearest} + "?";
  }
  return text;
}

// Zones and their other names (links); null: there is none of this name.
const date::time_zone* locate(std::string_view name) {
  try {
    return date::locate_zone(name);
  } catch (const std::runtime_error&) {
    return nullptr;
  }
}

TimeZones::Found look_up(std::string_view name) {
  if (name == "UTC" || name == "GMT") {
    return std::make_shared<const TimeZone>(
        std::string{name},
        std::vector<TimeZone::Change>{{kFirst, std::chrono::seconds{0}, std::string{name}}});
  }
  if (const auto offset = fixed_offset(name)) {
    return std::make_shared<const TimeZone>(
        std::string{name}, std::vector<TimeZone::Change>{{kFirst, *offset, std::string{name}}});
  }
  const auto alias = std::ranges::find(kAliases, name, &Alias::name);
  const std::string_view wanted = alias == std::end(kAliases) ? name : alias->zone;
  try {
    const date::tzdb& database = date::get_tzdb();
    const date::time_zone* zone = locate(wanted);
    if (zone == nullptr) return std::unexpected{unknown_zone(database, name)};
    return read_zone(std::string{wanted}, *zone);
  } catch (const std::exception& error) {
    return std::unexpected{"the tz database cannot be read (package tzdata): " +
                           std::string{error.what()}};
  }
}

TimeZones::Found zone_of_machine() {
  try {
    const date::time_zone& zone = *date::current_zone();
    return read_zone(zone.name(), zone);
  } catch (const std::exception& error) {
    return std::unexpected{"this machine's time zone is not known: " + std::string{error.what()}};
  }
}

std::tm local_tm(sys_seconds time) {
  const std::time_t seconds = time.time_since_epoch().count();
  std::tm result{};
  ::localtime_r(&seconds, &result);
  return result;
}

std::chrono::seconds offset_at(sys_seconds time) {
  return std::chrono::seconds{local_tm(time).tm_gmtoff};
}

// What the C library makes of TZ, looked at day by day: rules such as "EST5EDT,M3.2.0,M11.1.0" have
// no name to look them up by.
std::vector<TimeZone::Change> changes_of_library() {
  ::tzset();
  std::vector<TimeZone::Change> changes;
  const auto add = [&](sys_seconds time) {
    const std::tm local = local_tm(time);
    changes.push_back({time, std::chrono::seconds{local.tm_gmtoff}, local.tm_zone});
  };
  add(kFirst);
  for (sys_seconds day = kFirst; day < kLast; day += std::chrono::days{1}) {
    sys_seconds before = day;
    sys_seconds after = day + std::chrono::days{1};
    if (offset_at(before) == offset_at(after)) continue;
    while (after - before > std::chrono::seconds{1}) {
      const sys_seconds middle = before + (after - before) / 2;
      (offset_at(middle) == offset_at(day) ? before : after) = middle;
    }
    add(after);
  }
  return changes;
}

// "JST (UTC+09:00)"
std::string described(const TimeZone::Change& change) {
  const std::chrono::hh_mm_ss offset{std::chrono::abs(change.offset)};
  const auto two_digits = [](auto count) {
    return (count < 10 ? "0" : "") + std::to_string(count);
  };
  return change.abbreviation + " (UTC" + (change.offset.count() < 0 ? "-" : "+") +
         two_digits(offset.hours().count()) + ":" + two_digits(offset.minutes().count()) + ")";
}

// TZ as the C library reads it: ":Asia/Tokyo" and the path of a compiled file are zones as well.
std::string_view zone_name(std::string_view variable) {
  constexpr std::string_view kFolder = "/usr/share/zoneinfo/";
  if (variable.starts_with(':')) variable.remove_prefix(1);
  if (variable.starts_with(kFolder)) variable.remove_prefix(kFolder.size());
  return variable.empty() ? "UTC" : variable;
}

}  // namespace

const TimeZones::Found& TimeZones::find(std::string_view name) {
  const auto known = found_.find(name);
  if (known != found_.end()) return known->second;
  return found_.emplace(std::string{name}, look_up(name)).first->second;
}

const TimeZones::Found& TimeZones::local() {
  const auto known = found_.find(kLocalKey);
  if (known != found_.end()) return known->second;
  const auto keep = [&](Found found) -> const Found& {
    return found_.emplace(std::string{kLocalKey}, std::move(found)).first->second;
  };
  const char* const variable = std::getenv("TZ");
  if (variable == nullptr) return keep(zone_of_machine());
  const std::string_view name = zone_name(variable);
  if (name == "/etc/localtime") return keep(zone_of_machine());
  // What only TimeZone knows: "UTC+3" is west of UTC for the C library, and "JST" is UTC.
  const bool is_only_ours =
      fixed_offset(name) || std::ranges::find(kAliases, name, &Alias::name) != std::end(kAliases);
  if (!is_only_ours) {
    if (const Found& named = find(name)) return keep(named);
  }
  std::vector<TimeZone::Change> changes = changes_of_library();
  local_remark_ = "TZ=" + shown(variable) +
                  " is no zone of the tz database, and is taken as the C library takes it: " +
                  described(changes.back());
  if (changes.size() > 1) local_remark_ += " and " + described(changes[changes.size() - 2]);
  return keep(std::make_shared<const TimeZone>(shown(variable), std::move(changes)));
}

}  // namespace nexusfix::config
