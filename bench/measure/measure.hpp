// Measures contestants in turn, so that all of them have the same noise.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "bench/messages/contestant.hpp"

namespace nexusfix::bench {

struct MeasureSettings {
  std::size_t warm_up_calls = 10'000;
  std::size_t single_calls = 100'000;  // each timed on its own
  std::size_t batches = 500;
  double batch_ns = 20'000;  // a batch's length: the counter's step is less than a thousandth of it
  // The limit of each phase. A slow contestant has fewer calls than above.
  double phase_seconds_max = 1.0;

  [[nodiscard]] static MeasureSettings quick() {
    return {.warm_up_calls = 2'000,
            .single_calls = 20'000,
            .batches = 100,
            .batch_ns = 20'000,
            .phase_seconds_max = 0.08};
  }
};

// The shares of single calls whose percentiles a plot of the latency needs.
inline constexpr std::array kPercentileShares{0.25,  0.5,    0.75,  0.9,    0.95,    0.975, 0.99,
                                              0.995, 0.9975, 0.999, 0.9995, 0.99975, 0.9999};

// Nanoseconds per call. Single calls include the timer's own cost.
struct Figures {
  double p50 = 0;
  double p99 = 0;
  double p999 = 0;
  double min = 0;
  double max = 0;
  std::array<double, kPercentileShares.size()> percentiles{};
  std::size_t single_calls = 0;
  // A percentile of the batches' means. The figure to compare is the lowest decile: neither another
  // program on the machine nor a single fast batch changes it.
  double batch = 0;
  double batch_median = 0;
  double batch_best = 0;
  std::size_t batches = 0;
  std::size_t batch_calls = 0;
};

// Measures contestants whose check() was empty. The result has the same order.
[[nodiscard]] std::vector<Figures> measure(std::span<Contestant* const> contestants,
                                           const MeasureSettings& settings, double ns_per_tick);

}  // namespace nexusfix::bench
