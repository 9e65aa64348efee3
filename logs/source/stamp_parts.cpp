#include "logs/source/stamp_parts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace nexusfix::logs {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr std::size_t kDateBytes = 8;  // 20240115

// Minutes ahead of UTC. Of abbreviations with several meanings: BST is British, CST American, IST
// Indian. Those that are also words of the trade, such as CAT, are left out.
struct NamedZone {
  std::string_view name;
  int minutes;
};
constexpr std::array kNamedZones{
    NamedZone{"ACDT", 630}, NamedZone{"ACST", 570},  NamedZone{"AEDT", 660},
    NamedZone{"AEST", 600}, NamedZone{"AKDT", -480}, NamedZone{"AKST", -540},
    NamedZone{"AWST", 480}, NamedZone{"BRST", -120}, NamedZone{"BRT", -180},
    NamedZone{"BST", 60},   NamedZone{"CDT", -300},  NamedZone{"CEST", 120},
    NamedZone{"CET", 60},   NamedZone{"CLT", -240},  NamedZone{"CST", -360},
    NamedZone{"EDT", -240}, NamedZone{"EEST", 180},  NamedZone{"EET", 120},
    NamedZone{"EST", -300}, NamedZone{"GMT", 0},     NamedZone{"HKT", 480},
    NamedZone{"HST", -600}, NamedZone{"IST", 330},   NamedZone{"JST", 540},
    NamedZone{"KST", 540},  NamedZone{"MDT", -360},  NamedZone{"MEST", 120},
    NamedZone{"MET", 60},   NamedZone{"MSK", 180},   NamedZone{"MST", -420},
    NamedZone{"MYT", 480},  NamedZone{"NZDT", 780},  NamedZone{"NZST", 720},
    NamedZone{"PDT", -420}, NamedZone{"PKT", 300},   NamedZone{"PST", -480},
    NamedZone{"SAST", 120}, NamedZone{"SGT", 480},   NamedZone{"UTC", 0},
    NamedZone{"WEST", 60},  NamedZone{"WET", 0},     NamedZone{"Z", 0}};
static_assert(std::ranges::is_sorted(kNamedZones, {}, &NamedZone::name));

constexpr std::array<std::string_view, 12> kMonths{"january",   "february", "march",    "april",
                                                   "may",       "june",     "july",     "august",
                                                   "september", "october",  "november", "december"};

// 15 Jan 2024, 15/Jan/2024, 15-Jan-24, 2024-Jan-15, and 15 Jan without a year.
std::size_t named_month_date(std::string_view text, std::size_t at, std::size_t first_digits,
                             StampParts& to) {
  const char divider = at_or_nul(text, at + first_digits);
  std::size_t end = 0;
  const int month = month_at(text, at + first_digits + 1, end);
  if (month == 0) return 0;
  const int first = number_at(text, at, first_digits);
  const std::size_t next_digits = at_or_nul(text, end) == divider ? digits_at(text, end + 1) : 0;
  if (first_digits == 4) {
    if (next_digits != 2) return 0;
    to.add_date(first, month, number_at(text, end + 1, 2));
    return end + 1 + next_digits;
  }
  const bool is_clock = next_digits == 2 && at_or_nul(text, end + 3) == ':';  // 15 Jan 10:30
  if ((next_digits == 2 || next_digits == 4) && !is_clock) {
    to.add_date(full_year(number_at(text, end + 1, next_digits), next_digits), month, first);
    return end + 1 + next_digits;
  }
  to.add_date(0, month, first);
  return end;
}

// Jan 15, 2024, Jan 15 2024, and Jan 15 without a year.
std::size_t month_first_date(std::string_view text, std::size_t at, StampParts& to) {
  std::size_t end = 0;
  const int month = month_at(text, at, end);
  if (month == 0 || at_or_nul(text, end) != ' ') return 0;
  while (at_or_nul(text, end) == ' ') ++end;
  const std::size_t day_digits = digits_at(text, end);
  if (day_digits < 1 || day_digits > 2) return 0;
  const int day = number_at(text, end, day_digits);
  end += day_digits;
  std::size_t year = end;
  if (at_or_nul(text, year) == ',') ++year;
  if (at_or_nul(text, year) == ' ') ++year;
  if (year > end && digits_at(text, year) == 4) {
    to.add_date(number_at(text, year, 4), month, day);
    return year + 4;
  }
  to.add_date(0, month, day);
  return end;
}

// +02:00, -0500, +02, and +2 after UTC. after_space: only one with minutes.
ZoneText offset_at(std::string_view text, std::size_t at, bool after_space, bool after_name) {
  const char sign = at_or_nul(text, at);
  if (sign != '+' && sign != '-') return {};
  const std::size_t digits = digits_at(text, at + 1);
  std::size_t end = at + 1 + digits;
  int hours = 0;
  int minutes = 0;
  if (digits == 4) {
    hours = number_at(text, at + 1, 2);
    minutes = number_at(text, at + 3, 2);
  } else if (digits == 2 || (digits == 1 && after_name)) {
    hours = number_at(text, at + 1, digits);
    const bool has_minutes = at_or_nul(text, end) == ':' && digits_at(text, end + 1) == 2;
    if (has_minutes) {
      minutes = number_at(text, end + 1, 2);
      end += 3;
    } else if (after_space) {
      return {};
    }
  } else {
    return {};
  }
  constexpr int kHoursMax = 14;
  if (hours > kHoursMax || minutes > 45 || minutes % 15 != 0 || !ends_word(text, end)) return {};
  const seconds offset = std::chrono::hours{hours} + std::chrono::minutes{minutes};
  return {sign == '-' ? -offset : offset, end};
}

}  // namespace

int month_at(std::string_view text, std::size_t at, std::size_t& end) noexcept {
  constexpr std::size_t kShort = 3;
  if (text.size() < at + kShort || !is_letter(text[at])) return 0;
  end = at;
  while (end < text.size() && is_letter(text[end])) ++end;
  const std::string_view word = text.substr(at, end - at);
  for (std::size_t i = 0; i < kMonths.size(); ++i) {
    const bool is_name = equals_ignoring_case(word, kMonths[i].substr(0, kShort)) ||
                         equals_ignoring_case(word, kMonths[i]) ||
                         (i == 8 && equals_ignoring_case(word, "sept"));
    if (is_name) return static_cast<int>(i) + 1;
  }
  return 0;
}

int full_year(int year, std::size_t digits) noexcept { return digits == 2 ? 2000 + year : year; }

// 15/01/2024, 01/15/2024, 15.01.24: the numbers have at most two digits, the year two or four.
std::size_t numbers_date(std::string_view text, std::size_t at, std::size_t first_digits,
                         StampParts& to) {
  const char divider = at_or_nul(text, at + first_digits);
  const std::size_t second = at + first_digits + 1;
  const std::size_t second_digits = digits_at(text, second);
  const std::size_t third = second + second_digits + 1;
  if (second_digits < 1 || second_digits > 2 || at_or_nul(text, third - 1) != divider) return 0;
  const std::size_t year_digits = digits_at(text, third);
  if (year_digits != 2 && year_digits != 4) return 0;
  const int a = number_at(text, at, first_digits);
  const int b = number_at(text, second, second_digits);
  const int year = number_at(text, third, year_digits);
  to.add_date(full_year(year, year_digits), b, a);
  if (divider != '.') to.add_date(full_year(year, year_digits), a, b);
  if (divider != '.' && year_digits == 2) to.add_date(full_year(a, 2), b, year);
  return third + year_digits;
}

std::size_t read_date(std::string_view text, std::size_t at, StampParts& to) {
  const std::size_t digits = digits_at(text, at);
  if (digits == 0) return month_first_date(text, at, to);
  // 20240115103000123 has its clock, too.
  if (digits == kDateBytes || digits == 14 || digits == 17 || digits == 20 || digits == 23) {
    to.add_date(number_at(text, at, 4), number_at(text, at + 4, 2), number_at(text, at + 6, 2));
    return at + kDateBytes;
  }
  const char divider = at_or_nul(text, at + digits);
  if (digits > 4 || divider == '\0' || !std::string_view{"-/. "}.contains(divider)) return 0;
  if (const std::size_t end = named_month_date(text, at, digits, to); end > 0) return end;
  if (divider == ' ' || digits == 3) return 0;
  if (digits <= 2) return numbers_date(text, at, digits, to);
  const std::size_t month_digits = digits_at(text, at + 5);
  const std::size_t day = at + 5 + month_digits + 1;
  const std::size_t day_digits = digits_at(text, day);
  if (month_digits < 1 || month_digits > 2 || at_or_nul(text, day - 1) != divider ||
      day_digits < 1 || day_digits > 2) {
    return 0;
  }
  to.add_date(number_at(text, at, 4), number_at(text, at + 5, month_digits),
              number_at(text, day, day_digits));
  return day + day_digits;
}

nanoseconds fraction_of(std::string_view digits) noexcept {
  const std::size_t size = std::min(digits.size(), kFractionUnits.size() - 1);
  std::int64_t value = 0;
  for (const char c : digits.substr(0, size)) value = value * 10 + (c - '0');
  return nanoseconds{value * kFractionUnits[size]};
}

std::optional<bool> afternoon_at(std::string_view text, std::size_t at) noexcept {
  const char first = to_lower(at_or_nul(text, at));
  const bool is_half = (first == 'a' || first == 'p') && to_lower(at_or_nul(text, at + 1)) == 'm' &&
                       ends_word(text, at + 2);
  return is_half ? std::optional{first == 'p'} : std::nullopt;
}

ZoneText zone_at(std::string_view text, std::size_t at) noexcept {
  const char first = at_or_nul(text, at);
  const bool after_space = first == ' ';
  if (after_space) ++at;
  const char begin = at_or_nul(text, at);
  if (begin == '[' || begin == '(') ++at;
  const char c = at_or_nul(text, at);
  if (c == '+' || c == '-') return offset_at(text, at, after_space, false);
  if (c == 'z' && at > 0 && !after_space && ends_word(text, at + 1)) return {seconds{0}, at + 1};
  if (!is_upper(c)) return {};
  std::size_t end = at;
  while (end < text.size() && is_upper(text[end])) ++end;
  constexpr std::size_t kNameBytesMax = 4;
  if (end - at > kNameBytesMax) return {};
  const std::string_view name = text.substr(at, end - at);
  const decltype(kNamedZones)::const_iterator known =
      std::ranges::lower_bound(kNamedZones, name, {}, &NamedZone::name);
  if (known == kNamedZones.end() || known->name != name) return {};
  if (known->minutes == 0) {
    if (const ZoneText offset = offset_at(text, end, false, true); offset.end > 0) return offset;
  }
  if (!ends_word(text, end)) return {};
  return {std::chrono::minutes{known->minutes}, end};
}

std::size_t read_clock(std::string_view text, std::size_t at, bool after_date, StampParts& to) {
  const std::size_t digits = digits_at(text, at);
  std::size_t end = 0;
  if (after_date && digits >= 6) {
    if (digits % 3 != 0 || digits > 15 ||
        !to.set_clock(number_at(text, at, 2), number_at(text, at + 2, 2),
                      number_at(text, at + 4, 2))) {
      return 0;
    }
    end = at + 6;
    if (digits > 6) {
      to.tail.fraction = fraction_of(text.substr(end, digits - 6));
      to.tail.end = end + digits - 6;
      return to.tail.end;
    }
  } else {
    const std::size_t minute = at + digits + 1;
    if (digits < 1 || digits > 2 || at_or_nul(text, minute - 1) != ':' ||
        digits_at(text, minute) != 2) {
      return 0;
    }
    end = minute + 2;
    int second = 0;
    if (at_or_nul(text, end) == ':' && digits_at(text, end + 1) == 2) {
      second = number_at(text, end + 1, 2);
      end += 3;
      to.clock_end = end;
    } else if (!after_date || at_or_nul(text, end) == ':') {
      return 0;
    }
    if (!to.set_clock(number_at(text, at, digits), number_at(text, minute, 2), second)) return 0;
  }
  to.tail = read_clock_tail(text, end);
  if (!to.tail.has_half) return to.tail.end;
  // The clock's 12 hours, with a zone after them.
  std::size_t half = end;
  while (half < text.size() && !is_letter(text[half])) ++half;
  to.is_afternoon = afternoon_at(text, half);
  return to.tail.end;
}

ClockTail read_after_fraction(std::string_view text, std::size_t at) noexcept {
  ClockTail tail;
  tail.end = at;
  const std::size_t half = at + (at_or_nul(text, at) == ' ' ? 1 : 0);
  if (afternoon_at(text, half)) {
    tail.has_half = true;
    tail.end = half + 2;
  }
  if (const ZoneText zone = zone_at(text, tail.end); zone.end > 0) {
    tail.zone = zone.offset;
    tail.end = zone.end;
  }
  return tail;
}

ClockTail read_clock_tail(std::string_view text, std::size_t at) noexcept {
  const FractionText fraction = read_fraction(text, at);
  ClockTail tail = read_after_fraction(text, fraction.end);
  tail.fraction = fraction.value;
  return tail;
}

}  // namespace nexusfix::logs
