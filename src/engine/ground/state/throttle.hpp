// The sliding window of ThrottleMessages and OutboundMessages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::engine {

// Limits the number of messages within an interval. A sliding window: at most count_max messages in
// any interval of this length. Only the constructor allocates.
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
    count(now);
    return true;
  }
  // Counts a message that passes in any case. There must be a limit.
  void count(MonoTime now) noexcept {
    times_[oldest_] = now;
    oldest_ = oldest_ + 1 == times_.size() ? 0 : oldest_ + 1;
  }
  // When this number of messages may pass, at most an interval's. There must be a limit.
  [[nodiscard]] MonoTime next_at(std::size_t count = 1) const noexcept {
    const std::size_t last = oldest_ + std::min(count, times_.size()) - 1;
    const MonoTime before = times_[last < times_.size() ? last : last - times_.size()];
    return before == MonoTime::min() ? before : before + interval_;
  }
  // The number of messages that may pass now, up to most. There must be a limit. O(most).
  [[nodiscard]] std::size_t allowed(MonoTime now, std::size_t most) const noexcept {
    std::size_t count = 0;
    while (count < std::min(most, times_.size()) && next_at(count + 1) <= now) ++count;
    return count;
  }

 private:
  std::vector<MonoTime> times_;  // of the last messages, as a ring
  std::size_t oldest_ = 0;
  MonoTime::duration interval_{};
};

}  // namespace nexusfix::engine
