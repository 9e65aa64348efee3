// Removes retired segments, the oldest first: if this is interrupted, the remaining log begins at a
// later segment and has no gap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "store/api/event_queue.hpp"
#include "store/api/journal.hpp"
#include "store/api/journal_format.hpp"

namespace nexusfix::store {

// The number of first segments that may be retired by the rules. synced: known to be on the disk.
// needed: the position of the oldest message of a session's current epoch.
[[nodiscard]] std::size_t count_retired(std::span<const SegmentHeader> segments,
                                        const Retention& retention, LogPosition appended,
                                        LogPosition synced, LogPosition needed, WallTime now);

// The folder of retired segments that are kept.
[[nodiscard]] std::string retired_folder(const std::string& folder);

class Retirement {
 public:
  // Reports removals, and why one failed, to events.
  Retirement(Disk& disk, std::string folder, RetiredSegments what, EventQueue& events)
      : disk_{disk}, folder_{std::move(folder)}, what_{what}, events_{events} {}

  // Removes the oldest existing segment from this number up to kept, if kept's checkpoint can be
  // used: without it, the remaining log could not be opened. A segment that a cursor has not passed
  // is not deleted, nor are later ones. False: there is no more to do for now, or it failed. Any
  // thread, one at a time.
  [[nodiscard]] bool remove_next(std::uint64_t from, const SegmentHeader& kept) noexcept;

 private:
  [[nodiscard]] bool try_remove_next(std::uint64_t from, const SegmentHeader& kept);
  [[nodiscard]] bool can_begin_with(const SegmentHeader& kept);
  [[nodiscard]] bool is_held(const SegmentHeader& kept);
  [[nodiscard]] DiskResult<void> remove_one(std::uint64_t number);
  [[nodiscard]] DiskResult<bool> is_moved(const std::string& path, File& target);
  [[nodiscard]] DiskResult<void> sync(const std::string& folder);
  void fail(const std::string& text);
  void report_done();

  Disk& disk_;
  std::string folder_;
  RetiredSegments what_;
  EventQueue& events_;
  std::uint64_t next_ = 0;     // the next to remove; 0: the number of the next call
  std::uint64_t removed_ = 0;  // removed, not reported yet
  std::uint64_t checked_ = 0;  // the segment whose checkpoint can be used
  std::uint64_t held_ = 0;     // the segment that a cursor holds, as was reported
  bool is_over_ = false;
};

// Which messages of each session went with retired segments.
class RetiredNumbers {
 public:
  // So that set() needs no memory for these sessions.
  void resize(std::size_t sessions) { by_key_.resize(sessions); }
  // Messages of this epoch with numbers up to this one may be in retired segments.
  void set(SessionKey session, std::uint64_t epoch, std::uint64_t until) noexcept {
    by_key_[session] = {epoch, until};
  }
  void add(std::uint64_t epoch, std::uint64_t until) { by_key_.push_back({epoch, until}); }
  // 0: none of the session's epoch.
  [[nodiscard]] std::uint64_t until(SessionKey session, std::uint64_t epoch) const noexcept {
    if (session >= by_key_.size()) return 0;
    const Session& one = by_key_[session];
    return one.epoch == epoch ? one.until : 0;
  }

 private:
  struct Session {
    std::uint64_t epoch = 0;
    std::uint64_t until = 0;
  };
  std::vector<Session> by_key_;
};

}  // namespace nexusfix::store
