#include "engine/loop/loop_costs.hpp"

#include <algorithm>

namespace nexusfix::engine {

void LoopCosts::add(std::string_view who, MonoTime::duration time) {
  auto found = costs_.find(who);
  if (found == costs_.end()) found = costs_.try_emplace(std::string{who}).first;
  found->second.time += time;
  ++found->second.events;
}

std::optional<LoopCosts::Costly> LoopCosts::end_window(MonoTime now) {
  window_ends_ = kNever;
  const auto costs = std::exchange(costs_, {});
  const auto most =
      std::ranges::max_element(costs, {}, [](const auto& one) { return one.second.time; });
  const MonoTime::duration window = now - window_began_;
  if (most == costs.end() || most->second.time * kShareMin < window || now < named_until_) {
    return std::nullopt;
  }
  named_until_ = now + kNamedAgain;
  return Costly{most->first, most->second.time, most->second.events, window};
}

}  // namespace nexusfix::engine
