// Finds and reads the stamp that a program writes before a message: its date, clock and zone.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>

namespace nexusfix::logs {

// How stamps are read.
struct StampStyle {
  std::string format{};  // of --time-format, after check_time_format(); empty: recognised
  // Local time minus UTC, of stamps that name no zone. Nothing: they are in UTC.
  std::optional<std::chrono::seconds> zone{};
};

struct Stamp {
  WallTime time{};
  std::size_t begin = 0;  // in the text
  std::size_t end = 0;
  bool has_zone = false;
  // After the seconds of a clock of 24 hours, if a date with a year is before it; else 0.
  std::size_t clock_end = 0;
};

// A time that is near: the SendingTime of the message. Called at most once, and only for a stamp
// without a year or a date, with a date of two meanings (05/06/2024), or of a count of seconds.
using NearTime = FunctionRef<std::optional<WallTime>()>;

// The stamp in a text. The first one with a date and a year; else a number of seconds,
// milliseconds, microseconds or nanoseconds since 1970; else one without a year; else a clock
// alone. Zones are `Z`, `+02:00`, `-0500`, `+02`, `UTC+2`, and abbreviations such as CET. Second
// 60, a leap second, is the last nanosecond of second 59. Any thread.
[[nodiscard]] std::optional<Stamp> find_stamp(std::string_view text, const StampStyle& style,
                                              NearTime near);

// What follows the seconds of a clock: a fraction, a zone.
struct ClockTail {
  std::chrono::nanoseconds fraction{};
  std::optional<std::chrono::seconds> zone{};
  std::size_t end = 0;
  bool has_half = false;  // AM or PM
};
[[nodiscard]] ClockTail read_clock_tail(std::string_view text, std::size_t at) noexcept;
// The part of it after the fraction. Only the first 16 bytes decide.
[[nodiscard]] ClockTail read_after_fraction(std::string_view text, std::size_t at) noexcept;

// Whether a text without a known stamp seems to have one.
[[nodiscard]] bool seems_stamped(std::string_view text) noexcept;

// The offset of `+02:00`, `-0500`, `UTC+2`, `Z` or `CET`. Nothing: it is no such zone.
[[nodiscard]] std::optional<std::chrono::seconds> read_zone(std::string_view text) noexcept;

// An error says what a format may have.
[[nodiscard]] std::expected<void, std::string> check_time_format(std::string_view format);

}  // namespace nexusfix::logs
