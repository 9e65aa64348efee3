#include <algorithm>
#include <iterator>
#include <utility>

#include "session/api/config.hpp"

namespace nexusfix::session {

TimeZone::TimeZone(std::string name, std::vector<Change> changes)
    : name_{std::move(name)}, changes_{std::move(changes)} {
  if (changes_.empty()) changes_.emplace_back();
}

const TimeZone::Change& TimeZone::change_at(std::chrono::sys_seconds time) const noexcept {
  const auto after = std::ranges::upper_bound(changes_, time, {}, &Change::at);
  return after == changes_.begin() ? changes_.front() : *std::prev(after);
}

std::chrono::local_seconds TimeZone::to_local(std::chrono::sys_seconds time) const noexcept {
  return std::chrono::local_seconds{time.time_since_epoch() + change_at(time).offset};
}

// Each offset ends at some local time; the first that ends later than the wanted one is the one
// that it occurs in, or the one that begins with what is skipped.
std::chrono::sys_seconds TimeZone::to_utc(std::chrono::local_seconds time) const noexcept {
  const std::chrono::sys_seconds wanted{time.time_since_epoch()};
  const auto next = std::partition_point(
      std::next(changes_.begin()), changes_.end(),
      [&](const Change& change) { return change.at + std::prev(&change)->offset <= wanted; });
  const Change& current = *std::prev(next);
  const std::chrono::sys_seconds moment = wanted - current.offset;
  return &current == &changes_.front() ? moment : std::max(moment, current.at);
}

}  // namespace nexusfix::session
