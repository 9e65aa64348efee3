// Reads a segment's records one after the other, and verifies each. The file may be damaged or
// hostile: no length in it is used before it was compared with the size of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "store/api/journal_format.hpp"

namespace nexusfix::store {

// Parts of a file, read in large pieces. One buffer, used again for every piece.
class FileWindow {
 public:
  static constexpr std::size_t kWindowBytes = 256U << 10U;
  // Bytes from size_bytes on are not read, even if the file has them. A piece is of window_bytes,
  // or longer if more is asked for.
  void open(File& file, std::uint64_t size_bytes, std::size_t window_bytes = kWindowBytes);
  [[nodiscard]] std::uint64_t size() const noexcept { return size_bytes_; }
  // Reads the same bytes again from the disk.
  void forget() noexcept { count_ = 0; }

  // The bytes at offset; offset + count must not be above size(). They live until the next call.
  [[nodiscard]] DiskResult<std::span<const char>> view(std::uint64_t offset, std::size_t count);
  // Like view(), but reads no other byte: the disk may not be able to return its neighbours.
  [[nodiscard]] DiskResult<std::span<const char>> view_alone(std::uint64_t offset,
                                                             std::size_t count);

 private:
  File* file_ = nullptr;
  std::uint64_t size_bytes_ = 0;
  std::size_t window_bytes_ = kWindowBytes;
  std::uint64_t begin_ = 0;   // of the bytes in buffer_
  std::size_t count_ = 0;     // of them
  std::vector<char> buffer_;  // as large as was ever needed
};

struct Record {
  std::uint64_t offset = 0;  // in its segment
  std::uint64_t record_bytes = 0;
  WallTime time;
  std::span<const char> entries;
};

enum class RecordFault : std::uint8_t { None, Cut, Length, Checksum };
[[nodiscard]] const char* describe(RecordFault fault) noexcept;

class SegmentReader {
 public:
  // Reads records from offset on, up to the window's end.
  SegmentReader(FileWindow& window, RecordSeed seed, std::uint64_t offset) noexcept
      : window_{&window}, seed_{seed}, offset_{offset} {}

  // Nothing: the end, or a fault (fault()). A record lives until the next call.
  [[nodiscard]] DiskResult<std::optional<Record>> next();
  [[nodiscard]] RecordFault fault() const noexcept { return fault_; }
  // Where the next record begins; after a fault, where the faulty record begins.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

 private:
  FileWindow* window_;
  RecordSeed seed_;
  std::uint64_t offset_;
  RecordFault fault_ = RecordFault::None;
};

// The offset of the first valid record from here on, if there is one: it distinguishes damage in
// the middle of a log from a torn end. Work is bounded by the bytes searched. Where a (hostile)
// file would need more, it returns that there is one, which is the careful answer.
[[nodiscard]] DiskResult<std::optional<std::uint64_t>> find_valid_record(FileWindow& window,
                                                                         RecordSeed seed,
                                                                         std::uint64_t from);

// Bytes other than zero in a file that was prepared and never opened: damage by the disk.
struct StrayBytes {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  // 0: the file is all zeros, as it should be
};
// At most this number of neighbouring bytes: the flipped bits of one word. A segment that was
// opened has more bytes other than zero, even if it is damaged: the mark of its header has as many,
// the version follows it, and a record's length, time and first entry span more.
inline constexpr std::uint64_t kStrayBytesMax = 8;
// The stray bytes of the whole window. Nothing: it holds more, or a part of a header.
[[nodiscard]] DiskResult<std::optional<StrayBytes>> find_stray_bytes(FileWindow& window);

// The offset of the first byte from here on that is not zero, or the window's size.
[[nodiscard]] DiskResult<std::uint64_t> skip_zeros(FileWindow& window, std::uint64_t from);

}  // namespace nexusfix::store
