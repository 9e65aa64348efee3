// The clock of the benchmarks: the time-stamp counter, and the cost of one reading. C++14, because
// the file that measures QuickFIX includes it.
#pragma once

#include <chrono>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace nexusfix {
namespace bench {

// Fences on both sides keep the measured code and the code around it apart. Other machines than
// x86-64 read the steady clock, whose ticks are nanoseconds.
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

// The properties of the counter on this machine.
struct TimerFacts {
  double ns_per_tick = 1;
  double cost_ns = 0;      // median of two readings with nothing between them
  double cost_min_ns = 0;  // the minimum of these
  double step_ns = 0;      // the smallest step of the counter; it is larger in virtual machines
};

// Compares the counter with the steady clock for some hundredths of a second.
TimerFacts calibrate_timer();

}  // namespace bench
}  // namespace nexusfix
