// Whether an event loop keeps its deadlines: heartbeats, time-outs and all else that has a time.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include <nexusfix/base/time.hpp>

namespace nexusfix::engine {

// A loop is late when three of its alarms were, and neither three in a row since then were not, nor
// has it been long. One alone says nothing: the machine was suspended, or a disk slow for once.
class LoopLateness {
 public:
  static constexpr std::chrono::seconds kRecent{5};
  static constexpr unsigned kRow = 3;

  LoopLateness() = default;  // never late
  explicit LoopLateness(MonoTime::duration late_max) noexcept : late_max_{late_max} {}

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

// Tells when an event loop did nothing for seconds, of whatever cause: the disk (catalogue D16), a
// callback, a machine without a free processor, or one that was suspended.
class LoopStallDetector {
 public:
  static constexpr std::chrono::seconds kLeast{2};
  static constexpr std::chrono::minutes kToldAgain{1};

  // What was due then is done now. How much later, if that is to be told. What was due before the
  // first call was due before the loop began.
  std::optional<MonoTime::duration> done(MonoTime due, MonoTime now) noexcept {
    const bool has_begun = std::exchange(has_begun_, true);
    if (due > now - kLeast || !has_begun || now < told_until_) [[likely]]
      return std::nullopt;
    told_until_ = now + kToldAgain;
    return now - due;
  }

 private:
  bool has_begun_ = false;
  MonoTime told_until_ = MonoTime::min();
};

}  // namespace nexusfix::engine
