#include "store/api/journal_owner.hpp"

#include <utility>

#include "store/journal/ownership.hpp"
#include "store/write/tail_marker.hpp"

namespace nexusfix::store {

RecordedEnd read_recorded_end(Disk& disk, const std::string& folder) {
  FoundTailMarker found = read_tail_marker(disk, folder);
  if (!found.marker) return {.synced = {}, .written = 0, .fault = std::move(found.fault)};
  return {.synced = found.marker->position, .written = found.marker->written, .fault = {}};
}

JournalLock::JournalLock(Ownership&& ownership)
    : ownership_{std::make_unique<Ownership>(std::move(ownership))} {}
JournalLock::JournalLock(JournalLock&&) noexcept = default;
JournalLock& JournalLock::operator=(JournalLock&&) noexcept = default;
JournalLock::~JournalLock() = default;

StoreResult<JournalLock> JournalLock::take(Disk& disk, const std::string& folder, WallTime now) {
  auto taken = Ownership::take(disk, folder, now);
  if (!taken) return std::unexpected{std::move(taken.error())};
  return JournalLock{std::move(*taken)};
}

DiskResult<void> JournalLock::record_end(const LogEnd& end) const {
  return ownership_->write_tail_marker({.segment = end.segment,
                                        .position = end.position,
                                        .segment_bytes = 0,
                                        .state = TailMarker::State::Closed});
}

DiskResult<void> JournalLock::forget_end() const { return ownership_->erase_tail_marker(); }

}  // namespace nexusfix::store
