// What the headers of a log's new segments say of its writer.
#pragma once

#include <cstdint>

#include <nexusfix/base/time.hpp>
#include <nexusfix/store/journal.hpp>

#include "store/format/journal_format.hpp"

namespace nexusfix::store {

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

}  // namespace nexusfix::store
