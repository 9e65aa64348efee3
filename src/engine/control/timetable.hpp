// The state of a session's schedule.
#pragma once

#include <chrono>

#include <nexusfix/base/time.hpp>

namespace nexusfix::engine {

// Valid from `since` until `until`. SessionControl computes it.
class Timetable {
 public:
  // The schedule is open, and no operator has disabled the session.
  [[nodiscard]] bool may_log_on() const noexcept { return is_open_ && !is_disabled_; }
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }
  [[nodiscard]] bool is_disabled() const noexcept { return is_disabled_; }
  void set_disabled(bool is_disabled) noexcept { is_disabled_ = is_disabled; }
  // The settings have changed: SessionControl::follow_schedule() computes it again.
  void expire() noexcept {
    since_ = WallTime::max();
    until_ = WallTime::min();
  }
  // The end of the session may have been undone: it is computed, and ended, again.
  void undo_end() noexcept {
    session_ended_at_ = std::chrono::sys_seconds::min();
    expire();
  }

 private:
  friend class SessionControl;

  bool is_open_ = true;
  bool is_disabled_ = false;
  WallTime since_ = WallTime::max();
  WallTime until_ = WallTime::min();
  // The end for which the sequence numbers were reset.
  std::chrono::sys_seconds session_ended_at_ = std::chrono::sys_seconds::min();
};

}  // namespace nexusfix::engine
