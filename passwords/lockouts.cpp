#include "passwords/lockouts.hpp"

#include <algorithm>

namespace nexusfix::engine {

std::chrono::nanoseconds Lockouts::left(std::string_view pair, MonoTime now) const {
  const auto found = by_name_.find(pair);
  if (found == by_name_.end() || found->second->until <= now) return std::chrono::nanoseconds{0};
  return found->second->until - now;
}

std::chrono::seconds Lockouts::failed(std::string_view pair, const LockoutRule& rule,
                                      MonoTime now) {
  if (rule.failures_max == 0) return std::chrono::seconds{0};
  const auto found = by_name_.find(pair);
  if (found != by_name_.end()) {
    pairs_.splice(pairs_.begin(), pairs_, found->second);
  } else {
    if (pairs_.size() == kPairsMax) {
      by_name_.erase(pairs_.back().name);
      pairs_.pop_back();
    }
    pairs_.push_front({std::string{pair}, 0, {}});
    by_name_.emplace(pairs_.front().name, pairs_.begin());
  }
  Pair& failing = pairs_.front();
  ++failing.failures;
  if (failing.failures < rule.failures_max) return std::chrono::seconds{0};
  constexpr std::uint32_t kDoublingsMax = 12;  // reaches kTimeMax from any first_time
  const std::uint32_t doublings = std::min(failing.failures - rule.failures_max, kDoublingsMax);
  const std::chrono::seconds time = std::min(rule.first_time * (1U << doublings), kTimeMax);
  failing.until = now + time;
  return time;
}

void Lockouts::succeeded(std::string_view pair) {
  const auto found = by_name_.find(pair);
  if (found == by_name_.end()) return;
  const Pairs::iterator gone = found->second;
  by_name_.erase(found);
  pairs_.erase(gone);
}

std::chrono::nanoseconds AddressLockouts::left(transport::Source source, MonoTime now) const {
  const auto found = by_source_.find(source);
  if (found == by_source_.end() || found->second->until <= now) return std::chrono::nanoseconds{0};
  return found->second->until - now;
}

std::chrono::seconds AddressLockouts::failed(transport::Source source,
                                             const AddressLockoutRule& rule, MonoTime now) {
  if (rule.failures_max == 0) return std::chrono::seconds{0};
  const auto found = by_source_.find(source);
  if (found != by_source_.end()) {
    addresses_.splice(addresses_.begin(), addresses_, found->second);
  } else {
    if (addresses_.size() == kAddressesMax) {
      by_source_.erase(addresses_.back().source);
      addresses_.pop_back();
    }
    addresses_.push_front({.source = source, .since = now});
    by_source_.emplace(source, addresses_.begin());
  }
  Address& failing = addresses_.front();
  // Sessions may have different rules: one with a shorter interval does not reset the count of one
  // with a longer interval.
  if (now - failing.since >= std::max(failing.interval, rule.interval)) {
    failing.since = now;
    failing.failures = 0;
    failing.interval = {};
  }
  failing.interval = std::max(failing.interval, rule.interval);
  if (++failing.failures < rule.failures_max) return std::chrono::seconds{0};
  failing.failures = 0;
  failing.since = now;
  failing.until = std::max(failing.until, now + rule.interval);
  return rule.interval;
}

}  // namespace nexusfix::engine
