// Measures an operation on each message of a sample.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "bench/measure/timer.hpp"
#include "bench/messages/contestant.hpp"
#include "bench/report/statistics.hpp"

namespace nexusfix::logs {

// In nanoseconds a message. Single calls include the timer's own cost.
struct LogFigures {
  std::size_t messages = 0;  // different ones
  double ns = 0;             // of calls that follow each other
  double p50 = 0;
  double p99 = 0;
  double min = 0;
  double max = 0;
};

// How often a block is measured; its best pass counts.
struct Passes {
  std::size_t of_block = 25;
  std::size_t single = 4;  // in which each call is timed by itself
};

// Measures blocks of messages that follow each other: so few stay in the caches, as a message that
// has just arrived is there, and they are too many for a branch predictor to learn. prepare(first,
// count) is not timed, and precedes each pass over the messages [first, first + count);
// call(position) is the operation for first + position, and returns an answer.
template <class Prepare, class Call>
LogFigures time_blocks(std::size_t messages, Passes passes, double ns_per_tick, Prepare prepare,
                       Call call) {
  constexpr std::size_t kBlock = 1024;
  std::vector<std::uint64_t> singles;
  std::uint64_t total = 0;
  for (std::size_t first = 0; first < messages; first += kBlock) {
    const std::size_t count = std::min(kBlock, messages - first);
    std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t pass = 0; pass < passes.of_block; ++pass) {
      prepare(first, count);
      const std::uint64_t before = bench::read_ticks();
      for (std::size_t i = 0; i < count; ++i) bench::keep(call(i));
      best = std::min(best, bench::read_ticks() - before);
    }
    total += best;
    for (std::size_t pass = 0; pass < passes.single; ++pass) {
      prepare(first, count);
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t before = bench::read_ticks();
        bench::keep(call(i));
        singles.push_back(bench::read_ticks() - before);
      }
    }
  }
  std::ranges::sort(singles);
  const auto single = [&](double share) {
    return static_cast<double>(bench::quantile_of_sorted(singles, share)) * ns_per_tick;
  };
  return {.messages = messages,
          .ns = static_cast<double>(total) * ns_per_tick / static_cast<double>(messages),
          .p50 = single(0.5),
          .p99 = single(0.99),
          .min = single(0),
          .max = single(1)};
}

}  // namespace nexusfix::logs
