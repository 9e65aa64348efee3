#include <chrono>
#include <time.h>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/base/clock.hpp>

namespace nexusfix {
namespace {

std::chrono::nanoseconds read(clockid_t clock) noexcept {
  timespec reading{};
  // Fails only for a clock that the kernel does not have; both of ours are in every Linux.
  const int result = ::clock_gettime(clock, &reading);
  NEXUSFIX_ASSERT(result == 0);
  return std::chrono::seconds{reading.tv_sec} + std::chrono::nanoseconds{reading.tv_nsec};
}

}  // namespace

Now SystemClock::now() noexcept {
  return {.wall = WallTime{read(CLOCK_REALTIME)}, .mono = MonoTime{read(CLOCK_MONOTONIC)}};
}

}  // namespace nexusfix
