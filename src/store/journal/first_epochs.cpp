#include "store/journal/first_epochs.hpp"

#include <expected>
#include <memory>
#include <utility>

#include "store/format/entry.hpp"
#include "store/format/journal_format.hpp"
#include "store/recover/recovery.hpp"
#include "store/state/checkpoint.hpp"

namespace nexusfix::store {
namespace {

// epochs: at position to; afterwards: at position from, before it.
StoreResult<void> undo_epochs(LogReader& reading, LogPosition from, LogPosition to,
                              std::vector<std::uint64_t>& epochs) {
  if (from == to) return {};
  std::vector<std::uint64_t> resets(epochs.size(), 0);
  std::vector<bool> is_stated(epochs.size(), false);
  const auto visit_record = [&](const Record& record) {
    EntryReader reader{record.entries};
    Entry entry;
    while (reader.next(entry)) {
      if (entry.session >= epochs.size() || is_stated[entry.session]) continue;
      if (entry.kind == EntryKind::Reset) ++resets[entry.session];
      if (entry.kind != EntryKind::NumbersSet) continue;
      epochs[entry.session] = decode_numbers_change(entry.bytes)->before.epoch;
      is_stated[entry.session] = true;
    }
    return true;
  };
  const StoreResult<bool> passed =
      reading.for_each_record(from, to, visit_record, [](const std::string&) { return false; });
  if (!passed) return std::unexpected{passed.error()};
  for (std::size_t key = 0; key < epochs.size(); ++key) {
    // More resets than epochs: the session was opened after the checkpoint, or the log is forged.
    epochs[key] = epochs[key] > resets[key] ? epochs[key] - resets[key] : 1;
  }
  return {};
}

}  // namespace

StoreResult<std::vector<std::uint64_t>> find_first_epochs(Disk& disk, const std::string& folder,
                                                          std::span<const SegmentHeader> segments,
                                                          LogReader& reading,
                                                          std::size_t sessions) {
  std::vector<std::uint64_t> epochs(sessions, 1);
  if (segments.front().number == 1) return epochs;
  for (const SegmentHeader& segment : segments) {
    if (!segment.has_checkpoint()) continue;
    const auto file = disk.open(path_of_segment(folder, segment.number), OpenMode::Read);
    if (!file) return std::unexpected{disk_error(folder, file.error())};
    const auto checkpoint = read_checkpoint(segment, **file);
    if (!checkpoint || !*checkpoint) continue;
    const auto& found = (*checkpoint)->sessions;
    for (std::size_t key = 0; key < found.size() && key < epochs.size(); ++key) {
      epochs[key] = found[key].session.record.epoch;
    }
    auto undone = undo_epochs(reading, segments.front().position, segment.position, epochs);
    if (!undone) return std::unexpected{std::move(undone.error())};
    return epochs;
  }
  return std::unexpected{
      StoreError{.code = StoreErrorCode::Corrupt,
                 .text = "journal " + folder +
                         ": no checkpoint says in which epochs its first messages were sent"}};
}

}  // namespace nexusfix::store
