#include "store/recover/recovery.hpp"

#include <algorithm>
#include <expected>
#include <optional>
#include <utility>

#include "store/api/journal_damage.hpp"
#include "store/api/journal_format.hpp"
#include "store/api/segment_reader.hpp"
#include "store/journal/ownership.hpp"
#include "store/recover/loss_evidence.hpp"
#include "store/recover/recovery_end.hpp"
#include "store/scan/damaged_log.hpp"
#include "store/scan/log_files.hpp"
#include "store/scan/log_start.hpp"
#include "store/state/checkpoint.hpp"
#include "store/write/tail_marker.hpp"

namespace nexusfix::store {
namespace {

std::unexpected<StoreError> corrupt(std::string text) {
  return std::unexpected{StoreError{.code = StoreErrorCode::Corrupt, .text = std::move(text)}};
}

class Recovery {
 public:
  // owner: null for a caller that only reads.
  Recovery(Disk& disk, const JournalOptions& options, const Ownership* owner)
      : disk_{disk},
        options_{options},
        owner_{owner},
        may_write_{owner != nullptr},
        second_look_{disk, options.folder},
        files_{disk, options.folder} {}

  StoreResult<Recovered> run() {
    const FoundTailMarker found = read_tail_marker(disk_, options_.folder);
    const bool is_kept = options_.durability != Durability::None;
    evidence_ = find_evidence(disk_, options_.folder, found, is_kept);
    const StoreResult<SegmentNumbers> numbers = find_segments(disk_, options_.folder);
    if (!numbers) return std::unexpected{numbers.error()};
    first_ = numbers->first;
    last_ = numbers->last;
    files_.end_at(last_);
    // A reader takes the segments that exist now: the owner may open the next one meanwhile.
    while (!may_write_ && last_ > first_) {
      const StoreResult<bool> begun = files_.was_opened(last_);
      if (!begun) return std::unexpected{begun.error()};
      if (*begun) break;
      files_.end_at(--last_);
    }
    if (auto read = read_log(); !read) return std::unexpected{std::move(read.error())};
    if (found_.segments.empty() && !may_write_ && last_ < first_) {
      return std::unexpected{no_journal(options_.folder, found)};
    }
    log_.end();
    report_damages(options_.folder, log_, found_);
    found_.state = std::move(log_.state());
    fill_report(checkpoint_faults_, std::move(retired_), found_);
    found_.boot_id = evidence_.boot_id;
    // The next segment was not opened, whatever its header says: it ends the log.
    if (!is_cut_) found_.report.torn_bytes += unused_of_last_;
    const LogPosition end = expected_position();
    report_loss(found, end);
    if (!found.fault.empty()) found_.warnings.push_back(found.fault);
    if (auto checked = check_end(found, end); !checked) return std::unexpected{checked.error()};
    if (may_write_) {
      const Leftovers leftovers{.prepared = to_empty_, .last = last_, .is_cut = is_cut_};
      auto done = make_durable(disk_, options_, leftovers, found_);
      if (!done) record_failure(found);
      if (done) done = read_recorded_retirement(disk_, options_.folder, found_);
      if (!done) return std::unexpected{std::move(done.error())};
    }
    found_.synced =
        may_write_ && options_.durability != Durability::None ? end : std::min(end, found_.synced);
    return std::move(found_);
  }

 private:
  void report_loss(const FoundTailMarker& found, LogPosition end) {
    if (found_.segments.empty()) return;
    // Read after the log, which may grow meanwhile if it is only read. This opening's owner is in
    // the file already.
    std::optional<std::uint64_t> owners = read_owner_epoch(disk_, options_.folder);
    if (owners && *owners > 0 && may_write_) --*owners;
    LossCause cause = evidence_.cause({.last = found_.segments.back(),
                                       .is_closed = found_.is_closed,
                                       .is_short = is_short(found, end),
                                       .owner_epoch = found_.owner_epoch,
                                       .recorded_epoch = owners});
    if (!is_cut_ && found_.records == 0) return;
    // The log was cut after an end in order, or inside of what an earlier run has written.
    if (is_cut_ && cause == LossCause::None) cause = evidence_.cause(found_.segments.back());
    if (is_cut_ && cause == LossCause::None) cause = LossCause::MachineRestarted;
    found_.report.loss = cause;
    found_.report.power_lost = cause != LossCause::None;
  }

  // Bytes that were read but could not be synced may be gone when they are read again.
  void record_failure(const FoundTailMarker& found) {
    if (options_.durability == Durability::None || found_.is_closed) return;
    TailMarker marker = found.marker.value_or(TailMarker{});
    marker.state = TailMarker::State::Failed;
    static_cast<void>(owner_->write_tail_marker(marker));
  }

  // Checked before anything is cut: what the marker names was on the disk.
  StoreResult<void> check_end(const FoundTailMarker& found, LogPosition position) {
    LogEnd end{.segment = 0, .offset = 0, .position = position};
    if (!found_.segments.empty()) {
      end.segment = found_.segments.back().number;
      end.offset = found_.file_bytes;
    }
    if (!is_missed(found, end)) return {};
    if (explains_lost_end(found_.report.loss, *found.marker)) {
      found_.report.missing_bytes = found.marker->position - position;
      found_.lost_bytes_max = lost_end_bytes(*found.marker, position);
      return {};
    }
    const std::string text = lost_end_text(options_.folder, *found.marker, end);
    if (may_write_) return corrupt(text + lost_end_advice(options_.folder));
    found_.report.lost_end = text;
    return {};
  }

  // Starts at the newest checkpoint that can be trusted, or reads everything.
  StoreResult<void> read_log() {
    LogStarts starts{disk_, options_.folder};
    if (auto read = starts.read_heads(first_, last_); !read) return disk_failure(read.error());
    if (auto begun = check_first(starts); !begun) return begun;
    const DiskResult<bool> is_recorded = starts.records_retirement(checkpoint_faults_);
    if (!is_recorded) return disk_failure(is_recorded.error());
    if (!*is_recorded) {
      return std::unexpected{missing_before(options_.folder, first_, checkpoint_faults_)};
    }
    auto retired = starts.retired(checkpoint_faults_);
    if (!retired) return disk_failure(retired.error());
    retired_ = std::move(*retired);
    for (std::size_t at = starts.heads().size(); at > 1 && may_write_ && !options_.checks_all;) {
      const StoreResult<bool> done = read_from(starts, --at, Try::OneOfMore);
      if (!done) return std::unexpected{done.error()};
      if (*done && is_trusted_) return {};
    }
    if (first_ == 1 || starts.heads().empty()) {
      begin_with({});
      return read_segments(first_);
    }
    // Only a checkpoint says what was retired: there is nothing else to trust.
    for (std::size_t at = 0; at < starts.heads().size(); ++at) {
      const StoreResult<bool> done = read_from(starts, at, Try::Last);
      if (!done || *done) return done ? StoreResult<void>{} : std::unexpected{done.error()};
    }
    return corrupt(
        "journal " + options_.folder + ": " + segment_file_name(first_ - 1) +
        " and those before it are not there, and no checkpoint after them can be used" +
        (checkpoint_faults_.empty() ? "" : " (" + checkpoint_faults_.begin()->second + ')') +
        restore_advice(options_.folder));
  }

  // If segments before it were retired, nothing can be read without its header.
  StoreResult<void> check_first(const LogStarts& starts) {
    if (first_ == 1 || starts.heads().empty() || starts.heads().front().header) return {};
    const std::string path = path_of_segment(options_.folder, first_);
    const auto file = disk_.open(path, OpenMode::Read);
    if (!file) return disk_failure(file.error());
    window_.open(**file, starts.heads().front().file_bytes);
    const auto header = read_header(path, first_);
    return header ? StoreResult<void>{} : std::unexpected{header.error()};
  }

  // False: reading cannot start there. Whatever the reason, reading more of the log finds it again.
  enum class Try : std::uint8_t { OneOfMore, Last };
  StoreResult<bool> read_from(LogStarts& starts, std::size_t at, Try which) {
    DiskResult<std::optional<LogStart>> start = starts.start_at(at, checkpoint_faults_);
    if (!start) return disk_failure(start.error());
    if (!*start || (which == Try::OneOfMore && !(*start)->lists_all)) return false;
    const SegmentHeader segment = (*start)->segment;
    begin_with(std::move(**start));
    if (auto read = read_segments(segment.number); !read) {
      if (which == Try::OneOfMore) return false;
      return std::unexpected{read.error()};
    }
    // Everything before it was on the disk, or no power was lost since.
    is_trusted_ = !may_have_lost_power(segment) || found_.synced >= segment.position;
    return true;
  }

  void begin_with(LogStart&& start) {
    found_ = {};
    log_ = {};
    is_cut_ = false;
    unused_of_last_ = 0;
    to_empty_.clear();
    if (start.segment.has_checkpoint()) {
      found_.index_from = start.segment.position;
      found_.records = start.records;
      found_.is_closed = start.is_closed;
      found_.report.bytes = start.segment.position;
      log_.begin(std::move(start.state));
      // The end of the segment before is known without reading its records.
      position_ = start.segment.position;
    } else {
      position_ = 0;
    }
    for (const SegmentHeader& segment : start.passed) {
      found_.synced = std::max(found_.synced, segment.synced);
    }
    found_.segments = std::move(start.passed);
  }

  StoreResult<void> read_segments(std::uint64_t from) {
    for (std::uint64_t number = from; number <= last_ && !is_cut_; ++number) {
      if (auto read = read_segment(number); !read) return read;
    }
    return {};
  }

  StoreResult<void> read_segment(std::uint64_t number) {
    const std::string path = path_of_segment(options_.folder, number);
    DiskResult<std::unique_ptr<File>> file =
        disk_.open(path, may_write_ ? OpenMode::ReadWrite : OpenMode::Read);
    if (!file) return disk_failure(file.error());
    const DiskResult<std::uint64_t> size = (*file)->size();
    if (!size) return disk_failure(size.error());
    window_.open(**file, *size);
    StoreResult<std::optional<SegmentHeader>> header = read_header(path, number);
    if (!header) return std::unexpected{std::move(header.error())};
    if (!*header) return pass_over(number, std::move(*file), *size);
    const StoreResult<bool> begun = is_begun(path, **header);
    if (!begun) return std::unexpected{begun.error()};
    if (!*begun) return pass_over(number, std::move(*file), *size);
    if ((*header)->position > expected_position()) {
      // Records of the segment before are missing.
      StoreResult<bool> cut = cut_at_end_of_last((*header)->synced, number);
      if (!cut) return std::unexpected{std::move(cut.error())};
      if (*cut) return {};
      return does_not_fit(path);
    }
    found_.synced = std::max(found_.synced, (*header)->synced);
    const StoreResult<std::uint64_t> bound = files_.bound_by_next_header(**header, *size);
    if (!bound) return std::unexpected{bound.error()};
    window_.open(**file, *bound);
    StoreResult<std::uint64_t> end = read_records(path, **header);
    if (!end) return std::unexpected{std::move(end.error())};
    if (is_cut_ && (*end == 0 || is_nothing_but_torn_start(**header, *end))) return {};
    // The bytes of the file that are not zeros.
    window_.open(**file, *size);
    const DiskResult<std::uint64_t> unused = skip_zeros(window_, *bound);
    if (!unused) return disk_failure(unused.error());
    unused_of_last_ = *unused == *size ? 0 : *size - *bound;
    found_.report.bytes += *end;
    found_.report.scanned_bytes += *end;
    keep_segment(**header, std::move(*file), *end);
    found_.file_bytes_found = *size;
    return {};
  }

  // A loss of power left no record of the segment, and not all of its start: what was written to it
  // never reached the disk. The log ends before it.
  [[nodiscard]] bool is_nothing_but_torn_start(const SegmentHeader& header,
                                               std::uint64_t end) const {
    return end == header.records_at() && !found_.segments.empty() &&
           checkpoint_faults_.contains(header.number);
  }

  // A segment without a header: prepared and not opened, or its opening was interrupted.
  StoreResult<void> pass_over(std::uint64_t number, std::unique_ptr<File> file,
                              std::uint64_t size) {
    const DiskResult<std::optional<StrayBytes>> stray = find_stray_bytes(window_);
    if (!stray) return disk_failure(stray.error());
    if (!*stray) {
      found_.report.torn_bytes += std::min<std::uint64_t>(size, kSegmentHeaderBytes);
    } else if ((*stray)->bytes > 0) {
      found_.warnings.push_back(stray_text(options_.folder, number, **stray));
    }
    if (may_write_) {
      to_empty_.push_back(number);
    } else if (number == 1) {
      // It counts as missing; but a journal has at least one segment, even an empty one.
      keep_segment({}, std::move(file), kSegmentHeaderBytes);
    }
    return {};
  }

  // False: only the header reached the file, as far as is known; the file is used again.
  StoreResult<bool> is_begun(const std::string& path, const SegmentHeader& header) {
    if (!header.has_checkpoint()) return true;
    const std::uint64_t records_at = header.records_at();
    if (records_at <= window_.size()) {
      const DiskResult<std::span<const char>> bytes =
          window_.view(header.header_bytes(), records_at - header.header_bytes());
      if (!bytes) {
        // It has a header: the records after it count.
        checkpoint_faults_[header.number] =
            checkpoint_fault_text(options_.folder, header, bytes.error().what());
        return true;
      }
      if (checkpoint_checks(header, *bytes)) return true;
    }
    const DiskResult<std::uint64_t> used =
        skip_zeros(window_, std::min<std::uint64_t>(records_at, window_.size()));
    if (!used) return disk_failure(used.error(), path);
    bool is_end = *used == window_.size();
    for (std::uint64_t number = header.number + 1; is_end && number <= last_; ++number) {
      const StoreResult<bool> begun = files_.was_opened(number);
      if (!begun) return std::unexpected{begun.error()};
      is_end = !*begun;
    }
    if (is_end) return false;
    checkpoint_faults_[header.number] =
        checkpoint_fault_text(options_.folder, header, describe(CheckpointFault::Checksum));
    return true;
  }

  // Nothing: the process or the machine stopped before a record was written to this segment, or the
  // segment was only prepared; or power was lost, and the log is cut before it.
  StoreResult<std::optional<SegmentHeader>> read_header(const std::string& path,
                                                        std::uint64_t number) {
    const auto bytes_read =
        static_cast<std::size_t>(std::min<std::uint64_t>(window_.size(), kSegmentHeaderBytes));
    DiskResult<std::span<const char>> bytes = window_.view(0, bytes_read);
    if (!bytes) bytes = window_.view_alone(0, bytes_read);  // it may be the checkpoint after it
    if (!bytes) return disk_failure(bytes.error(), path);
    const auto header = decode_segment_header(*bytes);
    if (header) {
      const bool fits = header->number == number && header->position >= expected_position() &&
                        (found_.segments.empty() || header->log_id == log_id());
      if (!fits) return does_not_fit(path);
      return *header;
    }
    if (header.error() == SegmentHeaderFault::Version) {
      return corrupt(path +
                     ": at offset 8 is a format version that this program does not read "
                     "(it reads versions " +
                     std::to_string(kFormatVersionOldest) + " to " +
                     std::to_string(kFormatVersion) +
                     "). Nothing was changed. Open it with the program that wrote it");
    }
    const std::size_t size_bytes = header_bytes_of_last();
    const bool may_be_torn = may_be_torn_header(*bytes);
    const DiskResult<std::uint64_t> next_valid =
        skip_zeros(window_, std::min<std::uint64_t>(size_bytes, window_.size()));
    if (!next_valid) return disk_failure(next_valid.error(), path);
    const DiskResult<std::optional<StrayBytes>> stray = find_stray_bytes(window_);
    if (!stray) return disk_failure(stray.error(), path);
    if (*stray || (*next_valid == window_.size() && may_be_torn)) {
      const StoreResult<bool> is_end = files_.is_end_of_log(number);
      if (!is_end) return std::unexpected{is_end.error()};
      if (*is_end) return std::nullopt;
    }
    // The file is empty, or its beginning did not reach the disk, although what follows did.
    StoreResult<bool> cut = cut_at_end_of_last(0, number);
    if (!cut) return std::unexpected{std::move(cut.error())};
    if (*cut) return std::nullopt;
    if (header.error() == SegmentHeaderFault::Cut) {
      return corrupt(path + ": the segment's header is cut off at offset " +
                     std::to_string(window_.size()) + restore_advice(options_.folder));
    }
    return corrupt(path + ": at offset 0 is no intact segment header" +
                   restore_advice(options_.folder));
  }

  // Returns where the records end. It passes over damage after which the log goes on: which
  // sessions that may concern is known when everything has been read.
  StoreResult<std::uint64_t> read_records(const std::string& path, const SegmentHeader& header) {
    const RecordSeed seed{header};
    std::uint64_t end = header.records_at();
    if (end > window_.size()) return start_is_cut_off(path, header);
    damage_end_ = 0;
    for (;;) {
      SegmentReader reader{window_, seed, end};
      for (;;) {
        const DiskResult<std::optional<Record>> record = reader.next();
        if (!record) return disk_failure(record.error(), path);
        if (!*record) break;
        if (const auto applied = log_.record(header, **record); !applied) {
          return std::unexpected{contradiction(options_.folder, header, **record, applied.error())};
        }
        apply_log_entries(**record, found_);
        ++found_.records;
      }
      end = reader.offset();
      if (reader.fault() == RecordFault::None) return end;
      const DiskResult<std::uint64_t> used = skip_zeros(window_, end);
      if (!used) return disk_failure(used.error(), path);
      // Prepared and not used. If a later segment misses records, its position says so.
      if (*used == window_.size()) return end;
      const auto again = must_look_again(header, end);
      if (!again) return disk_failure(again.error(), path);
      if (*again) continue;
      const StoreResult<std::optional<std::uint64_t>> next = judge_damage(path, header, reader);
      if (!next) return std::unexpected{next.error()};
      if (!*next) return end;
      end = damage_end_ = **next;
      if (end == window_.size() || is_end_of_segment_) return end;
    }
  }

  // Read again before it is judged: what the search finds after it was written later, so that it is
  // whole by now.
  DiskResult<bool> must_look_again(const SegmentHeader& header, std::uint64_t end) {
    if (may_write_ || !second_look_.is_due(header.number, end)) return false;
    const auto next_valid = find_valid_record(window_, RecordSeed{header}, end + 1);
    if (!next_valid) return std::unexpected{next_valid.error()};
    window_.forget();
    return true;
  }

  // For a segment that others follow. 0: the log is cut before it.
  StoreResult<std::uint64_t> start_is_cut_off(const std::string& path,
                                              const SegmentHeader& header) {
    // The log begins with the first segment: there is nothing before it to keep.
    if (!found_.segments.empty() && may_have_lost_power(header)) {
      const StoreResult<LogPosition> later =
          files_.synced_by_later_segments(header.number, log_id());
      if (!later) return std::unexpected{later.error()};
      if (std::max(found_.synced, *later) <= header.position) {
        is_cut_ = true;
        found_.report.cut_bytes += window_.size();
        return std::uint64_t{0};
      }
    }
    return corrupt(path + ": the segment's start is cut off at offset " +
                   std::to_string(window_.size()) + restore_advice(options_.folder));
  }

  // The bytes after the good records are no record. Returns where the log goes on after them;
  // nothing: it ends here.
  StoreResult<std::optional<std::uint64_t>> judge_damage(const std::string& path,
                                                         const SegmentHeader& header,
                                                         const SegmentReader& reader) {
    const std::uint64_t end = reader.offset();
    const DiskResult<LogPosition> synced = synced_in_records(window_, RecordSeed{header}, end + 1);
    if (!synced) return disk_failure(synced.error(), path);
    if (may_have_lost_power(header)) {
      const StoreResult<LogPosition> later =
          files_.synced_by_later_segments(header.number, log_id());
      if (!later) return std::unexpected{later.error()};
      if (std::max({found_.synced, *synced, *later}) <= header.position + end) {
        is_cut_ = true;
        found_.report.cut_bytes += window_.size() - end;
        return std::nullopt;
      }
    }
    const auto next_valid = find_valid_record(window_, RecordSeed{header}, end + 1);
    if (!next_valid) return disk_failure(next_valid.error(), path);
    is_end_of_segment_ = !*next_valid;
    std::uint64_t damage_end = next_valid->value_or(0);
    if (!*next_valid) {
      const StoreResult<std::uint64_t> segment_end =
          files_.end_by_next_header(header, window_.size());
      if (!segment_end) return std::unexpected{segment_end.error()};
      if (*segment_end == 0) {
        found_.report.torn_bytes += window_.size() - end;
        return std::nullopt;
      }
      damage_end = *segment_end;
    }
    // The search stopped, or the damage has no end, or the file has lost its end.
    if ((end == damage_end_ && damage_end_ > 0) || damage_end > window_.size() ||
        damage_end <= end || log_.damages().size() >= kDamagesMax) {
      return corrupt(path + ": damaged at offset " + std::to_string(end) + ": " +
                     describe(reader.fault()) + ", and so is more than can be passed over" +
                     restore_advice(options_.folder));
    }
    log_.damage({.segment = header.number,
                 .offset = end,
                 .position = header.position + end,
                 .bytes = damage_end - end,
                 .fault = reader.fault(),
                 .is_header = false});
    return damage_end;
  }

  // The last segment ends earlier than the next one says: after a loss of power, the log is cut
  // there.
  StoreResult<bool> cut_at_end_of_last(LogPosition synced, std::uint64_t number) {
    if (found_.segments.empty() || !may_have_lost_power(found_.segments.back())) return false;
    const StoreResult<LogPosition> later = files_.synced_by_later_segments(number - 1, log_id());
    if (!later) return std::unexpected{later.error()};
    if (std::max({found_.synced, synced, *later}) > expected_position()) return false;
    is_cut_ = true;
    return true;
  }

  [[nodiscard]] bool may_have_lost_power(const SegmentHeader& header) const {
    return evidence_.may_have_lost(header);
  }

  void keep_segment(const SegmentHeader& header, std::unique_ptr<File> file, std::uint64_t bytes) {
    found_.segments.push_back(header);
    found_.file = std::move(file);
    found_.file_bytes = bytes;
  }

  [[nodiscard]] LogPosition expected_position() const {
    return found_.file ? found_.segments.back().position + found_.file_bytes : position_;
  }
  [[nodiscard]] std::int64_t log_id() const {
    return found_.segments.empty() ? 0 : found_.segments.front().log_id;
  }
  [[nodiscard]] std::size_t header_bytes_of_last() const {
    return found_.segments.empty() ? kSegmentHeaderBytes : found_.segments.back().header_bytes();
  }

  [[nodiscard]] std::unexpected<StoreError> does_not_fit(const std::string& path) const {
    return corrupt(path +
                   ": the segment belongs to another place in the log, or to another "
                   "journal (offset 16)" +
                   restore_advice(options_.folder));
  }

  std::unexpected<StoreError> disk_failure(const DiskError& error,
                                           const std::string& path = {}) const {
    DiskError named = error;
    if (named.path.empty()) named.path = path;
    return std::unexpected{disk_error(options_.folder, named)};
  }

  Disk& disk_;
  const JournalOptions& options_;
  const Ownership* owner_;
  bool may_write_;
  SecondLook second_look_;
  LogFiles files_;
  LossEvidence evidence_;
  std::uint64_t first_ = 1;  // segment files
  std::uint64_t last_ = 0;
  LogPosition position_ = 0;             // where reading began
  bool is_trusted_ = false;              // the checkpoint with which reading began
  std::vector<std::uint64_t> to_empty_;  // files that were prepared and not opened
  CheckpointFaults checkpoint_faults_;
  LogStarts::Retired retired_;
  bool is_cut_ = false;  // by a loss of power: nothing after that is read
  FileWindow window_;
  std::uint64_t damage_end_ = 0;      // of the last damage in the segment
  std::uint64_t unused_of_last_ = 0;  // after the records of the last segment that was read
  bool is_end_of_segment_ = false;    // the damage reaches to the segment's end
  DamagedLog log_;
  Recovered found_;
};

}  // namespace

StoreError disk_error(const std::string& folder, const DiskError& error) {
  return {.code = StoreErrorCode::Disk, .text = "journal " + folder + ": " + error.what()};
}

StoreResult<Recovered> recover(Disk& disk, const JournalOptions& options, const Ownership& owner) {
  return Recovery{disk, options, &owner}.run();
}

StoreResult<Recovered> recover_read_only(Disk& disk, const std::string& folder) {
  return Recovery{disk, {.folder = folder}, nullptr}.run();
}

}  // namespace nexusfix::store
