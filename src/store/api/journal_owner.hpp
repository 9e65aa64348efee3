// Beside the owner of a journal: whether there is one, what it has recorded of the log's end, and a
// lock for who changes the files in its place.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/store.hpp>

namespace nexusfix::store {

class Ownership;

// Where a log ends, as it was found.
struct LogEnd {
  std::uint64_t segment = 0;  // 0: there is none
  std::uint64_t offset = 0;   // in it
  LogPosition position = 0;
};

// How far the log reaches, as its owner records it twice a second.
struct RecordedEnd {
  std::optional<LogPosition> synced;  // on the disk; nothing: not recorded, or not readable
  LogPosition written = 0;            // in the files; 0: no more than synced is known
  std::string fault;                  // why it cannot be read; empty: no fault
};
[[nodiscard]] RecordedEnd read_recorded_end(Disk& disk, const std::string& folder);

// Holds the lock only during this call: it keeps out an owner that starts in this moment, but not
// one that starts while the journal is read.
[[nodiscard]] bool is_in_use(Disk& disk, const std::string& folder);

// Beside its owner a journal is read in pieces of different times. What looks like damage in one
// piece may be whole by now, since the next piece shows what was written later. So it is read
// again, a few times, before it counts as damage.
class SecondLook {
 public:
  SecondLook(Disk& disk, const std::string& folder) : disk_{disk}, folder_{folder} {}

  // Whether the damage at this place is to be read again.
  [[nodiscard]] bool is_due(std::uint64_t segment, std::uint64_t offset) {
    if (segment != segment_ || offset != offset_) looks_left_ = kLooksMax;
    segment_ = segment;
    offset_ = offset;
    if (looks_left_ == 0 || !is_in_use(disk_, folder_)) return false;
    --looks_left_;
    return true;
  }

  // Segment files appear and disappear meanwhile, so that a whole reading may fail, too.
  template <class Look>
  [[nodiscard]] auto repeat(Look look) {
    auto found = look();
    for (int looks = 1; looks < kLooksMax; ++looks) {
      if (found || !is_passing(found.error().code) || !is_in_use(disk_, folder_)) break;
      found = look();
    }
    return found;
  }

 private:
  static constexpr int kLooksMax = 10;
  [[nodiscard]] static bool is_passing(StoreErrorCode code) noexcept {
    return code == StoreErrorCode::Disk || code == StoreErrorCode::Corrupt;
  }

  Disk& disk_;
  const std::string& folder_;
  std::uint64_t segment_ = 0;
  std::uint64_t offset_ = 0;
  int looks_left_ = 0;
};

// Owns a journal's folder, as an open journal does, for a program that repairs the files.
class JournalLock {
 public:
  // Errors: Locked, with the owner; Disk. The folder must exist.
  [[nodiscard]] static StoreResult<JournalLock> take(Disk& disk, const std::string& folder,
                                                     WallTime now);
  JournalLock(JournalLock&&) noexcept;
  JournalLock& operator=(JournalLock&&) noexcept;
  ~JournalLock();

  // Records that the log ended here, in order. On the disk when it returns.
  [[nodiscard]] DiskResult<void> record_end(const LogEnd& end) const;
  // Removes what was recorded of the end: the next opening begins a new journal.
  [[nodiscard]] DiskResult<void> forget_end() const;

 private:
  explicit JournalLock(Ownership&& ownership);
  std::unique_ptr<Ownership> ownership_;  // never null
};

}  // namespace nexusfix::store
