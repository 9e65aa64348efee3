// The two kinds of time. A wall time stamps messages and schedules. A monotonic time measures
// timeouts, because the wall clock may jump. The types prevent using one for the other.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

// UTC, nanoseconds since 1970-01-01, from 1677-09-21 to 2262-04-11. Leap seconds are not counted,
// as in POSIX.
using WallTime = std::chrono::sys_time<std::chrono::nanoseconds>;

// A wall time with picoseconds, for the UTCTimestamp of twelve fraction digits (FIX 5.0 SP2 EP206).
// 64 bits of picoseconds would cover only 106 days, so the part below a nanosecond is separate.
struct PicoTime {
  WallTime time;            // rounded down to nanoseconds
  std::uint16_t picos = 0;  // 0 to 999, to be added

  friend constexpr auto operator<=>(const PicoTime&, const PicoTime&) = default;
};

// A clock that only moves forward. Its zero has no meaning.
struct MonotonicClock {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<MonotonicClock, duration>;
  static constexpr bool is_steady = true;
};
using MonoTime = MonotonicClock::time_point;

// Both readings, taken once for each batch of events and passed as an argument.
struct Now {
  WallTime wall;
  MonoTime mono;
};

inline constexpr MonoTime kNever = MonoTime::max();

}  // namespace nexusfix
