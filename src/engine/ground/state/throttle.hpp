// Limits the number of messages that a counterparty may send within an interval.
#pragma once

#include <cstddef>
#include <vector>

#include <nexusfix/base/time.hpp>

namespace nexusfix::engine {

// A sliding window: at most count_max messages in any interval of this length. Only the constructor
// allocates.
class Throttle {
 public:
  Throttle() = default;  // no limit
  Throttle(std::size_t count_max, MonoTime::duration interval)
      : times_(count_max, MonoTime::min()), interval_{interval} {}

  [[nodiscard]] bool is_set() const noexcept { return !times_.empty(); }

  // Whether a message may pass now; if so, it is counted.
  [[nodiscard]] bool allow(MonoTime now) noexcept {
    if (!is_set()) return true;
    if (now < next_at()) return false;
    times_[oldest_] = now;
    oldest_ = oldest_ + 1 == times_.size() ? 0 : oldest_ + 1;
    return true;
  }
  // When the next message may pass.
  [[nodiscard]] MonoTime next_at() const noexcept {
    const MonoTime oldest = times_[oldest_];
    return oldest == MonoTime::min() ? oldest : oldest + interval_;
  }

 private:
  std::vector<MonoTime> times_;  // of the last messages, as a ring
  std::size_t oldest_ = 0;
  MonoTime::duration interval_{};
};

}  // namespace nexusfix::engine
