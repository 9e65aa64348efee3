// What a segment begins with after its header, so that opening need not read what lies before it:
// the state of every session, and the places of the messages that were kept since the checkpoint
// before. All checkpoints together hold the index of the whole log.
//
// A checkpoint has the form of a record (journal_format.hpp): a checksum that starts from its place
// in the log, a length, a time. Its content:
//
//   bytes  what (numbers are little-endian)
//       1  'C': a checkpoint (no entry's kind); 'V': void, a repair took it out, and the rest means
//          nothing
//       1  1: the log before it was closed in order
//       8  log position of the segment
//       8  log position from which on messages are listed: that of the checkpoint before, or 0
//       8  log position before which segments may have been retired; 0: none
//       8  records before it, in the whole log
//       8  messages kept before it, in the whole log
//       4  number of sessions, then for each of them
//            2, -  length and bytes of the name
//          3 x 8  next inbound and outbound number, epoch
//            8  when the epoch began, ns since 1970
//            1  1: an import was not finished
//            8  outbound numbers below this one are reserved, or 0
//            4  number of lost ranges, then 8 and 8 for each: first and last number
//            4  number of groups, then for each of them three numbers of 7 bits a byte, lowest
//               first, with the high bit set in all but the last byte: how much its first MsgSeqNum
//               is above that of the group before, how far its begin is after the begin of the
//               group before (of the first: after the position from which on messages are listed),
//               and how far its end is after its begin
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/store.hpp>

#include "store/api/journal_format.hpp"
#include "store/state/log_state.hpp"

namespace nexusfix::store {

struct Checkpoint {
  struct Session {
    SessionTable::Session session;
    std::vector<MessageIndex::Group> groups;  // of its epoch, since index_from
  };
  LogPosition position = 0;
  LogPosition index_from = 0;
  LogPosition retired_before = 0;
  std::uint64_t records = 0;
  std::uint64_t messages = 0;
  bool is_closed = false;
  std::vector<Session> sessions;  // by key
};

// Decodes the segment's bytes between its header and its records.
enum class CheckpointFault : std::uint8_t { Checksum, Void, Form };
[[nodiscard]] std::expected<Checkpoint, CheckpointFault> decode_checkpoint(
    const SegmentHeader& segment, std::span<const char> bytes);
// Reads it from the file of a segment that has one.
[[nodiscard]] DiskResult<std::expected<Checkpoint, CheckpointFault>> read_checkpoint(
    const SegmentHeader& segment, File& file);
[[nodiscard]] std::string describe(CheckpointFault fault);
// An event text about this segment.
[[nodiscard]] std::string checkpoint_fault_text(const std::string& folder,
                                                const SegmentHeader& segment,
                                                std::string_view reason);

// The sessions as they were, with empty indexes. Nothing: two sessions have one name.
[[nodiscard]] std::optional<LogState> restore(const Checkpoint& checkpoint);

// The state of the log before this segment: empty before the first of all, otherwise from its
// checkpoint.
struct StateBefore {
  LogState state;
  std::uint64_t records = 0;
  LogPosition index_from = 0;  // this checkpoint and later ones find the messages after it
};
[[nodiscard]] std::expected<StateBefore, CheckpointFault> state_before(
    const SegmentHeader& segment, std::span<const char> checkpoint);
// The error of a log that begins at this segment and has no checkpoint that can be used.
[[nodiscard]] StoreError unknown_start(const std::string& folder, const SegmentHeader& first);

// Encodes the sessions of a checkpoint ahead: a few with each append near the end of a segment, so
// that the append that opens the next segment has little left to do with any number of sessions.
class SessionDraft {
 public:
  // The state must outlive it.
  explicit SessionDraft(const LogState& state) : state_{state} {}

  // Encodes sessions until the draft has this number of them. index_from: see Checkpoint.
  void advance(std::size_t count, LogPosition index_from);
  // These entries are about to change the state.
  void touch(std::span<const char> entries);
  void discard() noexcept;
  // Appends all sessions as they are now, unchanged ones from the draft, and discards the draft.
  void finish(std::vector<char>& out, LogPosition index_from);

 private:
  void encode(std::vector<char>& out, SessionKey key, LogPosition index_from) const;
  [[nodiscard]] bool is_good(SessionKey key) const noexcept {
    return key < ends_.size() && !is_stale_[key];
  }

  const LogState& state_;
  std::size_t sessions_ = 0;       // in the state when the draft began
  std::vector<char> bytes_;        // of the encoded ones, by key
  std::vector<std::size_t> ends_;  // of each, in bytes_
  std::vector<char> is_stale_;     // whether each has changed since
};

// Decides when a checkpoint is made, and what it holds.
class Checkpointer {
 public:
  // The state must outlive it, and hold the whole log when a segment is opened.
  explicit Checkpointer(LogState& state) : state_{state}, draft_{state} {}

  // The fences of the state stand at this position. Without this call no checkpoints are made.
  // retired_before: as the last checkpoint records it.
  void start(LogPosition index_from, LogPosition retired_before) {
    index_from_ = index_from;
    retired_before_ = retired_before;
    last_recorded_ = retired_before;
    is_started_ = true;
    recorded_.reserve(kRecordedMax);
  }
  // The next checkpoint is near: does this part of its work ahead. From then on touch() is called.
  void draft(std::uint64_t part, std::uint64_t whole);
  // After draft(), before these entries change the state.
  void touch(std::span<const char> entries) { draft_.touch(entries); }
  // Appends the checkpoint of a segment to buffer, which holds the segment's header; nothing where
  // a checkpoint would be no help. records: in the log before it. is_closed: the log was closed in
  // order before it.
  void append(std::vector<char>& buffer, const SegmentHeader& segment, std::uint64_t records,
              bool is_closed);
  // The segment with that checkpoint is open, and its records begin at this position.
  void on_written(LogPosition position, LogPosition records_at);

  // What the next checkpoint records as retired.
  void plan_retirement(LogPosition before) noexcept {
    retired_before_ = before;
    draft_.discard();  // the indexes may have lost the retired messages
  }
  // An earlier run has recorded this much as retired in two checkpoints that are on the disk. Of
  // it, what is still planned counts.
  void restore_confirmed(LogPosition before) noexcept {
    confirmed_ = std::min(before, retired_before_);
  }
  // What two checkpoints on the disk record as retired. Two, because one of them may be damaged.
  [[nodiscard]] LogPosition confirmed_retirement(LogPosition synced) noexcept;
  // Whether confirmed_retirement() may have grown since the last call.
  [[nodiscard]] bool has_confirmation(LogPosition synced) const noexcept {
    return !recorded_.empty() && recorded_.front().end <= synced;
  }

 private:
  LogState& state_;
  LogPosition index_from_ = 0;
  LogPosition retired_before_ = 0;
  LogPosition last_recorded_ = 0;  // by the last checkpoint
  struct Recorded {
    LogPosition in_both = 0;  // what the checkpoint before it recorded, too
    LogPosition end = 0;      // of the checkpoint
  };
  static constexpr std::size_t kRecordedMax = 16;
  std::vector<Recorded> recorded_;  // checkpoints that may not be on the disk yet
  SessionDraft draft_;
  LogPosition confirmed_ = 0;  // by two checkpoints that are on the disk
  bool is_started_ = false;
};

}  // namespace nexusfix::store
