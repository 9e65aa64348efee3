// The clock of the benchmarks: the time-stamp counter, and what one reading of it costs.
// Written in C++14, because the file that measures QuickFIX can be nothing newer.
#pragma once

#include <chrono>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace nexusfix {
namespace bench {

// Fenced on both sides, so that neither what is measured nor what surrounds it moves across. Other
// machines than x86-64 read the steady clock, whose ticks are nanoseconds.
inline std::uint64_t read_ticks() noexcept {
#if defined(__x86_64__)
  _mm_lfence();
  const std::uint64_t ticks = __rdtsc();
  _mm_lfence();
  return ticks;
#else
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
#endif
}

// What the counter is worth on this machine.
struct TimerFacts {
  double ns_per_tick = 1;
  double cost_ns = 0;      // median of two readings with nothing between them
  double cost_min_ns = 0;  // the least of these
  double step_ns = 0;      // by how much the counter advances at least; virtual machines coarsen it
};

// Compares the counter with the steady clock for some hundredths of a second.
TimerFacts calibrate_timer();

}  // namespace bench
}  // namespace nexusfix
