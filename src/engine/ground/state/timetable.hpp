// The state of a session's schedule.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <nexusfix/base/time.hpp>

namespace nexusfix::engine {

// Valid from `since` until `until`. SessionControl computes it.
class Timetable {
 public:
  // The schedule is open, and no operator has disabled the session.
  [[nodiscard]] bool may_log_on() const noexcept { return is_open_ && !is_disabled_; }
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }
  [[nodiscard]] bool is_disabled() const noexcept { return is_disabled_; }
  // by: who, and why: "anna: fat finger"; nullopt: it is enabled.
  void set_disabled(std::optional<std::string> by) noexcept {
    is_disabled_ = by.has_value();
    disabled_by_ = std::move(by).value_or(std::string{});
  }
  [[nodiscard]] const std::string& disabled_by() const noexcept { return disabled_by_; }
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
  std::string disabled_by_;
  WallTime since_ = WallTime::max();
  WallTime until_ = WallTime::min();
  // The end for which the sequence numbers were reset.
  std::chrono::sys_seconds session_ended_at_ = std::chrono::sys_seconds::min();
};

}  // namespace nexusfix::engine
