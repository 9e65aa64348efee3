// A clock that only a test moves.
#pragma once

#include <chrono>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::testing {

class ManualClock final : public Clock {
 public:
  [[nodiscard]] Now now() noexcept override { return now_; }
  // Moves both clocks, as time does.
  void advance(std::chrono::nanoseconds by) noexcept {
    now_.wall += by;
    now_.mono += by;
  }

  // Sets the wall clock back, as an operator or NTP does.
  void set_wall_back(std::chrono::nanoseconds by) noexcept { now_.wall -= by; }
  void set_wall_forward(std::chrono::nanoseconds by) noexcept { now_.wall += by; }

 private:
  // 2024-01-15 10:30:00 UTC, and a monotonic clock that has run for an hour.
  Now now_{WallTime{std::chrono::seconds{1'705'314'600}}, MonoTime{std::chrono::hours{1}}};
};

}  // namespace nexusfix::testing
