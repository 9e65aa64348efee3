// Whether an event loop keeps its deadlines: heartbeats, time-outs and all else that has a time.
#pragma once

#include <chrono>

#include <nexusfix/base/time.hpp>

namespace nexusfix::engine {

// A loop is late when three of its alarms were, and neither three in a row since then were not, nor
// has it been long. One alone says nothing: the machine was suspended, or a disk slow for once.
class Punctuality {
 public:
  static constexpr std::chrono::seconds kRecent{5};
  static constexpr unsigned kRow = 3;

  Punctuality() = default;  // never late
  explicit Punctuality(MonoTime::duration late_max) noexcept : late_max_{late_max} {}

  [[nodiscard]] MonoTime::duration late_max() const noexcept { return late_max_; }

  // What was due then is done now.
  void done(MonoTime due, MonoTime now) noexcept {
    if (due >= now - late_max_ || late_max_.count() == 0) {
      if (late_ != 0 && ++punctual_ >= kRow) late_ = 0;
      return;
    }
    late_ = is_recent(now) ? late_ + 1 : 1;
    punctual_ = 0;
    last_late_ = now;
  }
  [[nodiscard]] bool is_late(MonoTime now) const noexcept {
    return late_ >= kRow && is_recent(now);
  }

 private:
  [[nodiscard]] bool is_recent(MonoTime now) const noexcept { return now - last_late_ <= kRecent; }

  MonoTime::duration late_max_{0};  // 0: no limit
  MonoTime last_late_{};
  unsigned late_ = 0;      // alarms, each soon behind the other
  unsigned punctual_ = 0;  // behind the last late one
};

}  // namespace nexusfix::engine
