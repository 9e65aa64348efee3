// What other machines and timers have for one process: it runs only in the life that asked for it,
// and waits while the process is frozen.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <nexusfix/simulator/simulated_clock.hpp>

#include "context.hpp"

namespace nexusfix::simulator::cluster {

class ProcessGate {
 public:
  // Both must outlive the gate.
  ProcessGate(Context& context, SimulatedClock& clock) : context_{context}, clock_{clock} {}

  void begin() noexcept { ++life_; }
  void end() {
    ++life_;
    waiting_.clear();
    is_frozen_ = false;
  }
  void freeze() noexcept { is_frozen_ = true; }
  [[nodiscard]] bool is_frozen() const noexcept { return is_frozen_; }
  // The threads of a process go on in any order.
  void thaw() {
    is_frozen_ = false;
    std::vector<Agenda::Action> waiting = std::exchange(waiting_, {});
    for (std::size_t i = waiting.size(); i > 1; --i) {
      std::swap(waiting[i - 1], waiting[static_cast<std::size_t>(context_.random.below(i))]);
    }
    for (Agenda::Action& action : waiting) {
      const std::chrono::microseconds late{context_.random.below(2) * context_.random.below(3'000)};
      context_.agenda.after(
          late, [this, life = life_, action = std::move(action)] { run(life, action); });
    }
  }

  // A function that passes its arguments to action, in this life of the process only.
  template <class Action>
  [[nodiscard]] auto wrap(Action action) {
    return [this, life = life_, action = std::move(action)](auto... values) {
      run(life, [action, values...] { action(values...); });
    };
  }
  // Runs action when the process's own clock has moved so far. The clock may change its rate
  // meanwhile.
  template <class Action>
  void after(std::chrono::nanoseconds delay, Action action) {
    arm(clock_.now().mono + delay, wrap(std::move(action)));
  }

 private:
  void arm(MonoTime deadline, Agenda::Action action) {
    constexpr WorldTime kLookedAtAgain = std::chrono::milliseconds{500};
    const WorldTime now = context_.agenda.now();
    context_.agenda.at(std::min(clock_.world_time(deadline), now + kLookedAtAgain),
                       [this, deadline, action = std::move(action)]() mutable {
                         if (clock_.now().mono >= deadline) return action();
                         arm(deadline, std::move(action));
                       });
  }

  void run(std::uint64_t life, const Agenda::Action& action) {
    if (life != life_) return;
    if (!is_frozen_) return action();
    waiting_.push_back([this, life, action] { run(life, action); });
  }

  Context& context_;
  SimulatedClock& clock_;
  std::uint64_t life_ = 0;
  bool is_frozen_ = false;
  std::vector<Agenda::Action> waiting_;
};

}  // namespace nexusfix::simulator::cluster
