// The evidence that a log may have lost its end: not everything is there that its last run had
// written, and may have sent. Each case is handled as a loss of power.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <nexusfix/base/disk.hpp>

#include "store/api/journal.hpp"
#include "store/api/journal_format.hpp"
#include "store/write/tail_marker.hpp"

namespace nexusfix::store {

struct LossEvidence {
  BootId boot_id{};         // of this start of the machine
  bool has_failed = false;  // the last run ended by an error of the store
  bool is_copy = false;     // the log was written to another folder

  // Why bytes may be missing that a writer of this segment had not synced.
  [[nodiscard]] LossCause cause(const SegmentHeader& header) const noexcept;
  [[nodiscard]] bool may_have_lost(const SegmentHeader& header) const noexcept {
    return cause(header) != LossCause::None;
  }

  // A log that has been read.
  struct Log {
    const SegmentHeader& last;
    bool is_closed = false;         // in order
    bool is_short = false;          // it ends before the position that was recorded as written
    std::uint64_t owner_epoch = 0;  // of the last owner that wrote to it
    // The last owner before this opening, by the file `owner`; nothing: the file cannot be read.
    std::optional<std::uint64_t> recorded_epoch;
  };
  [[nodiscard]] LossCause cause(const Log& log) const noexcept;
};

// To be called before the segments are read. is_kept: this run writes tail markers itself (any mode
// but None).
[[nodiscard]] LossEvidence find_evidence(Disk& disk, const std::string& folder,
                                         const FoundTailMarker& found, bool is_kept);

// Whether the cause explains that a log ends before the position that was recorded as synced: a
// failing disk may lose what it has confirmed. A missing end without a cause was removed, and may
// still be somewhere; so may a missing part of a log that ended in order.
[[nodiscard]] bool explains_lost_end(LossCause cause, const TailMarker& marker) noexcept;

// How many sequence numbers each session may have used that the log does not have: by the limit of
// its last run; if the log does not say what is missing, by the limit of the next run. lost_bytes:
// of the log, that the disk was known to have.
[[nodiscard]] std::uint64_t numbers_to_skip(LossCause cause, const SegmentHeader& last,
                                            const JournalOptions& options,
                                            std::uint64_t lost_bytes) noexcept;

// What opening found lost, and which sessions may not be opened because of it.
class SessionRefusals {
 public:
  void refuse(std::map<SessionKey, std::string> sessions, std::string new_sessions) {
    sessions_ = std::move(sessions);
    new_sessions_ = std::move(new_sessions);
  }
  // A session that the log does not know may have been opened in what the disk has lost, and may
  // have used up to this number of outbound sequence numbers there.
  void expect_lost_sessions(std::uint64_t numbers) noexcept { lost_numbers_ = numbers; }

  // Why this session is refused; null: it is not.
  [[nodiscard]] const std::string* reason(SessionKey session) const {
    const auto found = sessions_.find(session);
    return found == sessions_.end() ? nullptr : &found->second;
  }
  // Why a session that the log does not know is refused; null: it is not.
  [[nodiscard]] const std::string* reason_for_new() const noexcept {
    return new_sessions_.empty() ? nullptr : &new_sessions_;
  }
  [[nodiscard]] std::uint64_t lost_numbers_of_new() const noexcept { return lost_numbers_; }

 private:
  std::map<SessionKey, std::string> sessions_;
  std::string new_sessions_;
  std::uint64_t lost_numbers_ = 0;
};

}  // namespace nexusfix::store
