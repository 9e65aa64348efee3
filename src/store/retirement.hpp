// Takes segments away that are no longer wanted, oldest first, so that whatever stops it in
// between, what is left begins at a later segment and has no gap.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/store/journal.hpp>

#include "store/journal_format.hpp"

namespace nexusfix::store {

// How many of the first segments may go, by the rules. synced: known to be on the disk. needed: the
// position of the oldest message of a session's current epoch.
[[nodiscard]] std::size_t count_retired(std::span<const SegmentHeader> segments,
                                        const Retention& retention, LogPosition appended,
                                        LogPosition synced, LogPosition needed, WallTime now);

// The folder of those that are kept.
[[nodiscard]] std::string retired_folder(const std::string& folder);

class Retirement {
 public:
  Retirement(Disk& disk, std::string folder, RetiredSegments what)
      : disk_{disk}, folder_{std::move(folder)}, what_{what} {}

  // Of the segments from this number up to kept, takes the oldest away that is still there, if
  // kept's checkpoint can be used: without it, what is left could not be opened. False: there is no
  // more to do, or it failed. Any thread, one at a time.
  [[nodiscard]] bool take_next_away(std::uint64_t from, const SegmentHeader& kept);
  // Told once: why they are still there. Any thread.
  [[nodiscard]] std::optional<std::string> take_failure();

 private:
  [[nodiscard]] bool can_begin_with(const SegmentHeader& kept);
  [[nodiscard]] DiskResult<void> take_away_one(std::uint64_t number);
  [[nodiscard]] DiskResult<void> sync(const std::string& folder);
  void fail(std::string text);

  Disk& disk_;
  std::string folder_;
  RetiredSegments what_;
  std::uint64_t next_ = 0;     // to be taken away; 0: as the next call says
  std::uint64_t checked_ = 0;  // the segment whose checkpoint was found to be of use
  bool is_over_ = false;
  std::mutex mutex_;
  std::optional<std::string> failure_;
  std::atomic<bool> has_failure_{false};  // a hint that needs no lock: taken in every turn
};

}  // namespace nexusfix::store
