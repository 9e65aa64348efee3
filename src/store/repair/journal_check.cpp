#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/api/entry.hpp"
#include "store/api/journal.hpp"
#include "store/journal/ownership.hpp"
#include "store/recover/loss_evidence.hpp"
#include "store/recover/loss_text.hpp"
#include "store/recover/recovery_end.hpp"
#include "store/repair/log_walk.hpp"
#include "store/scan/damaged_log.hpp"
#include "store/state/checkpoint.hpp"
#include "store/write/tail_marker.hpp"

namespace nexusfix::store {
namespace {

// The messages since the checkpoint before, to test whether an index finds each of them.
class IndexCheck {
 public:
  void begin(LogPosition position) {
    begin_ = position;
    messages_.clear();
    count_ = 0;
  }
  void add(SessionKey session, std::uint64_t number, LogPosition begin, LogPosition end) {
    // Only in a log that has had no checkpoint for long: the newer messages are enough.
    if (count_ == kMessagesMax) this->begin(end);
    if (messages_.size() <= session) messages_.resize(session + std::size_t{1});
    messages_[session].push_back({.first = number, .begin = begin, .end = end});
    ++count_;
  }
  void clear(SessionKey session) {
    if (session >= messages_.size()) return;
    count_ -= messages_[session].size();
    messages_[session].clear();
  }

  // Each message is in a group, and each group begins and ends with a message.
  [[nodiscard]] bool agrees(SessionKey session, std::span<const MessageIndex::Group> groups) const {
    static const std::vector<MessageIndex::Group> kNone;
    const auto& messages = session < messages_.size() ? messages_[session] : kNone;
    auto message = messages.begin();
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const MessageIndex::Group& group = groups[i];
      if (group.end <= begin_) continue;
      const std::uint64_t next = i + 1 < groups.size() ? groups[i + 1].first : UINT64_MAX;
      if (message == messages.end() || message->first >= next) return false;
      const bool is_whole = group.begin >= begin_;
      if (is_whole && (message->first != group.first || message->begin != group.begin)) {
        return false;
      }
      while (message != messages.end() && message->first < next) ++message;
      if (std::prev(message)->end != group.end) return false;
    }
    return message == messages.end();
  }

 private:
  static constexpr std::size_t kMessagesMax = 1U << 22U;  // 96 MiB
  LogPosition begin_ = 0;
  std::vector<std::vector<MessageIndex::Group>> messages_;  // by session key
  std::size_t count_ = 0;
};

class Check {
 public:
  Check(Disk& disk, const std::string& folder) : disk_{disk}, folder_{folder} {}

  StoreResult<JournalCheck> run() {
    const FoundTailMarker found = read_tail_marker(disk_, folder_);
    const LossEvidence evidence = find_evidence(disk_, folder_, found, true);
    const auto log = walk_log(
        disk_, folder_,
        [&](const SegmentHeader& segment, std::span<const char> checkpoint) {
          return start(segment, checkpoint);
        },
        [&](const SegmentHeader& segment, const Record& record) { return add(segment, record); },
        [&](const DamagedBytes& bytes) { log_.damage(bytes); });
    if (!log && log.error().code == StoreErrorCode::Missing) {
      return std::unexpected{no_journal(folder_, found)};
    }
    if (!log) return std::unexpected{log.error()};
    const std::vector<WalkedSegment>& segments = log->segments;
    if (!is_known_ && segments.front().header.number > 1) {
      return std::unexpected{unknown_start(folder_, segments.front().header)};
    }
    log_.end();
    name_changes();
    for (const WalkedSegment& segment : segments) {
      check_.segments.push_back({.file = path_of_segment(folder_, segment.header.number),
                                 .bytes = segment.file_bytes,
                                 .records = segment.records});
      check_.records += segment.records;
      check_.bytes += segment.end;
      if (segment.unused_bytes == 0) continue;
      check_.unused.push_back({.file = path_of_segment(folder_, segment.header.number),
                               .offset = segment.end,
                               .bytes = segment.unused_bytes});
    }
    for (const StraySegment& one : log->strays) {
      check_.unused.push_back({.file = path_of_segment(folder_, one.number),
                               .offset = one.stray.offset,
                               .bytes = one.stray.bytes});
    }
    check_.torn_bytes = segments.back().torn_bytes;
    check_.torn_offset = segments.back().end;
    check_.record_fault = found.fault;
    const LogEnd end = end_of(*log);
    const LossEvidence::Log read{.last = segments.back().header,
                                 .is_closed = is_closed_,
                                 .is_short = is_short(found, end.position),
                                 .owner_epoch = owner_epoch_,
                                 .recorded_epoch = read_owner_epoch(disk_, folder_)};
    const LossCause loss = check_.records > 0 ? evidence.cause(read) : LossCause::None;
    check_.power_lost = loss != LossCause::None;
    if (is_missed(found, end) && !explains_lost_end(loss, *found.marker)) {
      check_.lost_end = lost_end_text(folder_, *found.marker, end);
    }
    check_.in_use = is_in_use(disk_, folder_);
    add_damages();
    for (SessionKey key = 0; key < log_.state().sessions.size(); ++key) {
      check_.sessions.push_back({.name = log_.state().sessions.name(key),
                                 .record = log_.state().sessions.record(key),
                                 .messages = key < messages_.size() ? messages_[key] : 0});
    }
    return std::move(check_);
  }

 private:
  StoreResult<void> start(const SegmentHeader& segment, std::span<const char> bytes) {
    if (std::exchange(is_first_, false)) check_.retired_segments = segment.number - 1;
    if (!is_known_) return begin(segment, bytes);
    const auto checkpoint = decode_checkpoint(segment, bytes);
    std::string fault;
    if (checkpoint) {
      // A checkpoint may know what damaged records held; the scan does not.
      if (log_.damages().size() == damages_before_) fault = compare(*checkpoint);
    } else if (checkpoint.error() != CheckpointFault::Void) {
      fault = describe(checkpoint.error());
    }
    if (!fault.empty()) {
      check_.checkpoint_faults.push_back(checkpoint_fault_text(folder_, segment, fault));
    }
    checked_index_.begin(segment.position);
    return {};
  }

  // If segments before the first were retired, only a checkpoint knows the sessions. Records before
  // the first usable checkpoint are read, and compared with nothing.
  StoreResult<void> begin(const SegmentHeader& segment, std::span<const char> bytes) {
    auto before = state_before(segment, bytes);
    if (!before) {
      if (segment.has_checkpoint() && before.error() != CheckpointFault::Void) {
        check_.checkpoint_faults.push_back(
            checkpoint_fault_text(folder_, segment, describe(before.error())));
      }
      return {};
    }
    is_known_ = true;
    records_ = before->records;
    damages_before_ = log_.damages().size();
    log_.begin(std::move(before->state));
    checked_index_.begin(segment.position);
    return {};
  }

  // Its error; empty: none.
  std::string_view compare(const Checkpoint& checkpoint) {
    LogState& state = log_.state();
    if (checkpoint.records != records_ || checkpoint.messages != state.messages) {
      return "it counts other records than there are";
    }
    if (checkpoint.sessions.size() != state.sessions.size()) return "it has other sessions";
    for (SessionKey key = 0; key < state.sessions.size(); ++key) {
      const Checkpoint::Session& said = checkpoint.sessions[key];
      if (said.session != state.sessions.session(key)) return "a session is not as it says";
      if (!checked_index_.agrees(key, said.groups)) return "its index is wrong";
    }
    return {};
  }

  StoreResult<void> add(const SegmentHeader& segment, const Record& record) {
    const auto applied = is_known_ ? log_.record(segment, record) : check_form(record.entries);
    if (!applied) {
      return std::unexpected{contradiction(folder_, segment, record, applied.error())};
    }
    ++records_;
    is_closed_ = false;
    owner_epoch_ = std::max(owner_epoch_, segment.owner_epoch);
    const LogPosition begin = segment.position + record.offset;
    EntryReader reader{record.entries};
    Entry entry;
    while (reader.next(entry)) {
      if (begins_epoch(entry)) checked_index_.clear(entry.session);
      if (entry.kind == EntryKind::OutboundMessage) {
        checked_index_.add(entry.session, entry.number, begin, begin + record.record_bytes);
        if (messages_.size() <= entry.session) messages_.resize(entry.session + std::size_t{1});
        ++messages_[entry.session];
        ++check_.messages;
      } else if (entry.kind == EntryKind::NumbersSet) {
        const NumbersChange change = *decode_numbers_change(entry.bytes);
        check_.changes.push_back({.time = record.time,
                                  .session = {},
                                  .before = change.before,
                                  .after = change.after,
                                  .text = std::string{change.text}});
        changed_.push_back(entry.session);
      } else if (entry.kind == EntryKind::Removed && !is_filler(entry.bytes)) {
        check_.changes.push_back({.time = record.time,
                                  .session = {},
                                  .before = {},
                                  .after = {},
                                  .text = std::string{entry.bytes}});
        changed_.push_back(std::nullopt);
      }
      if (states_synced(entry.kind)) is_closed_ = entry.kind == EntryKind::LogClosed;
      if (entry.kind == EntryKind::LogOwned) owner_epoch_ = std::max(owner_epoch_, entry.number);
    }
    return {};
  }

  // A session that is not known when the log's state is known has no records that could say more.
  void name_changes() {
    const SessionTable& sessions = log_.state().sessions;
    for (std::size_t i = 0; i < changed_.size(); ++i) {
      if (!changed_[i]) continue;
      check_.changes[i].session = *changed_[i] < sessions.size()
                                      ? sessions.name(*changed_[i])
                                      : "session key " + std::to_string(*changed_[i]);
    }
  }

  void add_damages() {
    for (const DamagedBytes& damage : log_.damages()) {
      check_.damages.push_back({.file = path_of_segment(folder_, damage.segment),
                                .offset = damage.offset,
                                .bytes = damage.bytes,
                                .what = damage.is_header ? "the segment's header does not check"
                                                         : describe(damage.fault),
                                .losses = {}});
    }
    for (std::size_t i = 0; i < damages_before_; ++i) {
      if (!log_.damages()[i].is_header) check_.damages[i].losses.push_back(unknown_loss_text());
    }
    for (const SessionLoss& loss : log_.losses()) {
      check_.damages[loss.damage].losses.push_back(loss_text(log_.state().sessions, loss));
    }
  }

  Disk& disk_;
  const std::string& folder_;
  DamagedLog log_;
  IndexCheck checked_index_;
  bool is_first_ = true;
  bool is_known_ = false;           // the state before the records that come now
  std::size_t damages_before_ = 0;  // found before it was
  std::uint64_t records_ = 0;       // in the log so far, with those of retired segments
  JournalCheck check_;
  std::vector<std::uint64_t> messages_;  // by session key
  bool is_closed_ = false;               // in order, by the last record
  std::uint64_t owner_epoch_ = 0;        // of the last owner that wrote to it
  // By index in check_.changes; nothing: a repair.
  std::vector<std::optional<SessionKey>> changed_;
};

}  // namespace

StoreResult<JournalCheck> verify_journal(Disk& disk, const std::string& folder) {
  return SecondLook{disk, folder}.repeat([&] { return Check{disk, folder}.run(); });
}

bool is_segment(std::span<const char> bytes) noexcept {
  return decode_segment_header(bytes.first(std::min(bytes.size(), kSegmentHeaderBytes)))
      .has_value();
}

}  // namespace nexusfix::store
