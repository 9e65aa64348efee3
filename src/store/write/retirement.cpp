#include "store/write/retirement.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "store/api/journal_cursor.hpp"
#include "store/api/journal_format.hpp"
#include "store/state/checkpoint.hpp"

namespace nexusfix::store {
namespace {

constexpr std::size_t kComparedBytes = 256U << 10U;

// The highest position that the segments' headers say was on the disk.
LogPosition synced_by_headers(std::span<const SegmentHeader> segments, LogPosition synced) {
  LogPosition highest = 0;
  for (const SegmentHeader& segment : segments) {
    if (segment.position + segment.records_at() > synced) break;
    highest = std::max(highest, segment.synced);
  }
  return highest;
}

// When the segment before the first of these was written for the last time, or later: the time in
// the next header. A segment that close() opened, or whose header a repair restored, has no time
// (docs/internals/journal-format.md): then a later segment's counts.
std::optional<WallTime> last_written_before(std::span<const SegmentHeader> segments) {
  const auto timed = std::ranges::find_if(
      segments, [](const SegmentHeader& segment) { return segment.time != WallTime{}; });
  return timed == segments.end() ? std::nullopt : std::optional{timed->time};
}

}  // namespace

std::size_t count_retired(std::span<const SegmentHeader> segments, const Retention& retention,
                          LogPosition appended, LogPosition synced, LogPosition needed,
                          WallTime now) {
  const LogPosition recorded = synced_by_headers(segments, synced);
  std::size_t count = 0;
  for (std::size_t i = 1; i < segments.size(); ++i) {
    const SegmentHeader& kept = segments[i];
    if (kept.position + kept.records_at() > recorded) break;
    const bool is_needed = needed < kept.position;
    const bool is_beyond_size =
        retention.keep_bytes > 0 && appended - kept.position >= retention.keep_bytes;
    const std::optional<WallTime> written = last_written_before(segments.subspan(i));
    const bool is_beyond_age =
        retention.keep_for.count() > 0 && written && *written + retention.keep_for < now;
    const bool is_beyond = is_beyond_size || is_beyond_age;
    if (!is_beyond || (is_needed && !retention.even_current)) break;
    if (kept.has_checkpoint()) count = i;
  }
  return count;
}

std::string retired_folder(const std::string& folder) { return folder + "/retired"; }

bool Retirement::remove_next(std::uint64_t from, const SegmentHeader& kept) noexcept {
  try {
    return try_remove_next(from, kept);
  } catch (const std::bad_alloc&) {
    // There is no memory for an event either. The rest is removed when the next segment is retired.
    return false;
  }
}

bool Retirement::try_remove_next(std::uint64_t from, const SegmentHeader& kept) {
  if (is_over_) return false;
  // A segment whose removal failed before comes first: there must be no gap.
  if (next_ == 0) next_ = from;
  if (next_ >= kept.number) return false;
  if (checked_ != kept.number && !can_begin_with(kept)) return false;
  checked_ = kept.number;
  if (is_held(kept)) return false;
  if (auto taken = remove_one(next_); !taken) {
    fail(taken.error().what());
    return false;
  }
  ++removed_;
  if (++next_ < kept.number) return true;
  report_done();
  return false;
}

bool Retirement::can_begin_with(const SegmentHeader& kept) {
  const auto file = disk_.open(path_of_segment(folder_, kept.number), OpenMode::Read);
  if (!file) {
    fail(file.error().what());
    return false;
  }
  const auto checkpoint = read_checkpoint(kept, **file);
  if (!checkpoint) {
    fail(checkpoint.error().what());
    return false;
  }
  if (!*checkpoint) fail(checkpoint_fault_text(folder_, kept, describe(checkpoint->error())));
  return checkpoint->has_value();
}

// A moved segment can still be read, so only a deletion waits.
bool Retirement::is_held(const SegmentHeader& kept) {
  if (what_ != RetiredSegments::Delete) return false;
  const auto holder = find_holding_cursor(disk_, folder_, kept.log_id, next_);
  if (!holder) {
    fail(holder.error().what());
    return true;
  }
  if (!*holder) return false;
  if (std::exchange(held_, next_) != next_) {
    events_.put(EventId::SegmentsHeld, "journal " + folder_ + ": the cursor " + **holder +
                                           " has not passed " + segment_file_name(next_) + "; " +
                                           std::to_string(kept.number - next_) +
                                           " old segments stay");
  }
  return true;
}

// Synced one by one: after a loss of power an older segment must not exist without a newer one.
DiskResult<void> Retirement::remove_one(std::uint64_t number) {
  const std::string path = path_of_segment(folder_, number);
  if (what_ == RetiredSegments::Delete) {
    // An operator may have removed it.
    auto removed = disk_.remove(path);
    if (!removed && removed.error().error_number != ENOENT) return removed;
    return sync(folder_);
  }
  const std::string folder = retired_folder(folder_);
  if (auto made = disk_.make_directories(folder); !made) return made;
  const std::string target = path_of_segment(folder, number);
  if (const auto there = disk_.open(target, OpenMode::Read)) {
    const DiskResult<bool> moved = is_moved(path, **there);
    if (!moved) return std::unexpected{moved.error()};
    if (!*moved) {
      return std::unexpected{
          DiskError{.path = target, .operation = "move a segment to", .error_number = EEXIST}};
    }
    // It is not known whether the run that moved it has synced it.
    if (auto synced = (*there)->sync(); !synced) {
      is_over_ = true;
      return synced;
    }
    if (auto synced = sync(folder); !synced) return synced;
    auto removed = disk_.remove(path);
    if (!removed && removed.error().error_number != ENOENT) return removed;
    return sync(folder_);
  }
  if (auto moved = disk_.rename(path, target); !moved) return moved;
  if (auto synced = sync(folder); !synced) return synced;
  return sync(folder_);
}

// A loss of power during a move may leave the segment under both names.
DiskResult<bool> Retirement::is_moved(const std::string& path, File& target) {
  const auto file = disk_.open(path, OpenMode::Read);
  if (!file && file.error().error_number == ENOENT) return true;
  if (!file) return std::unexpected{file.error()};
  std::vector<char> piece(kComparedBytes);
  std::vector<char> other(kComparedBytes);
  for (std::uint64_t offset = 0;; offset += kComparedBytes) {
    const DiskResult<std::size_t> count = (*file)->read_at(offset, piece);
    if (!count) return std::unexpected{count.error()};
    const DiskResult<std::size_t> there = target.read_at(offset, other);
    if (!there) return std::unexpected{there.error()};
    const auto bytes = std::span{piece}.first(*count);
    if (!std::ranges::equal(bytes, std::span{other}.first(*there))) return false;
    if (*count < kComparedBytes) return true;
  }
}

DiskResult<void> Retirement::sync(const std::string& folder) {
  auto synced = disk_.sync_directory(folder);
  is_over_ = !synced;  // a failed sync is not repeated: a removed file may come back
  return synced;
}

void Retirement::fail(const std::string& text) {
  events_.put(EventId::RetirementFailed,
              "journal " + folder_ + ": old segments could not be removed: " + text);
}

void Retirement::report_done() {
  const std::uint64_t count = std::exchange(removed_, 0);
  events_.put(EventId::SegmentsRetired,
              "journal " + folder_ + ": " + std::to_string(count) +
                  (count == 1 ? " old segment was " : " old segments were ") +
                  (what_ == RetiredSegments::Delete ? "deleted" : "moved to retired/") +
                  ", up to " + segment_file_name(next_ - 1));
}

}  // namespace nexusfix::store
