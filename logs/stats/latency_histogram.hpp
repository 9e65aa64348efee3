// Times between messages, in constant memory.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace nexusfix::logs {

// Counts times in 32 steps for each power of two: a percentile is at most 3 percent too high.
class LatencyHistogram {
 public:
  // A negative one only counts as negative: two clocks differ, or one was set back.
  void add(std::chrono::nanoseconds latency) noexcept {
    if (latency.count() < 0) {
      ++negative_;
      return;
    }
    const auto value = static_cast<std::uint64_t>(latency.count());
    ++counts_[index_of(value)];
    ++count_;
    max_ = std::max(max_, value);
  }

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  // Those of 0: both messages have the same stamp.
  [[nodiscard]] std::uint64_t zeros() const noexcept { return counts_.front(); }
  [[nodiscard]] std::uint64_t negative() const noexcept { return negative_; }
  [[nodiscard]] std::chrono::nanoseconds max() const noexcept {
    return std::chrono::nanoseconds{max_};
  }
  // The nearest rank: the least time that at least this share of all times does not exceed.
  // 0 < share ≤ 1, and count() > 0.
  [[nodiscard]] std::chrono::nanoseconds percentile(double share) const noexcept {
    // 0.9 times 10 may be a little more than 9.
    constexpr double kRounding = 1e-6;
    const auto wanted = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_) - kRounding)));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= wanted) return std::chrono::nanoseconds{std::min(highest_of(i), max_)};
    }
    return max();
  }

 private:
  static constexpr unsigned kStepBits = 5;
  static constexpr std::uint64_t kSteps = std::uint64_t{1} << kStepBits;

  static std::size_t index_of(std::uint64_t value) noexcept {
    if (value < kSteps) return value;
    const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - kStepBits - 1;
    return static_cast<std::size_t>((shift + 1) * kSteps + ((value >> shift) - kSteps));
  }
  static std::uint64_t highest_of(std::size_t index) noexcept {
    if (index < kSteps) return index;
    const std::uint64_t shift = index / kSteps - 1;
    return ((kSteps + index % kSteps + 1) << shift) - 1;
  }

  std::array<std::uint64_t, (64 - kStepBits + 1) * kSteps> counts_{};
  std::uint64_t count_ = 0;
  std::uint64_t negative_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace nexusfix::logs
