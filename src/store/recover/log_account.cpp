#include "store/api/log_account.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "store/api/entry.hpp"
#include "store/journal/ownership.hpp"
#include "store/recover/loss_evidence.hpp"
#include "store/recover/recovery_end.hpp"
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

}  // namespace

class LogAccount::Impl {
 public:
  using State = CheckpointFinding::State;

  Impl(Disk& disk, const std::string& folder)
      : disk_{disk},
        folder_{folder},
        found_{read_tail_marker(disk, folder)},
        evidence_{find_evidence(disk, folder, found_, true)} {}

  CheckpointFinding begin_segment(const SegmentHeader& segment, std::span<const char> bytes) {
    const auto checkpoint = decode_checkpoint(segment, bytes);
    if (checkpoint) {
      retired_before_ = std::max(retired_before_.value_or(0), checkpoint->retired_before);
    }
    CheckpointFinding finding{.state = !segment.has_checkpoint() ? State::None
                                       : checkpoint              ? State::Whole
                                       : checkpoint.error() == CheckpointFault::Void
                                           ? State::Void
                                           : State::Damaged,
                              .is_start = false,
                              .fault = {}};
    if (!is_known_) {
      begin(segment, bytes, finding);
    } else {
      // A checkpoint may know what damaged records held; the account does not.
      std::string fault;
      if (!checkpoint && checkpoint.error() != CheckpointFault::Void) {
        fault = describe(checkpoint.error());
      } else if (checkpoint && log_.damages().size() == damages_before_) {
        fault = compare(*checkpoint);
      }
      if (!fault.empty()) finding.fault = checkpoint_fault_text(folder_, segment, fault);
      checked_index_.begin(segment.position);
    }
    return finding;
  }

  StoreResult<void> record(const SegmentHeader& segment, const Record& record) {
    const auto applied = is_known_ ? log_.record(segment, record) : check_form(record.entries);
    if (!applied) {
      return std::unexpected{contradiction(folder_, segment, record, applied.error())};
    }
    ++records_;
    has_records_ = true;
    is_closed_ = false;
    owner_epoch_ = std::max(owner_epoch_, segment.owner_epoch);
    const LogPosition begin = segment.position + record.offset;
    EntryReader reader{record.entries};
    Entry entry;
    while (reader.next(entry)) {
      if (begins_epoch(entry)) checked_index_.clear(entry.session);
      if (entry.kind == EntryKind::OutboundMessage) {
        checked_index_.add(entry.session, entry.number, begin, begin + record.record_bytes);
      }
      if (states_synced(entry.kind)) is_closed_ = entry.kind == EntryKind::LogClosed;
      if (entry.kind == EntryKind::LogOwned) owner_epoch_ = std::max(owner_epoch_, entry.number);
    }
    return {};
  }

  StoreResult<void> end(const SegmentHeader& first, const SegmentHeader& last, const LogEnd& end) {
    first_ = first;
    // If no checkpoint can be read, it is not known; what needs one reports it.
    if (first.number > 1 && retired_before_ && *retired_before_ < first.position) {
      return std::unexpected{StoreError{
          .code = StoreErrorCode::Corrupt,
          .text = "journal " + folder_ + ": " + segment_file_name(first.number - 1) +
                  " is missing, and no checkpoint says that it was retired. Put the file back, or "
                  "restore the folder from a copy"}};
    }
    if (!is_known_ && first.number > 1) return std::unexpected{unknown_start(folder_, first)};
    log_.end();
    if (!has_records_) return {};
    loss_ = evidence_.cause({.last = last,
                             .is_closed = is_closed_,
                             .is_short = is_short(found_, end.position),
                             .owner_epoch = owner_epoch_,
                             .recorded_epoch = read_owner_epoch(disk_, folder_)});
    return {};
  }

  StoreResult<void> check_indexes() const {
    if (index_from_ <= first_.position) return {};
    return std::unexpected{unknown_start(folder_, first_)};
  }

  std::string missing_end(const LogEnd& end) const {
    return is_missed(found_, end) ? lost_end_text(folder_, *found_.marker, end) : std::string{};
  }
  std::uint64_t missing_bytes(const LogEnd& end) const noexcept {
    return is_missed(found_, end) ? lost_end_bytes(*found_.marker, end.position) : 0;
  }
  bool explains_missing_end() const noexcept {
    return found_.marker && explains_lost_end(loss_, *found_.marker);
  }
  StoreError no_segment() const { return no_journal(folder_, found_); }

  [[nodiscard]] DamagedLog& log() noexcept { return log_; }
  [[nodiscard]] bool is_known() const noexcept { return is_known_; }
  [[nodiscard]] std::size_t damages_before() const noexcept { return damages_before_; }
  [[nodiscard]] LossCause loss() const noexcept { return loss_; }
  [[nodiscard]] const std::string& record_fault() const noexcept { return found_.fault; }

 private:
  // If segments before the first were retired, only a checkpoint knows the sessions. Records before
  // the first usable checkpoint are read, and compared with nothing.
  void begin(const SegmentHeader& segment, std::span<const char> bytes,
             CheckpointFinding& finding) {
    auto before = state_before(segment, bytes);
    if (!before) {
      if (!segment.has_checkpoint() || before.error() == CheckpointFault::Void) return;
      finding.state = State::Damaged;
      finding.fault = checkpoint_fault_text(folder_, segment, describe(before.error()));
      return;
    }
    finding.is_start = true;
    is_known_ = true;
    records_ = before->records;
    index_from_ = before->index_from;
    damages_before_ = log_.damages().size();
    log_.begin(std::move(before->state));
    checked_index_.begin(segment.position);
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

  Disk& disk_;
  const std::string& folder_;
  FoundTailMarker found_;
  LossEvidence evidence_;
  DamagedLog log_;
  IndexCheck checked_index_;
  SegmentHeader first_;
  bool is_known_ = false;                      // the state before the records that come now
  std::size_t damages_before_ = 0;             // found before it was
  LogPosition index_from_ = 0;                 // where the first usable checkpoint lists from
  std::optional<LogPosition> retired_before_;  // by the checkpoints; nothing: none can be read
  std::uint64_t records_ = 0;                  // so far, with those of retired segments
  bool has_records_ = false;
  bool is_closed_ = false;         // in order, by the last record
  std::uint64_t owner_epoch_ = 0;  // of the last owner that wrote to it
  LossCause loss_ = LossCause::None;
};

LogAccount::LogAccount(Disk& disk, const std::string& folder)
    : impl_{std::make_unique<Impl>(disk, folder)} {}
LogAccount::LogAccount(LogAccount&&) noexcept = default;
LogAccount& LogAccount::operator=(LogAccount&&) noexcept = default;
LogAccount::~LogAccount() = default;

LogAccount::CheckpointFinding LogAccount::begin_segment(const SegmentHeader& segment,
                                                        std::span<const char> checkpoint) {
  return impl_->begin_segment(segment, checkpoint);
}
StoreResult<void> LogAccount::record(const SegmentHeader& segment, const Record& record) {
  return impl_->record(segment, record);
}
void LogAccount::damage(const DamagedBytes& bytes) { impl_->log().damage(bytes); }
std::expected<void, std::string_view> LogAccount::replace(const DamagedBytes& bytes,
                                                          std::span<const char> entries,
                                                          WallTime time) {
  return impl_->log().state().apply(entries, time, bytes.position, bytes.position + bytes.bytes);
}
StoreResult<void> LogAccount::end(const SegmentHeader& first, const SegmentHeader& last,
                                  const LogEnd& end) {
  return impl_->end(first, last, end);
}
bool LogAccount::knows_sessions() const noexcept { return impl_->is_known(); }
StoreResult<void> LogAccount::check_indexes() const { return impl_->check_indexes(); }
const SessionTable& LogAccount::sessions() const noexcept { return impl_->log().state().sessions; }
const std::vector<DamagedBytes>& LogAccount::damages() const noexcept {
  return impl_->log().damages();
}
std::size_t LogAccount::damages_before_start() const noexcept { return impl_->damages_before(); }
const std::vector<SessionLoss>& LogAccount::losses() const noexcept {
  return impl_->log().losses();
}
std::span<const char> LogAccount::inferred(std::size_t damage) const noexcept {
  return impl_->log().inferred(damage);
}
LossCause LogAccount::loss() const noexcept { return impl_->loss(); }
std::string LogAccount::missing_end(const LogEnd& end) const { return impl_->missing_end(end); }
bool LogAccount::explains_missing_end() const noexcept { return impl_->explains_missing_end(); }
std::uint64_t LogAccount::missing_bytes(const LogEnd& end) const noexcept {
  return impl_->missing_bytes(end);
}
const std::string& LogAccount::record_fault() const noexcept { return impl_->record_fault(); }
StoreError LogAccount::no_segment() const { return impl_->no_segment(); }

}  // namespace nexusfix::store
