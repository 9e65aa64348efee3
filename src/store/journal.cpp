#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/base/function_ref.hpp>
#include <nexusfix/store/journal.hpp>

#include "store/entry.hpp"
#include "store/journal_format.hpp"
#include "store/recovery.hpp"
#include "store/segment_reader.hpp"

namespace nexusfix::store {
namespace {

// Appended bytes collect here until flush(); a caller that does not flush for longer has them
// written (but not called durable) in pieces of this size, so that memory stays bounded.
constexpr std::size_t kPendingBytesMax = 1U << 20U;

// A journal of 64 GiB before the list of its segments grows.
constexpr std::size_t kSegmentsReserved = 1024;

// Where entries begin that a reader of the session's current epoch may see: a reset inside of the
// record ends what came before it.
std::span<const char> behind_last_reset(std::span<const char> entries, SessionKey session) {
  std::span<const char> result = entries;
  EntryReader reader{entries};
  Entry entry;
  while (reader.next(entry)) {
    if (entry.kind == EntryKind::Reset && entry.session == session) result = reader.rest();
  }
  return result;
}

class Journal final : public Store {
 public:
  // Without a lock it can only be read.
  Journal(Disk& disk, JournalOptions options, std::unique_ptr<File> lock, Recovered recovered)
      : disk_{disk},
        options_{std::move(options)},
        lock_{std::move(lock)},
        segments_{std::move(recovered.segments)},
        file_{std::move(recovered.file)},
        seed_{segments_.back()},
        state_{std::move(recovered.state)},
        written_{segments_.back().position + recovered.file_bytes},
        durable_{written_} {
    segments_.reserve(segments_.size() + kSegmentsReserved);
    if (is_writable()) pending_.reserve(kPendingBytesMax);
  }

  StoreResult<SessionKey> open_session(std::string_view name, WallTime now) override {
    if (failed()) return refusal();
    if (const std::optional<SessionKey> found = state_.sessions.find(name)) {
      state_.indexes[*found].reserve();
      return *found;
    }
    if (!is_writable()) return looked_at();
    if (auto room = state_.sessions.has_room_for(name); !room) {
      return failure(StoreErrorCode::TooLarge, room.error());
    }
    const auto key = static_cast<SessionKey>(state_.sessions.size());
    std::vector<char> entries;
    append_entry(entries,
                 {.kind = EntryKind::SessionOpened, .session = key, .number = 0, .bytes = name});
    if (auto appended = append_entries(entries, now); !appended) {
      return std::unexpected{std::move(appended.error())};
    }
    // At once, so that a folder that cannot be written to shows at the start.
    if (auto flushed = flush(); !flushed) return std::unexpected{std::move(flushed.error())};
    state_.indexes[key].reserve();
    return key;
  }

  std::size_t session_count() const noexcept override { return state_.sessions.size(); }
  std::string_view session_name(SessionKey key) const noexcept override {
    return state_.sessions.name(key);
  }
  const SessionRecord& session(SessionKey key) const noexcept override {
    return state_.sessions.record(key);
  }

  StoreResult<LogPosition> append(const Transaction& transaction, WallTime now) override {
    if (failed()) return refusal();
    if (transaction.empty()) return appended();
    if (!is_writable()) return looked_at();
    return append_entries(transaction.entries(), now);
  }

  LogPosition appended() const noexcept override { return written_ + pending_.size(); }
  LogPosition durable() const noexcept override { return durable_; }

  StoreResult<LogPosition> flush() override {
    if (failed()) return refusal();
    if (durable_ == appended()) return durable_;
    if (auto written = write_pending(); !written) {
      return std::unexpected{std::move(written.error())};
    }
    if (auto synced = sync_written(); !synced) return std::unexpected{std::move(synced.error())};
    return durable_;
  }

  StoreResult<void> read(SessionKey key, std::uint64_t first, std::uint64_t last,
                         MessageVisitor visit) override;
  StoreResult<void> scan(LogVisitor visit) override;

 private:
  using RecordVisitor = FunctionRef<bool(const Record&)>;

  [[nodiscard]] bool failed() const noexcept { return !failure_.empty(); }
  [[nodiscard]] bool is_writable() const noexcept { return lock_ != nullptr; }

  [[nodiscard]] std::unexpected<StoreError> looked_at() const {
    return failure(StoreErrorCode::Refused, "it is open to be looked at, not to be changed");
  }

  [[nodiscard]] std::unexpected<StoreError> refusal() const {
    return std::unexpected{StoreError{
        .code = StoreErrorCode::Failed,
        .text = "journal " + options_.folder + ": stopped by an earlier error (" + failure_ + ')'}};
  }

  [[nodiscard]] std::unexpected<StoreError> failure(StoreErrorCode code,
                                                    std::string_view reason) const {
    return std::unexpected{StoreError{
        .code = code, .text = "journal " + options_.folder + ": " + std::string{reason}}};
  }

  // What is on the disk is no longer certain: nothing is accepted from here on.
  std::unexpected<StoreError> stop(StoreError error) {
    failure_ = error.text;
    return std::unexpected{std::move(error)};
  }
  std::unexpected<StoreError> stop(const DiskError& error) {
    return stop(disk_error(options_.folder, error));
  }

  StoreResult<LogPosition> append_entries(std::span<const char> entries, WallTime now) {
    const std::uint64_t record_bytes = kRecordHeaderBytes + entries.size();
    if (record_bytes > options_.record_bytes_max) {
      return failure(StoreErrorCode::TooLarge, "a record of " + std::to_string(record_bytes) +
                                                   " bytes is above the limit of " +
                                                   std::to_string(options_.record_bytes_max));
    }
    // Before the sessions change: what fails to be written must not be seen.
    if (auto room = make_room(record_bytes, now); !room)
      return std::unexpected{std::move(room.error())};
    const LogPosition begin = appended();
    if (auto applied = state_.apply(entries, now, begin, begin + record_bytes); !applied) {
      return failure(StoreErrorCode::Refused, applied.error());
    }
    append_record(pending_, seed_, begin - segments_.back().position, now, entries);
    return appended();
  }

  StoreResult<void> make_room(std::uint64_t record_bytes, WallTime now) {
    const std::uint64_t segment_used = appended() - segments_.back().position;
    // A record larger than a segment gets one for itself.
    if (segment_used > kSegmentHeaderBytes &&
        segment_used + record_bytes > options_.segment_bytes) {
      return roll(now);
    }
    if (!pending_.empty() && pending_.size() + record_bytes > kPendingBytesMax) {
      return write_pending();
    }
    return {};
  }

  // Closes the segment and begins the next. Only with Durability::Sync are the old segment and the
  // new name made durable: the other mode promises nothing for a loss of power, and would pay for
  // the sync with a stall.
  StoreResult<void> roll(WallTime now) {
    if (auto written = write_pending(); !written) return written;
    if (auto synced = sync_written(); !synced) return synced;
    const SegmentHeader header{.log_id = segments_.back().log_id,
                               .number = segments_.back().number + 1,
                               .position = written_,
                               .time = now};
    auto created = create_segment(disk_, options_.folder, header, options_.durability);
    if (!created) return stop(std::move(created.error()));
    file_ = std::move(*created);
    segments_.push_back(header);
    seed_ = RecordSeed{header};
    written_ += kSegmentHeaderBytes;
    durable_ = written_;
    return {};
  }

  StoreResult<void> write_pending() {
    if (pending_.empty()) return {};
    auto written = file_->write_at(written_ - segments_.back().position, pending_);
    if (!written) return stop(written.error());
    written_ += pending_.size();
    pending_.clear();
    return {};
  }

  StoreResult<void> sync_written() {
    if (durable_ == written_) return {};
    if (options_.durability == Durability::Sync) {
      if (auto synced = file_->sync(); !synced) return stop(synced.error());
    }
    durable_ = written_;
    return {};
  }

  // Passes the records from begin to end, both where a record begins or ends. False: visit stopped.
  StoreResult<bool> for_each_record(LogPosition begin, LogPosition end, RecordVisitor visit);
  StoreResult<bool> for_each_written(const SegmentHeader& segment, File& file, std::uint64_t begin,
                                     std::uint64_t end, RecordVisitor visit);
  bool for_each_pending(LogPosition begin, LogPosition end, RecordVisitor visit) const;

  Disk& disk_;
  JournalOptions options_;
  std::unique_ptr<File> lock_;  // null: open to be looked at
  std::vector<SegmentHeader> segments_;
  std::unique_ptr<File> file_;  // of the last segment
  RecordSeed seed_;             // of the last segment
  LogState state_;
  std::vector<char> pending_;  // the records from written_ to appended()
  LogPosition written_;        // handed to the operating system
  LogPosition durable_;
  FileWindow window_;    // used again for every read()
  std::string failure_;  // not empty: stopped
};

StoreResult<void> Journal::read(SessionKey key, std::uint64_t first, std::uint64_t last,
                                MessageVisitor visit) {
  if (failed()) return refusal();
  NEXUSFIX_ASSERT(key < state_.sessions.size());
  std::uint64_t next = first;  // groups may overlap by one record
  const auto visit_record = [&](const Record& record) {
    EntryReader reader{behind_last_reset(record.entries, key)};
    Entry entry;
    while (reader.next(entry)) {
      if (entry.kind != EntryKind::OutboundMessage || entry.session != key) continue;
      if (entry.number < next) continue;
      if (entry.number > last) return false;
      next = entry.number + 1;
      if (!visit(entry.number, entry.bytes)) return false;
    }
    return true;
  };
  for (const MessageIndex::Group& group : state_.indexes[key].groups(first, last)) {
    const StoreResult<bool> goes_on = for_each_record(group.begin, group.end, visit_record);
    if (!goes_on) return std::unexpected{goes_on.error()};
    if (!*goes_on) break;
  }
  return {};
}

StoreResult<void> Journal::scan(LogVisitor visit) {
  if (failed()) return refusal();
  std::vector<std::uint64_t> epochs(state_.sessions.size(), 1);
  const auto visit_record = [&](const Record& record) {
    EntryReader reader{record.entries};
    Entry entry;
    while (reader.next(entry)) {
      if (entry.kind == EntryKind::Reset) ++epochs[entry.session];
      if (entry.kind != EntryKind::OutboundMessage) continue;
      visit({.session = state_.sessions.name(entry.session),
             .epoch = epochs[entry.session],
             .msg_seq_num = entry.number,
             .bytes = entry.bytes});
    }
    return true;
  };
  const StoreResult<bool> passed = for_each_record(0, appended(), visit_record);
  if (!passed) return std::unexpected{passed.error()};
  return {};
}

StoreResult<bool> Journal::for_each_record(LogPosition begin, LogPosition end,
                                           RecordVisitor visit) {
  const auto behind = [](LogPosition position, const SegmentHeader& segment) {
    return position < segment.position;
  };
  auto segment = std::upper_bound(segments_.begin(), segments_.end(), begin, behind);
  NEXUSFIX_ASSERT(segment != segments_.begin());
  for (--segment; segment != segments_.end() && segment->position < end; ++segment) {
    const bool is_last = segment + 1 == segments_.end();
    const LogPosition segment_end = is_last ? written_ : (segment + 1)->position;
    const LogPosition from = std::max(begin, segment->position + kSegmentHeaderBytes);
    const LogPosition to = std::min(end, segment_end);
    if (from >= to) continue;
    std::unique_ptr<File> opened;
    if (!is_last) {
      auto file =
          disk_.open(options_.folder + '/' + segment_file_name(segment->number), OpenMode::Read);
      if (!file) return std::unexpected{disk_error(options_.folder, file.error())};
      opened = std::move(*file);
    }
    const StoreResult<bool> goes_on =
        for_each_written(*segment, is_last ? *file_ : *opened, from - segment->position,
                         to - segment->position, visit);
    if (!goes_on || !*goes_on) return goes_on;
  }
  return for_each_pending(std::max(begin, written_), end, visit);
}

StoreResult<bool> Journal::for_each_written(const SegmentHeader& segment, File& file,
                                            std::uint64_t begin, std::uint64_t end,
                                            RecordVisitor visit) {
  window_.open(file, end);
  SegmentReader reader{window_, RecordSeed{segment}, begin};
  for (;;) {
    const DiskResult<std::optional<Record>> record = reader.next();
    if (!record) return std::unexpected{disk_error(options_.folder, record.error())};
    if (*record) {
      if (!visit(**record)) return false;
      continue;
    }
    if (reader.fault() == RecordFault::None) return true;
    // It checked when it was written or at opening: damaged bytes must not be sent as a message.
    return std::unexpected{
        StoreError{.code = StoreErrorCode::Corrupt,
                   .text = options_.folder + '/' + segment_file_name(segment.number) +
                           ": damaged at offset " + std::to_string(reader.offset()) +
                           " since it was written. Restore the folder from a copy"}};
  }
}

bool Journal::for_each_pending(LogPosition begin, LogPosition end, RecordVisitor visit) const {
  for (LogPosition position = begin; position < end;) {
    const auto rest = std::span{pending_}.subspan(static_cast<std::size_t>(position - written_));
    const RecordHeader header = decode_record_header(rest.first<kRecordHeaderBytes>());
    const Record record{.offset = position - segments_.back().position,
                        .record_bytes = header.record_bytes(),
                        .time = header.time,
                        .entries = rest.subspan(kRecordHeaderBytes, header.entries_bytes)};
    if (!visit(record)) return false;
    position += header.record_bytes();
  }
  return true;
}

std::string lock_path(const std::string& folder) { return folder + "/lock"; }

// Holds the lock only for this question: an owner that starts in this moment is kept out, but one
// that starts while the journal is being looked at is not.
bool is_in_use(Disk& disk, const std::string& folder) {
  const auto lock = disk.open(lock_path(folder), OpenMode::Read);
  if (!lock) return false;  // a copy without one, or not ours to open
  const DiskResult<bool> taken = (*lock)->try_lock();
  return taken && !*taken;
}

}  // namespace

StoreResult<OpenedJournal> open_journal(Disk& disk, const JournalOptions& options, WallTime now) {
  NEXUSFIX_ASSERT(options.record_bytes_max <= kRecordBytesLimit);
  const auto failure = [&](const DiskError& error) {
    return std::unexpected{disk_error(options.folder, error)};
  };
  if (auto made = disk.make_directories(options.folder); !made) return failure(made.error());
  auto lock = disk.open(lock_path(options.folder), OpenMode::Create);
  if (!lock) return failure(lock.error());
  const DiskResult<bool> locked = (*lock)->try_lock();
  if (!locked) return failure(locked.error());
  if (!*locked) {
    return std::unexpected{StoreError{
        .code = StoreErrorCode::Locked,
        .text = "journal " + options.folder + ": another process has it open (" + options.folder +
                "/lock is locked). Stop that process, or give this one a folder of its own"}};
  }
  StoreResult<Recovered> recovered = recover(disk, options, now);
  if (!recovered) return std::unexpected{std::move(recovered.error())};
  const JournalReport report = recovered->report;
  return OpenedJournal{
      .store = std::make_unique<Journal>(disk, options, std::move(*lock), std::move(*recovered)),
      .report = report};
}

StoreResult<OpenedJournal> inspect_journal(Disk& disk, const std::string& folder) {
  StoreResult<Recovered> found = look_at(disk, folder);
  if (!found) return std::unexpected{std::move(found.error())};
  JournalReport report = found->report;
  report.in_use = is_in_use(disk, folder);
  const JournalOptions options{.folder = folder};
  return OpenedJournal{
      .store = std::make_unique<Journal>(disk, options, nullptr, std::move(*found)),
      .report = report};
}

}  // namespace nexusfix::store
