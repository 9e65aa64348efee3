#include "store/recover/recovery_end.hpp"

#include <algorithm>
#include <expected>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "store/api/entry.hpp"
#include "store/api/journal_damage.hpp"
#include "store/api/journal_format.hpp"
#include "store/state/checkpoint.hpp"

namespace nexusfix::store {
namespace {

std::unexpected<StoreError> failure(const std::string& folder, const DiskError& error) {
  return std::unexpected{disk_error(folder, error)};
}

StoreResult<void> empty_prepared(Disk& disk, const std::string& folder,
                                 const std::vector<std::uint64_t>& numbers) {
  for (const std::uint64_t number : numbers) {
    const auto file = disk.open(path_of_segment(folder, number), OpenMode::ReadWrite);
    if (!file) return failure(folder, file.error());
    if (auto emptied = (*file)->truncate(0); !emptied) return failure(folder, emptied.error());
    // Otherwise a loss of power brings its content back when the log has grown past its place.
    if (auto synced = (*file)->sync(); !synced) return failure(folder, synced.error());
  }
  return {};
}

// Where the records of the segment end.
LogPosition end_of(const Recovered& found, const SegmentHeader& segment) {
  const bool is_last = &segment == &found.segments.back();
  return is_last ? segment.position + found.file_bytes : (&segment)[1].position;
}

// Brings the segment to the disk from this offset on. After a sync that failed in an earlier run,
// bytes can be read that the disk does not have, and another sync would not change that: the kernel
// takes pages that it could not write for clean (catalogue D5). So the bytes are written again.
StoreResult<void> save(File& file, const std::string& folder, std::uint64_t from,
                       std::uint64_t end) {
  std::vector<char> piece(std::min<std::uint64_t>(end - from, std::uint64_t{1} << 20U));
  while (from < end) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), end - from));
    const DiskResult<std::size_t> count = file.read_at(from, std::span{piece}.first(wanted));
    if (!count) return failure(folder, count.error());
    if (*count == 0) break;  // the file may end before the zeros of its last record
    if (auto written = file.write_at(from, std::span{piece}.first(*count)); !written) {
      return failure(folder, written.error());
    }
    from += *count;
  }
  if (auto synced = file.sync(); !synced) return failure(folder, synced.error());
  return {};
}

}  // namespace

StoreResult<void> make_durable(Disk& disk, const JournalOptions& options,
                               const Leftovers& leftovers, Recovered& found) {
  const std::string& folder = options.folder;
  if (auto emptied = empty_prepared(disk, folder, leftovers.prepared); !emptied) return emptied;
  const std::uint64_t kept = found.segments.empty() ? 0 : found.segments.back().number;
  for (std::uint64_t number = leftovers.last; leftovers.is_cut && number > kept; --number) {
    if (auto removed = disk.remove(path_of_segment(folder, number)); !removed) {
      return failure(folder, removed.error());
    }
    if (auto synced = disk.sync_directory(folder); !synced) return failure(folder, synced.error());
  }
  if (found.segments.empty()) return {};
  const bool is_torn = leftovers.is_cut || found.report.torn_bytes > 0;
  if (is_torn && found.file_bytes < found.file_bytes_found) {
    if (auto cut = found.file->truncate(found.file_bytes); !cut) {
      return failure(folder, cut.error());
    }
    if (auto synced = found.file->sync(); !synced) return failure(folder, synced.error());
  }
  if (options.durability == Durability::None) return {};
  for (const SegmentHeader& segment : found.segments) {
    const LogPosition end = end_of(found, segment);
    if (end <= found.synced) continue;
    const std::uint64_t from = std::max(found.synced, segment.position) - segment.position;
    std::unique_ptr<File> closed;
    if (&segment != &found.segments.back()) {
      auto file = disk.open(path_of_segment(folder, segment.number), OpenMode::ReadWrite);
      if (!file) return failure(folder, file.error());
      closed = std::move(*file);
    }
    File& file = closed ? *closed : *found.file;
    if (auto saved = save(file, folder, from, end - segment.position); !saved) return saved;
  }
  if (auto synced = disk.sync_directory(folder); !synced) return failure(folder, synced.error());
  return {};
}

StoreResult<void> read_recorded_retirement(Disk& disk, const std::string& folder,
                                           Recovered& found) {
  found.retired_before = 0;
  int count = 0;
  for (auto at = found.segments.rbegin(); at != found.segments.rend() && count < 2; ++at) {
    if (!at->has_checkpoint()) continue;
    const auto file = disk.open(path_of_segment(folder, at->number), OpenMode::Read);
    if (!file) return failure(folder, file.error());
    const auto checkpoint = read_checkpoint(*at, **file);
    if (!checkpoint || !*checkpoint) continue;  // reported already
    const LogPosition before = (*checkpoint)->retired_before;
    if (++count == 1) {
      found.retired_before = before;
    } else {
      found.retired_confirmed = std::min(found.retired_before, before);
    }
  }
  return {};
}

void apply_log_entries(const Record& record, Recovered& found) {
  found.is_closed = false;
  EntryReader reader{record.entries};
  Entry entry;
  while (reader.next(entry)) {
    if (entry.kind == EntryKind::LogOwned) {
      found.owner_epoch = std::max(found.owner_epoch, entry.number);
    }
    if (!states_synced(entry.kind)) continue;
    found.synced = std::max(found.synced, entry.number);
    found.is_closed = entry.kind == EntryKind::LogClosed;
  }
}

void fill_report(const CheckpointFaults& faults, LogStarts::Retired&& retired, Recovered& found) {
  found.report.messages = found.state.messages;
  found.report.records = found.records;
  // The segments that still exist: one that was not opened, or is cut, needs no checkpoint.
  for (const SegmentHeader& segment : found.segments) {
    const auto fault = faults.find(segment.number);
    if (fault != faults.end()) found.report.checkpoint_faults.push_back(fault->second);
  }
  if (!found.segments.empty()) {
    found.report.retired_segments = found.segments.front().number - 1;
    found.report.retired_bytes = found.segments.front().position;
  }
  for (const SegmentHeader& segment : found.segments) {
    found.owner_epoch = std::max(found.owner_epoch, segment.owner_epoch);
  }
  found.report.owner_epoch = found.owner_epoch;
  found.report.retired_records = retired.records;
  found.report.retired_messages = retired.messages;
  found.retired = std::move(retired.numbers);
}

void report_damages(const std::string& folder, DamagedLog& log, Recovered& found) {
  for (const DamagedBytes& damage : log.damages()) {
    found.holes.push_back({damage.position, damage.position + damage.bytes});
    found.report.damages.push_back(
        path_of_segment(folder, damage.segment) + ": damaged at offset " +
        std::to_string(damage.offset) + " (" + std::to_string(damage.bytes) +
        " bytes): " + describe(damage.fault) + ", and more of the log follows");
  }
  for (const SessionLoss& loss : log.losses()) {
    std::string& text = found.refused[loss.session];
    if (text.empty()) text = found.report.damages[loss.damage];
    text += "; " + loss_text(log.state().sessions, loss);
  }
  const bool is_any_whole = found.refused.size() < log.state().sessions.size();
  const std::string_view others = is_any_whole ? "sessions that lost nothing are not"
                                               : "and so is every session of this journal";
  for (auto& [session, text] : found.refused) {
    text += ". It is refused, " + std::string{others} +
            ". What a repair would do: nexusfix journal repair " + folder + " --dry-run";
    found.report.refused.push_back({log.state().sessions.name(session), text});
  }
  if (found.report.damages.empty()) return;
  found.no_new_session = found.report.damages.front() +
                         ": a session of this name may have been opened in it. New sessions "
                         "are refused until it is repaired: nexusfix journal repair " +
                         folder + " --dry-run";
}

std::string stray_text(const std::string& folder, std::uint64_t number, const StrayBytes& stray) {
  return path_of_segment(folder, number) + ": prepared and never begun, but not all zeros (" +
         std::to_string(stray.bytes) + " bytes at offset " + std::to_string(stray.offset) +
         "): the disk has damaged it. It is emptied and used again; nothing is lost by it";
}

std::string restore_advice(const std::string& folder) {
  return ". Nothing was changed. Restore the folder from a copy; what a repair could save without "
         "one: nexusfix journal repair " +
         folder + " --dry-run";
}

StoreError missing_before(const std::string& folder, std::uint64_t first,
                          const CheckpointFaults& faults) {
  return {.code = StoreErrorCode::Corrupt,
          .text = "journal " + folder + ": " + segment_file_name(first - 1) +
                  " is missing, and no checkpoint says that it was retired; there is " +
                  segment_file_name(first) +
                  (faults.empty() ? std::string{} : " (" + faults.begin()->second + ')') +
                  ". Nothing was changed. Put the file back, or restore the folder from a copy"};
}

StoreError no_journal(const std::string& folder, const FoundTailMarker& found) {
  if (is_missed(found, {})) {
    return {.code = StoreErrorCode::Missing,
            .text = lost_end_text(folder, *found.marker, {}) + lost_end_advice(folder)};
  }
  return {.code = StoreErrorCode::Missing,
          .text = "journal " + folder + ": there is no journal in this folder (no " +
                  segment_file_name(1) + ')'};
}

}  // namespace nexusfix::store
