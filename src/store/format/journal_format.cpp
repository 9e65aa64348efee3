#include "store/api/journal_format.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstring>

#include <nexusfix/base/language.hpp>

#include "store/api/crc32c.hpp"
#include "store/api/entry.hpp"
#include "store/format/byte_order.hpp"

namespace nexusfix::store {
namespace {

constexpr std::string_view kMagic = "NXFXJRNL";
constexpr std::string_view kSegmentSuffix = ".journal";
constexpr std::size_t kSegmentDigits = 10;  // 10^10 segments of 64 MiB: 600 PiB

constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kHeaderCrcAt = 12;
constexpr std::size_t kLogIdAt = 16;
constexpr std::size_t kNumberAt = 24;
constexpr std::size_t kPositionAt = 32;
constexpr std::size_t kHeaderTimeAt = 40;
static_assert(kMagic.size() == kVersionAt);
constexpr std::size_t kSyncedAt = 48;
constexpr std::size_t kAheadAt = 56;
constexpr std::size_t kDurabilityAt = 60;
constexpr std::size_t kBootIdAt = 64;
constexpr std::size_t kStartBytesAt = 112;
constexpr std::size_t kOwnerEpochAt = 116;
static_assert(kHeaderTimeAt + sizeof(std::int64_t) == kSegmentHeaderBytesOld);
static_assert(kBootIdAt + kBootIdBytesMax == kStartBytesAt);
static_assert(kOwnerEpochAt + sizeof(std::uint64_t) <= kSegmentHeaderBytes);

// A checkpoint has the form of a record, and its limit.
constexpr std::uint64_t kStartBytesMin = kSegmentHeaderBytes + kRecordHeaderBytes + 1;
constexpr std::uint64_t kStartBytesMax =
    kSegmentHeaderBytes + kRecordHeaderBytes + std::uint64_t{kRecordBytesLimit};

constexpr std::size_t kLengthAt = 4;
static_assert(kRecordTimeAt + sizeof(std::int64_t) == kRecordHeaderBytes);

std::int64_t to_nanoseconds(WallTime time) { return time.time_since_epoch().count(); }
WallTime from_nanoseconds(std::int64_t count) { return WallTime{std::chrono::nanoseconds{count}}; }

std::uint32_t header_crc(std::span<const char> bytes) {
  const std::uint32_t front = crc32c(0, bytes.first(kHeaderCrcAt));
  return crc32c(front, bytes.subspan(kLogIdAt));
}

}  // namespace

void encode_segment_header(const SegmentHeader& header, std::span<char, kSegmentHeaderBytes> out) {
  std::memset(out.data(), 0, out.size());
  std::memcpy(out.data(), kMagic.data(), kMagic.size());
  store_little_endian(&out[kVersionAt], kFormatVersion);
  store_little_endian(&out[kLogIdAt], header.log_id);
  store_little_endian(&out[kNumberAt], header.number);
  store_little_endian(&out[kPositionAt], header.position);
  store_little_endian(&out[kHeaderTimeAt], to_nanoseconds(header.time));
  store_little_endian(&out[kSyncedAt], header.synced);
  store_little_endian(&out[kAheadAt], header.numbers_ahead_max);
  out[kDurabilityAt] = static_cast<char>(header.durability);
  std::memcpy(&out[kBootIdAt], header.boot_id.data(), kBootIdBytesMax);
  store_little_endian(&out[kStartBytesAt], header.start_bytes);
  store_little_endian(&out[kOwnerEpochAt], header.owner_epoch);
  store_little_endian(&out[kHeaderCrcAt], header_crc(out));
}

std::expected<SegmentHeader, SegmentHeaderFault> decode_segment_header(
    std::span<const char> bytes) {
  if (bytes.size() < kSegmentHeaderBytesOld) return std::unexpected{SegmentHeaderFault::Cut};
  if (std::string_view{bytes.data(), kMagic.size()} != kMagic) {
    return std::unexpected{SegmentHeaderFault::Magic};
  }
  // Tested before the checksum, which may be in another place in another version.
  const auto version = load_little_endian<std::uint32_t>(&bytes[kVersionAt]);
  // This is no version: only the beginning of the header reached the disk.
  if (version == 0) return std::unexpected{SegmentHeaderFault::Checksum};
  if (version < kFormatVersionOldest || version > kFormatVersion) {
    return std::unexpected{SegmentHeaderFault::Version};
  }
  SegmentHeader header{
      .log_id = load_little_endian<std::int64_t>(&bytes[kLogIdAt]),
      .number = load_little_endian<std::uint64_t>(&bytes[kNumberAt]),
      .position = load_little_endian<std::uint64_t>(&bytes[kPositionAt]),
      .time = from_nanoseconds(load_little_endian<std::int64_t>(&bytes[kHeaderTimeAt])),
      .version = version};
  if (bytes.size() < header.header_bytes()) return std::unexpected{SegmentHeaderFault::Cut};
  const std::span<const char> whole = bytes.first(header.header_bytes());
  if (load_little_endian<std::uint32_t>(&whole[kHeaderCrcAt]) != header_crc(whole)) {
    return std::unexpected{SegmentHeaderFault::Checksum};
  }
  if (version == kFormatVersionOldest) return header;
  header.synced = load_little_endian<LogPosition>(&bytes[kSyncedAt]);
  header.numbers_ahead_max = load_little_endian<std::uint32_t>(&bytes[kAheadAt]);
  header.durability = static_cast<Durability>(bytes[kDurabilityAt]);
  std::memcpy(header.boot_id.data(), &bytes[kBootIdAt], kBootIdBytesMax);
  if (version != kFormatVersion) return header;
  header.start_bytes = load_little_endian<std::uint32_t>(&bytes[kStartBytesAt]);
  header.owner_epoch = load_little_endian<std::uint64_t>(&bytes[kOwnerEpochAt]);
  // No writer does this, but a forged header may have a valid checksum.
  if (header.owner_epoch > kNumberMax) return std::unexpected{SegmentHeaderFault::Checksum};
  if (header.start_bytes != kSegmentHeaderBytes &&
      (header.start_bytes < kStartBytesMin || header.start_bytes > kStartBytesMax)) {
    return std::unexpected{SegmentHeaderFault::Checksum};
  }
  return header;
}

bool may_be_torn_header(std::span<const char> bytes) noexcept {
  std::array<char, kSegmentMarkBytes> front{};
  static_assert(kSegmentMarkBytes == kVersionAt + sizeof(std::uint32_t));
  std::copy(kMagic.begin(), kMagic.end(), front.begin());
  store_little_endian(&front[kVersionAt], kFormatVersion);
  for (std::size_t at = 0; at < std::min(bytes.size(), front.size()); ++at) {
    if (bytes[at] != 0 && bytes[at] != front[at]) return false;
  }
  return true;
}

BootId to_boot_id(std::string_view boot, std::string_view mount) noexcept {
  BootId id{};
  std::copy_n(boot.begin(), std::min(boot.size(), kMountDigitsAt), id.begin());
  if (mount.empty()) return id;
  // FNV-1a; the digits hold as many of its bits as they can.
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : mount) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (std::size_t at = kMountDigitsAt; at < id.size(); ++at) {
    id[at] = kDigits[hash >> 60U];
    hash <<= 4U;
  }
  return id;
}

bool is_same_boot(const BootId& one, const BootId& other) noexcept {
  const std::string_view boot{one.data(), kMountDigitsAt};
  return one[0] != '\0' && boot == std::string_view{other.data(), kMountDigitsAt};
}

bool is_same_mount(const BootId& one, const BootId& other) noexcept {
  const bool is_known = one[kMountDigitsAt] != '\0' && other[kMountDigitsAt] != '\0';
  return !is_known ||
         std::equal(one.begin() + kMountDigitsAt, one.end(), other.begin() + kMountDigitsAt);
}

std::string segment_file_name(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string name(kSegmentDigits - std::min(digits.size(), kSegmentDigits), '0');
  return name.append(digits).append(kSegmentSuffix);
}

std::string path_of_segment(const std::string& folder, std::uint64_t number) {
  return folder + '/' + segment_file_name(number);
}

std::optional<std::uint64_t> segment_number(std::string_view file_name) {
  if (file_name.size() != kSegmentDigits + kSegmentSuffix.size()) return std::nullopt;
  if (!file_name.ends_with(kSegmentSuffix)) return std::nullopt;
  const char* begin = file_name.data();
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(begin, begin + kSegmentDigits, number);
  const bool is_number = error == std::errc{} && end == begin + kSegmentDigits;
  if (!is_number || number == 0) return std::nullopt;  // they are counted from 1
  return number;
}

RecordSeed::RecordSeed(const SegmentHeader& segment) noexcept {
  std::array<char, 2 * sizeof(std::uint64_t)> bytes;
  store_little_endian(bytes.data(), segment.log_id);
  store_little_endian(bytes.data() + sizeof(std::uint64_t), segment.number);
  segment_ = crc32c(0, bytes);
}

std::uint32_t RecordSeed::at(std::uint64_t offset) const noexcept {
  std::array<char, sizeof offset> bytes;
  store_little_endian(bytes.data(), offset);
  return crc32c(segment_, bytes);
}

void encode_record_in_pieces(char* out, RecordSeed seed, std::uint64_t offset, WallTime time,
                             std::span<const char> entries,
                             std::span<const char> more_entries) noexcept {
  const std::size_t entries_bytes = entries.size() + more_entries.size();
  NEXUSFIX_ASSERT(!entries.empty());
  NEXUSFIX_ASSERT(entries_bytes <= kRecordBytesLimit);
  if (more_entries.empty()) return encode_record(out, seed, offset, time, entries);
  std::array<char, kRecordHeaderBytes> header;
  store_little_endian(&header[kLengthAt], static_cast<std::uint32_t>(entries_bytes));
  store_little_endian(&header[kRecordTimeAt], to_nanoseconds(time));
  const std::uint32_t front = crc32c(seed.at(offset), std::span{header}.subspan(kLengthAt));
  store_little_endian(header.data(), crc32c(crc32c(front, entries), more_entries));
  char* const copy = std::copy(entries.begin(), entries.end(), out + kRecordHeaderBytes);
  std::copy(more_entries.begin(), more_entries.end(), copy);
  std::copy(header.begin(), header.end(), out);
}

void append_record(std::vector<char>& buffer, RecordSeed seed, std::uint64_t offset, WallTime time,
                   std::span<const char> entries, std::span<const char> more_entries) {
  const std::size_t at = buffer.size();
  buffer.resize(at + kRecordHeaderBytes + entries.size() + more_entries.size());
  encode_record_in_pieces(&buffer[at], seed, offset, time, entries, more_entries);
}

void seal_record(std::span<char> record, RecordSeed seed, std::uint64_t offset,
                 WallTime time) noexcept {
  NEXUSFIX_ASSERT(record.size() > kRecordHeaderBytes);
  const std::size_t entries_bytes = record.size() - kRecordHeaderBytes;
  store_little_endian(&record[kLengthAt], static_cast<std::uint32_t>(entries_bytes));
  store_little_endian(&record[kRecordTimeAt], to_nanoseconds(time));
  store_little_endian(record.data(), crc32c(seed.at(offset), record.subspan(kLengthAt)));
}

RecordHeader decode_record_header(std::span<const char, kRecordHeaderBytes> bytes) noexcept {
  return {.crc = load_little_endian<std::uint32_t>(bytes.data()),
          .entries_bytes = load_little_endian<std::uint32_t>(&bytes[kLengthAt]),
          .time = from_nanoseconds(load_little_endian<std::int64_t>(&bytes[kRecordTimeAt]))};
}

bool record_checks(RecordSeed seed, std::uint64_t offset, std::span<const char> record) noexcept {
  return load_little_endian<std::uint32_t>(record.data()) ==
         crc32c(seed.at(offset), record.subspan(kLengthAt));
}

void append_void_checkpoint(std::vector<char>& buffer, RecordSeed seed, WallTime time,
                            std::size_t bytes) {
  const std::vector<char> content(bytes - kRecordHeaderBytes, kVoidCheckpoint);
  append_record(buffer, seed, kSegmentHeaderBytes, time, content);
}

bool checkpoint_checks(const SegmentHeader& segment, std::span<const char> bytes) {
  if (bytes.size() <= kRecordHeaderBytes) return false;
  const RecordHeader header = decode_record_header(bytes.first<kRecordHeaderBytes>());
  return header.record_bytes() == bytes.size() &&
         record_checks(RecordSeed{segment}, kSegmentHeaderBytes, bytes);
}

std::int64_t stated_log_id(std::span<const char> header_bytes) noexcept {
  if (header_bytes.size() < kLogIdAt + sizeof(std::int64_t)) return 0;
  return load_little_endian<std::int64_t>(&header_bytes[kLogIdAt]);
}

}  // namespace nexusfix::store
