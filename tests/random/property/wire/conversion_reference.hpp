// Obvious conversions, one character at a time and in wide integers, to compare the library with.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/wire/convert.hpp>

namespace nexusfix::wire::reference {

__extension__ using Wide = __int128;

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline bool all_digits(std::string_view text) {
  for (const char c : text) {
    if (!is_digit(c)) return false;
  }
  return true;
}

// A value above every 64-bit number stays above.
inline Wide value_of(std::string_view digits) {
  constexpr Wide kEnough = Wide{1} << 100;
  Wide value = 0;
  for (const char c : digits) value = value > kEnough ? value : value * 10 + (c - '0');
  return value;
}

inline std::unexpected<FieldErrorCode> error(FieldErrorCode code) { return std::unexpected{code}; }

inline Converted<std::uint64_t> to_uint(std::string_view text) {
  if (text.empty()) return error(FieldErrorCode::Empty);
  if (!all_digits(text)) return error(FieldErrorCode::Malformed);
  const Wide value = value_of(text);
  if (value > std::numeric_limits<std::uint64_t>::max()) return error(FieldErrorCode::OutOfRange);
  return static_cast<std::uint64_t>(value);
}

inline bool fits(Wide value) {
  return value >= std::numeric_limits<std::int64_t>::min() &&
         value <= std::numeric_limits<std::int64_t>::max();
}

inline Converted<std::int64_t> to_int(std::string_view text) {
  if (text.empty()) return error(FieldErrorCode::Empty);
  const bool negative = text.front() == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty() || !all_digits(text)) return error(FieldErrorCode::Malformed);
  const Wide value = negative ? -value_of(text) : value_of(text);
  if (!fits(value)) return error(FieldErrorCode::OutOfRange);
  return static_cast<std::int64_t>(value);
}

inline Converted<Decimal> to_decimal(std::string_view text) {
  if (text.empty()) return error(FieldErrorCode::Empty);
  const bool negative = text.front() == '-';
  if (negative) text.remove_prefix(1);
  std::string digits{text};
  std::size_t scale = 0;
  if (const std::size_t point = digits.find('.'); point != digits.npos) {
    digits.erase(point, 1);
    scale = digits.size() - point;
  }
  if (digits.empty() || !all_digits(digits)) return error(FieldErrorCode::Malformed);
  for (;;) {
    const Wide value = negative ? -value_of(digits) : value_of(digits);
    if (scale <= Decimal::kScaleMax && fits(value)) {
      return Decimal{static_cast<std::int64_t>(value), static_cast<unsigned>(scale)};
    }
    if (scale == 0 || digits.back() != '0') return error(FieldErrorCode::OutOfRange);
    digits.pop_back();
    --scale;
  }
}

// In units of 10^-8, directly from the text and not through a Decimal.
inline Converted<FixedPrice> to_fixed_price(std::string_view text) {
  const Converted<Decimal> decimal = reference::to_decimal(text);
  if (!decimal) return error(decimal.error());
  Wide units = decimal->mantissa();
  unsigned scale = decimal->scale();
  for (; scale < FixedPrice::kScale; ++scale) units *= 10;
  for (; scale > FixedPrice::kScale; --scale) {
    if (units % 10 != 0) return error(FieldErrorCode::OutOfRange);
    units /= 10;
  }
  if (!fits(units)) return error(FieldErrorCode::OutOfRange);
  return FixedPrice::from_units(static_cast<std::int64_t>(units));
}

inline bool is_leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

inline int days_of_month(int year, int month) {
  if (month == 2) return is_leap(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

// Days since 0000-01-01, by the rule of leap years and a walk over the months.
inline std::int64_t days_of_date(int year, int month, int day) {
  std::int64_t days = std::int64_t{365} * year;
  if (year > 0) days += (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 + 1;
  for (int before = 1; before < month; ++before) days += days_of_month(year, before);
  return days + day - 1;
}

inline Converted<PicoTime> to_pico_time(std::string_view text) {
  if (text.empty()) return error(FieldErrorCode::Empty);
  constexpr std::string_view kForm = "dddddddd-dd:dd:dd.dddddddddddd";
  constexpr std::size_t kShortest = 17;
  if (text.size() < kShortest || text.size() == kShortest + 1 || text.size() > kForm.size()) {
    return error(FieldErrorCode::Malformed);
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (kForm[i] == 'd' ? !is_digit(text[i]) : text[i] != kForm[i]) {
      return error(FieldErrorCode::Malformed);
    }
  }
  const auto number = [text](std::size_t at, std::size_t size) {
    return static_cast<int>(value_of(text.substr(at, size)));
  };
  const int year = number(0, 4);
  const int month = number(4, 2);
  const int day = number(6, 2);
  if (month < 1 || month > 12 || day < 1 || day > days_of_month(year, month) || number(9, 2) > 23 ||
      number(12, 2) > 59 || number(15, 2) > 60) {
    return error(FieldErrorCode::Malformed);
  }
  std::string fraction{text.size() > kShortest ? text.substr(kShortest + 1) : ""};
  fraction.resize(12, '0');
  Wide picos = days_of_date(year, month, day) - days_of_date(1970, 1, 1);
  picos = ((picos * 24 + number(9, 2)) * 60 + number(12, 2)) * 60 + number(15, 2);
  picos = picos * 1'000'000'000'000 + value_of(fraction);
  const Wide below = (picos % 1000 + 1000) % 1000;
  const Wide nanos = (picos - below) / 1000;
  if (!fits(nanos)) return error(FieldErrorCode::OutOfRange);
  return PicoTime{WallTime{std::chrono::nanoseconds{static_cast<std::int64_t>(nanos)}},
                  static_cast<std::uint16_t>(below)};
}

inline Converted<WallTime> to_utc_timestamp(std::string_view text) {
  const Converted<PicoTime> time = reference::to_pico_time(text);
  if (!time) return error(time.error());
  return time->time;
}

inline std::string from_decimal(Decimal value) {
  Wide rest = value.mantissa();
  const bool negative = rest < 0;
  if (negative) rest = -rest;
  std::string text;
  for (unsigned i = 0; rest != 0 || i <= value.scale(); ++i) {
    if (i != 0 && i == value.scale()) text.insert(text.begin(), '.');
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  }
  return negative ? "-" + text : text;
}

inline std::string from_fixed_price(FixedPrice value) {
  std::string text = from_decimal(Decimal{value.units(), FixedPrice::kScale});
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace nexusfix::wire::reference
