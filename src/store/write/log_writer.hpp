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
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/store/journal.hpp>

#include "store/format/journal_format.hpp"
#include "store/recover/recovery.hpp"
#include "store/state/checkpoint.hpp"
#include "store/write/committer.hpp"
#include "store/write/durability_hold.hpp"
#include "store/write/segment_stamp.hpp"
#include "store/write/segment_supply.hpp"
#include "store/write/tail_marker.hpp"

namespace nexusfix::store {

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
    return appended_ + record_bytes <= fast_end_ && !has_failed();
  }
  // Makes room for a record of this size, in the next segment if need be.
  [[nodiscard]] StoreResult<void> make_room(std::uint64_t record_bytes, WallTime now);
  // After make_room(): takes the memory that append() needs, which cannot fail for lack of it then.
  // std::bad_alloc changes nothing.
  void reserve(std::uint64_t record_bytes);
  // After both. more_entries may be empty. False: mapping_failure() has the reason.
  [[nodiscard]] bool append(std::span<const char> entries, std::span<const char> more_entries,
                            WallTime now);
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
  [[nodiscard]] LogPosition durable() const noexcept;
  [[nodiscard]] LogPosition synced() const noexcept {
    return committer_ ? committer_->synced() : synced_;
  }
  // Whether bytes may leave before the committer has synced them.
  [[nodiscard]] bool syncs_in_background() const noexcept {
    return committer_ && options_.durability == Durability::Process;
  }
  [[nodiscard]] bool has_shortage() const noexcept { return supply_.has_shortage(); }
  [[nodiscard]] std::optional<DiskError> take_shortage() { return supply_.take_shortage(); }
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
    return committer_ ? Progress{committer_->synced(), committer_->in_files()}
                      : Progress{synced_, written()};
  }
  [[nodiscard]] bool has_failed() const noexcept { return committer_ && committer_->has_failed(); }
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
  void take_current(OpenSegment segment);
  [[nodiscard]] StoreResult<void> put_start(std::span<const char> bytes);
  [[nodiscard]] StoreResult<void> write_pending();
  [[nodiscard]] StoreResult<void> sync_written();
  [[nodiscard]] StoreResult<void> push_pending();
  [[nodiscard]] StoreResult<void> push_in_pieces(std::size_t count);
  [[nodiscard]] std::uint64_t unit_bytes(std::size_t offset) const noexcept;
  [[nodiscard]] std::size_t whole_records(std::size_t bytes_max) const noexcept;
  [[nodiscard]] bool mapping_failed() const noexcept { return current_.mapping->has_failed(); }
  [[nodiscard]] std::unexpected<StoreError> failure(const DiskError& error) const;
  void append_pending(std::span<const char> entries, std::span<const char> more_entries,
                      std::uint64_t offset, WallTime now);

  Disk& disk_;
  const JournalOptions& options_;
  Checkpointer& checkpointer_;
  bool background_;
  SegmentSupply supply_;
  std::vector<SegmentHeader> segments_;
  OpenSegment current_;
  char* mapped_ = nullptr;       // the current segment's first byte
  LogPosition fast_end_ = 0;     // up to here a record needs no make_room(); 0: not mapped
  bool is_next_wanted_ = false;  // prepare_next() has been called for the next one
  RecordSeed seed_;
  SegmentStamp stamp_;
  std::vector<char> pending_;  // the log's last bytes, in no file and no ring yet
  std::vector<char> start_;    // of a segment; used again for each
  std::uint64_t records_ = 0;  // in the log
  bool is_closed_ = false;     // in order, and nothing was appended since
  LogPosition appended_ = 0;
  LogPosition synced_ = 0;  // without a committer
  DurabilityHold hold_;
  std::unique_ptr<Committer> committer_;
};

// For each message.
[[gnu::always_inline]] inline bool LogWriter::append(std::span<const char> entries,
                                                     std::span<const char> more_entries,
                                                     WallTime now) {
  constexpr std::uint64_t kFetchedAhead = 2048;
  constexpr std::uint64_t kLineBytes = 64;
  constexpr std::uint64_t kFetchedBytes = 4 * kLineBytes;  // at least: those of an order's record
  constexpr std::uint64_t kFetchedBytesMax = 1024;
  const std::uint64_t offset = appended_ - segments_.back().position;
  const std::uint64_t record_bytes = kRecordHeaderBytes + entries.size() + more_entries.size();
  ++records_;
  is_closed_ = false;
  if (mapped_ == nullptr) {
    append_pending(entries, more_entries, offset, now);
    return true;
  }
  NEXUSFIX_DEBUG_ASSERT(offset + record_bytes <= current_.reserved_bytes);
  encode_record_in_pieces(mapped_ + offset, seed_, offset, now, entries, more_entries);
  // Tested after the copy: bytes that did not reach the file must not be durable.
  if (mapping_failed()) [[unlikely]]
    return false;
  appended_ += record_bytes;
  if (committer_) committer_->publish(appended_);
  // No thread has read the memory after the log's end for long. As many cache lines as this record
  // took are prefetched, far enough ahead to be there in time. A prefetch of an unmapped line does
  // nothing.
  const char* const ahead = mapped_ + offset + kFetchedAhead;
  for (std::uint64_t at = 0; at < kFetchedBytes; at += kLineBytes) {
    __builtin_prefetch(ahead + at, 1);
  }
  if (record_bytes > kFetchedBytes) [[unlikely]] {
    const std::uint64_t fetched_bytes = std::min(record_bytes, kFetchedBytesMax);
    for (std::uint64_t at = kFetchedBytes; at < fetched_bytes; at += kLineBytes) {
      __builtin_prefetch(ahead + at, 1);
    }
  }
  return true;
}

}  // namespace nexusfix::store
