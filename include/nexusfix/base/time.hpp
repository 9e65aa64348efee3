// The two kinds of time. A wall time is for messages and schedules. A monotonic time measures
// timeouts, because the wall clock may jump. The types prevent the use of one for the other.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

// A time in UTC: nanoseconds since 1970-01-01, from 1677-09-21 to 2262-04-11. Leap seconds are not
// counted, as in POSIX.
using WallTime = std::chrono::sys_time<std::chrono::nanoseconds>;

// A wall time with picoseconds, for the UTCTimestamp of twelve fraction digits (FIX 5.0 SP2 EP206).
// 64 bits of picoseconds would cover only 106 days, so the part below a nanosecond is separate.
struct PicoTime {
  WallTime time;            // rounded down to nanoseconds
  std::uint16_t picos = 0;  // 0 to 999, to be added

  // Compares the times.
  friend constexpr auto operator<=>(const PicoTime&, const PicoTime&) = default;
};

// The clock of MonoTime, with the member types of a std::chrono clock. It only moves forward. It
// has no now(): a Clock has it.
struct MonotonicClock {
  using rep = std::int64_t;                   // the type of a number of ticks
  using period = std::nano;                   // a tick is a nanosecond
  using duration = std::chrono::nanoseconds;  // a difference of two times
  using time_point = std::chrono::time_point<MonotonicClock, duration>;  // MonoTime
  static constexpr bool is_steady = true;                                // it is never set
};
// A time of the monotonic clock, in nanoseconds. Only differences of two times have a meaning.
using MonoTime = MonotonicClock::time_point;

// One moment by both clocks. A program reads it once for each batch of events, and passes it as an
// argument.
struct Now {
  WallTime wall;  // for messages and schedules
  MonoTime mono;  // for timeouts
};

// A time that never comes: no deadline.
inline constexpr MonoTime kNever = MonoTime::max();

}  // namespace nexusfix
