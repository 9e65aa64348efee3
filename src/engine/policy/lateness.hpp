// Detects whether an event loop misses its deadlines: heartbeats, timeouts and all other timers.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::engine {

// A loop is late after three late alarms, until three punctual ones follow in a row, or until
// kRecent has passed. A single late alarm means nothing: the machine was suspended, or a disk was
// slow once.
class LoopLateness {
 public:
  static constexpr std::chrono::seconds kRecent{5};
  static constexpr unsigned kRow = 3;

  LoopLateness() = default;  // never late
  explicit LoopLateness(MonoTime::duration late_max) noexcept : late_max_{late_max} {}

  [[nodiscard]] MonoTime::duration late_max() const noexcept { return late_max_; }

  // Work that was due at `due` is done at `now`.
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
  unsigned late_ = 0;      // late alarms, each within kRecent of the one before
  unsigned punctual_ = 0;  // punctual alarms in a row after the last late one
};

// Detects that an event loop stood still for seconds, from any cause: the disk (catalogue D16), a
// callback, a machine without a free processor, or a suspended machine.
class LoopStallDetector {
 public:
  static constexpr std::chrono::seconds kLeast{2};
  static constexpr std::chrono::minutes kLoggedAgain{1};

  // Work that was due at `due` is done at `now`. The result is the delay, if it is to be reported.
  // Work that was due before the first call was due before the loop began.
  std::optional<MonoTime::duration> done(MonoTime due, MonoTime now) noexcept {
    const bool has_begun = std::exchange(has_begun_, true);
    if (due > now - kLeast || !has_begun || now < logged_until_) [[likely]]
      return std::nullopt;
    logged_until_ = now + kLoggedAgain;
    return now - due;
  }

 private:
  bool has_begun_ = false;
  MonoTime logged_until_ = MonoTime::min();
};

}  // namespace nexusfix::engine
