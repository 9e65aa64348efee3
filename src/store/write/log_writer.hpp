// The end of the log: where records are appended, and how they reach the disk.
//
// One of three paths, by durability and by what the disk can do:
//   mapped    Process and None: a record is copied into the mapped file, and that is all; a
//             committer thread syncs now and then (Process).
//   ringed    Group with threads, and Sync with a wake callback: flush() puts what was appended
//   into
//             a ring, and a committer thread writes and syncs it; Sync: at once.
//   plain     otherwise: flush() writes what was appended, and syncs it (Group and Sync).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/language.hpp>

#include "store/api/journal.hpp"
#include "store/api/journal_format.hpp"
#include "store/recover/recovery.hpp"
#include "store/state/checkpoint.hpp"
#include "store/write/committer.hpp"
#include "store/write/segment_supply.hpp"
#include "store/write/tail_marker.hpp"

namespace nexusfix::store {

// What the headers of a log's new segments say of its writer.
class SegmentStamp {
 public:
  SegmentStamp() = default;
  SegmentStamp(std::int64_t log_id, std::uint64_t owner_epoch, const BootId& boot_id,
               const JournalOptions& options) noexcept
      : log_id_{log_id},
        owner_epoch_{owner_epoch},
        boot_id_{boot_id},
        durability_{options.durability},
        numbers_ahead_max_{options.durability == Durability::Process ? options.numbers_ahead_max
                                                                     : 0} {}

  [[nodiscard]] SegmentHeader header(std::uint64_t number, LogPosition position, LogPosition synced,
                                     WallTime now) const noexcept {
    return {.log_id = log_id_,
            .number = number,
            .position = position,
            .time = now,
            .version = kFormatVersion,
            .synced = synced,
            .numbers_ahead_max = numbers_ahead_max_,
            .durability = durability_,
            .boot_id = boot_id_,
            .owner_epoch = owner_epoch_};
  }
  // Whether a writer with this stamp may append to a segment that another run has begun: a loss of
  // power is judged by the header of the segment in which the log ends.
  [[nodiscard]] bool may_append_to(const SegmentHeader& segment) const noexcept {
    return segment.version == kFormatVersion && boot_id_ != to_boot_id({}) &&
           segment.boot_id == boot_id_ && segment.durability == durability_ &&
           segment.numbers_ahead_max == numbers_ahead_max_;
  }

 private:
  std::int64_t log_id_ = 0;
  std::uint64_t owner_epoch_ = 0;
  BootId boot_id_{};
  Durability durability_ = Durability::Process;
  std::uint32_t numbers_ahead_max_ = 0;
};

// Keeps durable() where it is until the disk has the records that must not be lost: a reset, a new
// session. Used where bytes may otherwise leave before they are synced.
class DurabilityHold {
 public:
  // The record from begin to end must be synced before durable() passes begin.
  void add(LogPosition begin, LogPosition end, LogPosition synced) noexcept {
    if (!is_active(synced)) begin_ = begin;
    end_ = end;
  }
  [[nodiscard]] bool is_active(LogPosition synced) const noexcept { return synced < end_; }
  // What is durable of what was written. The log is one stream: a record that waits holds back all
  // that follows it.
  [[nodiscard]] LogPosition durable(LogPosition written, LogPosition synced) const noexcept {
    if (!is_active(synced)) return written;
    return std::min(written, std::max(begin_, synced));
  }

 private:
  LogPosition begin_ = 0;
  LogPosition end_ = 0;
};

class LogWriter {
 public:
  // owner: null where nothing is written.
  LogWriter(Disk& disk, const JournalOptions& options, const Ownership* owner,
            Checkpointer& checkpointer);

  // Takes over what was recovered: goes on with the last segment, or opens a new one. last_entries
  // (may be empty) become the last record of what was there, on the disk before anything else.
  [[nodiscard]] StoreResult<void> open(Recovered& recovered, std::uint64_t owner_epoch,
                                       std::span<const char> last_entries, WallTime now);

  // Takes over what was recovered, only to read it.
  void open_read_only(Recovered& recovered);

  // Whether a record of this size needs no make_room(), as most do in a mapped segment. After the
  // first record that needs it, all do until the next segment is opened.
  [[nodiscard]] bool has_room(std::uint64_t record_bytes) const noexcept {
    return appended_ + record_bytes <= place_.fast_end && !has_failed();
  }
  // Up to here append_plain() is allowed, as long as has_failed() is false and nothing else is
  // appended. 0: not at all.
  [[nodiscard]] LogPosition find_plain_until() const noexcept;
  // Makes room for a record of this size, in the next segment if need be.
  [[nodiscard]] StoreResult<void> make_room(std::uint64_t record_bytes, WallTime now);
  // After make_room(): takes the memory that append() needs, which cannot fail for lack of it then.
  // std::bad_alloc changes nothing.
  void reserve(std::uint64_t record_bytes);
  // After both. more_entries may be empty. False: mapping_failure() has the reason.
  [[nodiscard]] bool append(std::span<const char> entries, std::span<const char> more_entries,
                            WallTime now);
  // For a record that ends at `end`, find_plain_until() or before.
  [[nodiscard]] bool append_plain(std::span<const char> entries, WallTime now, LogPosition end);
  [[nodiscard]] StoreError mapping_failure() const;
  // The record from begin to appended() must be synced before durable() passes begin.
  void require_sync(LogPosition begin) noexcept;
  // Process: the log should be synced now.
  void request_sync() noexcept;
  [[nodiscard]] StoreResult<void> flush();
  // Returns when everything is on the disk.
  [[nodiscard]] StoreResult<void> sync_all();
  // After sync_all(): returns reserved space to the disk.
  [[nodiscard]] StoreResult<void> close();

  [[nodiscard]] LogPosition appended() const noexcept { return appended_; }
  [[nodiscard]] LogPosition durable() const noexcept {
    return is_durable_at_once_ ? appended_ : find_durable();
  }
  // Whether durable() is appended(), without a look at what the disk has.
  [[nodiscard]] bool is_durable_at_once() const noexcept { return is_durable_at_once_; }
  [[nodiscard]] LogPosition synced() const noexcept { return progress_->synced.load(); }
  // Whether bytes may leave before the committer has synced them.
  [[nodiscard]] bool syncs_in_background() const noexcept {
    return committer_ && options_.durability == Durability::Process;
  }
  [[nodiscard]] bool has_shortage() const noexcept { return supply_.has_shortage(); }
  [[nodiscard]] std::optional<DiskError> consume_shortage() { return supply_.consume_shortage(); }
  [[nodiscard]] bool is_short() const noexcept { return supply_.is_short(); }

  // Has the next segment prepared when this one's directory entry is on the disk. To be called when
  // synced() has moved.
  void prepare_next();

  // Forgets the first segments, which are not read any more. Their files are removed elsewhere.
  void forget_segments(std::size_t count);
  void remove_retired(Retirement& retirement, std::uint64_t from, const SegmentHeader& kept) {
    supply_.remove_retired(retirement, from, kept);
  }

  // The tail of the log as far as it is on the disk; nothing: the disk has not even the segment's
  // start.
  [[nodiscard]] std::optional<TailMarker> tail_marker() const noexcept;

  // Between open() and close(), with a committer, any thread: how far it has synced the log, and
  // whether it has failed.
  [[nodiscard]] bool has_committer() const noexcept { return committer_ != nullptr; }
  struct Progress {
    LogPosition synced = 0;
    LogPosition in_files = 0;
  };
  [[nodiscard]] Progress progress() const noexcept {
    return {.synced = synced(), .in_files = committer_ ? committer_->in_files() : written()};
  }
  [[nodiscard]] bool has_failed() const noexcept { return progress_->has_failed.load(); }
  [[nodiscard]] const DiskError& failure() const noexcept { return committer_->failure(); }
  [[nodiscard]] const OpenSegment& current() const noexcept { return current_; }

  // The room of the current segment for records.
  [[nodiscard]] std::uint64_t room_left() const noexcept;

  [[nodiscard]] const std::vector<SegmentHeader>& segments() const noexcept { return segments_; }
  [[nodiscard]] File& file() const noexcept { return *current_.file; }
  // What the files have. After it, up to appended(), use copy().
  [[nodiscard]] LogPosition written() const noexcept;
  void copy(LogPosition begin, std::span<char> out) const noexcept;

 private:
  void draft_checkpoint(std::uint64_t used, std::uint64_t room);
  [[nodiscard]] bool directory_entry_synced() const noexcept;
  [[nodiscard]] StoreResult<void> roll(std::uint64_t record_bytes, WallTime now);
  [[nodiscard]] StoreResult<void> begin_segment(std::uint64_t number, std::uint64_t record_bytes,
                                                WallTime now);
  void start_committer(LogPosition begin);
  void set_current(OpenSegment segment);
  [[nodiscard]] StoreResult<void> put_start(std::span<const char> bytes);
  [[nodiscard]] StoreResult<void> write_pending();
  [[nodiscard]] StoreResult<void> sync_written();
  [[nodiscard]] StoreResult<void> push_pending();
  [[nodiscard]] StoreResult<void> push_in_pieces(std::size_t count);
  [[nodiscard]] std::uint64_t unit_bytes(std::size_t offset) const noexcept;
  [[nodiscard]] std::size_t whole_records(std::size_t bytes_max) const noexcept;
  [[nodiscard]] bool mapping_failed() const noexcept {
    return place_.failed->load(std::memory_order_acquire);
  }
  [[nodiscard]] LogPosition find_durable() const noexcept;
  void update_durable_at_once() noexcept;
  void prefetch(std::uint64_t offset, std::uint64_t record_bytes) const noexcept;
  [[nodiscard]] bool publish_mapped(LogPosition end) noexcept;
  [[nodiscard]] std::unexpected<StoreError> failure(const DiskError& error) const;
  bool append_pending(std::span<const char> entries, std::span<const char> more_entries,
                      WallTime now);

  Disk& disk_;
  const JournalOptions& options_;
  Checkpointer& checkpointer_;
  bool background_;
  SegmentSupply supply_;
  std::vector<SegmentHeader> segments_;
  OpenSegment current_;
  // Where each record goes, in the current segment.
  struct Place {
    LogPosition begin = 0;                      // of the segment
    char* mapped = nullptr;                     // its first byte; null: it is not mapped
    const std::atomic<bool>* failed = nullptr;  // of the mapping
    LogPosition fast_end = 0;                   // up to here a record needs no make_room()
  };
  Place place_;
  bool is_next_wanted_ = false;      // prepare_next() has been called for the next one
  bool is_durable_at_once_ = false;  // as soon as it is appended, and nothing is held
  RecordSeed seed_;
  SegmentStamp stamp_;
  std::vector<char> pending_;  // the log's last bytes, in no file and no ring yet
  std::vector<char> start_;    // of a segment; used again for each
  std::uint64_t records_ = 0;  // in the log
  bool is_closed_ = false;     // in order, and nothing was appended since
  LogPosition appended_ = 0;
  CommitProgress own_progress_;                // without a committer
  CommitProgress* progress_ = &own_progress_;  // or the committer's
  DurabilityHold hold_;
  std::unique_ptr<Committer> committer_;
};

// No thread has read the memory after the log's end for long. As many cache lines as this record
// took are prefetched, far enough ahead to be there in time. A prefetch of an unmapped line does
// nothing. Inlined, because g++ leaves out the call of a function that only prefetches.
[[gnu::always_inline]] inline void LogWriter::prefetch(std::uint64_t offset,
                                                       std::uint64_t record_bytes) const noexcept {
  constexpr std::uint64_t kAhead = 2048;
  constexpr std::uint64_t kLineBytes = 64;
  constexpr std::uint64_t kBytes = 6 * kLineBytes;  // at least: most orders' records have less
  constexpr std::uint64_t kBytesMax = 1024;
  const char* const ahead = place_.mapped + offset + kAhead;
#pragma GCC unroll 8
  for (std::uint64_t at = 0; at < kBytes; at += kLineBytes) __builtin_prefetch(ahead + at, 1);
  if (record_bytes <= kBytes) [[likely]]
    return;
  for (std::uint64_t at = kBytes; at < std::min(record_bytes, kBytesMax); at += kLineBytes) {
    __builtin_prefetch(ahead + at, 1);
  }
}

// After the copy: bytes that did not reach the file must not be durable.
inline bool LogWriter::publish_mapped(LogPosition end) noexcept {
  if (mapping_failed()) [[unlikely]]
    return false;
  ++records_;
  appended_ = end;
  progress_->published.store(end, std::memory_order_release);
  return true;
}

// For each message.
[[gnu::always_inline]] inline bool LogWriter::append_plain(std::span<const char> entries,
                                                           WallTime now, LogPosition end) {
  NEXUSFIX_DEBUG_ASSERT(!is_closed_);
  NEXUSFIX_DEBUG_ASSERT(end == appended_ + kRecordHeaderBytes + entries.size());
  const std::uint64_t offset = appended_ - place_.begin;
  if (place_.mapped == nullptr) [[unlikely]]
    return append_pending(entries, {}, now);
  NEXUSFIX_DEBUG_ASSERT(end - place_.begin <= current_.reserved_bytes);
  prefetch(offset, kRecordHeaderBytes + entries.size());
  encode_record(place_.mapped + offset, seed_, offset, now, entries);
  return publish_mapped(end);
}

}  // namespace nexusfix::store
