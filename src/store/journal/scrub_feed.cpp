#include "store/journal/scrub_feed.hpp"

#include <algorithm>

namespace nexusfix::store {

void ScrubFeed::offer(std::span<const SegmentHeader> segments, LogPosition written) {
  if (!thread_) return;
  next_end_ = kNumberMax;
  const auto first = std::upper_bound(
      segments.begin(), segments.end(), offered_,
      [](std::uint64_t number, const SegmentHeader& one) { return number < one.number; });
  for (auto at = first; at != segments.end() && at + 1 != segments.end(); ++at) {
    const LogPosition end = (at + 1)->position;
    if (written < end) {
      next_end_ = end;
      return;
    }
    thread_->add(*at, end - at->position);
    offered_ = at->number;
  }
}

}  // namespace nexusfix::store
