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

// CLOCK_REALTIME and CLOCK_MONOTONIC, by one reading of the second: how far the first is ahead is
// asked once a millisecond, so that a wall clock that is set is noticed so late.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] Now now() noexcept override;
};

}  // namespace nexusfix
