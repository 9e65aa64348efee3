#include <chrono>
#include <time.h>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/base/clock.hpp>

namespace nexusfix {
namespace {

using std::chrono::nanoseconds;

nanoseconds read(clockid_t clock) noexcept {
  timespec reading{};
  // Fails only for a clock that the kernel does not have; both of ours are in every Linux.
  const int result = ::clock_gettime(clock, &reading);
  NEXUSFIX_ASSERT(result == 0);
  return std::chrono::seconds{reading.tv_sec} + nanoseconds{reading.tv_nsec};
}

// How far the wall clock is ahead of the monotonic one. Both run at one rate, so that it changes
// only when the wall clock is set: it is good for a moment, and a reading of both costs one.
struct WallOffset {
  nanoseconds value{0};
  nanoseconds good_until = nanoseconds::min();  // monotonic

  // How late a wall clock that was set is noticed.
  static constexpr nanoseconds kGoodFor = std::chrono::milliseconds{1};

  // Less than this is the reading's own doing: the wall time would go back by it now and then.
  static constexpr nanoseconds kNoise = std::chrono::microseconds{1};

  // The wall clock is read between two readings of the other; the closest of a few counts, because
  // the thread may be interrupted between them. Returns the last reading.
  nanoseconds renew() noexcept {
    constexpr int kReadings = 4;
    nanoseconds closest = nanoseconds::max();
    nanoseconds found = value;
    nanoseconds before = read(CLOCK_MONOTONIC);
    for (int i = 0; i < kReadings && closest > kNoise / 2; ++i) {
      const nanoseconds wall = read(CLOCK_REALTIME);
      const nanoseconds after = read(CLOCK_MONOTONIC);
      if (after - before < closest) {
        closest = after - before;
        found = wall - before - closest / 2;
      }
      before = after;
    }
    if (std::chrono::abs(found - value) > kNoise) value = found;
    good_until = before + kGoodFor;
    return before;
  }
};

}  // namespace

Now SystemClock::now() noexcept {
  thread_local constinit WallOffset offset;
  nanoseconds mono = read(CLOCK_MONOTONIC);
  if (mono >= offset.good_until) [[unlikely]]
    mono = offset.renew();
  return {.wall = WallTime{mono + offset.value}, .mono = MonoTime{mono}};
}

}  // namespace nexusfix
