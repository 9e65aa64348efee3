// The clocks of one simulated machine. They may run too fast or too slow, and the wall clock may be
// set.
#pragma once

#include <chrono>
#include <cstdint>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::simulator {

// The world's own time, since it began.
using WorldTime = std::chrono::nanoseconds;

// 2024-01-15 10:30:00 UTC, a Monday.
inline constexpr WallTime kWorldBegin{std::chrono::seconds{1'705'314'600}};

class SimulatedClock final : public Clock {
 public:
  // At the world's beginning the wall clock shows `begin`, and the monotonic clock one hour. now is
  // read at each call and must outlive the clock.
  explicit SimulatedClock(const WorldTime& now, WallTime begin = kWorldBegin) noexcept
      : now_{&now}, begin_{begin}, wall_{begin} {}

  [[nodiscard]] Now now() noexcept override {
    const std::chrono::nanoseconds passed = scaled(*now_ - since_);
    return {wall_ + passed, mono_ + passed};
  }

  // From now on both clocks gain this number of millionths; below 0: they lose. Above -1,000,000.
  void drift(std::int64_t millionths) noexcept {
    const Now at = now();
    wall_ = at.wall;
    mono_ = at.mono;
    since_ = *now_;
    millionths_ = millionths;
  }
  // Sets the wall clock forwards, or back.
  void jump(std::chrono::nanoseconds by) noexcept { wall_ += by; }
  // Both clocks are right again; the monotonic clock continues from its present value.
  void mend() noexcept {
    drift(0);
    wall_ = begin_ + *now_;
  }
  // The difference of the wall clock from the true time.
  [[nodiscard]] std::chrono::nanoseconds error() noexcept { return now().wall - (begin_ + *now_); }

  // The world's time at which the monotonic clock shows `mono`, rounded up.
  [[nodiscard]] WorldTime world_time(MonoTime mono) const noexcept {
    const std::int64_t passed = (mono - mono_).count();
    const std::int64_t rate = kMillion + millionths_;
    // In two parts, so that years do not overflow.
    const std::int64_t count = passed / rate * kMillion + passed % rate * kMillion / rate;
    return since_ + WorldTime{count + (millionths_ == 0 ? 0 : 2)};
  }

 private:
  static constexpr std::int64_t kMillion = 1'000'000;

  [[nodiscard]] std::chrono::nanoseconds scaled(WorldTime passed) const noexcept {
    const std::int64_t count = passed.count();
    // In two parts, so that years do not overflow.
    return passed + std::chrono::nanoseconds{count / kMillion * millionths_ +
                                             count % kMillion * millionths_ / kMillion};
  }

  const WorldTime* now_;
  WallTime begin_;
  WallTime wall_;
  WorldTime since_{};
  std::int64_t millionths_ = 0;
  MonoTime mono_{std::chrono::hours{1}};
};

}  // namespace nexusfix::simulator
