#include "store/api/segment_reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <nexusfix/base/language.hpp>

#include "store/api/entry.hpp"

namespace nexusfix::store {
namespace {

// How many more bytes than the searched ones a search may read.
constexpr std::uint64_t kSearchFactor = 8;
constexpr std::uint64_t kSearchBytesMin = 1U << 20U;

// Only the last of the eight bytes of checksum and length may be other than zero.
constexpr std::uint64_t kZerosInFront = 8;

// Compared at once; far less than a window, which would otherwise be read several times.
constexpr std::uint64_t kZeroBytes = 4096;

}  // namespace

const char* describe(RecordFault fault) noexcept {
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

void FileWindow::open(File& file, std::uint64_t size_bytes, std::size_t window_bytes) {
  file_ = &file;
  size_bytes_ = size_bytes;
  window_bytes_ = window_bytes;
  begin_ = 0;
  count_ = 0;
}

DiskResult<std::span<const char>> FileWindow::view(std::uint64_t offset, std::size_t count) {
  NEXUSFIX_ASSERT(offset <= size_bytes_);
  NEXUSFIX_ASSERT(count <= size_bytes_ - offset);
  if (offset < begin_ || offset + count > begin_ + count_) {
    const std::uint64_t left = size_bytes_ - offset;
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(left, std::max(count, window_bytes_)));
    if (buffer_.size() < wanted) buffer_.resize(wanted);
    begin_ = offset;
    count_ = 0;
    const DiskResult<std::size_t> got = file_->read_at(offset, std::span{buffer_}.first(wanted));
    if (!got) return std::unexpected{got.error()};
    count_ = *got;
    if (count_ < count) {
      // The size was read before: the file has shrunk since.
      return std::unexpected{DiskError{.path = {}, .operation = "read", .error_number = EIO}};
    }
  }
  return std::span{buffer_}.subspan(static_cast<std::size_t>(offset - begin_), count);
}

DiskResult<std::span<const char>> FileWindow::view_alone(std::uint64_t offset, std::size_t count) {
  const std::size_t window_bytes = std::exchange(window_bytes_, 0);
  count_ = 0;
  const auto bytes = view(offset, count);
  window_bytes_ = window_bytes;
  return bytes;
}

DiskResult<std::optional<Record>> SegmentReader::next() {
  const std::uint64_t left = window_->size() - offset_;
  if (left == 0 || fault_ != RecordFault::None) return std::nullopt;
  if (left < kRecordHeaderBytes) {
    fault_ = RecordFault::Cut;
    return std::nullopt;
  }
  DiskResult<std::span<const char>> bytes = window_->view(offset_, kRecordHeaderBytes);
  if (!bytes) return std::unexpected{std::move(bytes.error())};
  const RecordHeader header = decode_record_header(bytes->first<kRecordHeaderBytes>());
  if (header.entries_bytes < kEntryHeaderBytes || header.entries_bytes > kRecordBytesLimit) {
    fault_ = RecordFault::Length;
    return std::nullopt;
  }
  if (header.record_bytes() > left) {
    fault_ = RecordFault::Cut;
    return std::nullopt;
  }
  bytes = window_->view(offset_, static_cast<std::size_t>(header.record_bytes()));
  if (!bytes) return std::unexpected{std::move(bytes.error())};
  if (!record_checks(seed_, offset_, *bytes)) {
    fault_ = RecordFault::Checksum;
    return std::nullopt;
  }
  const Record record{.offset = offset_,
                      .record_bytes = header.record_bytes(),
                      .time = header.time,
                      .entries = bytes->subspan(kRecordHeaderBytes)};
  offset_ += header.record_bytes();
  return record;
}

namespace {

// Whether the form of the entries is valid; adds the bytes that it read to work.
bool looks_like_entries(std::span<const char> bytes, std::uint64_t& work) {
  EntryReader reader{bytes};
  Entry entry;
  while (reader.next(entry)) work += kEntryHeaderBytes;
  return reader.at_end();
}

}  // namespace

DiskResult<std::optional<std::uint64_t>> find_valid_record(FileWindow& window, RecordSeed seed,
                                                           std::uint64_t from) {
  constexpr std::size_t kRecordBytesMin = kRecordHeaderBytes + kEntryHeaderBytes;
  const std::uint64_t size = window.size();
  if (size < kRecordBytesMin || from > size - kRecordBytesMin) return std::nullopt;
  const std::uint64_t work_max = kSearchBytesMin + kSearchFactor * (size - from);
  std::uint64_t work = 0;
  for (std::uint64_t offset = from; offset <= size - kRecordBytesMin; ++offset) {
    DiskResult<std::span<const char>> bytes = window.view(offset, kRecordBytesMin);
    if (!bytes) return std::unexpected{std::move(bytes.error())};
    const RecordHeader header = decode_record_header(bytes->first<kRecordHeaderBytes>());
    if (header.crc == 0 && header.entries_bytes == 0) {
      // Prepared and unused bytes are zeros; no record begins with eight of them.
      const DiskResult<std::uint64_t> end = skip_zeros(window, offset);
      if (!end) return std::unexpected{end.error()};
      offset = std::max(offset, *end - kZerosInFront);
      continue;
    }
    if (header.entries_bytes < kEntryHeaderBytes || header.record_bytes() > size - offset) continue;
    if (header.entries_bytes > kRecordBytesLimit) continue;
    // Tests the first entry before the whole record is read and its checksum calculated.
    if (!could_begin_entries(bytes->last<kEntryHeaderBytes>(), header.entries_bytes)) continue;
    if (work > work_max) return offset;
    work += header.record_bytes();
    bytes = window.view(offset, static_cast<std::size_t>(header.record_bytes()));
    if (!bytes) return std::unexpected{std::move(bytes.error())};
    if (!looks_like_entries(bytes->subspan(kRecordHeaderBytes), work)) continue;
    if (record_checks(seed, offset, *bytes)) return offset;
  }
  return std::nullopt;
}

DiskResult<std::optional<StrayBytes>> find_stray_bytes(FileWindow& window) {
  const DiskResult<std::uint64_t> first = skip_zeros(window, 0);
  if (!first) return std::unexpected{first.error()};
  const std::uint64_t size = window.size();
  if (*first == size) return StrayBytes{};
  // No file is prepared so short: a segment that was opened may have been cut.
  if (size < kSegmentHeaderBytes) return std::nullopt;
  const std::uint64_t end = std::min(size, *first + kStrayBytesMax);
  const DiskResult<std::uint64_t> more = skip_zeros(window, end);
  if (!more) return std::unexpected{more.error()};
  if (*more < size) return std::nullopt;
  const auto front =
      window.view(0, static_cast<std::size_t>(std::min<std::uint64_t>(size, kSegmentHeaderBytes)));
  if (!front) return std::unexpected{front.error()};
  if (*first < kSegmentMarkBytes && may_be_torn_header(*front)) return std::nullopt;
  return StrayBytes{.offset = *first, .bytes = end - *first};
}

DiskResult<std::uint64_t> skip_zeros(FileWindow& window, std::uint64_t from) {
  while (from < window.size()) {
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(kZeroBytes, window.size() - from));
    const DiskResult<std::span<const char>> bytes = window.view(from, count);
    if (!bytes) return std::unexpected{bytes.error()};
    // memcmp() of the bytes with themselves, moved by one, is fast.
    if ((*bytes)[0] == 0 && std::memcmp(bytes->data(), bytes->data() + 1, count - 1) == 0) {
      from += count;
      continue;
    }
    const auto found = std::find_if(bytes->begin(), bytes->end(), [](char c) { return c != 0; });
    return from + static_cast<std::uint64_t>(found - bytes->begin());
  }
  return window.size();
}

}  // namespace nexusfix::store
