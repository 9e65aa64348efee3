// The producer of one ring.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "gateway/ring/layout.hpp"
#include "gateway/ring/ring_fault.hpp"

namespace nexusfix::gateway {

// Where one ring is in memory. The sizes are those that the gateway chose, checked, and never read
// again from the file.
struct RingPlace {
  char* data = nullptr;        // aligned to a page
  RingWords* words = nullptr;  // in the header of the file
  std::uint64_t bytes = 0;     // a power of two
  std::uint64_t frame_bytes_max = 0;
};

// The word at a position of a ring, where a record begins.
[[nodiscard]] inline std::atomic_ref<std::uint64_t> record_word(const RingPlace& place,
                                                                std::uint64_t position) noexcept {
  // Valid: positions of records are multiples of eight, and the ring is aligned to a page.
  return std::atomic_ref{
      *reinterpret_cast<std::uint64_t*>(place.data + (position & (place.bytes - 1)))};
}
[[nodiscard]] constexpr std::uint64_t record_bytes(std::uint64_t frame_bytes) noexcept {
  return kRecordHeaderBytes + ((frame_bytes + 7) & ~std::uint64_t{7});
}
[[nodiscard]] constexpr std::uint64_t word_of(std::uint32_t size, std::uint64_t position) noexcept {
  return position << 32U | size;
}

// What became of a frame.
enum class Written : std::uint8_t {
  Yes,
  Full,     // no room until the consumer has read more
  TooLong,  // empty, or longer than the longest frame
  Fault,    // the consumer's position is impossible
};

// One thread. It never waits, and trusts nothing that the other side can write: it reads the
// consumer's position once a time, and the consumer can only make it overwrite unread frames.
class FrameWriter {
 public:
  explicit FrameWriter(const RingPlace& place) noexcept : place_{place} {}

  // Writes a frame of two parts. The consumer sees all of it or nothing: the record's word is
  // written last.
  [[nodiscard]] Written write(std::string_view first, std::string_view second = {}) noexcept {
    const std::uint64_t size = first.size() + second.size();
    if (size == 0 || size > place_.frame_bytes_max) [[unlikely]]
      return Written::TooLong;
    const std::uint64_t record = record_bytes(size);
    const std::uint64_t until_end = place_.bytes - (position_ & (place_.bytes - 1));
    const std::uint64_t begin = until_end < record ? position_ + until_end : position_;
    const std::uint64_t end = begin + record;
    if (end + kRecordHeaderBytes - head_seen_ > place_.bytes) [[unlikely]] {
      if (!read_head()) return Written::Fault;
      if (end + kRecordHeaderBytes - head_seen_ > place_.bytes) return Written::Full;
    }
    // Relaxed: published by the exchange below. The consumer must find no word of an earlier lap
    // after this record.
    record_word(place_, end).store(0, std::memory_order_relaxed);
    char* const to = place_.data + (begin & (place_.bytes - 1)) + kRecordHeaderBytes;
    std::memcpy(to, first.data(), first.size());
    if (!second.empty()) std::memcpy(to + first.size(), second.data(), second.size());
    std::uint64_t word = word_of(static_cast<std::uint32_t>(size), begin);
    if (begin != position_) [[unlikely]] {
      record_word(place_, begin).store(word, std::memory_order_relaxed);
      word = word_of(kJumpToStart, position_);
    }
    // Release pairs with the acquire in FrameReader::read(). Sequentially consistent, for the load
    // in take_sleeper(): either it sees that the consumer sleeps, or the consumer sees the word.
    record_word(place_, position_).exchange(word, std::memory_order_seq_cst);
    position_ = end;
    return Written::Yes;
  }

  // To be called after write(): how the consumer wants to be woken, if it sleeps. It is asked once.
  [[nodiscard]] Sleeps take_sleeper() noexcept {
    const std::atomic_ref sleeps{place_.words->sleeps};
    // Pairs with the store in FrameReader::begin_sleep().
    if (sleeps.load(std::memory_order_seq_cst) == 0) [[likely]]
      return Sleeps::No;
    return static_cast<Sleeps>(sleeps.exchange(0, std::memory_order_seq_cst));
  }
  [[nodiscard]] const RingPlace& place() const noexcept { return place_; }

 private:
  // False: the position is impossible.
  [[nodiscard]] bool read_head() noexcept {
    // Acquire pairs with the release in FrameReader: the frames were read before.
    const std::uint64_t head = std::atomic_ref{place_.words->head}.load(std::memory_order_acquire);
    if (head < head_seen_ || head > position_) return false;
    head_seen_ = head;
    return true;
  }

  RingPlace place_;
  std::uint64_t position_ = 0;   // of the next record: the bytes written so far
  std::uint64_t head_seen_ = 0;  // the consumer's position, as it was last read
};

}  // namespace nexusfix::gateway
