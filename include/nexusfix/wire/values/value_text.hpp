// The text of a value that a caller gives as a C++ type.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/base/fixed_price.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/values/conversions.hpp>

namespace nexusfix::wire::detail {

// Longer than the text of any number or time.
inline constexpr std::size_t kValueTextBytesMax = 64;

// Whether the value has a wire format: a Date exists and has a year of four digits, a TimeOfDay is
// within the day and its leap second.
template <FieldValue Value>
[[nodiscard]] bool has_wire_format(const Value& value) noexcept {
  if constexpr (std::same_as<Value, PicoTime>) {
    return value.picos < 1'000;
  } else if constexpr (std::convertible_to<Value, Date>) {
    constexpr int kYearMax = 9999;
    const Date date{value};
    const auto year = static_cast<int>(date.year());
    return date.ok() && year >= 0 && year <= kYearMax;
  } else if constexpr (std::convertible_to<Value, WallTime>) {
    return true;
  } else if constexpr (std::convertible_to<Value, TimeOfDay>) {
    constexpr TimeOfDay kEnd = std::chrono::hours{24} + std::chrono::seconds{1};
    const TimeOfDay time{value};
    return time >= TimeOfDay::zero() && time < kEnd;
  } else {
    return true;
  }
}

// Writes the text of a value that is not a text itself, at most kValueTextBytesMax bytes. A time
// has milliseconds. Returns the bytes written.
template <FieldValue Value>
std::size_t value_text(const Value& value, char* out) noexcept {
  if constexpr (std::same_as<Value, char>) {
    return *out = value, 1;
  } else if constexpr (std::same_as<Value, bool>) {
    return *out = value ? 'Y' : 'N', 1;
  } else if constexpr (std::signed_integral<Value>) {
    return from_int(value, out);
  } else if constexpr (std::unsigned_integral<Value>) {
    return from_uint(value, out);
  } else if constexpr (std::same_as<Value, Decimal>) {
    return from_decimal(value, out);
  } else if constexpr (std::same_as<Value, FixedPrice>) {
    return from_fixed_price(value, out);
  } else if constexpr (std::convertible_to<Value, Date>) {
    return from_date(value, out);
  } else if constexpr (std::convertible_to<Value, WallTime>) {
    return from_utc_timestamp(WallTime{value}, TimePrecision::Millis, out);
  } else if constexpr (std::same_as<Value, PicoTime>) {
    return from_utc_timestamp(value, TimePrecision::Millis, out);
  } else {
    return from_time_of_day(TimeOfDay{value}, TimePrecision::Millis, out);
  }
}

}  // namespace nexusfix::wire::detail
