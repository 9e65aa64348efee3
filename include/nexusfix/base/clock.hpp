// Seam: the time. No other code reads the time from the operating system, so that a simulator can
// replace it.
#pragma once

#include <nexusfix/base/time.hpp>

namespace nexusfix {

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

}  // namespace nexusfix
