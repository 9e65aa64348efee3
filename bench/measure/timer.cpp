#include "bench/measure/timer.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "bench/report/statistics.hpp"

namespace nexusfix::bench {
namespace {

using Steady = std::chrono::steady_clock;

// A moment on both clocks. The counter is read before and after the steady clock; the pair with the
// smallest difference is the most exact.
struct Moment {
  std::uint64_t ticks = 0;
  Steady::time_point time;
};

Moment read_both() {
  constexpr int kTries = 50;
  Moment best;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t before = read_ticks();
    const Steady::time_point time = Steady::now();
    const std::uint64_t after = read_ticks();
    if (after - before >= least) continue;
    least = after - before;
    best = {before + least / 2, time};
  }
  return best;
}

}  // namespace

TimerFacts calibrate_timer() {
  constexpr std::chrono::milliseconds kSpan{60};
  constexpr std::size_t kReadings = 50'000;
  const Moment start = read_both();
  std::vector<std::uint64_t> costs;
  while (Steady::now() - start.time < kSpan) {
    if (costs.size() >= kReadings) continue;
    const std::uint64_t before = read_ticks();
    costs.push_back(read_ticks() - before);
  }
  const Moment end = read_both();
  const std::chrono::duration<double, std::nano> elapsed = end.time - start.time;

  TimerFacts facts;
  facts.ns_per_tick = elapsed.count() / static_cast<double>(end.ticks - start.ticks);
  std::sort(costs.begin(), costs.end());
  facts.cost_ns = static_cast<double>(quantile_of_sorted(costs, 0.5)) * facts.ns_per_tick;
  facts.cost_min_ns = static_cast<double>(costs.front()) * facts.ns_per_tick;
  // The counter's step is the smallest distance between two different costs.
  std::uint64_t step = std::numeric_limits<std::uint64_t>::max();
  costs.erase(std::unique(costs.begin(), costs.end()), costs.end());
  for (std::size_t i = 1; i < costs.size(); ++i) step = std::min(step, costs[i] - costs[i - 1]);
  facts.step_ns = costs.size() < 2 ? 0 : static_cast<double>(step) * facts.ns_per_tick;
  return facts;
}

}  // namespace nexusfix::bench
