// Notices of the log writer, on their way to the event loop.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "observe/api/session_logs.hpp"

namespace nexusfix::observe {

// Any thread. At most kNoticesMax notices wait; further ones are only counted.
class LogNotices {
 public:
  void post(LogNotice notice) {
    const std::lock_guard lock{mutex_};
    if (notices_.size() < kNoticesMax) {
      notices_.push_back(std::move(notice));
    } else {
      ++dropped_;
    }
    has_notices_.store(true, std::memory_order_relaxed);
  }

  // Moves all notices to the end of `to`. Takes no lock when there are none.
  void take(std::vector<LogNotice>& to) {
    // Relaxed: the mutex orders the notices. A notice that is missed here is taken at the next
    // call.
    if (!has_notices_.load(std::memory_order_relaxed)) [[likely]]
      return;
    const std::lock_guard lock{mutex_};
    has_notices_.store(false, std::memory_order_relaxed);
    std::ranges::move(notices_, std::back_inserter(to));
    notices_.clear();
    if (const std::size_t dropped = std::exchange(dropped_, 0); dropped > 0) {
      to.push_back({EventId::LogEventsDropped,
                    std::to_string(dropped) + " more events of the logs are not shown"});
    }
  }

 private:
  static constexpr std::size_t kNoticesMax = 16;

  std::atomic<bool> has_notices_{false};
  std::mutex mutex_;
  std::vector<LogNotice> notices_;
  std::size_t dropped_ = 0;
};

}  // namespace nexusfix::observe
