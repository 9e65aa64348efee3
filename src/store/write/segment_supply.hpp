// Prepares segments ahead: while one is filled, a thread creates the next, fills it with zeros and
// maps it, so that opening it is a swap, and a full disk shows while there is still room.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <nexusfix/base/disk.hpp>

#include "store/api/journal.hpp"
#include "store/write/retirement.hpp"

namespace nexusfix::store {

class Ownership;

// A sync of a prepared file that is still under way when the file is taken. Linux reports a write
// error once: to the first sync of the file that asks for it. So no thread may trust its own sync
// until this one has ended (catalogue D5). Any thread.
class PendingSync {
 public:
  void end(DiskResult<void> result);
  [[nodiscard]] DiskResult<void> wait();
  // False also while it is under way.
  [[nodiscard]] bool has_succeeded() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<DiskResult<void>> result_;
};

// A segment's file that can be appended to.
struct OpenSegment {
  std::shared_ptr<File> file;
  std::shared_ptr<File::Mapping> mapping;  // null: write_at()
  // Its space is reserved, and has zeros up to here. 0: the file grows as it is written.
  std::uint64_t reserved_bytes = 0;
  bool is_directory_entry_synced = false;
  // The sync of its zeros, if they are synced, and of its directory entry. It stays set after it
  // has ended. Null: it had ended before the segment was taken, or there was none.
  std::shared_ptr<PendingSync> first_sync{};
};

class SegmentSupply {
 public:
  struct Options {
    std::string folder;
    std::uint64_t segment_bytes = 0;
    bool maps = false;  // Durability::Process and None, if the disk can
    bool syncs_directory_entries =
        false;  // a prepared file's directory entry is on the disk when take() returns it
    bool syncs_zeros = false;  // and its zeros: later syncs have less to do
    // The caller of take() must not wait: it syncs both itself if that is not done yet.
    bool leaves_syncs = false;
    bool background = false;  // a thread of the supply works ahead
    // The folder's owner; null: not known. It must outlive the supply.
    const Ownership* owner = nullptr;
  };
  // The disk must outlive the supply.
  SegmentSupply(Disk& disk, Options options);
  ~SegmentSupply();
  SegmentSupply(const SegmentSupply&) = delete;
  SegmentSupply& operator=(const SegmentSupply&) = delete;

  // In the background only: starts to prepare the segment of this number. If the one before it was
  // made in the background, too, its first sync must succeed first; otherwise nothing is prepared.
  void prepare(std::uint64_t number);
  // The segment of this number, empty except for zeros: the prepared one, or one that is made now
  // if none is prepared or it is too small for bytes. Waits for a preparation under way, and for
  // nothing else.
  [[nodiscard]] DiskResult<OpenSegment> take(std::uint64_t number, std::uint64_t bytes);
  // Prepares an existing file for appending at this offset, up to the size of a segment.
  [[nodiscard]] DiskResult<OpenSegment> reopen(std::unique_ptr<File> file, std::uint64_t used);
  // Prepares the pages of a mapping in use, on the supply's thread if it has one.
  void warm(const OpenSegment& segment);
  // Removes retired segments on the supply's thread, if the supply lives long enough.
  void remove_retired(Retirement& retirement, std::uint64_t from, const SegmentHeader& kept);
  // Closes a segment on the supply's thread; its cached pages are dropped when a few more were
  // closed.
  void retire(OpenSegment segment);
  // Why the next segment could not be prepared, reported once. It is tried again each second.
  [[nodiscard]] std::optional<DiskError> consume_shortage();
  // Whether consume_shortage() has something to return: a hint that needs no lock.
  [[nodiscard]] bool has_shortage() const noexcept {
    return has_shortage_.load(std::memory_order_relaxed);
  }
  // While the next segment could not be prepared.
  [[nodiscard]] bool is_short() const noexcept {
    return is_short_.load(std::memory_order_relaxed);  // relaxed: no other data depends on it
  }
  // Stops preparing, and removes a prepared segment. Waits a moment for removals under way: what a
  // slow disk has not removed by then is removed when the journal is opened again.
  void close();

 private:
  enum class State : std::uint8_t { Idle, Wanted, Ready, Failed };

  void run();
  void run_task(std::unique_lock<std::mutex>& lock);
  void work(std::unique_lock<std::mutex>& lock);
  void forget_retired();
  void remove_from(std::uint64_t number);
  [[nodiscard]] DiskResult<OpenSegment> make(std::uint64_t number, std::uint64_t bytes);
  [[nodiscard]] DiskResult<void> empty(File& file, std::uint64_t number) const;
  [[nodiscard]] DiskResult<void> sync(OpenSegment& segment);
  [[nodiscard]] DiskResult<OpenSegment> make_ahead() noexcept;
  [[nodiscard]] DiskResult<void> sync_ahead(OpenSegment& segment) noexcept;
  [[nodiscard]] DiskResult<void> reserve(OpenSegment& segment, std::uint64_t bytes) const;
  [[nodiscard]] bool has_task() const noexcept {
    return ends_ || !retired_.empty() || !tasks_.empty() || to_warm_ != nullptr;
  }
  [[nodiscard]] std::string path_of(std::uint64_t number) const;

  Disk& disk_;
  Options options_;
  std::mutex mutex_;  // guards everything below but the thread
  std::condition_variable changed_;
  State state_ = State::Idle;
  std::uint64_t number_ = 0;
  std::uint64_t unsynced_ = 0;  // the segment in use whose first sync has failed
  OpenSegment ready_;
  std::vector<OpenSegment> retired_;
  struct Task {
    Retirement* retirement = nullptr;
    std::uint64_t from = 0;
    SegmentHeader kept;
  };
  std::vector<Task> tasks_;
  std::shared_ptr<File::Mapping> to_warm_;
  std::optional<DiskError> shortage_;
  std::atomic<bool> has_shortage_{false};
  std::atomic<bool> is_short_{false};
  bool is_reserving_ = false;
  bool is_syncing_ = false;
  bool is_away_ = false;  // the thread runs a task, which may take long
  bool ends_ = false;
  // The last closed segments stay in the page cache; each has 64 MiB unless set otherwise.
  static constexpr std::size_t kCachedSegments = 3;
  std::vector<OpenSegment> retiring_;                          // the thread's, as are these two
  std::array<std::shared_ptr<File>, kCachedSegments> closed_;  // the oldest is the next to go
  std::size_t closed_next_ = 0;
  std::thread thread_;
};

}  // namespace nexusfix::store
