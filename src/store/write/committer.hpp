// Brings the log to the disk on a thread of its own. If the log is mapped, the thread only syncs
// the files; otherwise it also writes what the appending thread puts into a ring.
//
// The log is one stream of bytes, and each segment's file holds a part of it; begin_segment() says
// where a part begins. After the first error nothing more is written or synced.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include <nexusfix/base/disk.hpp>

#include "store/api/journal.hpp"
#include "store/write/segment_supply.hpp"

namespace nexusfix::store {

// How far a log has reached the disk. Written by the committer's thread, but for published.
struct CommitProgress {
  std::atomic<LogPosition> published{0};  // everything before it may be brought to the disk
  std::atomic<LogPosition> synced{0};
  std::atomic<bool> has_failed{false};
};

class Committer {
 public:
  struct Options {
    bool writes = false;                  // else the files have the bytes already
    bool lingers = false;                 // writing: looks for more bytes before it sleeps
    std::chrono::microseconds gather{0};  // writing: how long the first byte waits for others
    std::chrono::milliseconds interval{
        0};  // not writing: the time between two syncs without a request
    JournalOptions::Wake wake{};
    Disk* disk = nullptr;  // syncs the folder for a segment without a synced directory entry
    std::string folder;
  };
  static constexpr std::size_t kRingBytes = 8U << 20U;
  // The part of a mapping after the log's end that is kept prepared for appending.
  static constexpr std::uint64_t kPreparedBytes = 2U << 20U;
  // Not writing: this number of bytes is synced before the interval is over, so that the disk is
  // not idle in a burst. An idle thread looks for them after an interval.
  static constexpr std::uint64_t kUnsyncedBytesMax = 16U << 20U;
  // How often it looks when it lingers: 0.1 to 0.3 ms on an idle core. Waking it may take as long
  // as a sync.
  static constexpr int kLooksMax = 500;
  // How often the mapping is prepared while the log grows.
  static constexpr std::chrono::milliseconds kTick{10};

  // Everything before begin, which lies in the segment, is synced.
  Committer(Options options, OpenSegment segment, LogPosition segment_begin, LogPosition begin);
  ~Committer();  // does not sync the rest
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;

  // The appending thread:
  // Bytes that are published from this position on belong to this segment.
  void begin_segment(OpenSegment segment, LogPosition begin);
  // Writing: the number of bytes that push() takes now.
  [[nodiscard]] std::size_t room() const noexcept;
  void push(std::span<const char> bytes) noexcept;
  // Everything before end may be brought to the disk. Wakes the thread if it writes.
  void publish(LogPosition end) noexcept {
    if (options_.writes) return publish_to_write(end);
    progress_.published.store(end, std::memory_order_release);
  }
  // If it does not write, a store to `published` with memory_order_release does the same.
  [[nodiscard]] CommitProgress& progress() noexcept { return progress_; }
  // Everything published is to be synced now.
  void request() noexcept;
  // Wakes the appending thread once, when synced() has moved or an error has occurred.
  void want_wake() noexcept { wake_wanted_.store(true); }
  [[nodiscard]] LogPosition written() const noexcept {
    return written_.load(std::memory_order_acquire);
  }
  // What the files have now, synced or not. Any thread.
  [[nodiscard]] LogPosition in_files() const noexcept {
    return options_.writes ? written() : progress_.published.load(std::memory_order_acquire);
  }
  // Sequentially consistent with want_wake(): a caller that requests a wake and then finds synced()
  // too low will be woken.
  [[nodiscard]] LogPosition synced() const noexcept { return progress_.synced.load(); }
  // Sequentially consistent with want_wake(), as synced().
  [[nodiscard]] bool has_failed() const noexcept { return progress_.has_failed.load(); }
  [[nodiscard]] const DiskError& failure() const noexcept {
    return failure_;
  }  // valid after has_failed()
  // Copies bytes that were pushed and are not overwritten yet: from written() on.
  void copy(LogPosition begin, std::span<char> out) const noexcept;
  // Waits until everything published is synced, or for an error.
  void drain();

 private:
  struct Part {
    OpenSegment segment;
    LogPosition segment_begin = 0;
    LogPosition begin = 0;  // what this thread writes and syncs begins here
  };

  void run();
  void publish_to_write(LogPosition end) noexcept;
  void linger() const noexcept;
  void wait_to_write();
  void wait_to_sync();
  void prepare_ahead() noexcept;
  [[nodiscard]] bool has_work() const noexcept;
  [[nodiscard]] DiskResult<void> commit(LogPosition end);
  [[nodiscard]] DiskResult<void> sync(const Part& part, LogPosition end);
  [[nodiscard]] DiskResult<void> write(const Part& part, LogPosition begin, LogPosition end);
  void notify() noexcept;

  Options options_;
  std::unique_ptr<char[]> ring_;
  CommitProgress progress_;
  std::atomic<LogPosition> written_;
  std::atomic<bool> requested_{false};
  std::atomic<bool> wake_wanted_{false};
  std::atomic<bool> sleeps_{false};
  DiskError failure_;
  LogPosition pushed_;  // the appending thread's
  LogPosition prepared_ =
      0;                  // of the mapping, up to here; the committer thread's, as the two below
  LogPosition seen_ = 0;  // what was published at the last tick
  std::chrono::milliseconds since_sync_{0};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable synced_changed_;
  std::deque<Part> parts_;         // under the mutex
  std::atomic<bool> ends_{false};  // set under it, so that no wait misses it
  std::thread thread_;
};

}  // namespace nexusfix::store
