// Hands the closed segments of a journal to the thread that reads them again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store/journal.hpp>

#include "store/format/entry.hpp"
#include "store/format/journal_format.hpp"
#include "store/scan/scrub.hpp"
#include "store/write/event_queue.hpp"

namespace nexusfix::store {

class ScrubFeed {
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
