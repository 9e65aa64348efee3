// Dates and times of conversions.hpp.
#include <limits>

#include <nexusfix/wire/conversions.hpp>

#include "wire/digits.hpp"

namespace nexusfix::wire {

namespace {

using std::chrono::days;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr std::size_t kDateBytes = 8;          // YYYYMMDD
constexpr std::size_t kTimeBytes = 8;          // HH:MM:SS
constexpr std::size_t kFractionDigitsMax = 9;  // nanoseconds
// FIX 5.0 SP2 allows picoseconds: of the type, but finer than what we represent.
constexpr std::size_t kFractionDigitsLegal = 12;
constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr unsigned kLeapSecond = 60;

// The number of two digits at text, or something above 99 if they are no digits.
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

// text.size() >= kTimeBytes.
[[nodiscard]] Converted<TimeOfDay> parse_time(std::string_view text) noexcept {
  const unsigned hour = two_digits(text.data());
  const unsigned minute = two_digits(text.data() + 3);
  const unsigned second = two_digits(text.data() + 6);
  if (text[2] != ':' || text[5] != ':' || hour > 23 || minute > 59 || second > kLeapSecond) {
    return std::unexpected{FieldErrorCode::Malformed};
  }
  std::int64_t nanos =
      (std::int64_t{hour} * 3600 + std::int64_t{minute} * 60 + second) * kNanosPerSecond;
  if (text.size() == kTimeBytes) return TimeOfDay{nanos};

  const std::string_view fraction = text.substr(kTimeBytes + 1);
  if (text[kTimeBytes] != '.' || fraction.empty() || fraction.size() > kFractionDigitsLegal) {
    return std::unexpected{FieldErrorCode::Malformed};
  }
  std::int64_t value = 0;
  for (const char c : fraction) {
    if (!is_digit(c)) return std::unexpected{FieldErrorCode::Malformed};
    value = value * 10 + (c - '0');
  }
  if (fraction.size() > kFractionDigitsMax) return std::unexpected{FieldErrorCode::OutOfRange};
  nanos += value * static_cast<std::int64_t>(kPowersOfTen[kFractionDigitsMax - fraction.size()]);
  return TimeOfDay{nanos};
}

// HH:MM:SS and the fraction; time is within a day, or within the leap second behind it.
std::size_t write_time(TimeOfDay time, TimePrecision precision, char* out) noexcept {
  const auto nanos = static_cast<std::uint64_t>(time.count());
  auto second_of_day = static_cast<unsigned>(nanos / kNanosPerSecond);
  unsigned leap = 0;
  if (second_of_day >= kSecondsPerDay) {
    second_of_day = static_cast<unsigned>(kSecondsPerDay) - 1;
    leap = 1;  // 23:59:60
  }
  write_two_digits(out, second_of_day / 3600);
  out[2] = ':';
  write_two_digits(out + 3, second_of_day / 60 % 60);
  out[5] = ':';
  write_two_digits(out + 6, second_of_day % 60 + leap);
  const auto digits = static_cast<std::size_t>(precision);
  if (digits == 0) return kTimeBytes;
  out[kTimeBytes] = '.';
  char* const end = out + kTimeBytes + 1 + digits;
  write_digits_before(end, nanos % kNanosPerSecond / kPowersOfTen[kFractionDigitsMax - digits],
                      digits);
  return kTimeBytes + 1 + digits;
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
  return parse_time(text);
}

Converted<WallTime> to_utc_timestamp(std::string_view text) noexcept {
  if (text.empty()) return std::unexpected{FieldErrorCode::Empty};
  constexpr std::size_t kTimeOffset = kDateBytes + 1;
  if (text.size() < kTimeOffset + kTimeBytes || text[kDateBytes] != '-') {
    return std::unexpected{FieldErrorCode::Malformed};
  }
  const Converted<Date> date = parse_date(text.data());
  if (!date) return std::unexpected{date.error()};
  const Converted<TimeOfDay> time = parse_time(text.substr(kTimeOffset));
  if (!time) return std::unexpected{time.error()};

  const std::int64_t day = std::chrono::sys_days{*date}.time_since_epoch().count();
  // The first representable day has only its last minutes: counting back from its end keeps the
  // product in range.
  const std::int64_t borrowed = day < 0 ? 1 : 0;
  const std::int64_t rest = time->count() - borrowed * kSecondsPerDay * kNanosPerSecond;
  std::int64_t nanos = 0;
  if (__builtin_mul_overflow(day + borrowed, kSecondsPerDay * kNanosPerSecond, &nanos) ||
      __builtin_add_overflow(nanos, rest, &nanos)) {
    return std::unexpected{FieldErrorCode::OutOfRange};
  }
  return WallTime{nanoseconds{nanos}};
}

std::size_t from_date(Date value, char* out) noexcept {
  const auto year = static_cast<unsigned>(static_cast<int>(value.year()));
  write_two_digits(out, year / 100);
  write_two_digits(out + 2, year % 100);
  write_two_digits(out + 4, static_cast<unsigned>(value.month()));
  write_two_digits(out + 6, static_cast<unsigned>(value.day()));
  return kDateBytes;
}

std::size_t from_utc_timestamp(WallTime value, TimePrecision precision, char* out) noexcept {
  constexpr std::int64_t kNanosPerDay = kSecondsPerDay * kNanosPerSecond;
  const std::int64_t nanos = value.time_since_epoch().count();
  // By hand, because the first representable day begins before the first representable time.
  std::int64_t day = nanos / kNanosPerDay;
  std::int64_t time = nanos % kNanosPerDay;
  if (time < 0) {
    time += kNanosPerDay;
    --day;
  }
  out += from_date(Date{std::chrono::sys_days{days{day}}}, out);
  *out++ = '-';
  return kDateBytes + 1 + write_time(TimeOfDay{time}, precision, out);
}

std::size_t from_time_of_day(TimeOfDay value, TimePrecision precision, char* out) noexcept {
  return write_time(value, precision, out);
}

}  // namespace nexusfix::wire
