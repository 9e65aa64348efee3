// Counts durations in buckets of logarithmic width, in fixed memory.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <nexusfix/engine/running_engine.hpp>

#include "engine/ground/statistics/counter.hpp"

namespace nexusfix::engine {

// The durations below 2^kLinearBits ns have equal buckets. From there on, each power of two has
// 2^SubBits buckets, up to 2^kDurationBits ns.
//
// HdrHistogram has the same buckets, but its counts are no atomics that a second thread may read
// while the first one writes: its readers need a lock or a second copy that both threads swap. It
// also computes the lowest and the highest value at each record.
//
// A count that has reached the highest value of its type stays there.
template <unsigned SubBits, class Count>
class LatencyCounters {
 public:
  static constexpr unsigned kLinearBits = 6;
  static constexpr unsigned kDurationBits = 36;
  static constexpr unsigned kUnitBits = kLinearBits - SubBits;  // the first buckets' width
  static constexpr std::size_t kSubBuckets = std::size_t{1} << SubBits;
  static constexpr std::size_t kBuckets = (kDurationBits - kLinearBits + 1) * kSubBuckets;

  // The bucket of a duration of at least 0. Those that are too long are in the last one.
  [[nodiscard]] static constexpr std::size_t index_of(std::int64_t duration_ns) noexcept {
    const auto units = static_cast<std::uint64_t>(duration_ns) >> kUnitBits;
    if (units < kSubBuckets) return units;
    const auto exponent = static_cast<unsigned>(std::bit_width(units)) - 1 - SubBits;
    if (exponent >= kDurationBits - kLinearBits) return kBuckets - 1;
    return (std::size_t{exponent} << SubBits) + (units >> exponent);
  }
  // The lowest duration of a bucket, in nanoseconds.
  [[nodiscard]] static constexpr std::int64_t begin_of(std::size_t index) noexcept {
    if (index < 2 * kSubBuckets) return static_cast<std::int64_t>(index << kUnitBits);
    const std::size_t exponent = index / kSubBuckets - 1;
    const std::size_t sub = index % kSubBuckets + kSubBuckets;
    return static_cast<std::int64_t>(sub << (exponent + kUnitBits));
  }

  // The writer's thread.
  void record(std::chrono::nanoseconds duration) noexcept {
    Figure<Count>& figure = counts_[index_of(duration.count())];
    const Count count = figure.read();
    if (count != std::numeric_limits<Count>::max()) figure.set(static_cast<Count>(count + 1));
  }
  // Any thread.
  [[nodiscard]] LatencyHistogram read() const {
    std::vector<LatencyHistogram::Bucket> buckets;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      const std::uint64_t count = counts_[i].read();
      if (count == 0) continue;
      const bool is_last = i + 1 == kBuckets;
      buckets.push_back({.from = std::chrono::nanoseconds{begin_of(i)},
                         .to = is_last ? std::chrono::nanoseconds::max()
                                       : std::chrono::nanoseconds{begin_of(i + 1)},
                         .count = count});
    }
    return LatencyHistogram{std::move(buckets)};
  }

 private:
  std::array<Figure<Count>, kBuckets> counts_;
};

// Each session has its own, so it takes a quarter of the memory. One message of seventeen is timed:
// a count has room for 73 billion messages.
using LoopLatency = LatencyCounters<4, std::uint64_t>;
using SessionLatency = LatencyCounters<3, std::uint32_t>;

}  // namespace nexusfix::engine
