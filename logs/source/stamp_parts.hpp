// The parts of a stamp before a message: date, clock, fraction, zone. Each function reads the part
// that begins at a place of a text, and returns or writes where it ends.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/api/ascii.hpp"
#include "logs/source/log_stamp.hpp"

namespace nexusfix::logs {

// Reads a part after another, and keeps what it has read.
struct StampParts {
  using Date = std::chrono::year_month_day;
  std::array<Date, 3> dates{};  // what a date may mean: day and month, or month and day
  std::size_t date_count = 0;
  bool has_year = false;
  std::optional<std::chrono::seconds> clock{};  // within the day
  bool is_leap_second = false;
  std::optional<bool> is_afternoon{};
  ClockTail tail{};
  std::size_t clock_end = 0;  // after the seconds; 0: the stamp is not plain

  // Dates that do not exist are left out. year: 0 if there is none.
  void add_date(int year, int month, int day) {
    has_year = year != 0;
    constexpr int kYearMin = 1970;
    constexpr int kYearMax = 2261;  // of a WallTime
    if (year != 0 && (year < kYearMin || year > kYearMax)) return;
    constexpr int kAnyLeapYear = 2000;
    const Date date{std::chrono::year{year == 0 ? kAnyLeapYear : year},
                    std::chrono::month{static_cast<unsigned>(month)},
                    std::chrono::day{static_cast<unsigned>(day)}};
    const bool is_known =
        std::find(dates.begin(), dates.begin() + static_cast<std::ptrdiff_t>(date_count), date) !=
        dates.begin() + static_cast<std::ptrdiff_t>(date_count);
    if (date.ok() && !is_known && date_count < dates.size()) dates[date_count++] = date;
  }
  bool set_clock(int hour, int minute, int second) {
    constexpr int kLeapSecond = 60;
    if (hour > 23 || minute > 59 || second > kLeapSecond) return false;
    is_leap_second = second == kLeapSecond;
    clock = std::chrono::hours{hour} + std::chrono::minutes{minute} +
            std::chrono::seconds{is_leap_second ? kLeapSecond - 1 : second};
    return true;
  }
};

// Any place is valid: after the end it has '\0'.
[[nodiscard]] inline char at_or_nul(std::string_view text, std::size_t at) noexcept {
  return at < text.size() ? text[at] : '\0';
}
[[nodiscard]] inline std::size_t digits_at(std::string_view text, std::size_t at) noexcept {
  std::size_t end = at;
  while (is_digit(at_or_nul(text, end))) ++end;
  return end - at;
}
// size digits, which are there.
[[nodiscard]] inline int number_at(std::string_view text, std::size_t at,
                                   std::size_t size) noexcept {
  int number = 0;
  for (std::size_t i = at; i < at + size; ++i) number = number * 10 + (text[i] - '0');
  return number;
}
[[nodiscard]] inline bool ends_word(std::string_view text, std::size_t at) noexcept {
  return !is_alphanumeric(at_or_nul(text, at));
}

// By the number of its digits: the nanoseconds of 1 in the last place of a fraction.
inline constexpr std::array<std::int64_t, 10> kFractionUnits{
    1'000'000'000, 100'000'000, 10'000'000, 1'000'000, 100'000, 10'000, 1000, 100, 10, 1};
// .123 after the seconds of a clock, or 0.
struct FractionText {
  std::chrono::nanoseconds value{};
  std::size_t end = 0;
};
[[nodiscard]] inline FractionText read_fraction(std::string_view text, std::size_t at) noexcept {
  const char c = at_or_nul(text, at);
  if (c != '.' && c != ',' && c != ':') return {{}, at};
  const std::size_t first = at + 1;
  const std::size_t counted_end = std::min(text.size(), first + kFractionUnits.size() - 1);
  std::size_t end = first;
  std::int64_t value = 0;
  for (; end < counted_end && is_digit(text[end]); ++end) value = value * 10 + (text[end] - '0');
  const std::size_t digits = end - first;
  end += digits_at(text, end);
  if (digits == 0 || (c == ':' && (digits % 3 != 0 || end > counted_end))) return {{}, at};
  return {std::chrono::nanoseconds{value * kFractionUnits[digits]}, end};
}

struct ZoneText {
  std::chrono::seconds offset{};
  std::size_t end = 0;  // 0: there is none
};
[[nodiscard]] ZoneText zone_at(std::string_view text, std::size_t at) noexcept;

// 1 to 12; 0: no month's name begins here.
[[nodiscard]] int month_at(std::string_view text, std::size_t at, std::size_t& end) noexcept;
// True: PM.
[[nodiscard]] std::optional<bool> afternoon_at(std::string_view text, std::size_t at) noexcept;
[[nodiscard]] int full_year(int year, std::size_t digits) noexcept;
[[nodiscard]] std::chrono::nanoseconds fraction_of(std::string_view digits) noexcept;

// The end of the date that begins here; 0: none does.
[[nodiscard]] std::size_t read_date(std::string_view text, std::size_t at, StampParts& to);
// The end of the clock that begins here, with what follows its seconds; 0: none does. after_date:
// 103000, and 10:30 without seconds, are clocks, too.
[[nodiscard]] std::size_t read_clock(std::string_view text, std::size_t at, bool after_date,
                                     StampParts& to);

}  // namespace nexusfix::logs
