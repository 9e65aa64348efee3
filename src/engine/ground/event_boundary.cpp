#include "engine/ground/event_boundary.hpp"

#include <algorithm>
#include <chrono>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

void LoopCosts::on_slow_turn(MonoTime began, MonoTime now) noexcept {
  if (!is_measuring()) {
    window_began_ = now;
    window_ends_ = now + kWindow;
    due_at_ = window_ends_;
  }
  if (now - began < kStall) return;
  stall_ = now - began;
  due_at_ = now;
}

std::optional<LoopCosts::Stall> LoopCosts::consume_stall(MonoTime now, bool is_whole) noexcept {
  due_at_ = window_ends_;
  const MonoTime::duration time = std::exchange(stall_, MonoTime::duration{});
  if (time == MonoTime::duration{} || !is_whole || now < stall_named_until_) return std::nullopt;
  stall_named_until_ = now + kNamedAgain;
  const std::size_t noted = std::min(served_count_, kServedMax);
  return Stall{time, {served_.data(), noted}, served_count_ - noted};
}

// One address may have had several connections.
std::optional<LoopCosts::Costly> LoopCosts::end_window(MonoTime now) {
  if (now < window_ends_) return std::nullopt;
  window_ends_ = kNever;
  due_at_ = kNever;
  std::map<std::string, Cost> by_name;
  for (const auto& [id, cost] : std::exchange(costs_, {})) {
    Cost& sum = by_name[cost.name];
    sum.time += cost.time;
    sum.events += cost.events;
  }
  const auto most =
      std::ranges::max_element(by_name, {}, [](const auto& one) { return one.second.time; });
  const MonoTime::duration window = now - window_began_;
  if (most == by_name.end() || most->second.time * kShareMin < window || now < named_until_) {
    return std::nullopt;
  }
  named_until_ = now + kNamedAgain;
  return Costly{most->first, most->second.time, most->second.events, window};
}

namespace {

// When the loop tries again what it could not finish, at the latest.
constexpr std::chrono::milliseconds kNextTry{10};

}  // namespace

void EventBoundary::count_failure() noexcept {
  loop_.report.memory_failed();
  loop_.wake_at(loop_.now().mono + kNextTry);
}

}  // namespace nexusfix::engine
