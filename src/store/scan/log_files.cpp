#include "store/scan/log_files.hpp"

#include <algorithm>
#include <array>
#include <expected>
#include <span>
#include <vector>

#include "store/api/entry.hpp"
#include "store/recover/recovery.hpp"

namespace nexusfix::store {

StoreResult<SegmentNumbers> find_segments(Disk& disk, const std::string& folder) {
  const DiskResult<std::vector<std::string>> names = disk.list(folder);
  if (!names) return std::unexpected{disk_error(folder, names.error())};
  SegmentNumbers found;
  for (const std::string& name : *names) {
    const std::optional<std::uint64_t> number = segment_number(name);
    if (!number) continue;  // the lock, or a file of another program
    if (found.last < found.first) {
      found = {*number, *number};
      continue;
    }
    if (*number != found.last + 1) {
      return std::unexpected{StoreError{
          .code = StoreErrorCode::Corrupt,
          .text = "journal " + folder + ": " + segment_file_name(found.last + 1) +
                  " is missing, but there is " + name +
                  ". Nothing was changed. Put the file back, or restore the folder from a copy"}};
    }
    found.last = *number;
  }
  return found;
}

DiskResult<LogPosition> synced_in_records(FileWindow& window, RecordSeed seed, std::uint64_t from) {
  LogPosition synced = 0;
  for (;;) {
    const auto at = find_valid_record(window, seed, from);
    if (!at) return std::unexpected{at.error()};
    if (!*at) return synced;
    SegmentReader reader{window, seed, **at};
    const std::uint64_t begin = reader.offset();
    for (;;) {
      const DiskResult<std::optional<Record>> record = reader.next();
      if (!record) return std::unexpected{record.error()};
      if (!*record) break;
      EntryReader entries{(*record)->entries};
      Entry entry;
      while (entries.next(entry)) {
        if (states_synced(entry.kind)) synced = std::max(synced, entry.number);
      }
    }
    // The search stopped without an answer: this is the careful one.
    if (reader.offset() == begin) return kNumberMax;
    from = reader.offset();
  }
}

StoreResult<std::optional<SegmentHeader>> LogFiles::header_at(std::uint64_t number) {
  const auto file = disk_.open(path_of_segment(folder_, number), OpenMode::Read);
  if (!file) return failure(file.error(), number);
  std::array<char, kSegmentHeaderBytes> bytes{};
  const DiskResult<std::size_t> got = (*file)->read_at(0, bytes);
  if (!got) return failure(got.error(), number);
  const auto header = decode_segment_header(std::span<const char>{bytes}.first(*got));
  return header ? std::optional{*header} : std::nullopt;
}

StoreResult<bool> LogFiles::was_opened(std::uint64_t number) {
  const auto file = disk_.open(path_of_segment(folder_, number), OpenMode::Read);
  if (!file) return failure(file.error(), number);
  const DiskResult<std::uint64_t> size = (*file)->size();
  if (!size) return failure(size.error(), number);
  window_.open(**file, *size);
  const DiskResult<std::optional<StrayBytes>> stray = find_stray_bytes(window_);
  if (!stray) return failure(stray.error(), number);
  return !stray->has_value();
}

StoreResult<bool> LogFiles::is_end_of_log(std::uint64_t number) {
  for (std::uint64_t later = number + 1; later <= last_; ++later) {
    const StoreResult<bool> begun = was_opened(later);
    if (!begun || *begun) return begun ? StoreResult<bool>{false} : std::unexpected{begun.error()};
  }
  return true;
}

StoreResult<std::uint64_t> LogFiles::bound_by_next_header(const SegmentHeader& header,
                                                          std::uint64_t size) {
  if (is_last(header.number)) return size;
  const auto next = header_at(header.number + 1);
  if (!next) return std::unexpected{next.error()};
  if (!*next || (*next)->number != header.number + 1 || (*next)->log_id != header.log_id ||
      (*next)->position < header.position + header.records_at()) {
    return size;
  }
  return std::min(size, (*next)->position - header.position);
}

StoreResult<std::uint64_t> LogFiles::end_by_next_header(const SegmentHeader& header,
                                                        std::uint64_t size) {
  if (is_last(header.number)) return 0;
  const StoreResult<bool> begun = was_opened(header.number + 1);
  if (!begun) return std::unexpected{begun.error()};
  if (!*begun) return 0;
  const auto next = header_at(header.number + 1);
  if (!next) return std::unexpected{next.error()};
  // The walk reports that fault when it reaches the segment.
  if (!*next || (*next)->position < header.position) return size;
  return (*next)->position - header.position;
}

StoreResult<LogPosition> LogFiles::synced_by_later_segments(std::uint64_t number,
                                                            std::int64_t log_id) {
  LogPosition synced = 0;
  while (++number <= last_) {
    const auto file = disk_.open(path_of_segment(folder_, number), OpenMode::Read);
    if (!file) return failure(file.error(), number);
    const DiskResult<std::uint64_t> size = (*file)->size();
    if (!size) return failure(size.error(), number);
    window_.open(**file, *size);
    const DiskResult<LogPosition> here = synced_by_segment(number, log_id);
    if (!here) return failure(here.error(), number);
    synced = std::max(synced, *here);
  }
  return synced;
}

DiskResult<LogPosition> LogFiles::synced_by_segment(std::uint64_t number, std::int64_t log_id) {
  const auto bytes = window_.view(
      0, static_cast<std::size_t>(std::min<std::uint64_t>(window_.size(), kSegmentHeaderBytes)));
  if (!bytes) return std::unexpected{bytes.error()};
  const auto header = decode_segment_header(*bytes);
  if (!header) {
    // Its records can be recognised without the header: their checksum contains its number.
    SegmentHeader known;
    known.log_id = log_id;
    known.number = number;
    return synced_in_records(window_, RecordSeed{known}, 0);
  }
  const DiskResult<LogPosition> synced =
      synced_in_records(window_, RecordSeed{*header}, header->records_at());
  if (!synced) return synced;
  return std::max(*synced, header->synced);
}

std::unexpected<StoreError> LogFiles::failure(const DiskError& error, std::uint64_t number) const {
  DiskError named = error;
  if (named.path.empty()) named.path = path_of_segment(folder_, number);
  return std::unexpected{disk_error(folder_, named)};
}

}  // namespace nexusfix::store
