#include <algorithm>
#include <cmath>

#include <nexusfix/statistics.hpp>

namespace nexusfix::engine {

std::string_view to_string(SessionState state) noexcept {
  switch (state) {
    case SessionState::LoggedOn:
      return "logged on";
    case SessionState::LoggingOn:
      return "logging on";
    case SessionState::LoggingOut:
      return "logging out";
    case SessionState::Connecting:
      return "connecting";
    case SessionState::Waiting:
      return "waiting";
    case SessionState::Listening:
      return "listening";
    case SessionState::LoggedOut:
      return "logged out";
    case SessionState::Disabled:
      return "disabled";
    case SessionState::OutOfSchedule:
      return "out of schedule";
    case SessionState::Halted:
      return "halted";
    case SessionState::StoreFailed:
      return "store failed";
  }
  return "unknown";
}

using std::chrono::nanoseconds;

std::uint64_t LatencyHistogram::count() const noexcept {
  std::uint64_t count = 0;
  for (const Bucket& bucket : buckets_) count += bucket.count;
  return count;
}

nanoseconds LatencyHistogram::mean() const noexcept {
  const std::uint64_t all = count();
  return all == 0 ? nanoseconds{0} : sum() / static_cast<std::int64_t>(all);
}

nanoseconds LatencyHistogram::sum() const noexcept {
  nanoseconds sum{0};
  for (const Bucket& bucket : buckets_) {
    const nanoseconds width = bucket.to - bucket.from;
    const nanoseconds middle =
        bucket.to == nanoseconds::max() ? bucket.from : bucket.from + width / 2;
    sum += middle * static_cast<std::int64_t>(bucket.count);
  }
  return sum;
}

nanoseconds LatencyHistogram::percentile(double percent) const noexcept {
  constexpr double kAll = 100;
  const std::uint64_t all = count();
  const double share = std::clamp(percent, 0.0, kAll) / kAll * static_cast<double>(all);
  const auto wanted = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(share)));
  std::uint64_t passed = 0;
  for (const Bucket& bucket : buckets_) {
    passed += bucket.count;
    if (passed >= wanted) return bucket.to == nanoseconds::max() ? bucket.from : bucket.to;
  }
  return nanoseconds{0};
}

std::uint64_t LatencyHistogram::count_below(nanoseconds limit) const noexcept {
  std::uint64_t count = 0;
  for (const Bucket& bucket : buckets_) {
    if (bucket.to <= limit) count += bucket.count;
  }
  return count;
}

std::string_view to_string(StoreStatistics::Health health) noexcept {
  switch (health) {
    case StoreStatistics::Health::Ok:
      return "ok";
    case StoreStatistics::Health::Full:
      return "full";
    case StoreStatistics::Health::Stalled:
      return "stalled";
    case StoreStatistics::Health::Failed:
      return "failed";
  }
  return "unknown";
}

}  // namespace nexusfix::engine
