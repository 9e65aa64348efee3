// Segments ahead of need: while one is filled, the next is created, filled with zeros and mapped by
// a thread, so that beginning it is a swap, and a full disk shows while there is still room.
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
#include <nexusfix/store/journal.hpp>

#include "store/write/retirement.hpp"

namespace nexusfix::store {

class Ownership;

// The sync of a prepared file that is still under way when the file is taken. Linux tells an error
// of writing once: to whichever sync of the file asks first. So nobody may believe a sync of his
// own as long as this one has not ended (catalogue D5). Any thread.
class SyncUnderWay {
 public:
  void end(DiskResult<void> result);
  [[nodiscard]] DiskResult<void> wait();

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<DiskResult<void>> result_;
};

// A segment's file that can be appended to.
struct OpenSegment {
  std::shared_ptr<File> file;
  std::shared_ptr<FileMapping> mapping;  // null: write_at()
  // Has zeros up to here, with their space taken. 0: grows as it is written.
  std::uint64_t reserved_bytes = 0;
  bool is_name_synced = false;
  std::shared_ptr<SyncUnderWay> first_sync{};  // null: none is under way
};

class SegmentSupply {
 public:
  struct Options {
    std::string folder;
    std::uint64_t segment_bytes = 0;
    bool maps = false;         // Durability::Process and None, if the disk can
    bool syncs_names = false;  // a prepared file's name is on the disk when it is given out
    bool syncs_zeros = false;  // and its zeros: later syncs have less to do
    // Its user, who must not wait, syncs both itself where that is not done yet.
    bool leaves_syncs = false;
    bool background = false;  // a thread of the supply's own works ahead
    // Of the folder; null: not known. It must outlive the supply.
    const Ownership* owner = nullptr;
  };
  // The disk must outlive the supply.
  SegmentSupply(Disk& disk, Options options);
  ~SegmentSupply();
  SegmentSupply(const SegmentSupply&) = delete;
  SegmentSupply& operator=(const SegmentSupply&) = delete;

  // In the background only: begins to make the segment of this number ready.
  void prepare(std::uint64_t number);
  // The segment of this number, its file empty but for zeros; prepared or, if it was not or is too
  // small for bytes, made now. Waits for a preparation under way, and for nothing else.
  [[nodiscard]] DiskResult<OpenSegment> take(std::uint64_t number, std::uint64_t bytes);
  // Makes a file that is there already ready to be appended to at this offset, up to the size of a
  // segment.
  [[nodiscard]] DiskResult<OpenSegment> reopen(std::unique_ptr<File> file, std::uint64_t used);
  // Of a segment in use: makes its mapping's pages ready where that costs nobody time.
  void warm(const OpenSegment& segment);
  // Takes segments away where that costs nobody time, if the supply lives so long.
  void take_away(Retirement& retirement, std::uint64_t from, const SegmentHeader& kept);
  // Lets go of it where that costs nobody time; of its memory, when a few more were closed.
  void retire(OpenSegment segment);
  // Told once: why the next segment could not be prepared. It is tried again each second.
  [[nodiscard]] std::optional<DiskError> take_shortage();
  // Whether that has something to give: a hint that needs no lock.
  [[nodiscard]] bool has_shortage() const noexcept {
    return has_shortage_.load(std::memory_order_relaxed);
  }
  // While the next segment could not be prepared.
  [[nodiscard]] bool is_short() const noexcept {
    return is_short_.load(std::memory_order_relaxed);  // A word alone: nothing hangs on it.
  }
  // Nothing is prepared any more, and what was is removed. Waits a moment for what is being taken
  // away: what a slow disk has not done by then goes when the journal is opened again.
  void close();

 private:
  enum class State : std::uint8_t { Idle, Wanted, Ready, Failed };

  void run();
  void do_errand(std::unique_lock<std::mutex>& lock);
  void work(std::unique_lock<std::mutex>& lock);
  void forget_retired();
  void remove_from(std::uint64_t number);
  [[nodiscard]] DiskResult<OpenSegment> make(std::uint64_t number, std::uint64_t bytes);
  [[nodiscard]] DiskResult<void> empty(File& file, std::uint64_t number) const;
  [[nodiscard]] DiskResult<void> sync(OpenSegment& segment);
  [[nodiscard]] DiskResult<OpenSegment> make_ahead() noexcept;
  [[nodiscard]] DiskResult<void> sync_ahead(OpenSegment& segment) noexcept;
  [[nodiscard]] DiskResult<void> reserve(OpenSegment& segment, std::uint64_t bytes) const;
  [[nodiscard]] bool has_errand() const noexcept {
    return ends_ || !retired_.empty() || !errands_.empty() || to_warm_ != nullptr;
  }
  [[nodiscard]] std::string path_of(std::uint64_t number) const;

  Disk& disk_;
  Options options_;
  std::mutex mutex_;  // of everything below but the thread
  std::condition_variable changed_;
  State state_ = State::Idle;
  std::uint64_t number_ = 0;
  OpenSegment ready_;
  std::vector<OpenSegment> retired_;
  struct Errand {
    Retirement* retirement = nullptr;
    std::uint64_t from = 0;
    SegmentHeader kept;
  };
  std::vector<Errand> errands_;
  std::shared_ptr<FileMapping> to_warm_;
  std::optional<DiskError> shortage_;
  std::atomic<bool> has_shortage_{false};
  std::atomic<bool> is_short_{false};
  bool is_reserving_ = false;
  bool is_syncing_ = false;
  bool is_away_ = false;  // the thread does something else, however long that takes
  bool ends_ = false;
  // Of those that were closed, the last few stay in memory; each 64 MiB unless set otherwise.
  static constexpr std::size_t kCachedSegments = 3;
  std::vector<OpenSegment> retiring_;                          // the thread's, as are these two
  std::array<std::shared_ptr<File>, kCachedSegments> closed_;  // the oldest is the next to go
  std::size_t closed_next_ = 0;
  std::thread thread_;
};

}  // namespace nexusfix::store
