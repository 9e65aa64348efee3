// Dates and times of conversions.hpp.

#include <nexusfix/wire/convert.hpp>

#include "wire/digits.hpp"

namespace nexusfix::wire {

namespace {

using detail::kFractionDigitsLegal;
using detail::kPicosPerNano;
using detail::kTimeBytes;
using detail::kTimeOffset;
using std::chrono::days;
using std::chrono::nanoseconds;
// Signed, for times before 1970.
constexpr auto kSignedNanosPerSecond = static_cast<std::int64_t>(detail::kNanosPerSecond);
constexpr auto kSignedNanosPerDay = static_cast<std::int64_t>(detail::kNanosPerDay);
constexpr unsigned kLeapSecond = 60;

// The number of the two digits at text, or a number above 99 if they are not digits.
[[nodiscard]] unsigned two_digits(const char* text) noexcept {
  const unsigned tens = static_cast<unsigned char>(text[0]) - unsigned{'0'};
  const unsigned ones = static_cast<unsigned char>(text[1]) - unsigned{'0'};
  constexpr unsigned kInvalid = 100;
  return tens <= 9 && ones <= 9 ? tens * 10 + ones : kInvalid;
}

// text has kDateBytes bytes.
[[nodiscard]] Converted<Date> parse_date(const char* text) noexcept {
  const unsigned century = two_digits(text);
  const unsigned year_of_century = two_digits(text + 2);
  if (century > 99 || year_of_century > 99) return std::unexpected{FieldErrorCode::Malformed};
  const Date date{std::chrono::year{static_cast<int>(century * 100 + year_of_century)},
                  std::chrono::month{two_digits(text + 4)}, std::chrono::day{two_digits(text + 6)}};
  if (!date.ok()) return std::unexpected{FieldErrorCode::Malformed};
  return date;
}

struct TimeAndPicos {
  std::int64_t nanos;   // since midnight
  std::uint16_t picos;  // to be added
};

// text.size() >= kTimeBytes.
[[nodiscard]] Converted<TimeAndPicos> parse_time(std::string_view text) noexcept {
  const unsigned hour = two_digits(text.data());
  const unsigned minute = two_digits(text.data() + 3);
  const unsigned second = two_digits(text.data() + 6);
  if (text[2] != ':' || text[5] != ':' || hour > 23 || minute > 59 || second > kLeapSecond) {
    return std::unexpected{FieldErrorCode::Malformed};
  }
  const std::int64_t nanos =
      (std::int64_t{hour} * 3600 + std::int64_t{minute} * 60 + second) * kSignedNanosPerSecond;
  if (text.size() == kTimeBytes) return TimeAndPicos{nanos, 0};

  const std::string_view fraction = text.substr(kTimeBytes + 1);
  if (text[kTimeBytes] != '.' || fraction.empty() || fraction.size() > kFractionDigitsLegal) {
    return std::unexpected{FieldErrorCode::Malformed};
  }
  std::uint64_t value = 0;
  for (const char c : fraction) {
    if (!is_digit(c)) return std::unexpected{FieldErrorCode::Malformed};
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  value *= kPowersOfTen[kFractionDigitsLegal - fraction.size()];
  return TimeAndPicos{nanos + static_cast<std::int64_t>(value / kPicosPerNano),
                      static_cast<std::uint16_t>(value % kPicosPerNano)};
}

}  // namespace

Converted<Date> to_date(std::string_view text) noexcept {
  if (text.empty()) return std::unexpected{FieldErrorCode::Empty};
  if (text.size() != kDateBytes) return std::unexpected{FieldErrorCode::Malformed};
  return parse_date(text.data());
}

Converted<TimeOfDay> to_time_of_day(std::string_view text) noexcept {
  if (text.empty()) return std::unexpected{FieldErrorCode::Empty};
  if (text.size() < kTimeBytes) return std::unexpected{FieldErrorCode::Malformed};
  const Converted<TimeAndPicos> time = parse_time(text);
  if (!time) return std::unexpected{time.error()};
  return TimeOfDay{time->nanos};
}

std::size_t from_date(Date value, char* out) noexcept {
  const auto year = static_cast<unsigned>(static_cast<int>(value.year()));
  write_two_digits(out, year / 100);
  write_two_digits(out + 2, year % 100);
  write_two_digits(out + 4, static_cast<unsigned>(value.month()));
  write_two_digits(out + 6, static_cast<unsigned>(value.day()));
  return kDateBytes;
}

namespace detail {

constinit const CalendarText kCalendarText = [] {
  CalendarText text{};
  const auto put = [](auto& out, unsigned value) {
    for (std::size_t at = out.size(); at > 0; value /= 10) {
      out[--at] = static_cast<char>('0' + value % 10);
    }
  };
  constexpr unsigned kFirstYear = 1900;
  for (unsigned i = 0; i < text.years.size(); ++i) put(text.years[i], kFirstYear + i);
  std::chrono::sys_days day{std::chrono::year{1903} / std::chrono::March / 1};
  for (auto& out : text.days) {
    const Date date{day};
    put(out, static_cast<unsigned>(date.month()) * 100 + static_cast<unsigned>(date.day()));
    day += days{1};
  }
  for (unsigned i = 0; i < text.minutes.size(); ++i) {
    put(text.minutes[i], i / 60 * 1'000'000 + i % 60 * 1000);
    text.minutes[i][2] = ':';
    text.minutes[i][5] = ':';
  }
  for (unsigned i = 0; i < text.seconds.size(); ++i) put(text.seconds[i], i);
  return text;
}();

constinit const CalendarTables kCalendarTables = [] {
  CalendarTables tables{};
  using std::chrono::sys_days;
  using std::chrono::year;
  const sys_days first{year{kFirstWholeYear} / 1 / 1};
  for (unsigned i = 0; i < kWholeYears; ++i) {
    const year it{static_cast<int>(kFirstWholeYear + i)};
    const auto before = static_cast<std::uint32_t>((sys_days{it / 1 / 1} - first).count());
    tables.years[i] = before << kLeapYearBits | (it.is_leap() ? kDateSpellings : 0);
  }
  for (const int it : {2001, 2000}) {
    const std::size_t begin = year{it}.is_leap() ? kDateSpellings : 0;
    const sys_days new_year{year{it} / 1 / 1};
    for (sys_days day = new_year; day < sys_days{year{it + 1} / 1 / 1}; day += days{1}) {
      const Date date{day};
      tables.days[begin + static_cast<unsigned>(date.month()) * kDaySpellings +
                  static_cast<unsigned>(date.day())] =
          static_cast<std::uint16_t>((day - new_year).count() + 1);
    }
  }
  for (std::size_t digits = 1; digits <= kFractionDigitsLegal; ++digits) {
    tables.picos[digits + 1] = kPowersOfTen[kFractionDigitsLegal - digits];
    if (digits <= kFractionDigitsMax) {
      tables.nanos[digits + 1] = kPowersOfTen[kFractionDigitsMax - digits];
    }
  }
  return tables;
}();

Converted<PicoTime> to_any_pico_time(std::string_view text) noexcept {
  if (text.empty()) return std::unexpected{FieldErrorCode::Empty};
  if (text.size() < kTimeOffset + kTimeBytes || text[kDateBytes] != '-') {
    return std::unexpected{FieldErrorCode::Malformed};
  }
  const Converted<Date> date = parse_date(text.data());
  if (!date) return std::unexpected{date.error()};
  const Converted<TimeAndPicos> time = parse_time(text.substr(kTimeOffset));
  if (!time) return std::unexpected{time.error()};

  const std::int64_t day = std::chrono::sys_days{*date}.time_since_epoch().count();
  // The first representable day has only its last minutes. The result is counted back from its end,
  // so that the product stays in range.
  const std::int64_t borrowed = day < 0 ? 1 : 0;
  const std::int64_t rest = time->nanos - borrowed * kSignedNanosPerDay;
  std::int64_t nanos = 0;
  if (__builtin_mul_overflow(day + borrowed, kSignedNanosPerDay, &nanos) ||
      __builtin_add_overflow(nanos, rest, &nanos)) {
    return std::unexpected{FieldErrorCode::OutOfRange};
  }
  return PicoTime{WallTime{nanoseconds{nanos}}, time->picos};
}

Converted<WallTime> to_any_utc_timestamp(std::string_view text) noexcept {
  const Converted<PicoTime> time = to_any_pico_time(text);
  if (!time) return std::unexpected{time.error()};
  return time->time;
}

DayAndNanos split_any_century(WallTime value) noexcept {
  const std::int64_t nanos = value.time_since_epoch().count();
  // Written out, because the first representable day begins before the first representable time.
  const std::int64_t day = nanos / kSignedNanosPerDay;
  const std::int64_t rest = nanos % kSignedNanosPerDay;
  if (rest >= 0) return {day, static_cast<std::uint64_t>(rest)};
  return {day - 1, static_cast<std::uint64_t>(rest + kSignedNanosPerDay)};
}

void store_date_of_any_century(char* out, std::int64_t day) noexcept {
  from_date(Date{std::chrono::sys_days{days{day}}}, out);
}

}  // namespace detail

std::size_t detail::UtcTimestampWriter::write_other_day(PicoTime value, TimePrecision precision,
                                                        char* out) noexcept {
  const detail::DayAndNanos split = detail::split_any_century(value.time);
  detail::store_date_of_any_century(out, split.day);
  // The first and the last day of WallTime's range are incomplete. The rest of the first is that of
  // the last modulo 2^64, so neither is stored.
  const detail::DayAndNanos first = detail::split_any_century(WallTime::min());
  const detail::DayAndNanos last = detail::split_any_century(WallTime::max());
  if (split.day > first.day && split.day < last.day) {
    midnight_ = static_cast<std::uint64_t>(split.day) * detail::kNanosPerDay;
    std::memcpy(date_.data(), out, kDateBytes);
  }
  return kDateBytes +
         detail::store_dash_and_time(out + kDateBytes, split.nanos, value.picos, precision);
}

}  // namespace nexusfix::wire
