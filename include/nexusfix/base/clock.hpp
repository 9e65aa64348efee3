// The types of times, and two seams that make a run repeatable: the clock and random numbers.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

#include <nexusfix/base/language.hpp>

// The two kinds of time. A wall time is for messages and schedules. A monotonic time measures
// timeouts, because the wall clock may jump. The types prevent the use of one for the other.

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

namespace detail {

// The clock of MonoTime, with the member types of a std::chrono clock. It only moves forward. It
// has no now(): a Clock has it.
struct MonotonicClock {
  using rep = std::int64_t;                   // the type of a number of ticks
  using period = std::nano;                   // a tick is a nanosecond
  using duration = std::chrono::nanoseconds;  // a difference of two times
  using time_point = std::chrono::time_point<MonotonicClock, duration>;  // MonoTime
  static constexpr bool is_steady = true;                                // it is never set
};

}  // namespace detail
// A time of the monotonic clock, in nanoseconds. Only differences of two times have a meaning.
using MonoTime = detail::MonotonicClock::time_point;

// One moment by both clocks. A program reads it once for each batch of events, and passes it as an
// argument.
struct Now {
  WallTime wall;  // for messages and schedules
  MonoTime mono;  // for timeouts
};

// A time that never comes: no deadline.
inline constexpr MonoTime kNever = MonoTime::max();

// Seam: the time. No other code reads the time from the operating system, so that a simulator can
// replace it.

// The source of the time. A program implements it to control the time in its tests.
class Clock {
 public:
  // The clock must outlive everything that uses it.
  virtual ~Clock() = default;
  // The present time, by both clocks. The monotonic time does not go back on one thread. Any
  // thread. No allocation, no blocking.
  [[nodiscard]] virtual Now now() noexcept = 0;
};

// CLOCK_REALTIME and CLOCK_MONOTONIC. Both are read once a millisecond, so a change of the wall
// clock is noticed at most a millisecond late. Between these readings, the processor's counter is
// read instead, on x86-64 if the kernel itself uses it; otherwise the monotonic clock is read. The
// result is within about a microsecond of the kernel's. Each thread's monotonic time does not go
// back.
class SystemClock final : public Clock {
 public:
  // The present time, within about a microsecond of the kernel's. Any thread.
  [[nodiscard]] Now now() noexcept override;
};

// The wall time for a caller that has no Clock: SystemClock's, or that of the thread's innermost
// ClockOfThread. Any thread. No allocation, no blocking.
[[nodiscard]] WallTime wall_now() noexcept;

// As long as it lives, wall_now() reads this clock on the thread that made it. So a simulator gives
// its own time to the programs that it runs. Destroy it on the same thread, the innermost first.
class ClockOfThread {
 public:
  // The clock must outlive this object.
  explicit ClockOfThread(Clock& clock) noexcept;
  ClockOfThread(const ClockOfThread&) = delete;
  ClockOfThread& operator=(const ClockOfThread&) = delete;
  ~ClockOfThread();

 private:
  Clock* outer_;
};

// Seam: random numbers. All of them come from here, so that a seed replays a run exactly.

// The source of random numbers.
class Random {
 public:
  // The source must outlive everything that uses it.
  virtual ~Random() = default;
  // A random number, uniform over all 64-bit values. One thread at a time.
  [[nodiscard]] virtual std::uint64_t next() noexcept = 0;
};

// The operating system's entropy (getrandom).
class SystemRandom final : public Random {
 public:
  // A random number from the kernel. Any thread.
  [[nodiscard]] std::uint64_t next() noexcept override;
};

// SplitMix64: small, fast, and the same on every machine. Not for secrets.
class SeededRandom final : public Random {
 public:
  // The seed determines all numbers. Any value.
  explicit SeededRandom(std::uint64_t seed) noexcept : state_{seed} {}
  // The next number of the sequence.
  [[nodiscard]] std::uint64_t next() noexcept override;
  // The next number, uniform from 0 to bound - 1. bound: at least 1. The bias of the modulo is
  // below bound / 2^64.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }

 private:
  std::uint64_t state_;
};

}  // namespace nexusfix
