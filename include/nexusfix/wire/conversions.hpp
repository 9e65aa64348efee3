// Between the text of a value and a C++ type, exactly and without floating point.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/wire/field.hpp>

namespace nexusfix::wire {

using Date = std::chrono::year_month_day;
using TimeOfDay = std::chrono::nanoseconds;  // since midnight

enum class TimePrecision : std::uint8_t { Seconds = 0, Millis = 3, Micros = 6, Nanos = 9 };

template <class T>
using Converted = std::expected<T, FieldErrorCode>;

// FIX int: optional minus, digits, leading zeros allowed; no plus, no blank.
[[nodiscard]] Converted<std::int64_t> to_int(std::string_view text) noexcept;
// Same without sign: SeqNum, Length, NumInGroup.
[[nodiscard]] Converted<std::uint64_t> to_uint(std::string_view text) noexcept;
// FIX float (Price, Qty, Amt): optional minus, digits with at most one point; at least one digit;
// no exponent. OutOfRange if the digits do not fit in 64 bits, or more than 18 follow the point.
[[nodiscard]] Converted<Decimal> to_decimal(std::string_view text) noexcept;
[[nodiscard]] Converted<bool> to_bool(std::string_view text) noexcept;  // Y or N
[[nodiscard]] Converted<char> to_char(std::string_view text) noexcept;  // exactly one byte
// YYYYMMDD-HH:MM:SS[.f{1,9}]. Second 60 is accepted and is the next minute's first second.
[[nodiscard]] Converted<WallTime> to_utc_timestamp(std::string_view text) noexcept;
[[nodiscard]] Converted<Date> to_date(std::string_view text) noexcept;              // YYYYMMDD
[[nodiscard]] Converted<TimeOfDay> to_time_of_day(std::string_view text) noexcept;  // HH:MM:SS[.f]

// Each writes to out and returns the bytes written; out must hold k...BytesMax.
inline constexpr std::size_t kIntBytesMax = 20;
inline constexpr std::size_t kDecimalBytesMax = 24;
inline constexpr std::size_t kUtcTimestampBytesMax = 27;
std::size_t from_int(std::int64_t value, char* out) noexcept;
std::size_t from_uint(std::uint64_t value, char* out) noexcept;
std::size_t from_decimal(Decimal value, char* out) noexcept;
std::size_t from_utc_timestamp(WallTime value, TimePrecision precision, char* out) noexcept;
std::size_t from_date(Date value, char* out) noexcept;
std::size_t from_time_of_day(TimeOfDay value, TimePrecision precision, char* out) noexcept;

}  // namespace nexusfix::wire
