#include "journal/log_walk.hpp"

#include <algorithm>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "store/api/entry.hpp"

namespace nexusfix::store {
namespace {

std::unexpected<StoreError> corrupt(std::string text) {
  return std::unexpected{StoreError{.code = StoreErrorCode::Corrupt, .text = std::move(text)}};
}

// The header before one of its bits flipped; nothing: more than one bit is damaged.
std::optional<SegmentHeader> with_one_bit_back(std::span<const char> bytes) {
  std::vector<char> copy{bytes.begin(), bytes.end()};
  for (char& byte : copy) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      const char damaged = byte;
      byte = static_cast<char>(byte ^ (1 << bit));
      if (const auto header = decode_segment_header(copy)) return *header;
      byte = damaged;
    }
  }
  return std::nullopt;
}

struct SegmentFile {
  std::uint64_t number = 1;
  std::uint64_t bytes = 0;
  std::optional<SegmentHeader> header;  // nothing: damaged
  std::optional<SegmentHeader> corrected;
  // Prepared, and not opened: zeros, or zeros that the disk has damaged. Nothing: it holds more.
  std::optional<StrayBytes> stray;
  bool may_be_torn = true;         // a part of its header may not have reached the disk
  std::int64_t stated_log_id = 0;  // what the bytes of a damaged header say; 0: nothing

  [[nodiscard]] bool is_empty() const noexcept { return stray && stray->bytes == 0; }
  [[nodiscard]] bool is_stray() const noexcept { return stray && stray->bytes > 0; }
};

class Walk {
 public:
  Walk(Disk& disk, const std::string& folder, WalkedStart on_start, WalkedRecord on_record,
       WalkedDamage on_damage)
      : disk_{disk},
        folder_{folder},
        on_start_{on_start},
        on_record_{on_record},
        on_damage_{on_damage},
        second_look_{disk, folder} {}

  StoreResult<WalkedLog> run() {
    const DiskResult<std::vector<std::string>> names = disk_.list(folder_);
    if (!names) return failure(names.error());
    for (const std::string& name : *names) {
      const std::optional<std::uint64_t> number = segment_number(name);
      if (!number) continue;
      if (auto opened = open_segment(*number); !opened) return std::unexpected{opened.error()};
    }
    while (files_.size() > 1 && files_.back().stray) {
      if (files_.back().is_stray())
        log_.strays.push_back({files_.back().number, *files_.back().stray});
      files_.pop_back();
    }
    if (files_.empty()) {
      return std::unexpected{StoreError{.code = StoreErrorCode::Missing,
                                        .text = "journal " + folder_ +
                                                ": there is no journal in this folder (no " +
                                                segment_file_name(1) + ')'}};
    }
    if (auto taken = read_log_id(); !taken) return std::unexpected{taken.error()};
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (auto walked = walk_segment(i); !walked) return std::unexpected{walked.error()};
    }
    return std::move(log_);
  }

 private:
  StoreResult<void> open_segment(std::uint64_t number) {
    const std::uint64_t expected = files_.empty() ? number : files_.back().number + 1;
    if (number != expected) {
      return corrupt("journal " + folder_ + ": " + segment_file_name(expected) +
                     " is missing, but there is " + segment_file_name(number) +
                     ". Put the file back, or restore the folder from a copy");
    }
    const std::string path = path_of_segment(folder_, number);
    const DiskResult<std::unique_ptr<File>> file = disk_.open(path, OpenMode::Read);
    if (!file) return failure(file.error());
    const DiskResult<std::uint64_t> size = (*file)->size();
    if (!size) return failure(size.error());
    files_.push_back(
        {.number = number, .bytes = *size, .header = {}, .corrected = {}, .stray = {}});
    return read_header(files_.back(), path, **file);
  }

  StoreResult<void> read_header(SegmentFile& segment, const std::string& path, File& file) {
    for (;;) {
      auto read = read_header_once(segment, path, file);
      const bool is_clear = read && (segment.header || segment.is_empty());
      if (is_clear || !second_look_.is_due(segment.number, 0)) return read;
      segment = {.number = segment.number,
                 .bytes = segment.bytes,
                 .header = {},
                 .corrected = {},
                 .stray = {}};
    }
  }

  StoreResult<void> read_header_once(SegmentFile& segment, const std::string& path, File& file) {
    window_.open(file, segment.bytes);
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(segment.bytes, kSegmentHeaderBytes));
    const DiskResult<std::span<const char>> bytes = window_.view(0, count);
    if (!bytes) return failure(bytes.error());
    const auto header = decode_segment_header(*bytes);
    if (!header) {
      segment.corrected = with_one_bit_back(*bytes);
      segment.may_be_torn = may_be_torn_header(*bytes);
      segment.stated_log_id = stated_log_id(*bytes);
      if (header.error() == SegmentHeaderFault::Version && !segment.corrected) {
        return corrupt(path +
                       ": at offset 8 is a format version that this program does not read. Use "
                       "the program that wrote it");
      }
      const auto stray = find_stray_bytes(window_);
      if (!stray) return failure(stray.error());
      segment.stray = *stray;
      return {};
    }
    if (header->number != segment.number || (log_id_ && header->log_id != *log_id_)) {
      return corrupt(path +
                     ": the segment belongs to another place in the log, or to another "
                     "journal (offset 16). Restore the folder from a copy");
    }
    log_id_ = header->log_id;
    segment.header = *header;
    return {};
  }

  // If no header is intact: the log id of a header that lacks a single bit; then one in a damaged
  // header that a record of its segment confirms; then any. There is one log id for all segments: a
  // repair that took another for each would end with segments of two journals.
  StoreResult<void> read_log_id() {
    for (const SegmentFile& segment : files_) {
      if (log_id_ || !segment.corrected || segment.corrected->number != segment.number) continue;
      log_id_ = segment.corrected->log_id;
    }
    for (const SegmentFile& segment : files_) {
      if (log_id_ || segment.stated_log_id == 0) continue;
      const StoreResult<bool> confirmed = has_record_of_stated_log(segment);
      if (!confirmed) return std::unexpected{confirmed.error()};
      if (*confirmed) log_id_ = segment.stated_log_id;
    }
    for (const SegmentFile& segment : files_) {
      if (!log_id_ && segment.stated_log_id != 0) log_id_ = segment.stated_log_id;
    }
    return {};
  }

  StoreResult<bool> has_record_of_stated_log(const SegmentFile& segment) {
    const auto file = disk_.open(path_of_segment(folder_, segment.number), OpenMode::Read);
    if (!file) return failure(file.error());
    window_.open(**file, segment.bytes);
    SegmentHeader stated;
    stated.log_id = segment.stated_log_id;
    stated.number = segment.number;
    const auto found = find_valid_record(window_, RecordSeed{stated}, kSegmentHeaderBytesOld);
    if (!found) return failure(found.error());
    return found->has_value();
  }

  // The header in the file, or the one that must have been there.
  SegmentHeader header_of(std::size_t index) const {
    const SegmentFile& segment = files_[index];
    if (segment.header) return *segment.header;
    if (segment.corrected && segment.corrected->number == segment.number &&
        (!log_id_ || segment.corrected->log_id == *log_id_)) {
      return *segment.corrected;
    }
    // The writer's fields come from a neighbour.
    SegmentHeader derived;
    if (index > 0) {
      derived = log_.segments.back().header;
    } else if (files_.size() > 1 && known_header(1)) {
      derived = *known_header(1);
    }
    derived.log_id = log_id_.value_or(0);
    derived.number = segment.number;
    derived.position =
        index == 0 ? 0 : log_.segments.back().header.position + log_.segments.back().end;
    derived.synced = 0;
    derived.time = {};
    derived.start_bytes = kSegmentHeaderBytes;
    return derived;
  }

  // The next segment's header says where the segment ends, whatever the file's size is.
  std::uint64_t end_of(std::size_t index, const SegmentHeader& header) const {
    const std::uint64_t bytes = files_[index].bytes;
    if (index + 1 == files_.size()) return bytes;
    const std::optional<SegmentHeader>& next = known_header(index + 1);
    if (!next || next->position < header.position + header.records_at()) return bytes;
    return next->position - header.position;
  }

  [[nodiscard]] const std::optional<SegmentHeader>& known_header(std::size_t index) const {
    return files_[index].header ? files_[index].header : files_[index].corrected;
  }

  StoreResult<void> walk_segment(std::size_t index) {
    const SegmentFile& segment = files_[index];
    const bool is_last = index + 1 == files_.size();
    WalkedSegment walked{.header = header_of(index),
                         .file_bytes = segment.bytes,
                         .end = 0,
                         .torn_bytes = 0,
                         .unused_bytes = 0,
                         .records = 0};
    StoreResult<bool> whole = read_start(segment, walked.header);
    while (whole && !*whole && second_look_.is_due(segment.number, walked.header.header_bytes())) {
      whole = read_start(segment, walked.header);
    }
    if (!whole) return std::unexpected{whole.error()};
    walked.end = walked.header.records_at();
    const StoreResult<bool> is_empty = is_empty_from(segment, walked.end);
    if (!is_empty) return std::unexpected{is_empty.error()};
    if (is_last && (segment.is_stray() || (*is_empty && !*whole && segment.may_be_torn))) {
      walked.end = 0;  // the machine stopped while the file was created
      walked.torn_bytes = segment.is_empty() ? 0 : segment.bytes;
      log_.segments.push_back(walked);
      return {};
    }
    if (!segment.header) {
      on_damage_({.segment = segment.number,
                  .offset = 0,
                  .position = walked.header.position,
                  .bytes = walked.header.header_bytes(),
                  .fault = RecordFault::Checksum,
                  .is_header = true});
    }
    if (index == 0 && segment.number > 1 && !segment.header && !segment.corrected) {
      return corrupt(
          path_of_segment(folder_, segment.number) +
          ": at offset 0 is no intact segment header, and the segments before it are not "
          "there. Restore the folder from a copy");
    }
    if (index == 0 || walked.header.has_checkpoint()) {
      if (auto taken = on_start_(walked.header, start_); !taken) return taken;
    }
    const std::uint64_t wanted_end = end_of(index, walked.header);
    if (segment.bytes > walked.end) {
      if (auto read = walk_records(segment, std::min(segment.bytes, wanted_end), walked); !read) {
        return read;
      }
    }
    const bool is_unused = *is_empty && (!is_last || segment.corrected || segment.may_be_torn);
    if (!segment.header && walked.records == 0 && !is_unused) {
      return corrupt(path_of_segment(folder_, segment.number) +
                     ": neither the header at offset 0 nor any record after it checks. Restore "
                     "the folder from a copy");
    }
    if (is_last && used_end_ > walked.end) walked.torn_bytes = used_end_ - walked.end;
    if (!is_last && walked.end < wanted_end) {
      const StoreResult<bool> no_more = is_empty_from(segment, walked.end);
      if (!no_more) return std::unexpected{no_more.error()};
      if (*no_more && !known_header(index + 1)) {
        log_.segments.push_back(walked);  // prepared and not used, as far as is known
        return {};
      }
      report(walked, wanted_end - walked.end,
             fault_ == RecordFault::None ? RecordFault::Cut : fault_);
      walked.end = wanted_end;
    }
    const StoreResult<bool> is_clear = is_last ? true : is_empty_from(segment, walked.end);
    if (!is_clear) return std::unexpected{is_clear.error()};
    if (!*is_clear) walked.unused_bytes = segment.bytes - walked.end;
    log_.segments.push_back(walked);
    return {};
  }

  // Reads the checkpoint to start_. If the header is damaged, the checkpoint's own length counts.
  // False: it is not whole, or there is none and the header is damaged.
  StoreResult<bool> read_start(const SegmentFile& segment, SegmentHeader& header) {
    start_.clear();
    const std::size_t at = header.header_bytes();
    if (segment.header && !header.has_checkpoint()) return true;
    if (segment.bytes < at + kRecordHeaderBytes) return false;
    const auto file = disk_.open(path_of_segment(folder_, segment.number), OpenMode::Read);
    if (!file) return failure(file.error());
    window_.open(**file, segment.bytes);
    auto bytes = window_.view(at, kRecordHeaderBytes);
    if (!bytes) return failure(bytes.error());
    const RecordHeader record = decode_record_header(bytes->first<kRecordHeaderBytes>());
    const std::uint64_t count =
        header.has_checkpoint() ? header.records_at() - at : record.record_bytes();
    if (count > segment.bytes - at || record.entries_bytes > kRecordBytesLimit) return false;
    bytes = window_.view(at, static_cast<std::size_t>(count));
    if (!bytes) return failure(bytes.error());
    if (!checkpoint_checks(header, *bytes)) return false;
    // The first record of a segment without a checkpoint has the same form and place.
    EntryReader entries{bytes->subspan(kRecordHeaderBytes)};
    Entry entry;
    if (entries.next(entry)) return false;
    start_.assign(bytes->begin(), bytes->end());
    header.version = kFormatVersion;
    header.start_bytes = static_cast<std::uint32_t>(at + count);
    return true;
  }

  StoreResult<bool> is_empty_from(const SegmentFile& segment, std::uint64_t offset) {
    if (segment.bytes <= offset) return true;
    const auto file = disk_.open(path_of_segment(folder_, segment.number), OpenMode::Read);
    if (!file) return failure(file.error());
    window_.open(**file, segment.bytes);
    const DiskResult<std::uint64_t> used = skip_zeros(window_, offset);
    if (!used) return failure(used.error());
    return *used == segment.bytes;
  }

  void report(const WalkedSegment& walked, std::uint64_t bytes, RecordFault fault) const {
    on_damage_({.segment = walked.header.number,
                .offset = walked.end,
                .position = walked.header.position + walked.end,
                .bytes = bytes,
                .fault = fault,
                .is_header = false});
  }

  StoreResult<void> walk_records(const SegmentFile& segment, std::uint64_t end,
                                 WalkedSegment& walked) {
    fault_ = RecordFault::None;
    used_end_ = 0;
    const RecordSeed seed{walked.header};
    const DiskResult<std::unique_ptr<File>> file =
        disk_.open(path_of_segment(folder_, segment.number), OpenMode::Read);
    if (!file) return failure(file.error());
    window_.open(**file, end);
    std::uint64_t damage_end = 0;
    for (;;) {
      SegmentReader reader{window_, seed, walked.end};
      for (;;) {
        const DiskResult<std::optional<Record>> record = reader.next();
        if (!record) return failure(record.error());
        if (!*record) break;
        if (auto taken = on_record_(walked.header, **record); !taken) return taken;
        walked.end = reader.offset();
        ++walked.records;
      }
      if (reader.fault() == RecordFault::None) return {};
      const DiskResult<std::uint64_t> used = skip_zeros(window_, walked.end);
      if (!used) return failure(used.error());
      if (*used == window_.size()) return {};  // prepared and not used
      const auto next_valid = find_valid_record(window_, seed, walked.end + 1);
      if (!next_valid) return failure(next_valid.error());
      if (second_look_.is_due(segment.number, walked.end)) {
        window_.forget();
        continue;
      }
      fault_ = reader.fault();
      if (!*next_valid) {
        used_end_ = window_.size();
        return {};
      }
      if ((walked.end == damage_end && damage_end > 0) || ++damages_ > kDamagesMax) {
        return corrupt(path_of_segment(folder_, segment.number) + ": damaged at offset " +
                       std::to_string(walked.end) + ": " + describe(fault_) +
                       ", and so is more than can be searched. Restore the folder from a copy");
      }
      damage_end = **next_valid;
      report(walked, **next_valid - walked.end, fault_);
      walked.end = **next_valid;
    }
  }

  std::unexpected<StoreError> failure(const DiskError& error) const {
    return std::unexpected{disk_failure(folder_, error)};
  }

  Disk& disk_;
  const std::string& folder_;
  WalkedStart on_start_;
  WalkedRecord on_record_;
  WalkedDamage on_damage_;
  SecondLook second_look_;
  FileWindow window_;
  std::vector<char> start_;  // the segment's checkpoint
  std::optional<std::int64_t> log_id_;
  std::size_t damages_ = 0;
  std::uint64_t used_end_ = 0;  // of the segment, if bytes after its records are no record
  RecordFault fault_ = RecordFault::None;  // the last one of the segment
  std::vector<SegmentFile> files_;
  WalkedLog log_;
};

}  // namespace

StoreError disk_failure(const std::string& folder, const DiskError& error) {
  return {.code = StoreErrorCode::Disk, .text = "journal " + folder + ": " + error.what()};
}

LogEnd end_of(const WalkedLog& log) {
  const WalkedSegment& last = log.segments.back();
  return {.segment = last.header.number,
          .offset = last.end,
          .position = last.header.position + last.end};
}

StoreResult<WalkedLog> walk_log(Disk& disk, const std::string& folder, WalkedStart on_start,
                                WalkedRecord on_record, WalkedDamage on_damage) {
  return Walk{disk, folder, on_start, on_record, on_damage}.run();
}

}  // namespace nexusfix::store
