#include "store/api/journal.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/language.hpp>

#include "base/api/full_path.hpp"
#include "store/api/entry.hpp"
#include "store/api/event_queue.hpp"
#include "store/api/journal_format.hpp"
#include "store/format/reading_sizes.hpp"
#include "store/journal/bookkeeping.hpp"
#include "store/journal/folder_watch.hpp"
#include "store/journal/ownership.hpp"
#include "store/recover/loss_evidence.hpp"
#include "store/recover/recovery.hpp"
#include "store/scan/log_reader.hpp"
#include "store/scan/log_start.hpp"
#include "store/scan/scrub.hpp"
#include "store/write/log_writer.hpp"
#include "store/write/retirement.hpp"
#include "store/write/tail_marker.hpp"

namespace nexusfix::store {

std::string_view to_string(Durability durability) noexcept {
  switch (durability) {
    case Durability::None:
      return "none";
    case Durability::Process:
      return "process";
    case Durability::Group:
      return "group";
    case Durability::Sync:
      return "sync";
  }
  return "unknown";
}

namespace {

// The entries that belong to the session's current epoch: a reset inside of the record ends what
// came before it.
std::span<const char> after_last_reset(std::span<const char> entries, SessionKey session) {
  std::span<const char> result = entries;
  EntryReader reader{entries};
  Entry entry;
  while (reader.next(entry)) {
    if (entry.session == session && begins_epoch(entry)) result = reader.rest();
  }
  return result;
}

// What scan_all() passes of the entry; nothing: it passes nothing.
std::optional<Store::LogKind> log_kind(const Entry& entry) noexcept {
  switch (entry.kind) {
    case EntryKind::OutboundMessage:
      return Store::LogKind::Sent;
    case EntryKind::InboundProgress:
      if (entry.bytes.empty()) return std::nullopt;
      return Store::LogKind::Received;
    case EntryKind::MessagesLeft:
      return Store::LogKind::Left;
    default:
      return std::nullopt;
  }
}

// Messages that are not known may have been sent under these numbers.
void append_skip(std::vector<char>& entries, SessionKey key, std::uint64_t first,
                 std::uint64_t last) {
  append_entry(entries,
               {.kind = EntryKind::OutboundNumber, .session = key, .number = last, .bytes = {}});
  append_messages_lost(entries, key, first, last);
}

class Journal final : public Store {
 public:
  // Without ownership the journal can only be read.
  Journal(Disk& disk, JournalOptions options, std::optional<Ownership> ownership,
          const ReadingSizes& sizes = {})
      : disk_{disk},
        options_{std::move(options)},
        ownership_{std::move(ownership)},
        retirement_{disk, options_.folder, options_.retention.retired, events_},
        tail_markers_{ownership_ ? &*ownership_ : nullptr, options_.folder, events_},
        checkpointer_{state_},
        writer_{disk, options_, ownership_ ? &*ownership_ : nullptr, checkpointer_},
        reading_{disk, options_.folder, writer_, state_.sessions, sizes},
        bookkeeping_{sends_before_sync() ? options_.numbers_ahead_max : kNumberMax},
        folder_watch_{disk,    options_,      ownership_ ? &*ownership_ : nullptr,
                      writer_, tail_markers_, events_} {}

  StoreResult<void> open(Recovered&& recovered, WallTime now) {
    state_ = std::move(recovered.state);
    for (const auto& [epoch, until] : recovered.retired) retired_numbers_.add(epoch, until);
    reading_.set_holes(std::move(recovered.holes));
    refusals_.refuse(std::move(recovered.refused), std::move(recovered.no_new_session));
    was_closed_ = recovered.is_closed;
    had_ended_in_order_ = was_closed_ || state_.sessions.size() == 0;
    if (recovered.lost_bytes_max > 0) {
      refusals_.expect_lost_sessions(numbers_to_skip(
          recovered.report.loss, recovered.segments.back(), options_, recovered.lost_bytes_max));
    }
    const std::vector<char> skipped = skip_numbers(recovered);
    if (!is_writable()) {
      writer_.open_read_only(recovered);
      report_ = std::move(recovered.report);
      return {};
    }
    // Only numbers: the position of the record does not matter.
    const auto applied = state_.apply(skipped, now, 0, 0);
    NEXUSFIX_ASSERT(applied.has_value());
    for (SessionKey key = 0; key < state_.sessions.size(); ++key) {
      bookkeeping_.add_session(state_.sessions.record(key).next_outbound);
    }
    report_ = std::move(recovered.report);
    for (std::string& warning : recovered.warnings) {
      events_.put(EventId::JournalFilesDoubtful, std::move(warning));
    }
    // A later opening must find the damage again, and report it: no checkpoint may stand after it.
    is_damaged_ = !report_.damages.empty();
    if (!is_damaged_) {
      checkpointer_.start(recovered.index_from, recovered.retired_before);
    }
    // Before a segment is opened: its checkpoint records what is retired.
    if (!recovered.segments.empty()) {
      const LogPosition end = recovered.segments.back().position + recovered.file_bytes;
      plan_retirement(recovered.segments, end, recovered.synced, now);
      checkpointer_.restore_confirmed(recovered.retired_confirmed);
    }
    const std::uint64_t epoch = ownership_->epoch();
    if (auto opened = writer_.open(recovered, epoch, skipped, now); !opened) return opened;
    bookkeeping_.start(epoch, writer_.segments().back().owner_epoch == epoch, writer_.synced());
    // Don't record an empty segment opened after damage: the next opening need not find it.
    if (const auto marker = writer_.tail_marker(); marker && !is_damaged_)
      tail_markers_.put(*marker);
    // From here on the log is on the disk, and belongs to this folder.
    const bool is_kept = options_.durability != Durability::None;
    if (auto placed = is_kept ? ownership_->record_identity() : DiskResult<void>{}; !placed) {
      return std::unexpected{disk_error(options_.folder, placed.error())};
    }
    folder_watch_.start(is_kept);
    scrub_.start(disk_, options_, events_);
    scrub_.offer(writer_.segments(), writer_.written());
    retire_segments(now);
    return {};
  }
  [[nodiscard]] JournalReport handle_report() { return std::move(report_); }

  StoreResult<SessionKey> open_session(std::string_view name, WallTime now) override {
    if (failed()) return stopped_error();
    if (const std::optional<SessionKey> found = state_.sessions.find(name)) {
      if (const std::string* const reason = refusals_.reason(*found)) {
        return failure(StoreErrorCode::SessionRefused, *reason);
      }
      if (state_.sessions.is_unfinished(*found)) {
        return failure(StoreErrorCode::SessionRefused, SessionTable::unfinished_text(name));
      }
      state_.indexes[*found].reserve();
      return *found;
    }
    if (!is_writable()) return read_only_error();
    if (const std::string* const reason = refusals_.reason_for_new()) {
      return failure(StoreErrorCode::SessionRefused, *reason);
    }
    if (auto room = state_.sessions.has_room_for(name); !room) {
      return failure(StoreErrorCode::TooLarge, room.error());
    }
    const auto key = static_cast<SessionKey>(state_.sessions.size());
    // From the change of the table on nothing may need memory: the table and the log must agree.
    bookkeeping_.make_room_for_session();
    if (state_.indexes.size() == state_.indexes.capacity()) {
      state_.indexes.reserve(2 * state_.indexes.size() + 1);
    }
    std::vector<char> entries;
    append_entry(entries,
                 {.kind = EntryKind::SessionOpened, .session = key, .number = 0, .bytes = name});
    // It may have been opened in what is missing.
    if (const std::uint64_t lost = refusals_.lost_numbers_of_new(); lost > 0) {
      append_skip(entries, key, 1, lost);
    }
    if (auto appended = append_entries(entries, now); !appended) {
      return std::unexpected{std::move(appended.error())};
    }
    state_.indexes[key].reserve();
    return key;
  }

  StoreResult<void> rename_session(SessionKey key, std::string_view name, WallTime now) override {
    if (failed()) return stopped_error();
    if (!is_writable()) return read_only_error();
    if (auto may = state_.sessions.check_rename(name); !may) {
      return failure(
          name.size() > kSessionNameBytesMax ? StoreErrorCode::TooLarge : StoreErrorCode::Refused,
          may.error());
    }
    std::vector<char> entries;
    append_entry(entries,
                 {.kind = EntryKind::SessionRenamed, .session = key, .number = 0, .bytes = name});
    if (auto appended = append_entries(entries, now); !appended) {
      return std::unexpected{std::move(appended.error())};
    }
    return {};
  }

  std::optional<SessionKey> find_session(std::string_view name) const override {
    return state_.sessions.find(name);
  }
  std::size_t session_count() const noexcept override { return state_.sessions.size(); }
  std::string_view session_name(SessionKey key) const noexcept override {
    return state_.sessions.name(key);
  }
  const SessionRecord& session(SessionKey key) const noexcept override {
    return state_.sessions.record(key);
  }

  std::span<const NumberRange> lost_numbers(SessionKey key) const noexcept override {
    return state_.sessions.lost(key);
  }

  StoreResult<LogPosition> append(const Transaction& transaction, WallTime now) override {
    const Entries entries = transaction.entries();
    const std::uint64_t record_bytes = kRecordHeaderBytes + entries.size();
    const LogPosition end = appended() + record_bytes;
    const CommonRecord* const common = transaction.common();
    if (common == nullptr || end > plain_until_ || record_bytes > options_.record_bytes_max ||
        !is_own() || writer_.has_failed() || bookkeeping_.is_synced_further(writer_.synced()) ||
        !apply_plain(*common, end)) [[unlikely]]
      return append_slowly(transaction, now);
    if (!writer_.append_plain(entries, now, end)) [[unlikely]]
      return stop_for_mapping();
    after_append_.is_durable = writer_.is_durable_at_once();
    return end;
  }

  std::uint64_t retired_until(SessionKey key) const noexcept override {
    return retired_numbers_.until(key, session(key).epoch);
  }

  LogPosition appended() const noexcept override { return writer_.appended(); }
  LogPosition durable() const noexcept override { return writer_.durable(); }
  LogPosition synced() const noexcept override {
    return writer_.syncs_in_background() ? writer_.synced() : writer_.durable();
  }

  StoreResult<LogPosition> flush() override {
    if (failed()) return stopped_error();
    if (!is_writable()) return appended();
    if (folder_watch_.has_conflict()) [[unlikely]]
      return stop(folder_error());
    if (durable() < appended()) {
      if (auto owned = ownership_->check_by_reading(); !owned)
        return stop(std::move(owned.error()));
    }
    if (auto flushed = writer_.flush(); !flushed) return stop(std::move(flushed.error()));
    if (folder_watch_.is_due()) [[unlikely]]
      folder_watch_.check({});
    return durable();
  }

  StoreResult<void> close() override {
    if (failed()) return stopped_error();
    if (!is_writable()) return {};
    if (folder_watch_.has_conflict()) return stop(folder_error());
    auto closed = close_in_order();
    if (!closed) return stop(std::move(closed.error()));
    failure_ = "it was closed";
    plain_until_ = 0;
    return {};
  }

  bool had_ended_in_order() const noexcept override { return had_ended_in_order_; }
  bool has_room_for(std::uint64_t bytes) const noexcept override {
    return !writer_.is_short() || writer_.room_left() >= bytes + kept_bytes();
  }

  std::optional<StoreEvent> next_event() override {
    // Called in every turn of the event loop: two tests that need no lock.
    if (!writer_.has_shortage() && !events_.has_any()) [[likely]]
      return std::nullopt;
    const std::optional<DiskError> shortage = writer_.consume_shortage();
    if (!shortage) return events_.take();
    return StoreEvent{.id = EventId::SegmentNotPrepared,
                      .text = disk_error(options_.folder, *shortage).text +
                              "; the next segment cannot be prepared, and " +
                              std::to_string(writer_.room_left() >> 10U) +
                              " KiB are left in this one"};
  }

  StoreResult<void> read(SessionKey key, std::uint64_t first, std::uint64_t last,
                         MessageVisitor visit) override;
  StoreResult<void> scan(LogVisitor visit) override {
    return scan_log([&](const LogMessage& message) {
      if (message.kind == LogKind::Sent) visit(message);
    });
  }
  StoreResult<void> scan_all(LogVisitor visit) override { return scan_log(visit); }

 private:
  void retire_segments(WallTime now);
  void plan_retirement(std::span<const SegmentHeader> segments, LogPosition end, LogPosition synced,
                       WallTime now);
  void forget_before(LogPosition position);

  [[nodiscard]] bool failed() const noexcept { return !failure_.empty(); }
  [[nodiscard]] bool is_writable() const noexcept { return ownership_.has_value(); }
  // Not while an opening must find damage again, nor in the mode in which nothing is known to be on
  // the disk.
  [[nodiscard]] bool may_retire() const noexcept {
    return options_.retention.is_wanted() && !is_damaged_ &&
           options_.durability != Durability::None;
  }
  [[nodiscard]] bool sends_before_sync() const noexcept {
    return options_.durability == Durability::Process;
  }

  [[nodiscard]] std::unexpected<StoreError> read_only_error() const {
    return failure(StoreErrorCode::Refused, "it is open to be looked at, not to be changed");
  }

  [[nodiscard]] std::unexpected<StoreError> stopped_error() const {
    return std::unexpected{StoreError{
        .code = StoreErrorCode::Failed,
        .text = "journal " + options_.folder + ": stopped by an earlier error (" + failure_ + ')'}};
  }

  [[nodiscard]] std::unexpected<StoreError> failure(StoreErrorCode code,
                                                    std::string_view reason) const {
    return std::unexpected{StoreError{
        .code = code, .text = "journal " + options_.folder + ": " + std::string{reason}}};
  }

  [[nodiscard, gnu::cold, gnu::noinline]] StoreResult<LogPosition> stop_for_mapping() {
    return stop(writer_.mapping_failure());
  }
  // It is not certain any more what is on the disk: the store accepts nothing from here on. An
  // owner that was replaced leaves the journal to its successor, which has not failed.
  std::unexpected<StoreError> stop(StoreError error) {
    failure_ = error.text;
    plain_until_ = 0;
    if (error.code != StoreErrorCode::Locked) folder_watch_.record_failure();
    return std::unexpected{std::move(error)};
  }
  [[nodiscard]] StoreError folder_error() const {
    return {.code = StoreErrorCode::Disk, .text = folder_watch_.conflict_text()};
  }

  using Entries = std::span<const char>;  // of a record

  // No other process has taken the folder over, or changed it.
  [[nodiscard]] bool is_own() const noexcept {
    return ownership_->is_current() && !folder_watch_.has_conflict();
  }
  // A segment keeps this part for what cannot be refused while the next one cannot be prepared.
  [[nodiscard]] std::uint64_t kept_bytes() const noexcept { return options_.segment_bytes / 4; }
  // Up to here there is room, whether the next segment is prepared or not.
  [[nodiscard]] LogPosition find_room_until() const noexcept {
    return writer_.segments().back().position + options_.segment_bytes - kept_bytes();
  }
  [[nodiscard, gnu::noinline]] StoreResult<LogPosition> append_slowly(
      const Transaction& transaction, WallTime now);
  StoreResult<LogPosition> append_entries(Entries entries, WallTime now);
  StoreResult<LogPosition> write_record(Entries entries, Entries own_entries, WallTime now);
  // False: the record is not as most are, and nothing was changed.
  [[nodiscard]] bool apply_plain(CommonRecord common, LogPosition end) noexcept {
    return common.session < state_.sessions.size() && !bookkeeping_.must_track(common) &&
           state_.apply_plain(common, end);
  }
  [[nodiscard]] LogPosition find_plain_until() const noexcept {
    const bool is_plain =
        !failed() && !was_closed_ && !bookkeeping_.has_entries_to_make() && !FullPathOnly::is_on();
    return is_plain ? writer_.find_plain_until() : 0;
  }
  void make_own_entries(LogPosition synced, std::size_t entries_bytes, WallTime now);
  StoreResult<void> make_room(Entries entries, Entries own_entries, std::uint64_t record_bytes,
                              WallTime now);
  std::unexpected<StoreError> too_large(std::uint64_t record_bytes) const;
  StoreResult<void> close_in_order();
  StoreResult<void> scan_log(LogVisitor visit);
  std::vector<char> skip_numbers(Recovered& recovered) const;

  Disk& disk_;
  JournalOptions options_;
  std::optional<Ownership> ownership_;  // nothing: opened only to read
  LogState state_;
  RetiredNumbers retired_numbers_;
  EventQueue events_;              // must outlive the threads that use it
  Retirement retirement_;          // must outlive the writer, whose thread works for it
  TailMarkerWriter tail_markers_;  // must outlive the writer
  Checkpointer checkpointer_;
  LogWriter writer_;
  LogReader reading_;
  Bookkeeping bookkeeping_;
  // A record with common values that ends there or before needs nothing but its own bytes. Each
  // append of another record sets it again; 0: the next one may need more.
  LogPosition plain_until_ = 0;
  bool was_closed_ = false;          // in order, and nothing was appended since
  bool had_ended_in_order_ = false;  // before the opening
  JournalReport report_;             // until it is taken
  bool is_damaged_ = false;          // opening found damage: nothing is retired
  SessionRefusals refusals_;         // because of it
  std::string failure_;              // not empty: stopped
  ScrubQueue scrub_;
  FolderWatch folder_watch_;  // last: its thread uses the members above
};

StoreResult<LogPosition> Journal::append_slowly(const Transaction& transaction, WallTime now) {
  if (failed()) return stopped_error();
  if (transaction.empty()) return appended();
  if (!is_writable()) return read_only_error();
  return append_entries(transaction.entries(), now);
}

StoreResult<LogPosition> Journal::append_entries(Entries entries, WallTime now) {
  plain_until_ = 0;  // until all is done: memory may be short
  after_append_ = {};
  if (!is_own()) {
    return stop(folder_watch_.has_conflict() ? folder_error() : ownership_->takeover_error());
  }
  const LogPosition synced = writer_.synced();
  if (bookkeeping_.is_due(synced)) make_own_entries(synced, entries.size(), now);
  const Entries own_entries = bookkeeping_.entries();
  auto written = write_record(entries, own_entries, now);
  if (written && !own_entries.empty() &&
      bookkeeping_.on_written(synced, *written, state_.sessions)) {
    writer_.request_sync();
  }
  plain_until_ = find_plain_until();
  after_append_.room_until = find_room_until();
  return written;
}

StoreResult<LogPosition> Journal::write_record(Entries entries, Entries own_entries, WallTime now) {
  const std::uint64_t record_bytes = kRecordHeaderBytes + entries.size() + own_entries.size();
  if (kRecordHeaderBytes + entries.size() > options_.record_bytes_max) [[unlikely]]
    return too_large(kRecordHeaderBytes + entries.size());
  // Before the sessions change: a record that cannot be written must not be visible.
  if (!writer_.has_room(record_bytes)) {
    if (auto room = make_room(entries, own_entries, record_bytes, now); !room) {
      return stop(std::move(room.error()));
    }
  }
  const LogPosition begin = appended();
  const auto applied = state_.apply(entries, now, begin, begin + record_bytes);
  if (!applied) return failure(StoreErrorCode::Refused, applied.error());
  const bool must_be_synced = bookkeeping_.track(entries);
  if (!writer_.append(entries, own_entries, now)) return stop_for_mapping();
  // After an end in order, a loss of power must not leave a log that ends in order again although
  // bytes have left since.
  if ((must_be_synced || was_closed_) && sends_before_sync()) writer_.require_sync(begin);
  was_closed_ = false;
  return appended();
}

// What the journal itself adds to the next record.
void Journal::make_own_entries(LogPosition synced, std::size_t entries_bytes, WallTime now) {
  writer_.prepare_next();
  if (checkpointer_.has_confirmation(synced)) retire_segments(now);
  if (scrub_.is_due(synced)) scrub_.offer(writer_.segments(), writer_.written());
  // In process mode flush() is not called, as there is nothing to wait for.
  folder_watch_.check(now);
  const std::size_t left =
      kRecordBytesLimit - std::min<std::size_t>(kRecordBytesLimit, entries_bytes);
  bookkeeping_.make_entries(synced, state_.sessions, left);
}

StoreResult<void> Journal::make_room(Entries entries, Entries own_entries,
                                     std::uint64_t record_bytes, WallTime now) {
  const std::uint64_t segment = writer_.segments().back().number;
  try {
    if (auto room = writer_.make_room(record_bytes, now); !room) return room;
    if (writer_.segments().back().number != segment) {
      folder_watch_.on_segment_opened();
      scrub_.offer(writer_.segments(), writer_.written());
      retire_segments(now);
    }
    checkpointer_.touch(entries);
    checkpointer_.touch(own_entries);
  } catch (const std::bad_alloc&) {
    return std::unexpected{StoreError{.code = StoreErrorCode::Disk, .text = "no memory"}};
  }
  writer_.reserve(record_bytes);
  return {};
}

std::unexpected<StoreError> Journal::too_large(std::uint64_t record_bytes) const {
  return failure(StoreErrorCode::TooLarge, "a record of " + std::to_string(record_bytes) +
                                               " bytes is above the limit of " +
                                               std::to_string(options_.record_bytes_max));
}

// Two checkpoints must record a segment as retired and be synced before it is deleted. The journal
// stops reading it first; the files are removed in the background.
void Journal::retire_segments(WallTime now) {
  if (!may_retire()) return;
  forget_before(checkpointer_.confirmed_retirement(writer_.synced()));
  plan_retirement(writer_.segments(), appended(), writer_.synced(), now);
}

// segments: of the whole log, which ends at this position.
void Journal::plan_retirement(std::span<const SegmentHeader> segments, LogPosition end,
                              LogPosition synced, WallTime now) {
  if (!may_retire()) {
    // Nor do checkpoints go on to record what an earlier run has planned.
    if (!is_damaged_) checkpointer_.plan_retirement(segments.front().position);
    return;
  }
  LogPosition needed = end;
  for (const MessageIndex& index : state_.indexes) {
    if (!index.groups().empty()) needed = std::min(needed, index.groups().front().begin);
  }
  const std::size_t count = count_retired(segments, options_.retention, end, synced, needed, now);
  checkpointer_.plan_retirement(segments[count].position);
}

void Journal::forget_before(LogPosition position) {
  const std::vector<SegmentHeader>& segments = writer_.segments();
  std::size_t count = 0;
  while (count + 1 < segments.size() && segments[count + 1].position <= position) ++count;
  if (count == 0) return;
  const SegmentHeader kept = segments[count];
  const std::uint64_t first = segments.front().number;
  retired_numbers_.resize(state_.sessions.size());
  for (SessionKey key = 0; key < state_.sessions.size(); ++key) {
    const std::uint64_t number = state_.indexes[key].drop_before(kept.position);
    if (number == 0) continue;
    retired_numbers_.set(key, session(key).epoch, std::min(number, session(key).next_outbound) - 1);
  }
  writer_.forget_segments(count);
  reading_.forget_before(kept);
  scrub_.forget_before(kept.number);
  folder_watch_.forget_before(kept.number);
  writer_.remove_retired(retirement_, first, kept);
}

// After a loss of power, or what is handled as one, each session goes on above every number that it
// may have used. Returns the entries for that.
std::vector<char> Journal::skip_numbers(Recovered& recovered) const {
  std::vector<char> entries;
  if (!recovered.report.power_lost) return entries;
  const std::uint64_t ahead_max = numbers_to_skip(recovered.report.loss, recovered.segments.back(),
                                                  options_, recovered.lost_bytes_max);
  for (SessionKey key = 0; ahead_max > 0 && key < state_.sessions.size(); ++key) {
    const std::uint64_t first = state_.sessions.record(key).next_outbound;
    const std::uint64_t end = std::max(first + ahead_max, state_.sessions.reserved(key));
    const std::uint64_t last = std::min(end, kNumberMax) - 1;
    if (last < first) continue;  // the log is forged: there are no more numbers
    append_skip(entries, key, first, last);
    recovered.report.skipped.push_back({state_.sessions.name(key), first, last});
  }
  return entries;
}

StoreResult<void> Journal::close_in_order() {
  scrub_.stop();
  folder_watch_.stop();
  if (auto synced = writer_.sync_all(); !synced) return synced;
  std::vector<char> entries;
  append_entry(entries, {.kind = EntryKind::LogClosed,
                         .session = 0,
                         .number = options_.durability == Durability::None ? 0 : appended(),
                         .bytes = {}});
  // Without a time: close() has no clock.
  if (auto room = writer_.make_room(kRecordHeaderBytes + entries.size(), {}); !room) return room;
  writer_.reserve(kRecordHeaderBytes + entries.size());
  if (!writer_.append(entries, {}, {})) return std::unexpected{writer_.mapping_failure()};
  if (auto synced = writer_.sync_all(); !synced) return synced;
  if (may_retire()) forget_before(checkpointer_.confirmed_retirement(writer_.synced()));
  std::optional<TailMarker> marker = writer_.tail_marker();
  if (auto closed = writer_.close(); !closed) return closed;
  if (!marker) return {};
  // The next owner records that more may follow before it appends.
  marker->state = TailMarker::State::Closed;
  tail_markers_.put(*marker);
  return {};
}

StoreResult<void> Journal::read(SessionKey key, std::uint64_t first, std::uint64_t last,
                                MessageVisitor visit) {
  if (failed()) return stopped_error();
  NEXUSFIX_ASSERT(key < state_.sessions.size());
  LogReader::Wanted wanted{.next = first, .last = last};  // groups may overlap by one record
  std::uint64_t& next = wanted.next;
  ReadDamage damage;
  const auto visit_record = [&](const Record& record) {
    EntryReader reader{after_last_reset(record.entries, key)};
    Entry entry;
    while (reader.next(entry)) {
      if (entry.kind != EntryKind::OutboundMessage || entry.session != key) continue;
      if (entry.number < next) continue;
      if (entry.number > last) return false;
      damage.pass(entry.number);
      next = entry.number + 1;
      if (!visit(entry.number, entry.bytes)) last = entry.number;
      if (entry.number == last) return false;
    }
    return true;
  };
  const auto on_damage = [&](const std::string& text) { return damage.add(text, next); };
  for (const MessageIndex::Group& group : state_.indexes[key].groups(first, last)) {
    wanted.is_complete = group.end < state_.indexes[key].groups().back().end;
    const StoreResult<bool> goes_on =
        reading_.for_each_of(key, group, wanted, visit_record, on_damage);
    if (!goes_on) return std::unexpected{goes_on.error()};
    if (!*goes_on) break;
  }
  return damage.result(first, std::min(last, session(key).next_outbound - 1));
}

StoreResult<void> Journal::scan_log(LogVisitor visit) {
  if (failed()) return stopped_error();
  auto found = find_first_epochs(disk_, options_.folder, writer_.segments(), reading_,
                                 state_.sessions.size());
  if (!found) return std::unexpected{std::move(found.error())};
  std::vector<std::uint64_t>& epochs = *found;
  bool is_known = true;
  const auto visit_record = [&](const Record& record) {
    EntryReader reader{record.entries};
    Entry entry;
    while (reader.next(entry)) {
      if (is_of_log(entry.kind)) continue;
      // Entries in segments that opening did not read may be forged.
      is_known = entry.session < epochs.size();
      if (!is_known) return false;
      if (entry.kind == EntryKind::Reset) ++epochs[entry.session];
      if (entry.kind == EntryKind::NumbersSet) {
        epochs[entry.session] = decode_numbers_change(entry.bytes)->after.epoch;
      }
      const std::optional<LogKind> kind = log_kind(entry);
      if (!kind) continue;
      visit({.session = state_.sessions.name(entry.session),
             .epoch = epochs[entry.session],
             .msg_seq_num = *kind == LogKind::Received ? entry.number - 1 : entry.number,
             .bytes = entry.bytes,
             .kind = *kind,
             .time = record.time});
    }
    return true;
  };
  const StoreResult<bool> passed =
      reading_.for_each_record(writer_.segments().front().position, appended(), visit_record,
                               [](const std::string&) { return false; });
  if (!passed) return std::unexpected{passed.error()};
  if (!is_known) {
    return failure(StoreErrorCode::Corrupt, "a record is of a session that was never opened");
  }
  return {};
}

}  // namespace

StoreResult<OpenedJournal> open_journal(Disk& disk, const JournalOptions& options, WallTime now) {
  return open_journal(disk, options, now, {});
}

StoreResult<OpenedJournal> open_journal(Disk& disk, const JournalOptions& options, WallTime now,
                                        const ReadingSizes& sizes) {
  NEXUSFIX_ASSERT(options.record_bytes_max <= kRecordBytesLimit);
  NEXUSFIX_ASSERT(options.numbers_ahead_max > 0);
  const auto failure = [&](const DiskError& error) {
    return std::unexpected{disk_error(options.folder, error)};
  };
  if (auto made = disk.make_directories(options.folder); !made) return failure(made.error());
  auto lock = Ownership::take(disk, options.folder, now);
  if (!lock) return std::unexpected{std::move(lock.error())};
  StoreResult<Recovered> recovered = recover(disk, options, *lock);
  if (!recovered) return std::unexpected{std::move(recovered.error())};
  if (auto later = lock->raise_epoch_above(recovered->owner_epoch, disk, now); !later) {
    return std::unexpected{std::move(later.error())};
  }
  auto store = std::make_unique<Journal>(disk, options, std::move(*lock), sizes);
  if (auto opened = store->open(std::move(*recovered), now); !opened) {
    return std::unexpected{std::move(opened.error())};
  }
  JournalReport report = store->handle_report();
  return OpenedJournal{.store = std::move(store), .report = std::move(report)};
}

StoreResult<OpenedJournal> inspect_journal(Disk& disk, const std::string& folder) {
  StoreResult<Recovered> found =
      SecondLook{disk, folder}.repeat([&] { return recover_read_only(disk, folder); });
  if (!found) return std::unexpected{std::move(found.error())};
  const JournalOptions options{.folder = folder, .background = false};
  auto store = std::make_unique<Journal>(disk, options, std::nullopt);
  if (auto opened = store->open(std::move(*found), {}); !opened) {
    return std::unexpected{std::move(opened.error())};
  }
  JournalReport report = store->handle_report();
  report.in_use = is_in_use(disk, folder);
  return OpenedJournal{.store = std::move(store), .report = std::move(report)};
}

}  // namespace nexusfix::store
