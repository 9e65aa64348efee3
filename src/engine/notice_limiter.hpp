// Keeps a storm of notices (garbled messages, rejects) from becoming a storm of log lines.
#pragma once

#include <chrono>
#include <cstdint>

#include <nexusfix/base/time.hpp>

namespace nexusfix::engine {

class NoticeLimiter {
 public:
  static constexpr std::chrono::seconds kWindow{1};
  static constexpr unsigned kLinesPerWindow = 100;

  // Whether a line may be written now. What is refused is counted.
  [[nodiscard]] bool allow(MonoTime now) noexcept {
    if (now >= window_end_) {
      window_end_ = now + kWindow;
      lines_ = 0;
    }
    if (lines_ < kLinesPerWindow) {
      ++lines_;
      return true;
    }
    ++suppressed_;
    return false;
  }

  // How many lines were refused in windows that are over; zero while the storm's window lasts.
  [[nodiscard]] std::uint64_t take_suppressed(MonoTime now) noexcept {
    if (suppressed_ == 0 || now < window_end_) return 0;
    const std::uint64_t count = suppressed_;
    suppressed_ = 0;
    return count;
  }

 private:
  MonoTime window_end_ = MonoTime::min();
  unsigned lines_ = 0;
  std::uint64_t suppressed_ = 0;
};

}  // namespace nexusfix::engine
