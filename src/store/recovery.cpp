#include "store/recovery.hpp"

#include <algorithm>
#include <array>
#include <expected>
#include <optional>
#include <string_view>
#include <utility>

#include "store/segment_reader.hpp"

namespace nexusfix::store {
namespace {

std::string path_of(const std::string& folder, std::uint64_t number) {
  return folder + '/' + segment_file_name(number);
}

std::unexpected<StoreError> corrupt(std::string text) {
  return std::unexpected{StoreError{.code = StoreErrorCode::Corrupt, .text = std::move(text)}};
}

std::string_view describe(RecordFault fault) {
  switch (fault) {
    case RecordFault::Cut:
      return "the record is longer than the file";
    case RecordFault::Length:
      return "the record's length is impossible";
    case RecordFault::Checksum:
      return "the record's checksum does not match";
    case RecordFault::None:
      break;
  }
  return "the record is not readable";
}

// The numbers of the segment files, which must be 1, 2, 3, ...: a missing one is lost messages.
StoreResult<std::uint64_t> count_segments(Disk& disk, const std::string& folder) {
  const DiskResult<std::vector<std::string>> names = disk.list(folder);
  if (!names) return std::unexpected{disk_error(folder, names.error())};
  std::uint64_t count = 0;
  for (const std::string& name : *names) {
    const std::optional<std::uint64_t> number = segment_number(name);
    if (!number) continue;  // the lock, or a file that is not ours
    if (*number != count + 1) {
      return corrupt("journal " + folder + ": " + segment_file_name(count + 1) +
                     " is missing, but there is " + name +
                     ". Nothing was changed. Put the file back, or restore the folder from a copy");
    }
    ++count;
  }
  return count;
}

class Recovery {
 public:
  Recovery(Disk& disk, const JournalOptions& options, WallTime now, bool may_write)
      : disk_{disk}, options_{options}, now_{now}, may_write_{may_write} {}

  StoreResult<Recovered> run() {
    const StoreResult<std::uint64_t> count = count_segments(disk_, options_.folder);
    if (!count) return std::unexpected{count.error()};
    for (std::uint64_t number = 1; number <= *count; ++number) {
      if (auto read = read_segment(number, number == *count); !read) {
        return std::unexpected{std::move(read.error())};
      }
    }
    if (*count == 0) {
      if (!may_write_) return missing();
      if (auto made = start_segment(1); !made) return std::unexpected{std::move(made.error())};
    }
    found_.report.messages = found_.state.messages;
    return std::move(found_);
  }

 private:
  StoreResult<void> read_segment(std::uint64_t number, bool is_last) {
    const std::string path = path_of(options_.folder, number);
    DiskResult<std::unique_ptr<File>> file =
        disk_.open(path, may_write_ ? OpenMode::ReadWrite : OpenMode::Read);
    if (!file) return disk_failure(file.error());
    const DiskResult<std::uint64_t> size = (*file)->size();
    if (!size) return disk_failure(size.error());
    window_.open(**file, *size);
    StoreResult<std::optional<SegmentHeader>> header = read_header(path, number, is_last);
    if (!header) return std::unexpected{std::move(header.error())};
    if (!*header) {
      found_.report.torn_bytes += *size;
      if (may_write_) return start_segment(number);
      // As if it were not there; but a journal has at least one segment, be it empty.
      if (number == 1) keep_segment({}, std::move(*file), kSegmentHeaderBytes);
      return {};
    }
    StoreResult<std::uint64_t> end = read_records(path, **header, is_last);
    if (!end) return std::unexpected{std::move(end.error())};
    found_.report.torn_bytes += *size - *end;
    if (may_write_) {
      if (auto made = make_durable(**file, *end, *size, is_last); !made) return made;
    }
    found_.report.bytes += *end;
    keep_segment(**header, std::move(*file), *end);
    return {};
  }

  // Cuts what is behind the good records.
  StoreResult<void> make_durable(File& file, std::uint64_t end, std::uint64_t size, bool is_last) {
    if (end < size) {
      if (auto cut = file.truncate(end); !cut) return disk_failure(cut.error());
      if (auto synced = file.sync(); !synced) return disk_failure(synced.error());
    } else if (options_.durability == Durability::Sync) {
      // What an earlier process wrote and did not live to sync is about to be called durable.
      if (auto synced = file.sync(); !synced) return disk_failure(synced.error());
    }
    if (is_last && options_.durability == Durability::Sync) {
      if (auto synced = disk_.sync_directory(options_.folder); !synced) {
        return disk_failure(synced.error());
      }
    }
    return {};
  }

  // Nothing: the process or the machine stopped while this last segment was being created, before
  // a record could be written to it.
  StoreResult<std::optional<SegmentHeader>> read_header(const std::string& path,
                                                        std::uint64_t number, bool is_last) {
    if (window_.size() < kSegmentHeaderBytes) {
      if (is_last) return std::nullopt;
      return corrupt(path + ": the segment's header is cut off at offset " +
                     std::to_string(window_.size()) + restore_advice());
    }
    const DiskResult<std::span<const char>> bytes = window_.view(0, kSegmentHeaderBytes);
    if (!bytes) return disk_failure(bytes.error(), path);
    const auto header = decode_segment_header(bytes->first<kSegmentHeaderBytes>());
    if (!header) {
      if (header.error() == SegmentHeaderFault::Version) {
        return corrupt(path +
                       ": at offset 8 is a format version that this program does not read "
                       "(it reads version " +
                       std::to_string(kFormatVersion) +
                       "). Nothing was changed. Open it with the program that wrote it");
      }
      if (is_last && window_.size() == kSegmentHeaderBytes) return std::nullopt;
      return corrupt(path + ": at offset 0 is no intact segment header" + restore_advice());
    }
    const bool fits = header->number == number && header->position == expected_position() &&
                      (number == 1 || header->log_id == found_.segments.front().log_id);
    if (!fits) {
      return corrupt(path +
                     ": the segment belongs to another place in the log, or to another "
                     "journal (offset 16)" +
                     restore_advice());
    }
    return *header;
  }

  // Returns where the good records end.
  StoreResult<std::uint64_t> read_records(const std::string& path, const SegmentHeader& header,
                                          bool is_last) {
    const RecordSeed seed{header};
    SegmentReader reader{window_, seed, kSegmentHeaderBytes};
    for (;;) {
      const DiskResult<std::optional<Record>> record = reader.next();
      if (!record) return disk_failure(record.error(), path);
      if (!*record) break;
      const LogPosition begin = header.position + (*record)->offset;
      const auto applied = found_.state.apply((*record)->entries, (*record)->time, begin,
                                              begin + (*record)->record_bytes);
      if (!applied) {
        return corrupt(path + ": the record at offset " + std::to_string((*record)->offset) +
                       " checks, but " + std::string{applied.error()} + restore_advice());
      }
      ++found_.report.records;
    }
    if (reader.fault() == RecordFault::None) return reader.offset();
    if (!is_last) {
      return damaged(path, reader.offset(), describe(reader.fault()), "a later segment follows");
    }
    const auto behind = find_valid_record(window_, seed, reader.offset() + 1);
    if (!behind) return disk_failure(behind.error(), path);
    if (*behind) {
      return damaged(path, reader.offset(), describe(reader.fault()),
                     "whole records follow (offset " + std::to_string(**behind) + ")");
    }
    return reader.offset();
  }

  StoreResult<void> start_segment(std::uint64_t number) {
    const SegmentHeader header{
        .log_id = number == 1 ? now_.time_since_epoch().count() : found_.segments.front().log_id,
        .number = number,
        .position = expected_position(),
        .time = now_};
    const std::string path = path_of(options_.folder, number);
    // A half-written header is no record: it may be written again from the start.
    DiskResult<std::unique_ptr<File>> file = disk_.open(path, OpenMode::Create);
    if (!file) return disk_failure(file.error());
    if (auto emptied = (*file)->truncate(0); !emptied) return disk_failure(emptied.error());
    // Opening may take its time, so the new file is made durable in every mode.
    auto created = create_segment(disk_, options_.folder, header, Durability::Sync);
    if (!created) return std::unexpected{std::move(created.error())};
    found_.report.bytes += kSegmentHeaderBytes;
    keep_segment(header, std::move(*created), kSegmentHeaderBytes);
    return {};
  }

  void keep_segment(const SegmentHeader& header, std::unique_ptr<File> file, std::uint64_t bytes) {
    found_.segments.push_back(header);
    found_.file = std::move(file);
    found_.file_bytes = bytes;
  }

  [[nodiscard]] LogPosition expected_position() const {
    return found_.segments.empty() ? 0 : found_.segments.back().position + found_.file_bytes;
  }

  [[nodiscard]] std::unexpected<StoreError> missing() const {
    return std::unexpected{StoreError{.code = StoreErrorCode::Missing,
                                      .text = "journal " + options_.folder +
                                              ": there is no journal in this folder (no " +
                                              segment_file_name(1) + ')'}};
  }

  std::unexpected<StoreError> disk_failure(const DiskError& error,
                                           const std::string& path = {}) const {
    DiskError named = error;
    if (named.path.empty()) named.path = path;
    return std::unexpected{disk_error(options_.folder, named)};
  }

  static std::string restore_advice() {
    return ". Nothing was changed. Restore the folder from a copy";
  }

  static std::unexpected<StoreError> damaged(const std::string& path, std::uint64_t offset,
                                             std::string_view what, const std::string& behind) {
    std::string text = path + ": damaged at offset " + std::to_string(offset) + ": ";
    text.append(what).append(", and ").append(behind);
    text +=
        ", so this is no torn end. Nothing was changed. Restore the folder from a copy; or, to "
        "give up everything from there on and agree the sequence numbers with every "
        "counterparty, keep a copy, cut the file with \"truncate -s " +
        std::to_string(offset) + ' ' + path + "\" and move later segments away";
    return corrupt(std::move(text));
  }

  Disk& disk_;
  const JournalOptions& options_;
  WallTime now_;
  bool may_write_;
  FileWindow window_;
  Recovered found_;
};

}  // namespace

StoreError disk_error(const std::string& folder, const DiskError& error) {
  return {.code = StoreErrorCode::Disk, .text = "journal " + folder + ": " + error.what()};
}

StoreResult<std::unique_ptr<File>> create_segment(Disk& disk, const std::string& folder,
                                                  const SegmentHeader& header,
                                                  Durability durability) {
  const auto failure = [&](const DiskError& error) {
    return std::unexpected{disk_error(folder, error)};
  };
  const std::string path = path_of(folder, header.number);
  DiskResult<std::unique_ptr<File>> file = disk.open(path, OpenMode::Create);
  if (!file) return failure(file.error());
  const DiskResult<std::uint64_t> size = (*file)->size();
  if (!size) return failure(size.error());
  if (*size != 0) return corrupt(path + ": is there already; another program writes this folder");
  std::array<char, kSegmentHeaderBytes> bytes{};
  encode_segment_header(header, bytes);
  if (auto written = (*file)->write_at(0, bytes); !written) return failure(written.error());
  if (durability == Durability::Sync) {
    if (auto synced = (*file)->sync(); !synced) return failure(synced.error());
    if (auto synced = disk.sync_directory(folder); !synced) return failure(synced.error());
  }
  return std::move(*file);
}

StoreResult<Recovered> recover(Disk& disk, const JournalOptions& options, WallTime now) {
  return Recovery{disk, options, now, true}.run();
}

StoreResult<Recovered> look_at(Disk& disk, const std::string& folder) {
  return Recovery{disk, {.folder = folder}, {}, false}.run();
}

}  // namespace nexusfix::store
