// How often the log names a connection that never became a client. Every program that reaches a
// door can make such connections, and a flood of them must not fill the disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::gateway {

// One thread.
class RefusalLimit {
 public:
  static constexpr unsigned kPerSecond = 20;

  // False: the connection is counted, and not named.
  [[nodiscard]] bool allow(MonoTime now) noexcept {
    if (now - second_ >= kSecond) {
      second_ = now;
      named_ = 0;
    }
    if (named_ < kPerSecond) {
      ++named_;
      return true;
    }
    if (hidden_ == 0) hidden_since_ = now;
    ++hidden_;
    return false;
  }
  // How many were not named; 0 within a second of the first of them.
  [[nodiscard]] std::uint64_t consume_hidden(MonoTime now) noexcept {
    return now - hidden_since_ < kSecond ? 0 : consume_hidden();
  }
  [[nodiscard]] std::uint64_t consume_hidden() noexcept { return std::exchange(hidden_, 0); }

 private:
  static constexpr std::chrono::seconds kSecond{1};

  MonoTime second_{};  // in which named_ were named
  unsigned named_ = 0;
  MonoTime hidden_since_{};
  std::uint64_t hidden_ = 0;
};

}  // namespace nexusfix::gateway
