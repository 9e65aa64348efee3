// The timers that the application has set for one session.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine/session.hpp>

namespace nexusfix::engine {

// A session without timers costs one null pointer: its alarm in the event loop's TimerQueue, which
// every session has, also serves its timers. So no turn and no message looks at them.
//
// The timers are nodes of an ordered map by time and number: equal times run in the order in which
// they were set, and cancel() finds its timer. Nodes of past timers are used again, up to
// kSpareMax: an application that sets and cancels a timer for each order allocates nothing.
class SessionTimers {
 public:
  // At most this number of timers of one session run in a turn: messages must not wait for more.
  static constexpr std::size_t kDuePerTurn = 64;

  [[nodiscard]] bool empty() const noexcept {
    return !state_ || (state_->mono.empty() && state_->wall.empty());
  }
  // An empty handle: there are kTimersMax timers.
  [[nodiscard]] TimerHandle add(MonoTime due, const Now& now, std::uint32_t session,
                                TimerCallback&& callback);
  [[nodiscard]] TimerHandle add(WallTime due, const Now& now, std::uint32_t session,
                                TimerCallback&& callback);
  // False: there is no such timer.
  bool cancel(const TimerHandle& timer) noexcept;
  // Cancels all.
  void clear() noexcept { const auto cancelled = std::move(state_); }

  // When the earliest timer is due; a wall time is looked at each minute, because the wall clock
  // may be set. kNever: there is no timer.
  [[nodiscard]] MonoTime next(const Now& now) const noexcept;
  // The number of the timer that was set last.
  [[nodiscard]] std::uint64_t last_number() const noexcept { return state_ ? state_->last : 0; }
  // Removes the next due timer with a number up to this one, and returns its callback.
  [[nodiscard]] std::optional<TimerCallback> remove_due(const Now& now, std::uint64_t number_max);

 private:
  static constexpr std::size_t kSpareMax = 64;

  using Key = std::pair<std::chrono::nanoseconds, std::uint64_t>;  // due, and number
  using Timers = std::map<Key, TimerCallback>;
  struct State {
    Timers mono;
    Timers wall;
    std::vector<Timers::node_type> spare;
    std::uint64_t last = 0;
  };

  [[nodiscard]] TimerHandle add(Timers State::* timers, const TimerHandle& timer,
                                TimerCallback&& callback);
  void remove(Timers& timers, Timers::iterator timer) noexcept;

  std::unique_ptr<State> state_;  // null: no timer was ever set
};

}  // namespace nexusfix::engine
