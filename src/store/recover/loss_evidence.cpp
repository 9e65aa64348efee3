#include "store/recover/loss_evidence.hpp"

#include <algorithm>
#include <string_view>

#include "store/api/journal_damage.hpp"

namespace nexusfix::store {

std::string_view to_word(LossCause cause) noexcept {
  switch (cause) {
    case LossCause::None:
      break;
    case LossCause::MachineRestarted:
      return "machine-restarted";
    case LossCause::MountedAgain:
      return "mounted-again";
    case LossCause::StoreFailed:
      return "store-failed";
    case LossCause::LogCut:
      return "log-cut";
    case LossCause::FolderCopied:
      return "folder-copied";
    case LossCause::OwnerLost:
      return "owner-lost";
  }
  return "none";
}

std::string_view describe(LossCause cause) noexcept {
  switch (cause) {
    case LossCause::None:
      break;
    case LossCause::MachineRestarted:
      return "the machine went down while it was open";
    case LossCause::MountedAgain:
      return "its file system was mounted again without an orderly end of the store: what had not "
             "reached the disk is gone";
    case LossCause::StoreFailed:
      return "its last run was ended by an error of the store: the disk may not have what was "
             "written before it";
    case LossCause::LogCut:
      return "the log ends before what its last run had written: its end was lost or cut";
    case LossCause::FolderCopied:
      return "the folder is a copy, or was restored from one: what was sent after the copy was "
             "made is not in it";
    case LossCause::OwnerLost:
      return "the file owner is missing, or older than the log: the folder was copied without it, "
             "or restored in part";
  }
  return "nothing is missing";
}

LossCause LossEvidence::cause(const SegmentHeader& header) const noexcept {
  if (has_failed) return LossCause::StoreFailed;
  if (header.version == kFormatVersionOldest) return LossCause::None;
  if (!is_same_boot(header.boot_id, boot_id)) return LossCause::MachineRestarted;
  if (!is_same_mount(header.boot_id, boot_id)) return LossCause::MountedAgain;
  return LossCause::None;
}

LossCause LossEvidence::cause(const Log& log) const noexcept {
  // In a copy, an end in order says only how the log ended when it was copied.
  if (is_copy) return LossCause::FolderCopied;
  if (log.recorded_epoch && log.owner_epoch > *log.recorded_epoch) return LossCause::OwnerLost;
  if (log.is_closed) return LossCause::None;
  const LossCause lost = cause(log.last);
  return lost == LossCause::None && log.is_short ? LossCause::LogCut : lost;
}

LossEvidence find_evidence(Disk& disk, const std::string& folder, const FoundTailMarker& found,
                           bool is_kept) {
  return {.boot_id = to_boot_id(disk.boot_id(), disk.mount_id(folder)),
          .has_failed = found.marker && found.marker->state == TailMarker::State::Failed,
          .is_copy = is_kept && read_owner_identity(disk, folder).is_other_file};
}

bool explains_lost_end(LossCause cause, const TailMarker& marker) noexcept {
  const bool is_of_disk = cause == LossCause::MachineRestarted ||
                          cause == LossCause::MountedAgain || cause == LossCause::StoreFailed ||
                          cause == LossCause::FolderCopied;
  return is_of_disk && !marker.is_closed();
}

std::uint64_t numbers_to_skip(LossCause cause, const SegmentHeader& last,
                              const JournalOptions& options, std::uint64_t lost_bytes) noexcept {
  if (cause == LossCause::None) return 0;
  // The missing bytes may have been durable in every mode.
  const bool may_lose_durable = cause == LossCause::LogCut || cause == LossCause::FolderCopied ||
                                cause == LossCause::OwnerLost || lost_bytes > 0;
  if (!may_lose_durable || options.durability == Durability::None) return last.numbers_ahead_max;
  const std::uint64_t ahead = std::max(last.numbers_ahead_max, options.numbers_ahead_max);
  return lost_bytes == 0 ? ahead : std::max(ahead, numbers_in(lost_bytes));
}

}  // namespace nexusfix::store
