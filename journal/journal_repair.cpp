#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "journal/api/journal_tools.hpp"
#include "journal/log_walk.hpp"
#include "store/api/entry.hpp"
#include "store/api/log_account.hpp"

namespace nexusfix::store {
namespace {

constexpr std::size_t kCopyBytes = 1U << 20U;
constexpr unsigned kCopiesOfSecondMax = 1'000;

std::string bytes_text(std::uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

// The damaged bytes are not trusted; but a name that can be read in them is worth reporting.
std::string readable_name(std::span<const char> damaged, SessionKey session) {
  if (damaged.size() < kRecordHeaderBytes) return {};
  EntryReader reader{damaged.subspan(kRecordHeaderBytes)};
  Entry entry;
  while (reader.next(entry)) {
    if (entry.kind == EntryKind::SessionOpened && entry.session == session) {
      const bool printable = std::all_of(entry.bytes.begin(), entry.bytes.end(),
                                         [](char c) { return c >= ' ' && c <= '~'; });
      return printable ? std::string{entry.bytes} : std::string{};
    }
  }
  return {};
}

// The position that a log which ended in order says was on the disk.
std::optional<LogPosition> closed_at(const Record& record) {
  std::optional<LogPosition> at;
  EntryReader reader{record.entries};
  Entry entry;
  while (reader.next(entry)) {
    at.reset();
    if (entry.kind == EntryKind::LogClosed) at = entry.number;
  }
  return at;
}

class Repair {
 public:
  Repair(Disk& disk, const RepairOptions& options, WallTime now)
      : disk_{disk},
        options_{options},
        now_{now},
        account_{disk, options.folder},
        repaired_{disk, options.folder} {}

  StoreResult<RepairReport> run() {
    std::optional<JournalLock> lock;
    if (options_.mode == RepairMode::Carry) {
      // So that a folder that is no journal gets no lock.
      if (auto there = find(); !there) return std::unexpected{there.error()};
      auto taken = JournalLock::take(disk_, options_.folder, now_);
      if (!taken) return std::unexpected{taken.error()};
      lock = std::move(*taken);
    }
    if (auto found = find(); !found) return std::unexpected{found.error()};
    if (is_all_lost_) {
      plan_again();
    } else {
      if (auto named = put_names(); !named) return std::unexpected{named.error()};
      if (auto planned = plan(); !planned) return std::unexpected{planned.error()};
    }
    if (options_.mode == RepairMode::Carry && !report_.steps.empty()) {
      auto done = is_all_lost_ ? forget_all(*lock) : carry_out(*lock);
      if (!done) return std::unexpected{done.error()};
    }
    return std::move(report_);
  }

 private:
  // What there is, even if it is only what the owner has recorded.
  StoreResult<void> find() {
    auto walked = walk();
    is_all_lost_ = !walked && walked.error().code == StoreErrorCode::Missing &&
                   !account_.missing_end({}).empty();
    return is_all_lost_ ? StoreResult<void>{} : walked;
  }

  void plan_again() {
    report_.steps.push_back(account_.missing_end({}) +
                            ". That is accepted: the next opening begins a new journal");
    report_.alarms.push_back(
        "all sessions of the journal are lost, with all that was sent: each begins with number 1, "
        "unless its next sequence numbers are set");
  }

  StoreResult<void> forget_all(const JournalLock& lock) {
    if (auto copied = copy_files(); !copied) return copied;
    if (auto forgotten = lock.forget_end(); !forgotten) return failure(forgotten.error());
    return {};
  }

  StoreResult<void> walk() {
    account_ = LogAccount{disk_, options_.folder};
    voids_.clear();
    closed_at_.reset();
    auto walked = walk_log(
        disk_, options_.folder,
        [&](const SegmentHeader& segment, std::span<const char> checkpoint) -> StoreResult<void> {
          look_at(segment, account_.begin_segment(segment, checkpoint));
          return {};
        },
        [&](const SegmentHeader& segment, const Record& record) {
          closed_at_ = closed_at(record);
          return account_.record(segment, record);
        },
        [&](const DamagedBytes& bytes) { account_.damage(bytes); });
    if (!walked) return std::unexpected{walked.error()};
    end_ = end_of(*walked);
    if (auto ended =
            account_.end(walked->segments.front().header, walked->segments.back().header, end_);
        !ended) {
      return ended;
    }
    if (auto checked = account_.check_indexes(); !checked) return checked;
    lost_end_bytes_ = account_.missing_bytes(end_);
    segments_ = std::move(walked->segments);
    strays_ = std::move(walked->strays);
    return {};
  }

  // A checkpoint after damage holds what the damaged records said, which is not what the repaired
  // log will say. The exception is the checkpoint from which the sessions are known: the log begins
  // there.
  void look_at(const SegmentHeader& segment, const LogAccount::CheckpointFinding& finding) {
    using State = LogAccount::CheckpointFinding::State;
    const auto holds_records = [](const DamagedBytes& damage) { return !damage.is_header; };
    const auto begin =
        account_.damages().begin() + static_cast<std::ptrdiff_t>(account_.damages_before_start());
    const bool follows_damage = account_.knows_sessions() && !finding.is_start &&
                                std::any_of(begin, account_.damages().end(), holds_records);
    if (finding.state == State::Damaged || (finding.state == State::Whole && follows_damage)) {
      voids_.push_back(segment);
    }
  }

  // The entries that replace the damage, with the names from the options.
  StoreResult<void> put_names() {
    for (std::size_t i = 0; i < account_.damages().size(); ++i) {
      std::vector<char>& entries = entries_.emplace_back();
      EntryReader reader{account_.inferred(i)};
      Entry entry;
      while (reader.next(entry)) {
        if (entry.kind == EntryKind::SessionOpened) {
          const auto name = options_.names.find(entry.session);
          if (name == options_.names.end())
            return name_needed(account_.damages()[i], entry.session);
          entry.bytes = name->second;
        }
        append_entry(entries, entry);
      }
    }
    return {};
  }

  StoreResult<void> name_needed(const DamagedBytes& damage, SessionKey session) {
    std::string text = path_of_segment(options_.folder, damage.segment) + ": at offset " +
                       std::to_string(damage.offset) + " was the opening of session key " +
                       std::to_string(session) + ", whose name is lost. Give it with --name " +
                       std::to_string(session) + "=NAME";
    const auto bytes = read_damaged(damage);
    if (!bytes) return std::unexpected{bytes.error()};
    if (const std::string name = readable_name(*bytes, session); !name.empty()) {
      text += " (in the damaged bytes can be read: " + name + ')';
    }
    return std::unexpected{StoreError{.code = StoreErrorCode::Refused, .text = std::move(text)}};
  }

  StoreResult<std::vector<char>> read_damaged(const DamagedBytes& damage) {
    const auto file = disk_.open(path_of_segment(options_.folder, damage.segment), OpenMode::Read);
    if (!file) return failure(file.error());
    std::vector<char> bytes(std::min<std::size_t>(damage.bytes, kCopyBytes));
    const auto got = (*file)->read_at(damage.offset, bytes);
    if (!got) return failure(got.error());
    bytes.resize(*got);
    return bytes;
  }

  StoreResult<void> plan() {
    if (auto fit = check_places(); !fit) return fit;
    for (std::size_t i = 0; i < account_.damages().size(); ++i) {
      if (auto planned = plan_damage(i); !planned) return planned;
    }
    for (const SegmentHeader& segment : voids_) {
      report_.steps.push_back(path_of_segment(options_.folder, segment.number) +
                              ": the checkpoint is removed: it is damaged, or contains what is "
                              "after damage. Opening reads the log instead");
      add_step(path_of_segment(options_.folder, segment.number) + ": the checkpoint removed");
    }
    for (const WalkedSegment& segment : segments_) {
      if (segment.unused_bytes == 0) continue;
      const std::string path = path_of_segment(options_.folder, segment.header.number);
      report_.steps.push_back(path + ": the " + bytes_text(segment.unused_bytes) + " from offset " +
                              std::to_string(segment.end) +
                              " on, after its last record, are not of the log: cut off");
      add_step(path + ": what was after its last record cut off");
    }
    for (const StraySegment& one : strays_) {
      const std::string path = path_of_segment(options_.folder, one.number);
      report_.steps.push_back(path + ": prepared and never begun, but the " +
                              bytes_text(one.stray.bytes) + " at offset " +
                              std::to_string(one.stray.offset) +
                              " are no zeros: emptied. Nothing is lost by it");
    }
    const WalkedSegment& last = segments_.back();
    if (last.torn_bytes > 0) {
      report_.steps.push_back(path_of_segment(options_.folder, last.header.number) + ": the " +
                              bytes_text(last.torn_bytes) + " from offset " +
                              std::to_string(last.end) + " on are an interrupted write: cut off");
    }
    if (lost_end_bytes_ > 0) {
      const std::string text = account_.missing_end(end_);
      report_.steps.push_back(text + ". That is accepted: the log goes on from there");
      add_step(text + ". Accepted");
    }
    // Applies the records in the damage's place: the log must be consistent with them.
    if (auto replayed = replay(); !replayed) return replayed;
    plan_numbers();
    // The log ends in order as before: a later start of the machine must not count as a loss of
    // power.
    if (!last_.empty() && closed_at_) {
      append_entry(
          last_, {.kind = EntryKind::LogClosed, .session = 0, .number = *closed_at_, .bytes = {}});
    }
    return {};
  }

  // Each segment begins where the one before it ends. If headers and the ends of records before
  // them are lost together, that position may be unknown.
  [[nodiscard]] StoreResult<void> check_places() const {
    for (std::size_t i = 1; i < segments_.size(); ++i) {
      const WalkedSegment& before = segments_[i - 1];
      const SegmentHeader& header = segments_[i].header;
      if (header.position == before.header.position + before.end) continue;
      return std::unexpected{StoreError{
          .code = StoreErrorCode::Corrupt,
          .text = path_of_segment(options_.folder, before.header.number) + " and " +
                  path_of_segment(options_.folder, header.number) +
                  ": the damage is so large that where one ends and the other begins is not known "
                  "(offset " +
                  std::to_string(before.end) + "). Restore the folder from a copy"}};
    }
    return {};
  }

  StoreResult<void> plan_damage(std::size_t index) {
    const DamagedBytes& damage = account_.damages()[index];
    const std::string path = path_of_segment(options_.folder, damage.segment);
    std::vector<char>& filler = fillers_.emplace_back();
    const std::size_t at = damage.segment - segments_.front().header.number;
    const SegmentHeader& header = segments_[at].header;
    if (damage.is_header && header.version == kFormatVersionOldest) {
      return std::unexpected{StoreError{
          .code = StoreErrorCode::Corrupt,
          .text = path + ": the header at offset 0 is of an older format, which is not written any "
                         "more. Restore the folder from a copy"}};
    }
    if (damage.is_header) {
      filler.resize(kSegmentHeaderBytes);
      encode_segment_header(header, std::span{filler}.first<kSegmentHeaderBytes>());
      report_.steps.push_back(path + ": the header is written again");
      add_step(path + ": the header written again");
      return {};
    }
    if (!fill(entries_[index], damage)) {
      return std::unexpected{StoreError{
          .code = StoreErrorCode::Corrupt,
          .text = path + ": no record fits the " + bytes_text(damage.bytes) + " at offset " +
                  std::to_string(damage.offset) + ". Restore the folder from a copy"}};
    }
    append_record(filler, RecordSeed{header}, damage.offset, now_, entries_[index]);
    // In full, since the place of the damage may be too small for it.
    add_step(path + " offset " + std::to_string(damage.offset) + ", " + bytes_text(damage.bytes) +
             ": taken out");
    report_.steps.push_back(path + ": the " + bytes_text(damage.bytes) + " at offset " +
                            std::to_string(damage.offset) + " (" + describe(damage.fault) +
                            ") are replaced by a record that says so");
    return {};
  }

  // What was done, for the log to keep.
  void add_step(std::string text) {
    text += " by a repair: " + options_.text;
    append_entry(last_, {.kind = EntryKind::Removed, .session = 0, .number = 0, .bytes = text});
  }

  // Makes the entries as long as the damage.
  [[nodiscard]] bool fill(std::vector<char>& entries, const DamagedBytes& damage) const {
    if (damage.bytes > kRecordHeaderBytes + std::uint64_t{kRecordBytesLimit}) return false;
    const auto room = static_cast<std::size_t>(damage.bytes);
    if (room == kRecordHeaderBytes + entries.size() && !entries.empty()) return true;
    const std::size_t used = kRecordHeaderBytes + entries.size() + kEntryHeaderBytes;
    if (room < used) return false;
    std::string text = std::string{kFillerText} + options_.text;
    text.resize(room - used, ' ');
    append_entry(entries, {.kind = EntryKind::Removed, .session = 0, .number = 0, .bytes = text});
    return true;
  }

  StoreResult<void> replay() {
    std::size_t next = 0;
    StoreResult<void> made{};
    repaired_ = LogAccount{disk_, options_.folder};
    const auto segments = walk_log(
        disk_, options_.folder,
        [&](const SegmentHeader& segment, std::span<const char> checkpoint) -> StoreResult<void> {
          static_cast<void>(repaired_.begin_segment(segment, checkpoint));
          return {};
        },
        [&](const SegmentHeader& segment, const Record& record) {
          return made ? repaired_.record(segment, record) : made;
        },
        [&](const DamagedBytes& damage) {
          const std::size_t index = next++;
          if (damage.is_header || !made || !repaired_.knows_sessions()) return;
          const auto applied = repaired_.replace(damage, entries_[index], now_);
          if (!applied) {
            made = std::unexpected{
                StoreError{.code = StoreErrorCode::Corrupt,
                           .text = path_of_segment(options_.folder, damage.segment) +
                                   ": what is needed at offset " + std::to_string(damage.offset) +
                                   " does not fit: " + std::string{applied.error()}}};
          }
        });
    if (!segments) return std::unexpected{segments.error()};
    return made;
  }

  // The record at the log's end: numbers that are raised, and messages that are lost.
  void plan_numbers() {
    for (std::size_t i = 0; i < account_.damages_before_start(); ++i) {
      const DamagedBytes& damage = account_.damages()[i];
      if (damage.is_header) continue;
      report_.alarms.push_back(path_of_segment(options_.folder, damage.segment) + " offset " +
                               std::to_string(damage.offset) + ": " + unknown_loss_text());
    }
    const SessionTable& sessions = repaired_.sessions();
    std::set<SessionKey> moved;
    for (const SessionLoss& loss : account_.losses()) {
      const SessionRecord& record = sessions.record(loss.session);
      const std::string name = "session " + sessions.name(loss.session) + ": ";
      if (loss.reset_lost)
        report_.alarms.push_back(name + "a reset of its sequence numbers was lost");
      if (loss.in_doubt) {
        if (moved.insert(loss.session).second) move_numbers(loss, record, name);
      } else if (loss.numbers) {
        report_.alarms.push_back(name + "what was sent as " + range_text(*loss.numbers) +
                                 " of epoch " + std::to_string(loss.epoch) + " is lost");
        if (loss.epoch == record.epoch) {
          append_messages_lost(last_, loss.session, loss.numbers->first, loss.numbers->last);
        }
      }
    }
    if (lost_end_bytes_ == 0) return;
    for (SessionKey key = 0; key < sessions.size(); ++key) {
      if (!moved.insert(key).second) continue;
      const SessionRecord& record = sessions.record(key);
      move_numbers({.session = key, .damage = account_.damages().size(), .numbers = {}}, record,
                   "session " + sessions.name(key) + ": ");
    }
    report_.alarms.push_back(
        "a session that was opened in what is missing, and numbers that were reset or set there, "
        "are not known any more: compare the next numbers with those of the counterparties");
  }

  void move_numbers(const SessionLoss& loss, const SessionRecord& record, const std::string& name) {
    std::uint64_t damaged_bytes = lost_end_bytes_;
    for (std::size_t i = loss.damage; i < account_.damages().size(); ++i) {
      if (!account_.damages()[i].is_header) damaged_bytes += account_.damages()[i].bytes;
    }
    const NumberRange range{
        record.next_outbound,
        std::min(record.next_outbound + numbers_in(damaged_bytes), kNumberMax) - 1};
    if (range.last < range.first) return;
    NumbersChange change;
    change.before = {record.next_inbound, record.next_outbound, record.epoch};
    change.after = change.before;
    change.after.next_outbound = range.last + 1;
    change.created = record.created;
    const std::string text = "repair: " + options_.text;
    change.text = text;
    append_numbers_change(last_, loss.session, change);
    append_messages_lost(last_, loss.session, range.first, range.last);
    report_.steps.push_back(name + "next outbound number moved from " +
                            std::to_string(range.first) + " to " + std::to_string(range.last + 1));
    report_.alarms.push_back(name + "what may have been sent as " + range_text(range) +
                             " of epoch " + std::to_string(record.epoch) + " is lost");
  }

  // First the checkpoints that must not be trusted any more. Then the record at the end: if the
  // machine stops after it, the damage is still there, and a second repair finds no session that
  // could use a number twice.
  StoreResult<void> carry_out(const JournalLock& lock) {
    if (auto copied = copy_files(); !copied) return copied;
    for (const SegmentHeader& segment : voids_) {
      std::vector<char> checkpoint;
      append_void_checkpoint(checkpoint, RecordSeed{segment}, now_,
                             segment.records_at() - segment.header_bytes());
      if (auto written = change(segment.number, segment.header_bytes(), checkpoint, false);
          !written) {
        return written;
      }
    }
    if (auto written = write_end(); !written) return written;
    for (std::size_t i = 0; i < account_.damages().size(); ++i) {
      const DamagedBytes& damage = account_.damages()[i];
      if (auto written = change(damage.segment, damage.offset, fillers_[i], false); !written) {
        return written;
      }
    }
    for (const WalkedSegment& segment : segments_) {
      if (segment.unused_bytes == 0) continue;
      if (auto cut = change(segment.header.number, segment.end, {}, true); !cut) return cut;
    }
    for (const StraySegment& one : strays_) {
      if (auto emptied = change(one.number, 0, {}, true); !emptied) return emptied;
    }
    // Last: until then an opening is refused as before.
    if (lost_end_bytes_ > 0) {
      if (auto written = lock.record_end(end_); !written) return failure(written.error());
    }
    return check_what_was_done();
  }

  // Cuts an interrupted write, and adds the record. If the opening of a segment was interrupted,
  // the segment is opened with the record.
  StoreResult<void> write_end() {
    const WalkedSegment& last = segments_.back();
    if (last.torn_bytes == 0 && last_.empty()) return {};
    std::vector<char> bytes;
    if (!last_.empty()) {
      SegmentHeader header = last.header;
      if (last.end == 0) {
        header.version = kFormatVersion;
        header.start_bytes = kSegmentHeaderBytes;
        header.time = now_;
        bytes.resize(kSegmentHeaderBytes);
        encode_segment_header(header, std::span{bytes}.first<kSegmentHeaderBytes>());
      }
      append_record(bytes, RecordSeed{header}, last.end + bytes.size(), now_, last_);
    }
    end_.offset += bytes.size();
    end_.position += bytes.size();
    return change(last.header.number, last.end, bytes, last.torn_bytes > 0);
  }

  StoreResult<void> check_what_was_done() {
    const auto checked = verify_journal(disk_, options_.folder);
    if (!checked) return std::unexpected{checked.error()};
    if (!checked->damages.empty()) {
      return std::unexpected{
          StoreError{.code = StoreErrorCode::Corrupt,
                     .text = "journal " + options_.folder + ": still damaged at " +
                             checked->damages.front().file + " offset " +
                             std::to_string(checked->damages.front().offset) +
                             " after the repair: the disk does not keep what is written to it"}};
    }
    if (!checked->lost_end.empty()) {
      return std::unexpected{
          StoreError{.code = StoreErrorCode::Corrupt, .text = checked->lost_end}};
    }
    // The repair is reported only when the journal can be opened.
    const auto looked = inspect_journal(disk_, options_.folder);
    if (!looked) return std::unexpected{looked.error()};
    return {};
  }

  StoreResult<void> change(std::uint64_t segment, std::uint64_t offset, std::span<const char> bytes,
                           bool cut) {
    const auto file = disk_.open(path_of_segment(options_.folder, segment), OpenMode::ReadWrite);
    if (!file) return failure(file.error());
    if (cut) {
      if (auto done = (*file)->truncate(offset); !done) return failure(done.error());
    }
    if (!bytes.empty()) {
      if (auto done = (*file)->write_at(offset, bytes); !done) return failure(done.error());
    }
    if (auto done = (*file)->sync(); !done) return failure(done.error());
    return {};
  }

  StoreResult<void> copy_files() {
    std::set<std::uint64_t> changing;
    for (const DamagedBytes& damage : account_.damages()) changing.insert(damage.segment);
    for (const SegmentHeader& segment : voids_) changing.insert(segment.number);
    for (const WalkedSegment& segment : segments_) {
      if (segment.unused_bytes > 0) changing.insert(segment.header.number);
    }
    for (const StraySegment& one : strays_) changing.insert(one.number);
    if (!segments_.empty() && (segments_.back().torn_bytes > 0 || !last_.empty())) {
      changing.insert(segments_.back().header.number);
    }
    if (auto made = make_copy_folder(); !made) return made;
    for (const std::uint64_t segment : changing) {
      if (auto copied = copy_file(segment_file_name(segment)); !copied) return copied;
    }
    if (lost_end_bytes_ > 0 || is_all_lost_) {
      if (auto copied = copy_file("owner"); !copied) return copied;
    }
    if (auto synced = disk_.sync_directory(report_.copy_folder); !synced) {
      return failure(synced.error());
    }
    return {};
  }

  // A folder of this repair: one that was interrupted may have left a copy in the same second.
  StoreResult<void> make_copy_folder() {
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(now_.time_since_epoch()).count();
    const std::string path = options_.folder + "/before-repair-" + std::to_string(seconds);
    for (unsigned copy = 1; copy <= kCopiesOfSecondMax; ++copy) {
      report_.copy_folder = copy == 1 ? path : path + '.' + std::to_string(copy);
      if (auto made = disk_.make_directories(report_.copy_folder); !made) {
        return failure(made.error());
      }
      const auto names = disk_.list(report_.copy_folder);
      if (!names) return failure(names.error());
      if (names->empty()) return {};
    }
    return std::unexpected{
        StoreError{.code = StoreErrorCode::Refused,
                   .text = path + " and those after it: " + std::to_string(kCopiesOfSecondMax) +
                           " copies of this second are there already"}};
  }

  StoreResult<void> copy_file(const std::string& name) {
    const auto from = disk_.open(options_.folder + '/' + name, OpenMode::Read);
    if (!from) return failure(from.error());
    const std::string target = report_.copy_folder + '/' + name;
    const auto to = disk_.open(target, OpenMode::Create);
    if (!to) return failure(to.error());
    const auto size = (*to)->size();
    if (!size) return failure(size.error());
    if (*size != 0) {
      return std::unexpected{
          StoreError{.code = StoreErrorCode::Refused,
                     .text = target + ": is there already; a copy is never written over"}};
    }
    std::vector<char> buffer(kCopyBytes);
    for (std::uint64_t offset = 0;;) {
      const auto got = (*from)->read_at(offset, buffer);
      if (!got) return failure(got.error());
      if (*got == 0) break;
      if (auto put = (*to)->write_at(offset, std::span{buffer}.first(*got)); !put) {
        return failure(put.error());
      }
      offset += *got;
    }
    if (auto synced = (*to)->sync(); !synced) return failure(synced.error());
    return {};
  }

  std::unexpected<StoreError> failure(const DiskError& error) const {
    return std::unexpected{disk_failure(options_.folder, error)};
  }

  Disk& disk_;
  const RepairOptions& options_;
  WallTime now_;
  LogAccount account_;
  LogAccount repaired_;  // of the log with what would be written in place of the damage
  std::vector<WalkedSegment> segments_;
  std::vector<StraySegment> strays_;
  std::vector<SegmentHeader> voids_;        // segments whose checkpoint is removed
  std::vector<std::vector<char>> entries_;  // by damage: the entries that replace it
  std::vector<std::vector<char>> fillers_;  // the same as bytes of the file
  std::optional<LogPosition> closed_at_;    // of the last record
  bool is_all_lost_ = false;                // there is no segment, and there were some
  LogEnd end_;                              // of the log, and then of the repaired one
  std::uint64_t lost_end_bytes_ = 0;        // of the log after it; 0: nothing is missing
  std::vector<char> last_;                  // entries of a record at the end
  RepairReport report_;
};

}  // namespace

StoreResult<RepairReport> repair_journal(Disk& disk, const RepairOptions& options, WallTime now) {
  return Repair{disk, options, now}.run();
}

}  // namespace nexusfix::store
