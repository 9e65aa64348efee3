// The time of a loop's turn, and its next wake-up: one number, which each turn compares.
#pragma once

#include <algorithm>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::engine {

// The clock is read once for each event: all effects of the event have the same time.
class LoopClock {
 public:
  explicit LoopClock(Clock& clock) : clock_{clock}, now_{clock.now()} {}

  [[nodiscard]] const Now& now() const noexcept { return now_; }
  void update() { now_ = clock_.now(); }
  // Reads the clock; the time of the turn stays the same.
  [[nodiscard]] Now read() const { return clock_.now(); }

  // The loop wakes up at `deadline` at the latest.
  void wake_at(MonoTime deadline) noexcept {
    wakes_at_ = std::min(wakes_at_, deadline);
    find_first();
  }
  // kNever: only sessions and connections have deadlines.
  [[nodiscard]] MonoTime wakes_at() const noexcept { return wakes_at_; }
  void clear_wake() noexcept {
    wakes_at_ = kNever;
    find_first();
  }
  // LoopTimers sets the first deadline of sessions and connections.
  void set_first_owner(MonoTime deadline) noexcept {
    first_owner_ = deadline;
    find_first();
  }
  // When the next timed work is due; kNever: there is none.
  [[nodiscard]] MonoTime first_timer() const noexcept { return first_; }

 private:
  void find_first() noexcept { first_ = std::min(wakes_at_, first_owner_); }

  Clock& clock_;
  Now now_;
  MonoTime wakes_at_ = kNever;
  MonoTime first_owner_ = kNever;
  MonoTime first_ = kNever;  // the earlier one
};

}  // namespace nexusfix::engine
