// The limit of what may happen within a second. Every limit of the engine counts with it, except
// Throttle, whose interval slides.
#pragma once

#include <chrono>
#include <cstdint>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::engine {

class SecondLimit {
 public:
  static constexpr std::chrono::seconds kWindow{1};

  // Begins a second, unless the last one still goes on. True: a second has begun.
  bool begin(MonoTime now) noexcept {
    if (now < ends_at_) return false;
    ends_at_ = now + kWindow;
    count_ = 0;
    return true;
  }
  void count() noexcept { ++count_; }
  // Counts one event. False: there were more than count_max within the second.
  [[nodiscard]] bool allow(MonoTime now, std::uint32_t count_max) noexcept {
    begin(now);
    return ++count_ <= count_max;
  }

  [[nodiscard]] std::uint32_t counted() const noexcept { return count_; }
  [[nodiscard]] MonoTime ends_at() const noexcept { return ends_at_; }

 private:
  MonoTime ends_at_ = MonoTime::min();
  std::uint32_t count_ = 0;
};

}  // namespace nexusfix::engine
