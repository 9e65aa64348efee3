#include "store/scan/log_start.hpp"

#include <algorithm>
#include <array>
#include <expected>
#include <span>
#include <utility>

#include "store/api/entry.hpp"
#include "store/api/journal_format.hpp"
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

DiskResult<void> LogStarts::read_heads(std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t number = first; number <= last; ++number) {
    const auto file = disk_.open(path_of_segment(folder_, number), OpenMode::Read);
    if (!file) return std::unexpected{file.error()};
    const DiskResult<std::uint64_t> size = (*file)->size();
    if (!size) return std::unexpected{size.error()};
    std::array<char, kSegmentHeaderBytes> bytes{};
    const DiskResult<std::size_t> got = (*file)->read_at(0, bytes);
    if (!got) return std::unexpected{got.error()};
    const auto header = decode_segment_header(std::span<const char>{bytes}.first(*got));
    heads_.push_back({.number = number, .file_bytes = *size, .header = {}});
    if (header) heads_.back().header = *header;
  }
  return {};
}

// Whether the segments up to this one follow each other. Their records are not read.
bool LogStarts::is_whole_until(std::size_t index) const {
  for (std::size_t i = 0; i <= index; ++i) {
    const SegmentHead& head = heads_[i];
    if (!head.header || head.header->number != head.number) return false;
    if (i == 0) {
      if (head.number == 1 && head.header->position != 0) return false;
      continue;
    }
    const SegmentHeader& before = *heads_[i - 1].header;
    if (head.header->log_id != before.log_id || head.header->position < before.position) {
      return false;
    }
    const std::uint64_t bytes = head.header->position - before.position;
    if (bytes < before.records_at() || bytes > heads_[i - 1].file_bytes) return false;
  }
  return true;
}

std::optional<std::size_t> LogStarts::find(LogPosition position) const {
  const auto found = std::lower_bound(heads_.begin(), heads_.end(), position,
                                      [](const SegmentHead& head, LogPosition at) {
                                        return head.header && head.header->position < at;
                                      });
  if (found == heads_.end() || !found->header || found->header->position != position) return {};
  return static_cast<std::size_t>(found - heads_.begin());
}

DiskResult<std::optional<Checkpoint>> LogStarts::checkpoint(std::size_t index,
                                                            CheckpointFaults& faults) {
  const SegmentHeader& segment = *heads_[index].header;
  if (!segment.has_checkpoint()) return std::nullopt;
  const auto file = disk_.open(path_of_segment(folder_, segment.number), OpenMode::Read);
  if (!file) return std::unexpected{file.error()};
  auto found = read_checkpoint(segment, **file);
  if (!found) {
    faults[segment.number] = checkpoint_fault_text(folder_, segment, found.error().what());
    return std::nullopt;
  }
  if (*found) return std::move(**found);
  if (found->error() != CheckpointFault::Void) {
    faults[segment.number] = checkpoint_fault_text(folder_, segment, describe(found->error()));
  }
  return std::nullopt;
}

DiskResult<bool> LogStarts::records_retirement(CheckpointFaults& faults) {
  if (heads_.empty() || heads_.front().number == 1) return true;
  if (!heads_.front().header) return false;
  for (std::size_t at = heads_.size(); at-- > 0;) {
    if (!heads_[at].header) continue;
    const auto found = checkpoint(at, faults);
    if (!found) return std::unexpected{found.error()};
    if (*found && (*found)->retired_before >= first_position()) return true;
  }
  return false;
}

DiskResult<LogStarts::Retired> LogStarts::retired(CheckpointFaults& faults) {
  Retired retired;
  if (heads_.empty() || heads_.front().number == 1 || !heads_.front().header) return retired;
  for (std::size_t at = 0; at < heads_.size(); ++at) {
    if (!heads_[at].header) continue;
    const auto found = checkpoint(at, faults);
    if (!found) return std::unexpected{found.error()};
    if (!*found) continue;
    for (const Checkpoint::Session& one : (*found)->sessions) {
      const std::uint64_t last = at == 0 ? one.session.record.next_outbound - 1 : last_retired(one);
      retired.numbers.emplace_back(one.session.record.epoch, last);
    }
    if (at > 0) return retired;
    retired.records = (*found)->records;
    retired.messages = (*found)->messages;
    return retired;
  }
  return retired;
}

// By a checkpoint after the first segment: the log before the first listed message that still
// exists. It may be more than was retired if that message is not known, but never less.
std::uint64_t LogStarts::last_retired(const Checkpoint::Session& session) const {
  const WallTime begun = heads_.front().header->time;
  if (begun != WallTime{} && session.session.record.created > begun) return 0;
  const auto is_there = [this](const MessageIndex::Group& group) {
    return group.begin >= first_position();
  };
  const auto first = std::ranges::find_if(session.groups, is_there);
  const std::uint64_t next =
      first == session.groups.end() ? session.session.record.next_outbound : first->first;
  return next - 1;
}

DiskResult<std::optional<LogStart>> LogStarts::start_at(std::size_t index,
                                                        CheckpointFaults& faults) {
  if (!is_whole_until(index)) return std::nullopt;
  const auto newest = checkpoint(index, faults);
  if (!newest) return std::unexpected{newest.error()};
  if (!*newest) return std::nullopt;
  // The checkpoints that list the messages before it, the newest first.
  std::vector<std::size_t> chain;
  bool lists_all = lists_all_that_is_there(**newest);
  for (LogPosition from = (*newest)->index_from; from > first_position();) {
    const std::optional<std::size_t> at = find(from);
    if (!at || *at >= (chain.empty() ? index : chain.back())) return std::nullopt;
    const auto found = checkpoint(*at, faults);
    if (!found) return std::unexpected{found.error()};
    if (!*found) return std::nullopt;
    chain.push_back(*at);
    lists_all = lists_all && lists_all_that_is_there(**found);
    from = (*found)->index_from;
  }
  std::optional<LogState> state = restore(**newest);
  bool fits = state.has_value();
  // They are read a second time, so that only one of them is in memory.
  for (auto at = chain.rbegin(); fits && at != chain.rend(); ++at) {
    const auto found = checkpoint(*at, faults);
    if (!found) return std::unexpected{found.error()};
    fits = *found && add_groups(**found, *state);
  }
  if (!fits || !add_groups(**newest, *state)) {
    const SegmentHeader& segment = *heads_[index].header;
    faults[segment.number] =
        checkpoint_fault_text(folder_, segment, "it contradicts the checkpoints before it");
    return std::nullopt;
  }
  LogStart start;
  start.segment = *heads_[index].header;
  for (std::size_t i = 0; i < index; ++i) start.passed.push_back(*heads_[i].header);
  for (MessageIndex& one : state->indexes) one.fence();
  start.state = std::move(*state);
  start.records = (*newest)->records;
  start.is_closed = (*newest)->is_closed;
  start.lists_all = lists_all;
  return start;
}

// Retired messages are not listed, although their files may still exist.
bool LogStarts::lists_all_that_is_there(const Checkpoint& one) const {
  return one.retired_before <= one.index_from || one.retired_before <= first_position();
}

// Groups of the epochs that the state knows. What a checkpoint lists of retired segments is
// dropped.
bool LogStarts::add_groups(const Checkpoint& from, LogState& state) const {
  if (from.sessions.size() > state.sessions.size()) return false;
  for (SessionKey key = 0; key < from.sessions.size(); ++key) {
    const Checkpoint::Session& session = from.sessions[key];
    if (session.session.record.epoch != state.sessions.record(key).epoch) continue;
    MessageIndex& index = state.indexes[key];
    for (const MessageIndex::Group& group : session.groups) {
      if (group.end <= first_position()) continue;
      const auto there = index.groups();
      if (!there.empty() && group.first <= there.back().first) return false;
      // A group may reach across that position: where its first remaining message lies is not
      // known.
      index.add_group({.first = group.first,
                       .begin = std::max(group.begin, first_position()),
                       .end = group.end});
    }
  }
  return true;
}

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
