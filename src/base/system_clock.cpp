#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fcntl.h>
#include <string_view>
#include <time.h>
#include <unistd.h>
#include <utility>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>

namespace nexusfix {
namespace {

using std::chrono::nanoseconds;

// How long a reading of the operating system's clocks is used, and so the delay after which a
// change of the wall clock is noticed.
constexpr nanoseconds kGoodFor = std::chrono::milliseconds{1};

nanoseconds read(clockid_t clock) noexcept {
  timespec reading{};
  // Fails only for clocks that the kernel does not have. Every Linux has these two.
  const int result = ::clock_gettime(clock, &reading);
  NEXUSFIX_ASSERT(result == 0);
  return std::chrono::seconds{reading.tv_sec} + nanoseconds{reading.tv_nsec};
}

std::uint64_t read_ticks() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return 0;
#endif
}

// Whether the kernel itself uses the processor's counter. It does only if the counter has a
// constant rate and is equal on all cores.
bool has_ticks() noexcept {
#if defined(__x86_64__)
  static const bool has = [] {
    const int file = ::open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                            O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    char text[16];
    const ssize_t size = ::read(file, text, sizeof text);
    ::close(file);
    return size > 0 && std::string_view{text, static_cast<std::size_t>(size)} == "tsc\n";
  }();
  return has;
#else
  return false;
#endif
}

// The clock of one thread. Reads the processor's counter instead of the kernel's clock, which takes
// a third of the time and does not delay the instructions around it. Reads the kernel's clock once
// in kGoodFor and calculates the length of a tick from these readings.
class ThreadClock {
 public:
  Now now() noexcept {
    const std::uint64_t ticks = read_ticks() - ticks_;
    if (ticks < ticks_good_) [[likely]]
      return at(mono_ + lasting(ticks));
    return ask(ticks);
  }

 private:
  // The length of a tick is in units of 2^-32 nanoseconds.
  static constexpr unsigned kRateBits = 32;
  // A smaller difference is noise of the reading. Without this limit, the wall time would go back
  // now and then.
  static constexpr nanoseconds kNoise = std::chrono::microseconds{1};
  // The interval for the calculation of a rate. Its error is the noise of two readings divided by
  // this.
  static constexpr nanoseconds kRateOver = std::chrono::milliseconds{10};
  static constexpr nanoseconds kRateAnew = std::chrono::seconds{1};

  struct Reading {
    nanoseconds mono{0};
    nanoseconds wall_ahead{0};
    std::uint64_t ticks = 0;  // at mono
  };

  [[nodiscard]] Now at(nanoseconds mono) const noexcept {
    return {.wall = WallTime{mono + wall_ahead_}, .mono = MonoTime{mono}};
  }
  [[nodiscard]] nanoseconds lasting(std::uint64_t ticks) const noexcept {
    return nanoseconds{static_cast<std::int64_t>((ticks * rate_) >> kRateBits)};
  }

  [[gnu::noinline]] Now ask(std::uint64_t ticks) noexcept {
    if (ticks_good_ == 0) {
      const nanoseconds mono = read(CLOCK_MONOTONIC);
      if (mono < good_until_) return at(std::max(mono, mono_));
    }
    // No returned time is later than this.
    const nanoseconds latest = mono_ + lasting(std::min(ticks, ticks_good_));
    bool is_close = false;
    const Reading reading = closest_reading(is_close);
    if (std::chrono::abs(reading.wall_ahead - wall_ahead_) > kNoise) {
      wall_ahead_ = reading.wall_ahead;
    }
    good_until_ = reading.mono + kGoodFor;
    ticks_ = reading.ticks;
    mono_ = std::max(reading.mono, latest);
    ticks_good_ = 0;
    if (is_close && has_ticks()) go_by_ticks(reading);
    return at(mono_);
  }

  // Reads the wall clock and the ticks between two readings of the monotonic clock. Takes the
  // closest of a few attempts, because the thread may be interrupted between them.
  static Reading closest_reading(bool& is_close) noexcept {
    constexpr int kReadings = 4;
    nanoseconds closest = nanoseconds::max();
    Reading found;
    nanoseconds before = read(CLOCK_MONOTONIC);
    for (int i = 0; i < kReadings && closest > kNoise / 2; ++i) {
      const nanoseconds wall = read(CLOCK_REALTIME);
      const std::uint64_t ticks = read_ticks();
      const nanoseconds after = read(CLOCK_MONOTONIC);
      if (after - before < closest) {
        closest = after - before;
        const nanoseconds middle = before + closest / 2;
        found = {.mono = middle, .wall_ahead = wall - middle, .ticks = ticks};
      }
      before = after;
    }
    is_close = closest <= kNoise;
    return found;
  }

  void go_by_ticks(const Reading& reading) noexcept {
    const nanoseconds lasted = reading.mono - anchor_.mono;
    if (anchor_.ticks == 0 || reading.ticks <= anchor_.ticks) {
      anchor_ = reading;
      rate_ = 0;
      return;
    }
    if (lasted >= kRateOver) {
      const double rate = static_cast<double>(lasted.count()) /
                          static_cast<double>(reading.ticks - anchor_.ticks) *
                          static_cast<double>(std::uint64_t{1} << kRateBits);
      // A larger change means that the counter was set, as when a virtual machine moves.
      constexpr double kChangeMax = 1e-3;
      const auto before = static_cast<double>(found_rate_);
      const bool is_steady = before == 0 || std::abs(rate - before) < kChangeMax * before;
      found_rate_ = is_steady ? static_cast<std::uint64_t>(rate) : 0;
      if (!is_steady || lasted >= kRateAnew) anchor_ = reading;
    }
    rate_ = found_rate_;
    if (rate_ == 0) return;
    // If the returned time is ahead, slows down so that it is correct at the next reading.
    const nanoseconds ahead = std::min(mono_ - reading.mono, kGoodFor / 2);
    rate_ -= rate_ / static_cast<std::uint64_t>(kGoodFor.count()) *
             static_cast<std::uint64_t>(ahead.count());
    ticks_good_ = (static_cast<std::uint64_t>(kGoodFor.count()) << kRateBits) / found_rate_;
  }

  std::uint64_t ticks_ = 0;       // at mono_
  std::uint64_t ticks_good_ = 0;  // 0: read the kernel's clock
  std::uint64_t rate_ = 0;
  nanoseconds mono_ = nanoseconds::min();
  // The difference of the wall clock and the monotonic clock. Both have the same rate, so it
  // changes only when the wall clock is set.
  nanoseconds wall_ahead_{0};
  nanoseconds good_until_ = nanoseconds::min();  // monotonic
  std::uint64_t found_rate_ = 0;
  Reading anchor_{};
};

}  // namespace

Now SystemClock::now() noexcept {
  thread_local constinit ThreadClock clock;
  return clock.now();
}

namespace {

thread_local constinit Clock* clock_of_thread = nullptr;

}  // namespace

WallTime wall_now() noexcept {
  return clock_of_thread != nullptr ? clock_of_thread->now().wall : SystemClock{}.now().wall;
}

ClockOfThread::ClockOfThread(Clock& clock) noexcept
    : outer_{std::exchange(clock_of_thread, &clock)} {}
ClockOfThread::~ClockOfThread() { clock_of_thread = outer_; }

}  // namespace nexusfix
