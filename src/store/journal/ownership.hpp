// Who may write to a journal's folder: the process that holds its advisory locks (the folder's own,
// that of its name, and that of the file `lock`), as long as the file `owner` names it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/store.hpp>

#include "store/write/tail_marker.hpp"

namespace nexusfix::store {

class Ownership {
 public:
  // Takes the locks and writes itself to the file `owner`, with a higher epoch than the owner
  // before. Locked: another process has the journal open; the text names it. The folder must exist.
  [[nodiscard]] static StoreResult<Ownership> take(Disk& disk, const std::string& folder,
                                                   WallTime now);

  // The log names an owner with this epoch. If the file `owner` was lost, its epoch may be lower:
  // then writes a higher one to it.
  [[nodiscard]] StoreResult<void> raise_epoch_above(std::uint64_t epoch, Disk& disk, WallTime now);

  // Whether no other process has written itself to the file since (the lock was removed, or does
  // not work on this file system). Reads memory that is mapped to the file; true on a disk without
  // mappings.
  [[nodiscard]] bool is_current() const noexcept {
    if (shared_ == nullptr) return true;
    // Most digits of both: the others are those of hundreds of days. A call of memcmp() would cost
    // more.
    const auto differs = [this](std::size_t at) {
      std::uint64_t expected = 0;
      std::uint64_t found = 0;
      std::memcpy(&expected, expected_.data() + at, sizeof expected);
      std::memcpy(&found, shared_ + at, sizeof found);
      return expected ^ found;
    };
    return (differs(kEpochEnd - 8) | differs(kTimeEnd - 16) | differs(kTimeEnd - 8)) == 0;
  }
  // Checks by reading the file, if it is not mapped.
  [[nodiscard]] StoreResult<void> check_by_reading() const;
  // Which process has taken the journal over.
  [[nodiscard]] StoreError takeover_error() const;
  [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }

  // Writes the tail marker after the owner's record, and syncs it. Any thread, one at a time.
  [[nodiscard]] DiskResult<void> write_tail_marker(const TailMarker& marker) const;
  // Erases the tail marker.
  [[nodiscard]] DiskResult<void> erase_tail_marker() const;
  // Records which file `owner` is, and syncs it, unless it is recorded already: from now on the
  // journal belongs to this folder, wherever it was copied from. Does nothing on a disk that does
  // not know it.
  [[nodiscard]] DiskResult<void> record_identity() const;

  // Whether the path names the open folder, so that a file created by its path lies in it. True on
  // a disk that does not know. Any thread, if the disk takes threads.
  [[nodiscard]] bool is_in_place(Disk& disk) const;

  // The open files of the folder, to be compared with what the paths name; null: there is no such
  // lock.
  [[nodiscard]] File* folder_file() const noexcept { return folder_lock_.get(); }
  [[nodiscard]] File* lock_file() const noexcept { return lock_.get(); }
  [[nodiscard]] File* owner_file() const noexcept { return owner_.get(); }

 private:
  // "epoch 00000000000000000007 since 1700000000123456789": no two owners have both in common; the
  // rest of the text is for the operator.
  static constexpr std::size_t kEpochEnd = 26;
  static constexpr std::size_t kTimeEnd = 52;
  static constexpr std::size_t kCompared = kTimeEnd;

  Ownership() = default;
  [[nodiscard]] StoreResult<void> write_record(std::uint64_t epoch, Disk& disk, WallTime now);
  [[nodiscard]] DiskResult<void> write_part(std::size_t at, const std::string& text) const;

  std::string folder_;
  std::string record_;  // what the file must say
  std::uint64_t epoch_ = 1;
  std::unique_ptr<File> folder_lock_;  // null: this disk has none
  std::unique_ptr<File> name_lock_;    // null: this disk has none
  std::unique_ptr<File> lock_;
  std::unique_ptr<File> owner_;
  std::unique_ptr<File::Mapping> mapping_;  // of owner_; null: this disk has none
  const char* shared_ = nullptr;            // its bytes
  std::array<char, kCompared> expected_{};  // what they must begin with
};

// The epoch in the file `owner`. 0: there is no such file, or no epoch in it. Nothing: the disk
// does not return it.
[[nodiscard]] std::optional<std::uint64_t> read_owner_epoch(Disk& disk, const std::string& folder);

}  // namespace nexusfix::store
