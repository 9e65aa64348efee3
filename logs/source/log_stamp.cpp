#include "logs/source/log_stamp.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/api/ascii.hpp"
#include "logs/source/stamp_parts.hpp"

namespace nexusfix::logs {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;
using std::chrono::sys_days;
using Date = std::chrono::year_month_day;

constexpr nanoseconds kDay = std::chrono::days{1};

// Whether a stamp may begin here: with a digit, or with the letters of a month.
bool begins_stamp(std::string_view text, std::size_t at) noexcept {
  const char c = text[at];
  const char before = at == 0 ? ' ' : text[at - 1];
  if (is_digit(c)) return !is_digit(before) && before != '.' && before != ':';
  return is_letter(c) && !is_alphanumeric(before);
}

constexpr std::size_t kGapBytesMax = 3;  // between date and clock
bool is_gap(char c) noexcept { return std::string_view{" T-_:@,|;\t"}.contains(c); }

// The end of a stamp with a date that begins here; 0: none does.
std::size_t read_dated(std::string_view text, std::size_t at, StampParts& to) {
  const std::size_t date = read_date(text, at, to);
  if (date == 0 || to.date_count == 0) return 0;
  std::size_t clock = date;
  const bool is_joined = is_digit(at_or_nul(text, clock));  // 20240115103000
  for (std::size_t i = 0; i < kGapBytesMax && clock < text.size() && is_gap(text[clock]); ++i) {
    ++clock;
  }
  if (clock == date && !is_joined) return 0;
  std::size_t end = read_clock(text, clock, true, to);
  if (end == 0) return 0;
  // Mon Jan 15 10:30:00 CET 2024
  if (!to.has_year && at_or_nul(text, end) == ' ' && digits_at(text, end + 1) == 4) {
    const Date date_of_year = to.dates[0];
    to.date_count = 0;
    to.add_date(number_at(text, end + 1, 4),
                static_cast<int>(static_cast<unsigned>(date_of_year.month())),
                static_cast<int>(static_cast<unsigned>(date_of_year.day())));
    to.clock_end = 0;
    end += 5;
  }
  return end;
}

// I0115 10:30:00.123456: a letter for the severity, the month and the day.
std::size_t read_severity_first(std::string_view text, std::size_t at, StampParts& to) {
  if (!std::string_view{"IWEFDV"}.contains(text[at]) || digits_at(text, at + 1) != 4 ||
      at_or_nul(text, at + 5) != ' ') {
    return 0;
  }
  to.add_date(0, number_at(text, at + 1, 2), number_at(text, at + 3, 2));
  if (to.date_count == 0) return 0;
  return read_clock(text, at + 6, false, to);
}

class StampReading {
 public:
  StampReading(std::string_view text, const StampStyle& style, NearTime near)
      : text_{text}, style_{style}, near_{near} {}

  std::optional<Stamp> with_date(bool with_year) {
    for (std::size_t at = 0; at < text_.size(); ++at) {
      if (!begins_stamp(text_, at)) continue;
      StampParts parts;
      std::size_t end = read_dated(text_, at, parts);
      if (end == 0 && is_upper(text_[at]) && !with_year) {
        parts = {};
        end = read_severity_first(text_, at, parts);
      }
      if (end == 0 || parts.has_year != with_year) continue;
      if (const auto time = time_of(parts)) return stamp(at, end, *time, parts);
    }
    return std::nullopt;
  }

  std::optional<Stamp> with_clock_only() {
    for (std::size_t at = 0; at < text_.size(); ++at) {
      const char before = at == 0 ? ' ' : text_[at - 1];
      constexpr std::string_view kBefore = " [(<\"'|,;=\t{";
      if (!is_digit(text_[at]) || !kBefore.contains(before)) continue;
      StampParts parts;
      std::size_t end = read_clock(text_, at, false, parts);
      if (end == 0 || at_or_nul(text_, end) == ':') continue;
      // 10:30:00.123 15/01/2024
      std::size_t date = end;
      while (date < end + kGapBytesMax && date < text_.size() && is_gap(text_[date])) ++date;
      if (const std::size_t after = date > end ? read_date(text_, date, parts) : 0;
          after > 0 && parts.date_count > 0) {
        end = after;
      }
      parts.clock_end = 0;
      if (const auto time = time_of(parts)) return stamp(at, end, *time, parts);
    }
    return std::nullopt;
  }

  // Seconds since 1970, with or without a point, and thousandths, millionths or billionths.
  std::optional<Stamp> epoch() {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t digits = digits_at(text_, at);
      if (digits == 0) {
        ++at;
        continue;
      }
      const std::size_t begin = at;
      at += digits;
      const char before = begin == 0 ? ' ' : text_[begin - 1];
      if (is_letter(before) || before == '.' || before == '-' || before == '_') continue;
      std::size_t end = 0;
      const auto time = epoch_at(begin, digits, end);
      if (time && ends_word(text_, end) && is_near(*time, begin)) {
        return Stamp{*time, begin, end, true, 0};
      }
    }
    return std::nullopt;
  }

  std::optional<Stamp> of_format() {
    for (std::size_t at = 0; at <= text_.size(); ++at) {
      if (at > 0 && is_alphanumeric(text_[at - 1]) && at < text_.size() &&
          is_alphanumeric(text_[at])) {
        continue;
      }
      StampParts parts;
      std::optional<WallTime> count;
      const std::size_t end = match_format(at, parts, count);
      if (end == 0) continue;
      if (count) return Stamp{*count, at, end, true, 0};
      parts.clock_end = 0;
      if (const auto time = time_of(parts)) return stamp(at, end, *time, parts);
    }
    return std::nullopt;
  }

 private:
  static Stamp stamp(std::size_t begin, std::size_t end, WallTime time, const StampParts& parts) {
    const bool is_plain = parts.has_year && !parts.is_afternoon && !parts.is_leap_second;
    return {time, begin, end, parts.tail.zone.has_value(), is_plain ? parts.clock_end : 0};
  }

  const std::optional<WallTime>& near() {
    if (!has_near_) near_time_ = near_();
    has_near_ = true;
    return near_time_;
  }

  static nanoseconds distance(WallTime a, WallTime b) { return a > b ? a - b : b - a; }

  std::optional<WallTime> time_of(const StampParts& parts) {
    if (!parts.clock) return std::nullopt;
    nanoseconds clock = *parts.clock;
    if (parts.is_afternoon) {
      constexpr auto kHalf = std::chrono::hours{12};
      if (clock < std::chrono::hours{1} || clock >= kHalf + std::chrono::hours{1}) {
        return std::nullopt;
      }
      if (clock >= kHalf) clock -= kHalf;
      if (*parts.is_afternoon) clock += kHalf;
    }
    clock += parts.is_leap_second ? nanoseconds{999'999'999} : parts.tail.fraction;
    clock -= parts.tail.zone.value_or(style_.zone.value_or(seconds{0}));
    if (parts.date_count == 0) return on_nearest_day(clock);
    if (!parts.has_year) return in_nearest_year(parts.dates[0], clock);
    if (parts.date_count == 1) return WallTime{sys_days{parts.dates[0]}} + clock;
    return nearest_of(parts, clock);
  }

  std::optional<WallTime> on_nearest_day(nanoseconds clock) {
    if (!near()) return std::nullopt;
    const WallTime time = floor<std::chrono::days>(*near()) + clock;
    const nanoseconds ahead = time - *near();
    if (ahead > kDay / 2) return time - kDay;
    return ahead < -kDay / 2 ? time + kDay : time;
  }

  std::optional<WallTime> in_nearest_year(Date date, nanoseconds clock) {
    if (!near()) return std::nullopt;
    const Date today{floor<std::chrono::days>(*near())};
    std::optional<WallTime> best;
    for (const int more : {-1, 0, 1}) {
      const Date one{today.year() + std::chrono::years{more}, date.month(), date.day()};
      if (!one.ok()) continue;
      const WallTime time = WallTime{sys_days{one}} + clock;
      if (!best || distance(time, *near()) < distance(*best, *near())) best = time;
    }
    return best;
  }

  std::optional<WallTime> nearest_of(const StampParts& parts, nanoseconds clock) {
    if (!near()) return std::nullopt;
    std::optional<WallTime> best;
    for (std::size_t i = 0; i < parts.date_count; ++i) {
      const WallTime time = WallTime{sys_days{parts.dates[i]}} + clock;
      if (!best || distance(time, *near()) < distance(*best, *near())) best = time;
    }
    return best;
  }

  // A number without a near SendingTime may be any number.
  bool is_near(WallTime time, std::size_t begin) {
    if (near()) return distance(time, *near()) <= 2 * kDay;
    return std::ranges::none_of(text_.substr(0, begin), is_alphanumeric);
  }

  std::optional<WallTime> epoch_at(std::size_t at, std::size_t digits, std::size_t& end) const {
    constexpr std::size_t kSecondsDigits = 10;
    if (digits < kSecondsDigits || digits > 19 || (digits - kSecondsDigits) % 3 != 0) {
      return std::nullopt;
    }
    const std::string_view text = text_;
    std::int64_t count = 0;
    for (const char c : text.substr(at, kSecondsDigits)) count = count * 10 + (c - '0');
    constexpr std::int64_t kCountMax = 4'102'444'800;  // 2100
    if (count < 1'000'000'000 || count > kCountMax) return std::nullopt;
    nanoseconds fraction = fraction_of(text.substr(at + kSecondsDigits, digits - kSecondsDigits));
    end = at + digits;
    if (digits == kSecondsDigits && at_or_nul(text, end) == '.') {
      const std::size_t more = digits_at(text, end + 1);
      fraction = fraction_of(text.substr(end + 1, more));
      end += more == 0 ? 0 : more + 1;
    }
    return WallTime{seconds{count}} + fraction;
  }

  struct FormatParts {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    bool has_clock = false;
  };

  // The end of a text of the format that begins here; 0: none does.
  std::size_t match_format(std::size_t at, StampParts& parts, std::optional<WallTime>& count) {
    FormatParts read;
    const std::string_view format = style_.format;
    for (std::size_t i = 0; i < format.size(); ++i) {
      const char c = format[i];
      if (c == ' ') {
        if (at_or_nul(text_, at) != ' ' && at_or_nul(text_, at) != '\t') return 0;
        while (at_or_nul(text_, at) == ' ' || at_or_nul(text_, at) == '\t') ++at;
      } else if (c != '%') {
        if (at_or_nul(text_, at++) != c) return 0;
      } else if (!match_part(format[++i], at, read, parts, count)) {
        return 0;
      }
    }
    if (count) return at;
    if (!read.has_clock || !parts.set_clock(read.hour, read.minute, read.second)) return 0;
    if (read.month > 0 || read.day > 0) {
      parts.add_date(read.year, read.month, read.day);
      if (parts.date_count == 0) return 0;
    }
    return at;
  }

  // A number of at most size_max digits.
  bool match_number(std::size_t& at, std::size_t size_max, int& to) {
    if (size_max == 2 && at_or_nul(text_, at) == ' ' && is_digit(at_or_nul(text_, at + 1))) ++at;
    const std::size_t digits = std::min(digits_at(text_, at), size_max);
    if (digits == 0 || (size_max == 4 && digits < 4)) return false;
    to = number_at(text_, at, digits);
    at += digits;
    return true;
  }

  // tidy: flat switch
  bool match_part(char directive, std::size_t& at, FormatParts& read, StampParts& parts,
                  std::optional<WallTime>& count) {
    std::size_t end = 0;
    switch (directive) {
      case 'Y':
        return match_number(at, 4, read.year);
      case 'y':
        if (!match_number(at, 2, read.year)) return false;
        read.year = full_year(read.year, 2);
        return true;
      case 'm':
        return match_number(at, 2, read.month);
      case 'd':
      case 'e':
        return match_number(at, 2, read.day);
      case 'H':
      case 'I':
        read.has_clock = true;
        return match_number(at, 2, read.hour);
      case 'M':
        return match_number(at, 2, read.minute);
      case 'S':
        return match_number(at, 2, read.second);
      case 'f': {
        const std::size_t digits = digits_at(text_, at);
        parts.tail.fraction = fraction_of(text_.substr(at, digits));
        at += digits;
        return digits > 0;
      }
      case 'b':
      case 'B':
        read.month = month_at(text_, at, end);
        at = end;
        return read.month > 0;
      case 'a':
      case 'A':
        end = at;
        while (is_letter(at_or_nul(text_, end))) ++end;
        return end > std::exchange(at, end);
      case 'p':
        parts.is_afternoon = afternoon_at(text_, at);
        at += 2;
        return parts.is_afternoon.has_value();
      case 'z':
      case 'Z': {
        const ZoneText zone = zone_at(text_, at);
        if (zone.end > 0) parts.tail.zone = zone.offset;
        at = zone.end;
        return zone.end > 0;
      }
      case 's': {
        const std::size_t digits = digits_at(text_, at);
        count = epoch_at(at, digits, end);
        at = end;
        return count.has_value();
      }
      default:
        return at_or_nul(text_, at++) == directive;  // %%
    }
  }

  std::string_view text_;
  const StampStyle& style_;
  NearTime near_;
  std::optional<WallTime> near_time_;
  bool has_near_ = false;
};

}  // namespace

std::optional<Stamp> find_stamp(std::string_view text, const StampStyle& style, NearTime near) {
  StampReading reading{text, style, near};
  if (!style.format.empty()) return reading.of_format();
  if (const auto stamp = reading.with_date(true)) return stamp;
  if (const auto stamp = reading.epoch()) return stamp;
  if (const auto stamp = reading.with_date(false)) return stamp;
  return reading.with_clock_only();
}

// 10.00.00, 10h00m00, 10-00-00: no address and no number goes on like this.
static bool is_unusual_clock(std::string_view text, std::size_t at) noexcept {
  const std::size_t minute = at + digits_at(text, at) + 1;
  const std::size_t second = minute + 3;
  const std::size_t end = second + 2;
  const char divider = at_or_nul(text, second - 1);
  if (minute > at + 3 || !std::string_view{".-_hH"}.contains(at_or_nul(text, minute - 1)) ||
      !std::string_view{".-_mM"}.contains(divider) || digits_at(text, minute) != 2 ||
      digits_at(text, second) != 2) {
    return false;
  }
  const bool goes_on = (at > 0 && text[at - 1] == divider) ||
                       (at_or_nul(text, end) == divider && is_digit(at_or_nul(text, end + 1)));
  StampParts clock;
  return !goes_on && clock.set_clock(number_at(text, at, minute - 1 - at),
                                     number_at(text, minute, 2), number_at(text, second, 2));
}

bool seems_stamped(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_digit(text[at]) || (at > 0 && is_alphanumeric(text[at - 1]))) continue;
    const std::size_t digits = digits_at(text, at);
    const std::size_t end = at + digits;
    const bool is_year = digits == 4 && (text.substr(at, 2) == "20" || text.substr(at, 2) == "19");
    const bool is_clock = digits <= 2 && at_or_nul(text, end) == ':' &&
                          digits_at(text, end + 1) == 2 && ends_word(text, end + 3);
    if ((is_year && ends_word(text, end)) || is_clock || is_unusual_clock(text, at)) return true;
    at = end;
  }
  return false;
}

std::optional<seconds> read_zone(std::string_view text) noexcept {
  const ZoneText zone = zone_at(text, 0);
  if (zone.end != text.size() || text.empty() || text.starts_with(' ')) return std::nullopt;
  return zone.offset;
}

std::expected<void, std::string> check_time_format(std::string_view format) {
  constexpr std::string_view kParts = "YymdebBaAHIMSfpzZs%";
  bool has_clock = false;
  bool has_date = false;
  for (std::size_t at = 0; at < format.size(); ++at) {
    if (format[at] != '%') continue;
    const char part = at_or_nul(format, ++at);
    if (part == '\0' || !kParts.contains(part)) {
      return std::unexpected{
          "%" + std::string(part == '\0' ? 0 : 1, part) +
          " is no part of a time. These are: %Y %y year, %m %b month, %d day, %H %I hour, %p AM or "
          "PM, %M minute, %S second, %f its fraction, %z %Z zone, %a weekday, %s seconds since "
          "1970"};
    }
    has_clock = has_clock || part == 'H' || part == 'I' || part == 's';
    has_date = has_date || part == 'd' || part == 'e';
  }
  if (!has_clock) return std::unexpected{"a time has an hour: %H, or %I with %p, or %s"};
  const bool has_month = format.contains("%m") || format.contains("%b") || format.contains("%B");
  if (has_date != has_month)
    return std::unexpected{"a date has a month and a day: %m or %b, and %d"};
  if (format.contains("%I") != format.contains("%p")) {
    return std::unexpected{"%I needs %p, and %p needs %I"};
  }
  return {};
}

}  // namespace nexusfix::logs
