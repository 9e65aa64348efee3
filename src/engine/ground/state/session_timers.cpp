#include "engine/ground/state/session_timers.hpp"

#include <algorithm>

namespace nexusfix::engine {
namespace {

// A change of the wall clock is noticed within this time.
constexpr std::chrono::minutes kWallTimeRead{1};

}  // namespace

// A time in the past is now: so no timer that a callback sets comes before those that are due.
TimerHandle SessionTimers::add(MonoTime due, const Now& now, std::uint32_t session,
                               TimerCallback&& callback) {
  const MonoTime time = std::max(due, now.mono);
  return add(&State::mono, {.due = time.time_since_epoch(), .session = session},
             std::move(callback));
}

// A wall time in the past is due now, also if the wall clock goes back before the next turn.
TimerHandle SessionTimers::add(WallTime due, const Now& now, std::uint32_t session,
                               TimerCallback&& callback) {
  if (due <= now.wall) return add(now.mono, now, session, std::move(callback));
  return add(&State::wall,
             {.due = due.time_since_epoch(), .session = session, .is_of_wall_clock = true},
             std::move(callback));
}

TimerHandle SessionTimers::add(Timers State::* timers, const TimerHandle& timer,
                               TimerCallback&& callback) {
  if (!state_) {
    auto made = std::make_unique<State>();
    made->spare.reserve(kSpareMax);  // remove() needs no memory.
    state_ = std::move(made);
  }
  State& all = *state_;
  if (all.mono.size() + all.wall.size() >= kTimersMax) return {};
  TimerHandle set = timer;
  set.number = all.last + 1;
  const Key key{set.due, set.number};
  if (all.spare.empty()) {
    (all.*timers).emplace(key, std::move(callback));
  } else {
    Timers::node_type node = std::move(all.spare.back());
    all.spare.pop_back();
    node.key() = key;
    node.mapped() = std::move(callback);
    (all.*timers).insert(std::move(node));
  }
  all.last = set.number;
  return set;
}

bool SessionTimers::cancel(const TimerHandle& timer) noexcept {
  if (!state_) return false;
  Timers& timers = timer.is_of_wall_clock ? state_->wall : state_->mono;
  const auto found = timers.find({timer.due, timer.number});
  if (found == timers.end()) return false;
  const TimerCallback cancelled = std::move(found->second);
  remove(timers, found);
  return true;
}

// An alarm in the past would count as lateness of the loop.
MonoTime SessionTimers::next(const Now& now) const noexcept {
  if (!state_) return kNever;
  MonoTime next = kNever;
  if (!state_->mono.empty()) {
    next = std::max(MonoTime{state_->mono.begin()->first.first}, now.mono);
  }
  if (!state_->wall.empty()) {
    const WallTime due{state_->wall.begin()->first.first};
    const std::chrono::nanoseconds left =
        due <= now.wall ? std::chrono::nanoseconds{0}
                        : std::min<std::chrono::nanoseconds>(due - now.wall, kWallTimeRead);
    next = std::min(next, now.mono + left);
  }
  return next;
}

std::optional<TimerCallback> SessionTimers::remove_due(const Now& now, std::uint64_t number_max) {
  if (!state_) return std::nullopt;
  const auto take = [&](Timers& timers,
                        std::chrono::nanoseconds time) -> std::optional<TimerCallback> {
    const auto timer = timers.begin();
    if (timer == timers.end() || timer->first.first > time || timer->first.second > number_max)
      return std::nullopt;
    std::optional<TimerCallback> due{std::move(timer->second)};
    remove(timers, timer);
    return due;
  };
  auto due = take(state_->mono, now.mono.time_since_epoch());
  return due ? std::move(due) : take(state_->wall, now.wall.time_since_epoch());
}

void SessionTimers::remove(Timers& timers, Timers::iterator timer) noexcept {
  Timers::node_type node = timers.extract(timer);
  if (state_->spare.size() < kSpareMax) state_->spare.push_back(std::move(node));
}

}  // namespace nexusfix::engine
