// When a process takes its next turn.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include <nexusfix/simulator/simulated_clock.hpp>

namespace nexusfix::simulator {

class TurnSchedule {
 public:
  // When the process has something to do; WorldTime::max(): it has nothing to do.
  [[nodiscard]] WorldTime next() const noexcept { return next_; }

  // The process starts: it is not paused any more.
  void unpause(WorldTime now) noexcept { paused_until_ = now; }
  void begin(WorldTime now) noexcept { next_ = now; }
  void end() noexcept { next_ = WorldTime::max(); }

  // The process has something to do as soon as it is free.
  void wake(WorldTime now) noexcept {
    next_ = std::min(next_, std::max({now, busy_until_, paused_until_}));
  }

  // Begins a turn. False: the process is paused, and has its turn later.
  [[nodiscard]] bool begin_turn(WorldTime now) noexcept {
    next_ = is_paused(now) ? paused_until_ : WorldTime::max();
    return !is_paused(now);
  }
  // The turn takes until busy_until. The next turn is at `next`, but not before that.
  void end_turn(WorldTime busy_until, WorldTime next) noexcept {
    busy_until_ = busy_until;
    next_ = std::max(busy_until, next);
  }

  void pause(WorldTime until) noexcept { paused_until_ = until; }
  void shorten_pause(WorldTime until) noexcept { paused_until_ = std::min(paused_until_, until); }
  [[nodiscard]] bool is_paused(WorldTime now) const noexcept { return now < paused_until_; }

  // Counts a turn. Returns the number of turns in the present second.
  [[nodiscard]] std::uint64_t count_turn(WorldTime now) noexcept {
    if (now - counted_since_ > std::chrono::seconds{1}) {
      counted_since_ = now;
      turns_ = 0;
    }
    return ++turns_;
  }

 private:
  WorldTime next_ = WorldTime::max();
  WorldTime busy_until_{};
  WorldTime paused_until_{};
  WorldTime counted_since_{};
  std::uint64_t turns_ = 0;  // since then
};

}  // namespace nexusfix::simulator
