// Who may write to a journal's folder: the holder of its advisory locks (the folder's own, that of
// its name, and that of the file `lock`), as long as the file `owner` says so.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/store/store.hpp>

#include "store/write/log_note.hpp"

namespace nexusfix::store {

class Ownership {
 public:
  // Takes the lock and writes itself down, with a higher epoch than the owner before. Locked:
  // another process has the journal open; the text names it. The folder must exist.
  [[nodiscard]] static StoreResult<Ownership> take(Disk& disk, const std::string& folder,
                                                   WallTime now);

  // The log tells of an owner with this epoch: one that the file `owner` no longer knows has
  // written it if the file was lost. Writes a higher epoch down then.
  [[nodiscard]] StoreResult<void> be_later_than(std::uint64_t epoch, Disk& disk, WallTime now);

  // Whether nobody else has written himself down since (the lock was removed, or does not work on
  // this file system). Looks at memory that is shared with the file; true on a disk that has no
  // such thing.
  [[nodiscard]] bool is_current() const noexcept {
    if (shared_ == nullptr) return true;
    // The epoch's last digits and all of the time: a call of memcmp() would cost more.
    const auto differs = [this](std::size_t at) {
      std::uint64_t told = 0;
      std::uint64_t found = 0;
      std::memcpy(&told, told_.data() + at, sizeof told);
      std::memcpy(&found, shared_ + at, sizeof found);
      return told ^ found;
    };
    const std::uint64_t difference = differs(kEpochEnd - 8) | differs(kTimeEnd - 19) |
                                     differs(kTimeEnd - 16) | differs(kTimeEnd - 8);
    return difference == 0;
  }
  // The same by reading the file, where it is not mapped.
  [[nodiscard]] StoreResult<void> check_slowly() const;
  // Who has taken it over, in words.
  [[nodiscard]] StoreError loss() const;
  [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }

  // Writes behind the owner how far the log reaches, and syncs it. Any thread, one at a time.
  [[nodiscard]] DiskResult<void> note(const LogNote& note) const;
  // Takes what is noted away.
  [[nodiscard]] DiskResult<void> forget_note() const;
  // Notes which file `owner` is, and syncs it, unless it says so already: from now on the folder is
  // the one that it is, wherever it was copied from. Nothing on a disk that cannot tell.
  [[nodiscard]] DiskResult<void> note_place() const;

  // Whether the path names the folder that is open: what is created by its path lies in it then.
  // True on a disk that cannot tell. Any thread, if the disk takes threads.
  [[nodiscard]] bool is_in_place(Disk& disk) const;

  // What is open of the folder, to be compared with what its path names: null where there is no
  // such lock.
  [[nodiscard]] File* folder_file() const noexcept { return folder_lock_.get(); }
  [[nodiscard]] File* lock_file() const noexcept { return lock_.get(); }
  [[nodiscard]] File* owner_file() const noexcept { return owner_.get(); }

 private:
  // "epoch 00000000000000000007 since 1700000000123456789": these two tell every two owners apart;
  // the rest of the text is for people.
  static constexpr std::size_t kEpochEnd = 26;
  static constexpr std::size_t kTimeEnd = 52;
  static constexpr std::size_t kCompared = kTimeEnd;

  Ownership() = default;
  [[nodiscard]] StoreResult<void> write_down(std::uint64_t epoch, Disk& disk, WallTime now);
  [[nodiscard]] DiskResult<void> write_note(std::size_t at, const std::string& text) const;

  std::string folder_;
  std::string record_;  // what the file must say
  std::uint64_t epoch_ = 1;
  std::unique_ptr<File> folder_lock_;  // null: this disk has none
  std::unique_ptr<File> name_lock_;    // likewise
  std::unique_ptr<File> lock_;
  std::unique_ptr<File> owner_;
  std::unique_ptr<FileMapping> mapping_;  // of owner_; null: this disk has none
  const char* shared_ = nullptr;          // its bytes
  std::array<char, kCompared> told_{};    // what they must begin with
};

// The epoch in the file `owner`. 0: there is no such file, or none in it. Nothing: the disk does
// not give it.
[[nodiscard]] std::optional<std::uint64_t> read_owner_epoch(Disk& disk, const std::string& folder);

// Holds the lock only for this question: an owner that starts in this moment is kept out, but one
// that starts while the journal is being looked at is not.
[[nodiscard]] bool is_in_use(Disk& disk, const std::string& folder);

// Beside its owner a journal is read in pieces of different times: what looks like damage in one of
// them may be whole by now, since the next piece shows what was written behind it. So it is read
// again, some times, before it is called damage.
class SecondLook {
 public:
  SecondLook(Disk& disk, const std::string& folder) : disk_{disk}, folder_{folder} {}

  // Whether what is wrong at this place is to be read again.
  [[nodiscard]] bool is_due(std::uint64_t segment, std::uint64_t offset) {
    if (segment != segment_ || offset != offset_) looks_left_ = kLooksMax;
    segment_ = segment;
    offset_ = offset;
    if (looks_left_ == 0 || !is_in_use(disk_, folder_)) return false;
    --looks_left_;
    return true;
  }

  // Files come and go meanwhile, too, so that a look may fail as a whole.
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

}  // namespace nexusfix::store
