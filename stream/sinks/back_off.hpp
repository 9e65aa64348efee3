// How long a stream waits before it tries again.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::stream {

// 0.25 s after the first failure, then twice as long each time, up to 30 s. A random quarter of it
// is added, so that streams that lost one server do not return at one moment. One thread.
class BackOff {
 public:
  static constexpr std::chrono::milliseconds kFirst{250};
  static constexpr std::chrono::milliseconds kLongest{30'000};

  // at_least: what the server asks for.
  void fail(MonoTime now, std::chrono::milliseconds at_least = {}) {
    const auto quarter = static_cast<std::uint64_t>(wait_.count() / 4);
    const auto more = static_cast<std::int64_t>(random_.next() % (quarter + 1));
    next_ = now + std::max(at_least, wait_ + std::chrono::milliseconds{more});
    wait_ = std::min(wait_ * 2, kLongest);
  }
  void succeed() noexcept {
    wait_ = kFirst;
    next_ = {};
  }
  [[nodiscard]] bool is_over(MonoTime now) const noexcept { return now >= next_; }

 private:
  std::chrono::milliseconds wait_ = kFirst;
  MonoTime next_;
  SystemRandom random_;
};

}  // namespace nexusfix::stream
