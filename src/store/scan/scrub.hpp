// Reads closed segments again, a piece at a time, and verifies them, so that damage by the disk is
// reported before a counterparty asks for a message in it, or an opening needs it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "store/api/entry.hpp"
#include "store/api/event_queue.hpp"
#include "store/api/journal.hpp"
#include "store/api/journal_format.hpp"
#include "store/api/segment_reader.hpp"

namespace nexusfix::store {

class Scrub {
 public:
  // Read in one step, unless one record is larger.
  static constexpr std::uint64_t kPieceBytes = 256U << 10U;
  // The damages of one segment; there may be more after them.
  static constexpr std::size_t kDamagesMax = 16;

  Scrub(Disk& disk, std::string folder, EventQueue& events)
      : disk_{disk}, folder_{std::move(folder)}, events_{events} {}

  // Any thread. Adds a segment, whose records end there and to which nothing is written any more,
  // after those that were added before.
  void add(const SegmentHeader& header, std::uint64_t end);
  // Any thread, before their files are removed: segments with a lower number are not read any more.
  void forget_before(std::uint64_t number);
  // Reads all segments again.
  void restart();
  // Reads the next piece, and reports the damage of a segment when all of it was read. Returns the
  // number of bytes read; nothing: there is no more to read. One thread.
  [[nodiscard]] std::optional<std::uint64_t> step();

 private:
  struct Segment {
    SegmentHeader header;
    std::uint64_t end = 0;
    bool is_read = false;
    bool stays_cached = false;
  };

  [[nodiscard]] bool begin_next();
  [[nodiscard]] std::uint64_t open();
  [[nodiscard]] std::uint64_t read_piece();
  [[nodiscard]] bool pass_damage();
  [[nodiscard]] bool is_listed();
  void close();
  void report_unreadable(const DiskError& error);
  void report_damages();
  [[nodiscard]] std::string advice() const;

  Disk& disk_;
  std::string folder_;
  EventQueue& events_;
  std::mutex mutex_;
  std::deque<Segment> segments_;  // under the mutex, by number
  // The reading thread's:
  Segment current_;
  std::unique_ptr<File> file_;  // null: between two segments
  FileWindow window_;
  SegmentReader reader_{window_, {}, 0};
  std::string damage_;  // the segment's first damage, for the event
  std::size_t damages_ = 0;
};

// Reads all segments again and again on a thread of its own, at a limited rate.
class ScrubThread {
 public:
  ScrubThread(Disk& disk, const JournalOptions& options, EventQueue& events);
  // Waits for a read that is under way.
  ~ScrubThread();
  ScrubThread(const ScrubThread&) = delete;
  ScrubThread& operator=(const ScrubThread&) = delete;

  // As those of Scrub.
  void add(const SegmentHeader& header, std::uint64_t end);
  void forget_before(std::uint64_t number) { scrub_.forget_before(number); }

 private:
  void run();

  Scrub scrub_;
  EventQueue& events_;
  JournalOptions::Scrub options_;
  JournalOptions::Wake wake_;
  SystemClock clock_;  // the disk is read in real time: no simulated behaviour depends on it
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_more_ = false;  // under the mutex
  bool ends_ = false;      // under the mutex
  std::thread thread_;
};

// Hands the closed segments of a journal to the thread that reads them again.
class ScrubQueue {
 public:
  void start(Disk& disk, const JournalOptions& options, EventQueue& events) {
    const bool is_wanted = options.scrub.bytes_per_second > 0 && options.background;
    if (is_wanted && disk.takes_threads()) thread_.emplace(disk, options, events);
  }
  void stop() noexcept { thread_.reset(); }

  // Offers the closed segments of which the file has all bytes: what is in the ring of a group
  // comes later. segments: of the whole log. written: what the files have.
  void offer(std::span<const SegmentHeader> segments, LogPosition written);
  // Whether offer() has something to do that it left the last time.
  [[nodiscard]] bool is_due(LogPosition synced) const noexcept { return synced >= next_end_; }
  void forget_before(std::uint64_t number) {
    if (thread_) thread_->forget_before(number);
  }

 private:
  std::optional<ScrubThread> thread_;  // nothing: scrubbing is switched off
  std::uint64_t offered_ = 0;          // segments up to this number
  LogPosition next_end_ = kNumberMax;  // of the next one to offer; kNumberMax: none
};

}  // namespace nexusfix::store
