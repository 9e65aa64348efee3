// The state of a session's schedule.
#pragma once

#include <chrono>

#include <nexusfix/base/time.hpp>

namespace nexusfix::engine {

// Valid from `since` until `until`. SessionControl computes it.
class Timetable {
 public:
  [[nodiscard]] bool may_log_on() const noexcept { return may_log_on_; }
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

  bool may_log_on_ = true;
  WallTime since_ = WallTime::max();
  WallTime until_ = WallTime::min();
  // The end for which the sequence numbers were reset.
  std::chrono::sys_seconds session_ended_at_ = std::chrono::sys_seconds::min();
};

}  // namespace nexusfix::engine
