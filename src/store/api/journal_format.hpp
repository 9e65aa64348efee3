// How a journal's bytes are laid out. docs/internals/journal-format.md describes it in words. All
// numbers are little-endian.
//
//   segment header (128 bytes)            record (16 bytes + entries)
//   offset bytes what                     offset bytes what
//        0     8 "NXFXJRNL"                    0     4 CRC-32C
//        8     4 format version                4     4 length of the entries
//       12     4 CRC-32C of the rest           8     8 time, ns since 1970
//       16     8 log id                       16     - entries
//       24     8 segment number
//       32     8 log position of its start
//       40     8 time, ns since 1970
//       48     8 what was synced before it     (version 1 ends here: 48 bytes)
//       56     4 numbers that a session may be ahead of what is synced
//       60     1 durability, then 3 zeros
//       64    36 boot id, then zeros
//      100    12 digits that stand for the mount (zeros: not known)
//      112     4 where the records begin: 128, or after a checkpoint (0 in version 2: 128)
//      116     8 epoch of the owner who began it (0: not known)
//      124     4 zeros
//
// A checkpoint follows the header. It has the form of a record, but holds no entries.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>

#include "store/api/crc32c.hpp"
#include "store/api/journal.hpp"
#include "store/format/byte_order.hpp"

namespace nexusfix::store {

inline constexpr std::uint32_t kFormatVersion = 3;
inline constexpr std::size_t kSegmentHeaderBytes = 128;
inline constexpr std::size_t kSegmentMarkBytes = 12;  // the first of them, the same in every header
// Older segments are read, but nothing is appended to them. Their records have the same form.
// Version 2 has the same header and no checkpoints.
inline constexpr std::uint32_t kFormatVersionOldest = 1;
inline constexpr std::uint32_t kFormatVersionOld = 2;
inline constexpr std::size_t kSegmentHeaderBytesOld = 48;
inline constexpr std::size_t kBootIdBytesMax = 48;  // with the mount's digits
inline constexpr std::size_t kRecordHeaderBytes = 16;
inline constexpr std::size_t kRecordTimeAt = 8;
// No writer makes a longer record: a length above it is damage.
inline constexpr std::uint32_t kRecordBytesLimit = 1U << 30U;

struct SegmentHeader {
  // Identifies the log: the time of its creation. By it a segment that was copied in from another
  // journal is recognised.
  std::int64_t log_id = 0;
  std::uint64_t number = 1;  // 1-based, in the file's name too
  LogPosition position = 0;  // of the file's first byte in the log
  WallTime time;
  std::uint32_t version = kFormatVersion;
  // The rest is empty in version 1.
  LogPosition synced = 0;               // everything before it was on the disk
  std::uint32_t numbers_ahead_max = 0;  // of its writer; 0: nothing was sent before it was synced
  Durability durability = Durability::Process;
  std::array<char, kBootIdBytesMax> boot_id{};      // from to_boot_id(); zeros: not known
  std::uint32_t start_bytes = kSegmentHeaderBytes;  // the header and the checkpoint after it
  std::uint64_t owner_epoch = 0;                    // of its first record's writer; 0: not known

  // The bytes of the header alone.
  [[nodiscard]] std::size_t header_bytes() const noexcept {
    return version == kFormatVersionOldest ? kSegmentHeaderBytesOld : kSegmentHeaderBytes;
  }
  // Where the records begin.
  [[nodiscard]] std::size_t records_at() const noexcept {
    return version == kFormatVersion ? start_bytes : header_bytes();
  }
  [[nodiscard]] bool has_checkpoint() const noexcept { return records_at() > header_bytes(); }
};

// Identifies a start of the machine and, in the digits after it, a mount of the file system.
using BootId = std::array<char, kBootIdBytesMax>;
inline constexpr std::size_t kMountDigitsAt = 36;
[[nodiscard]] BootId to_boot_id(std::string_view boot, std::string_view mount = {}) noexcept;

// False: the machine was started again in between, or one of the two is not known.
[[nodiscard]] bool is_same_boot(const BootId& one, const BootId& other) noexcept;
// False: the file system was mounted again in between. Older versions did not record the mount:
// then the boot decides.
[[nodiscard]] bool is_same_mount(const BootId& one, const BootId& other) noexcept;

enum class SegmentHeaderFault : std::uint8_t { Cut, Magic, Version, Checksum };

// Always of the newest version.
void encode_segment_header(const SegmentHeader& header, std::span<char, kSegmentHeaderBytes> out);
// bytes: the beginning of the file, kSegmentHeaderBytes of it or the whole file if it is shorter.
[[nodiscard]] std::expected<SegmentHeader, SegmentHeaderFault> decode_segment_header(
    std::span<const char> bytes);
// Whether only a part of a header may have reached the disk: each of the first bytes is as it must
// be, or 0. If not, the file holds something else, or its header is damaged.
[[nodiscard]] bool may_be_torn_header(std::span<const char> bytes) noexcept;
// "0000000001.journal"
[[nodiscard]] std::string segment_file_name(std::uint64_t number);
[[nodiscard]] std::string path_of_segment(const std::string& folder, std::uint64_t number);
// Nothing: not a segment's name.
[[nodiscard]] std::optional<std::uint64_t> segment_number(std::string_view file_name);

// The start value of a record's checksum, beside the record's own offset. A record does not check
// in another log, segment or place than it was written to.
class RecordSeed {
 public:
  RecordSeed() = default;
  explicit RecordSeed(const SegmentHeader& segment) noexcept;
  [[nodiscard]] std::uint32_t at(std::uint64_t offset) const noexcept;
  // Without an offset.
  [[nodiscard]] std::uint32_t of_segment() const noexcept { return segment_; }

 private:
  std::uint32_t segment_ = 0;
};

struct RecordHeader {
  std::uint32_t crc = 0;
  std::uint32_t entries_bytes = 0;
  WallTime time;
  [[nodiscard]] std::uint64_t record_bytes() const noexcept {
    return std::uint64_t{kRecordHeaderBytes} + entries_bytes;
  }
};

// Writes one record to out, which has room for kRecordHeaderBytes and the entries, given in two
// pieces. offset is where the record will lie in its segment. The checksum is of the pieces, so
// that it detects a damaged copy.
void encode_record_in_pieces(char* out, RecordSeed seed, std::uint64_t offset, WallTime time,
                             std::span<const char> entries,
                             std::span<const char> more_entries) noexcept;
// Encodes one piece.
inline void encode_record(char* out, RecordSeed seed, std::uint64_t offset, WallTime time,
                          std::span<const char> entries) noexcept {
  NEXUSFIX_DEBUG_ASSERT(!entries.empty() && entries.size() <= kRecordBytesLimit);
  write_record(out, entries, seed.of_segment(), offset,
               static_cast<std::uint64_t>(time.time_since_epoch().count()));
}
// Appends one record to buffer.
void append_record(std::vector<char>& buffer, RecordSeed seed, std::uint64_t offset, WallTime time,
                   std::span<const char> entries, std::span<const char> more_entries = {});
// Writes the header of a record whose entries are in place already.
void seal_record(std::span<char> record, RecordSeed seed, std::uint64_t offset,
                 WallTime time) noexcept;
[[nodiscard]] RecordHeader decode_record_header(
    std::span<const char, kRecordHeaderBytes> bytes) noexcept;
// record: header and entries.
[[nodiscard]] bool record_checks(RecordSeed seed, std::uint64_t offset,
                                 std::span<const char> record) noexcept;

// What a checkpoint begins with that a repair took out.
inline constexpr char kVoidCheckpoint = 'V';
// A checkpoint without a meaning, of exactly this number of bytes: at least kRecordHeaderBytes + 1.
void append_void_checkpoint(std::vector<char>& buffer, RecordSeed seed, WallTime time,
                            std::size_t bytes);

// bytes: the checkpoint of this segment, as the file has it.
[[nodiscard]] bool checkpoint_checks(const SegmentHeader& segment, std::span<const char> bytes);

// The log id that the bytes of a damaged header say. 0: there are too few of them.
[[nodiscard]] std::int64_t stated_log_id(std::span<const char> header_bytes) noexcept;

}  // namespace nexusfix::store
