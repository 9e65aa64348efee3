// What says that a log may have lost its end: that what its last run had written, and may have
// sent, is not all there. Each of these is handled as a loss of power.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store/journal.hpp>

#include "store/format/journal_format.hpp"
#include "store/write/log_note.hpp"

namespace nexusfix::store {

struct LossEvidence {
  BootId boot_id{};         // of now
  bool has_failed = false;  // the last run ended by an error of the store
  bool is_copy = false;     // the folder is another one than was written to

  // What a writer of this segment had not synced.
  [[nodiscard]] LossCause cause(const SegmentHeader& header) const noexcept;
  [[nodiscard]] bool may_have_lost(const SegmentHeader& header) const noexcept {
    return cause(header) != LossCause::None;
  }

  // A log that has been read.
  struct Log {
    const SegmentHeader& last;
    bool is_closed = false;         // in order
    bool is_short = false;          // ends before what was noted as written
    std::uint64_t owner_epoch = 0;  // of those who wrote to it, the last one's
    // Of the owners before this opening, the last one whom the file `owner` knows; nothing: it
    // cannot be read.
    std::optional<std::uint64_t> noted_epoch;
  };
  [[nodiscard]] LossCause cause(const Log& log) const noexcept;
};

// Before the segments are looked at. is_kept: this run writes notes itself (any mode but None).
[[nodiscard]] LossEvidence find_evidence(Disk& disk, const std::string& folder,
                                         const FoundLogNote& noted, bool is_kept);

// Whether a log that ends before what was noted to be on the disk is explained by that: a disk that
// fails may lose what it has said to be synced. What nothing explains was taken away by somebody,
// who may have it; and so was a part of a log that ended in order.
[[nodiscard]] bool explains_lost_end(LossCause cause, const LogNote& note) noexcept;

// How many numbers of each session may have been used that the log does not know: by the rule that
// its last run sent by; or, where it says nothing of what is missing, by that of the next one.
// lost_bytes: of the log, that the disk was known to have.
[[nodiscard]] std::uint64_t numbers_to_skip(LossCause cause, const SegmentHeader& last,
                                            const JournalOptions& options,
                                            std::uint64_t lost_bytes) noexcept;

}  // namespace nexusfix::store
