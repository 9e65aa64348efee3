// Puts the segments of one direction of a connection in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "logs/capture/tcp_segment.hpp"

namespace nexusfix::logs::capture {

// What streams have counted.
struct StreamCounts {
  std::uint64_t retransmitted = 0;  // segments with bytes that were there before
  std::uint64_t reordered = 0;      // segments that came before an earlier one
  std::uint64_t too_late = 0;       // segments with bytes before the first ones of the stream
  std::uint64_t gaps = 0;           // places where bytes are lost
  std::uint64_t lost_bytes = 0;     // in them
};

// Bytes of a stream in their order, and what follows them.
struct StreamPiece {
  std::string owned{};       // the bytes, if they were kept; bytes is then empty
  std::string_view bytes{};  // of the segment
  std::uint64_t lost = 0;    // bytes after them that are not in the capture
  // When the bytes came, if they were kept after bytes that are lost; nothing: now.
  std::optional<WallTime> time{};
  bool ends = false;  // the connection ends after them
};

// A segment that comes before an earlier one is kept, at most 1,024 of them with 1 MiB. Bytes count
// as lost if more came, or 10 seconds later, or if the other side has acknowledged them 100 ms or
// 64 segments ago, or at the end. A stream whose beginning was not captured begins with the bytes
// that come first; earlier ones that come later are counted and left out.
class TcpStream {
 public:
  // Whether a segment of only bytes is the next one: they are the next bytes of the stream, and
  // take() is not needed.
  [[nodiscard]] bool accept_next(std::uint32_t sequence, std::size_t size) noexcept {
    if (!is_open_ || !kept_.empty() || fin_ || static_cast<std::uint32_t>(next_) != sequence) {
      return false;
    }
    next_ += size;
    return true;
  }
  // Appends what the segment adds. The views are those of the segment.
  void take(const TcpSegment& segment, WallTime time, std::vector<StreamPiece>& to,
            StreamCounts& counts);
  // The other side has all bytes before this sequence number.
  void acknowledge(std::uint32_t sequence, WallTime time, std::vector<StreamPiece>& to,
                   StreamCounts& counts);
  // No more segments will come.
  void finish(std::vector<StreamPiece>& to, StreamCounts& counts);
  [[nodiscard]] std::size_t kept_bytes() const noexcept { return kept_bytes_; }

 private:
  struct Kept {
    std::string bytes;
    std::size_t cut_size = 0;
    WallTime time{};
  };

  [[nodiscard]] std::int64_t distance(std::uint32_t sequence) const noexcept {
    return static_cast<std::int32_t>(sequence - static_cast<std::uint32_t>(next_));
  }
  void open(std::uint32_t sequence) noexcept;
  bool begin(const TcpSegment& segment, std::uint32_t first, std::vector<StreamPiece>& to,
             StreamCounts& counts);
  void add(std::uint64_t position, std::string_view bytes, std::size_t cut_size, WallTime time,
           std::vector<StreamPiece>& to, StreamCounts& counts);
  void keep(std::uint64_t position, std::string_view bytes, std::size_t cut_size, WallTime time);
  // is_late: the bytes before them are lost, so that these have the time when they came.
  void pass_kept(bool is_late, std::vector<StreamPiece>& to, StreamCounts& counts);
  void pass(StreamPiece piece, std::size_t cut_size, std::vector<StreamPiece>& to,
            StreamCounts& counts);
  void skip_gap(WallTime time, std::vector<StreamPiece>& to, StreamCounts& counts);

  std::uint64_t next_ = 0;   // the position of the next byte; its low 32 bits are its number
  std::uint64_t begin_ = 0;  // the position of the first byte
  bool is_open_ = false;
  std::optional<std::uint32_t> first_;  // the number of the SYN
  std::optional<std::uint64_t> fin_;    // the position of the end
  std::map<std::uint64_t, Kept> kept_;  // by position, all after next_
  std::size_t kept_bytes_ = 0;
  WallTime gap_since_{};
};

}  // namespace nexusfix::logs::capture
