// A bounded queue of byte records of any length, from one thread to one other thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <optional>
#include <span>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/deferred/cache_line.hpp>
#include <nexusfix/deferred/ring_memory.hpp>

namespace nexusfix::deferred {

// Why there is no room for a record.
enum class RecordError : std::uint8_t {
  Full,     // no room now; there will be room after the consumer has released records
  TooLong,  // longer than record_bytes_max(): there will never be room
};

// A ring of bytes. Each record is contiguous and aligned to 8 bytes, after a header of 8 bytes with
// its size; a record that would cross the end of the ring goes to its start. In order; no record is
// lost or torn: the consumer sees whole records only.
//
// Threads: one producer calls push, claim and commit; one consumer calls read and release; any
// thread calls size_bytes. Every function is wait-free. Only the constructor allocates; it may
// throw std::bad_alloc.
//
//   if (auto room = queue.claim(20)) {              // producer
//     fill(*room);
//     queue.commit(17);                             // may be less than claimed
//   }
//   while (auto record = queue.read()) use(*record);  // consumer
//   queue.release();
class RecordQueue {
 public:
  static constexpr std::size_t kCapacityBytesMin = 64;  // the smallest ring

  // capacity_bytes: a power of two, at least kCapacityBytesMin. Anything else is a programmer's
  // error; FixedRecordQueue checks it at compile time.
  explicit RecordQueue(std::size_t capacity_bytes)
      : memory_{checked(capacity_bytes)},
        producer_{.ring = memory_.data(), .capacity = capacity_bytes},
        consumer_{.ring = memory_.data(), .capacity = capacity_bytes} {}
  RecordQueue(const RecordQueue&) = delete;
  RecordQueue& operator=(const RecordQueue&) = delete;

  // The longest record, in bytes: half of the ring without a header. A longer record might fit on
  // neither side of the ring's end.
  [[nodiscard]] std::size_t record_bytes_max() const noexcept {
    return static_cast<std::size_t>(producer_.capacity / 2 - kHeaderBytes);
  }

  // Producer. Room for a record of size_bytes, to fill in place; 0 is valid. A claim that is not
  // committed has no effect.
  [[nodiscard]] std::expected<std::span<std::byte>, RecordError> claim(
      std::size_t size_bytes) noexcept {
    if (size_bytes > record_bytes_max()) [[unlikely]]
      return std::unexpected{RecordError::TooLong};
    const std::uint64_t tail = producer_.tail;
    const std::uint64_t at = tail & (producer_.capacity - 1);
    const std::uint64_t until_end = producer_.capacity - at;
    const std::uint64_t record = kHeaderBytes + rounded(size_bytes);
    const std::uint64_t skipped = until_end < record ? until_end : 0;
    if (tail + skipped + record - producer_.head_seen > producer_.capacity) [[unlikely]] {
      // Acquire pairs with the release of head_ in release(): the consumer has read the records
      // before they are overwritten.
      producer_.head_seen = head_.value.load(std::memory_order_acquire);
      if (tail + skipped + record - producer_.head_seen > producer_.capacity) {
        return std::unexpected{RecordError::Full};
      }
    }
    producer_.claimed = tail;
    if (skipped != 0) [[unlikely]] {
      // Headers are aligned, so there is always room for one before the end.
      write_header(tail, kSkipToStart);
      producer_.claimed = tail + skipped;
    }
    return std::span{address(producer_, producer_.claimed) + kHeaderBytes, size_bytes};
  }

  // Producer. Passes the first size_bytes, at most the claimed size, to the consumer.
  void commit(std::size_t size_bytes) noexcept {
    write_header(producer_.claimed, size_bytes);
    const std::uint64_t bytes = kHeaderBytes + rounded(size_bytes);
    producer_.tail = producer_.claimed + bytes;
    // The lines of later records: they left this core's cache when the consumer read them.
    for (std::uint64_t at = 0; at < std::min(bytes, kAheadMax); at += kCacheLineBytes) {
      detail::prefetch_for_writing(address_of_char(producer_.tail + kAhead + at));
    }
    // Release pairs with the acquire in read(): header and record are written before the index, and
    // so is a header that skips to the start.
    tail_.value.store(producer_.tail, std::memory_order_release);
  }

  // Producer. Adds a copy of bytes as a record. Errors: as of claim().
  [[nodiscard]] std::expected<void, RecordError> push(std::span<const std::byte> bytes) noexcept {
    const std::expected<std::span<std::byte>, RecordError> room = claim(bytes.size());
    if (!room) return std::unexpected{room.error()};
    // An empty span may have a null pointer, which memcpy must not see.
    if (!bytes.empty()) std::memcpy(room->data(), bytes.data(), bytes.size());
    commit(bytes.size());
    return {};
  }

  // Consumer. The next record, in place, valid until release(); nothing if there is none now.
  [[nodiscard]] std::optional<std::span<const std::byte>> read() noexcept {
    if (consumer_.head == consumer_.tail_seen) {
      // Acquire pairs with the release of tail_ in commit().
      consumer_.tail_seen = tail_.value.load(std::memory_order_acquire);
      if (consumer_.head == consumer_.tail_seen) return std::nullopt;
    }
    std::uint64_t size = read_header(consumer_.head);
    if (size == kSkipToStart) {
      consumer_.head += consumer_.capacity - (consumer_.head & (consumer_.capacity - 1));
      // A producer that skips commits a record after it at the same time.
      size = read_header(consumer_.head);
    }
    NEXUSFIX_DEBUG_ASSERT(size <= record_bytes_max());
    const std::byte* const record = address(consumer_, consumer_.head) + kHeaderBytes;
    consumer_.head += kHeaderBytes + rounded(size);
    return std::span{record, static_cast<std::size_t>(size)};
  }
  // Consumer. Releases the room of all records that were read. One call for a batch of records is
  // cheaper than one for each.
  void release() noexcept {
    // Release pairs with the acquire in claim(): the consumer has read the bytes before they are
    // overwritten.
    head_.value.store(consumer_.head, std::memory_order_release);
  }

  // Any thread: the bytes in use, with headers. Right a moment ago; exact while neither side works.
  [[nodiscard]] std::size_t size_bytes() const noexcept {
    // Acquire keeps the second load after the first, so that the difference is not negative.
    const std::uint64_t head = head_.value.load(std::memory_order_acquire);
    return static_cast<std::size_t>(tail_.value.load(std::memory_order_acquire) - head);
  }

 private:
  static constexpr std::uint64_t kHeaderBytes = 8;
  static constexpr std::uint64_t kAlignmentBytes = 8;
  static_assert(kHeaderBytes % kAlignmentBytes == 0);
  // commit() prefetches at this distance, and at most this number of bytes.
  static constexpr std::uint64_t kAhead = 2'048;
  static constexpr std::uint64_t kAheadMax = 1'024;
  // In place of a size: the rest of the ring up to its end is not used.
  static constexpr std::uint64_t kSkipToStart = ~std::uint64_t{0};

  // Indices count all bytes ever written and read. They never wrap in practice; their low bits are
  // the place in the ring. Each thread's data and each shared index have their own cache lines; a
  // thread's copy of the other one's index saves most of the cache misses.
  struct alignas(kApartBytes) Index {
    std::atomic<std::uint64_t> value{0};
  };
  struct alignas(kApartBytes) Producer {
    std::byte* ring;
    std::uint64_t capacity;
    std::uint64_t tail = 0;
    std::uint64_t claimed = 0;
    std::uint64_t head_seen = 0;
  };
  struct alignas(kApartBytes) Consumer {
    std::byte* ring;
    std::uint64_t capacity;
    std::uint64_t head = 0;
    std::uint64_t tail_seen = 0;
  };

  [[nodiscard]] static std::size_t checked(std::size_t capacity_bytes) noexcept {
    NEXUSFIX_ASSERT(std::has_single_bit(capacity_bytes));
    NEXUSFIX_ASSERT(capacity_bytes >= kCapacityBytesMin);
    return capacity_bytes;
  }
  [[nodiscard]] static constexpr std::uint64_t rounded(std::uint64_t size_bytes) noexcept {
    return (size_bytes + kAlignmentBytes - 1) & ~(kAlignmentBytes - 1);
  }
  template <class Side>
  [[nodiscard]] static std::byte* address(const Side& side, std::uint64_t index) noexcept {
    return side.ring + (index & (side.capacity - 1));
  }
  [[nodiscard]] const char* address_of_char(std::uint64_t index) const noexcept {
    return static_cast<const char*>(static_cast<const void*>(address(producer_, index)));
  }
  void write_header(std::uint64_t index, std::uint64_t size) noexcept {
    std::memcpy(address(producer_, index), &size, sizeof size);
  }
  [[nodiscard]] std::uint64_t read_header(std::uint64_t index) const noexcept {
    std::uint64_t size = 0;
    std::memcpy(&size, address(consumer_, index), sizeof size);
    return size;
  }

  detail::RingMemory memory_;
  Producer producer_;
  Index tail_;
  Consumer consumer_;
  Index head_;
};

// A RecordQueue whose capacity is checked at compile time.
template <std::size_t CapacityBytes>
class FixedRecordQueue : public RecordQueue {
  static_assert(std::has_single_bit(CapacityBytes), "CapacityBytes is a power of two");
  static_assert(CapacityBytes >= RecordQueue::kCapacityBytesMin);

 public:
  FixedRecordQueue() : RecordQueue{CapacityBytes} {}  // allocates the ring
};

}  // namespace nexusfix::deferred
