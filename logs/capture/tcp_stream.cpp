#include "logs/capture/tcp_stream.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace nexusfix::logs::capture {
namespace {

constexpr std::size_t kKeptSegmentsMax = 1024;
constexpr std::size_t kKeptBytesMax = 1U << 20U;
constexpr std::size_t kSegmentOverhead = 128;
constexpr std::chrono::seconds kGapMax{10};
constexpr std::chrono::milliseconds kAcknowledgedGapMax{100};
constexpr std::size_t kAcknowledgedSegmentsMax = 64;
// A segment farther away belongs to another connection with the same ports.
constexpr std::int64_t kDistanceMax = 64 << 20;

}  // namespace

void TcpStream::open(std::uint32_t sequence) noexcept {
  // Far from 0, so that a position before the first byte is no negative number.
  constexpr std::uint64_t kBase = std::uint64_t{1} << 40U;
  next_ = kBase | sequence;
  begin_ = next_;
  is_open_ = true;
  fin_.reset();
}

// False: the segment has nothing for this stream.
bool TcpStream::begin(const TcpSegment& segment, std::uint32_t first, std::vector<StreamPiece>& to,
                      StreamCounts& counts) {
  const bool has_bytes = segment.payload.size() + segment.cut_size > 0;
  if (segment.is_syn) {
    const bool is_repeated = first_ == segment.sequence;
    if (is_repeated) return has_bytes && is_open_;
    finish(to, counts);
    first_ = segment.sequence;
    open(first);
    return true;
  }
  // A probe of a connection that is alive has no bytes, and a number that was sent before.
  if (!is_open_ && !has_bytes) return false;
  const std::int64_t away = distance(first);
  const bool is_far = away > kDistanceMax || away < -kDistanceMax;
  if (is_open_ && !is_far) return true;
  if (!has_bytes) return false;
  // A closed connection: the last segment may come again.
  if (!is_open_ && next_ != 0 && !is_far && away < 0) {
    ++counts.retransmitted;
    return false;
  }
  finish(to, counts);
  first_.reset();
  open(first);
  return true;
}

void TcpStream::take(const TcpSegment& segment, WallTime time, std::vector<StreamPiece>& to,
                     StreamCounts& counts) {
  const std::uint32_t first = segment.sequence + (segment.is_syn ? 1 : 0);
  if (!begin(segment, first, to, counts)) return;
  const std::uint64_t position = next_ + static_cast<std::uint64_t>(distance(first));
  const std::size_t size = segment.payload.size() + segment.cut_size;
  if (segment.is_fin) fin_ = position + size;
  if (size > 0) add(position, segment.payload, segment.cut_size, time, to, counts);
  if (!kept_.empty() && (time - gap_since_ >= kGapMax || kept_.size() > kKeptSegmentsMax ||
                         kept_bytes_ > kKeptBytesMax)) {
    skip_gap(time, to, counts);
  }
  if (segment.is_reset || (fin_ && next_ >= *fin_)) finish(to, counts);
}

void TcpStream::acknowledge(std::uint32_t sequence, WallTime time, std::vector<StreamPiece>& to,
                            StreamCounts& counts) {
  if (kept_.empty() || distance(sequence) <= 0) return;
  if (time - gap_since_ < kAcknowledgedGapMax && kept_.size() < kAcknowledgedSegmentsMax) return;
  skip_gap(time, to, counts);
  if (fin_ && next_ >= *fin_) finish(to, counts);
}

void TcpStream::add(std::uint64_t position, std::string_view bytes, std::size_t cut_size,
                    WallTime time, std::vector<StreamPiece>& to, StreamCounts& counts) {
  if (position < begin_ && !first_) {
    ++counts.too_late;
    begin_ = position;  // the segment may come again
  }
  if (position < next_) {
    ++counts.retransmitted;
    const std::uint64_t known = next_ - position;
    if (known >= bytes.size() + cut_size) return;
    const std::size_t known_bytes = std::min<std::uint64_t>(known, bytes.size());
    bytes.remove_prefix(known_bytes);
    cut_size -= known - known_bytes;
    position = next_;
  }
  if (position > next_) {
    ++counts.reordered;
    keep(position, bytes, cut_size, time);
    return;
  }
  pass({.bytes = bytes}, cut_size, to, counts);
  pass_kept(false, to, counts);
}

void TcpStream::keep(std::uint64_t position, std::string_view bytes, std::size_t cut_size,
                     WallTime time) {
  if (kept_.empty()) gap_since_ = time;
  Kept& kept = kept_[position];
  if (!kept.bytes.empty() && kept.bytes.size() >= bytes.size()) return;  // it came again
  kept_bytes_ -= kept.bytes.empty() ? 0 : kept.bytes.size() + kSegmentOverhead;
  kept.bytes = bytes;
  kept.cut_size = cut_size;
  kept.time = time;
  kept_bytes_ += bytes.size() + kSegmentOverhead;
}

void TcpStream::pass_kept(bool is_late, std::vector<StreamPiece>& to, StreamCounts& counts) {
  std::optional<WallTime> time;
  while (!kept_.empty() && kept_.begin()->first <= next_) {
    const std::uint64_t position = kept_.begin()->first;
    Kept kept = std::move(kept_.begin()->second);
    kept_.erase(kept_.begin());
    kept_bytes_ -= std::min(kept_bytes_, kept.bytes.size() + kSegmentOverhead);
    const std::uint64_t known = next_ - position;
    if (known >= kept.bytes.size() + kept.cut_size) continue;
    const std::size_t known_bytes = std::min<std::uint64_t>(known, kept.bytes.size());
    kept.bytes.erase(0, known_bytes);
    kept.cut_size -= known - known_bytes;
    const std::size_t cut_size = kept.cut_size;
    if (is_late) time = std::max(time.value_or(kept.time), kept.time);
    pass({.owned = std::move(kept.bytes), .time = time}, cut_size, to, counts);
  }
}

void TcpStream::pass(StreamPiece piece, std::size_t cut_size, std::vector<StreamPiece>& to,
                     StreamCounts& counts) {
  next_ += piece.owned.size() + piece.bytes.size() + cut_size;
  piece.lost = cut_size;
  if (cut_size > 0) {
    ++counts.gaps;
    counts.lost_bytes += cut_size;
  }
  to.push_back(std::move(piece));
}

void TcpStream::skip_gap(WallTime time, std::vector<StreamPiece>& to, StreamCounts& counts) {
  const std::uint64_t lost = kept_.begin()->first - next_;
  ++counts.gaps;
  counts.lost_bytes += lost;
  next_ += lost;
  to.push_back({.lost = lost});
  pass_kept(true, to, counts);
  gap_since_ = time;
}

void TcpStream::finish(std::vector<StreamPiece>& to, StreamCounts& counts) {
  while (!kept_.empty()) skip_gap(gap_since_, to, counts);
  if (is_open_ && fin_ && *fin_ > next_) {
    const std::uint64_t lost = *fin_ - next_;
    ++counts.gaps;
    counts.lost_bytes += lost;
    to.push_back({.lost = lost});
    next_ = *fin_;
  }
  if (is_open_) to.push_back({.ends = true});
  is_open_ = false;
}

}  // namespace nexusfix::logs::capture
