// The consumer of one ring.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "gateway/ring/frame_writer.hpp"

namespace nexusfix::gateway {

// One thread. It never waits. Each word is read once and checked before it is used, so a hostile
// producer can only make it return frames of any content, or a fault.
class FrameReader {
 public:
  explicit FrameReader(const RingPlace& place) noexcept : place_{place} {}

  // The next frame, in the ring: valid until the next call. Empty: there is none, or there is a
  // fault. Not to be called after a fault.
  [[nodiscard]] std::string_view read() noexcept {
    position_ = next_;
    // Acquire pairs with the exchange in FrameWriter::write(): the frame is written before it.
    std::uint64_t word = record_word(place_, position_).load(std::memory_order_acquire);
    if (word == 0) {
      release();
      return {};
    }
    if (static_cast<std::uint32_t>(word) == kJumpToStart) [[unlikely]] {
      if (!jump(word)) return {};
      word = record_word(place_, position_).load(std::memory_order_acquire);
      if (word == 0) return {};
    }
    const std::uint64_t size = static_cast<std::uint32_t>(word);
    const std::uint64_t at = position_ & (place_.bytes - 1);
    if (word >> 32U != (position_ & 0xFFFF'FFFF)) [[unlikely]]
      return stop(RingFault::Mark);
    if (size == 0 || size > place_.frame_bytes_max || record_bytes(size) > place_.bytes - at)
        [[unlikely]]
      return stop(RingFault::Size);
    next_ = position_ + record_bytes(size);
    if (position_ - released_ >= place_.bytes / kReleasesPerLap) [[unlikely]]
      release();
    return {place_.data + at + kRecordHeaderBytes, size};
  }

  // Whether there is a record after the current one.
  [[nodiscard]] bool has_frame() const noexcept {
    // Relaxed: read() loads the word again.
    return record_word(place_, next_).load(std::memory_order_relaxed) != 0;
  }

  // Sets how the producer has to wake this side. False: there is a frame, and nothing is set. After
  // true, the caller may sleep until it is woken, and then calls end_sleep().
  [[nodiscard]] bool begin_sleep(Sleeps how) noexcept {
    const std::atomic_ref sleeps{place_.words->sleeps};
    // Pairs with the load in FrameWriter::take_sleeper().
    sleeps.store(static_cast<std::uint32_t>(how), std::memory_order_seq_cst);
    if (record_word(place_, next_).load(std::memory_order_seq_cst) == 0) return true;
    end_sleep();
    return false;
  }
  void end_sleep() noexcept {
    // Relaxed: at worst the producer wakes a consumer that does not sleep.
    std::atomic_ref{place_.words->sleeps}.store(0, std::memory_order_relaxed);
  }

  [[nodiscard]] RingFault fault() const noexcept { return fault_; }
  [[nodiscard]] const RingPlace& place() const noexcept { return place_; }

 private:
  // The producer gets room back in pieces of this part of the ring: each release costs it a cache
  // miss.
  static constexpr std::uint64_t kReleasesPerLap = 8;

  // False: a jump that no producer writes.
  [[nodiscard]] bool jump(std::uint64_t word) noexcept {
    const std::uint64_t at = position_ & (place_.bytes - 1);
    if (word >> 32U != (position_ & 0xFFFF'FFFF)) stop(RingFault::Mark);
    if (at == 0) stop(RingFault::Jump);
    if (fault_ != RingFault::None) return false;
    position_ += place_.bytes - at;
    next_ = position_;
    return true;
  }
  std::string_view stop(RingFault fault) noexcept {
    fault_ = fault;
    next_ = position_;
    return {};
  }
  // Gives the producer the room of all frames before the current one.
  void release() noexcept {
    if (position_ == released_) return;
    released_ = position_;
    // Release pairs with the acquire in FrameWriter::read_head(): the frames have been read.
    std::atomic_ref{place_.words->head}.store(released_, std::memory_order_release);
  }

  RingPlace place_;
  std::uint64_t position_ = 0;  // of the current record
  std::uint64_t next_ = 0;      // of the record after it
  std::uint64_t released_ = 0;  // what the producer knows of
  RingFault fault_ = RingFault::None;
};

}  // namespace nexusfix::gateway
