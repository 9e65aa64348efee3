// Detects a counterparty that does more of something within a second than any correct one would.
#pragma once

#include <chrono>
#include <cstdint>

#include <nexusfix/base/time.hpp>

namespace nexusfix::engine {

class SecondLimit {
 public:
  static constexpr std::chrono::seconds kWindow{1};

  // Counts one event. False: there were more than count_max within the window.
  [[nodiscard]] bool allow(MonoTime now, std::uint32_t count_max) noexcept {
    if (now >= window_end_) {
      window_end_ = now + kWindow;
      count_ = 0;
    }
    return ++count_ <= count_max;
  }

 private:
  MonoTime window_end_ = MonoTime::min();
  std::uint32_t count_ = 0;
};

}  // namespace nexusfix::engine
