// Seam: the time. No other code asks the operating system what time it is, so that a simulator
// can own it.
#pragma once

#include <nexusfix/base/time.hpp>

namespace nexusfix {

class Clock {
 public:
  virtual ~Clock() = default;
  // Any thread. No allocation, no blocking.
  [[nodiscard]] virtual Now now() noexcept = 0;
};

// CLOCK_REALTIME and CLOCK_MONOTONIC. Both are read once a millisecond, so that a wall clock that
// is set is noticed so late; in between, on x86-64, the processor's counter is read in their place
// where the kernel goes by it, too, and otherwise the second. Within a microsecond or so of the
// kernel's; each thread's monotonic time does not go back.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] Now now() noexcept override;
};

}  // namespace nexusfix
