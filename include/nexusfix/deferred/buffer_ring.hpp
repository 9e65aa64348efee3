// The ring of a DeferredProcessor: consecutive buffers, each as long as its content.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/deferred/cache_line.hpp>
#include <nexusfix/deferred/ring_memory.hpp>

namespace nexusfix::deferred::detail {

// A buffer that knows how many of its first bytes are in use. Nothing reads the other bytes, not
// even its copy constructor, so that the next buffer may begin there.
template <class Buffer>
concept EndsEarly = requires(const Buffer& buffer) {
  { buffer.used_bytes() } noexcept -> std::same_as<std::size_t>;
} && std::is_trivially_destructible_v<Buffer>;

// The places for buffers, from first to last, in steps of their alignment. Both sides compute the
// next place by the same rule.
template <class Buffer>
struct BufferPlaces {
  [[nodiscard]] Buffer* next_after(Buffer* buffer) const noexcept {
    std::size_t step_bytes = sizeof(Buffer);
    if constexpr (EndsEarly<Buffer>) {
      step_bytes = (buffer->used_bytes() + alignof(Buffer) - 1) / alignof(Buffer) * alignof(Buffer);
    }
    void* const next = static_cast<std::byte*>(static_cast<void*>(buffer)) + step_bytes;
    // A whole buffer must fit: its length is known only after it is filled.
    return std::less<void*>{}(last, next) ? first : static_cast<Buffer*>(next);
  }

  Buffer* first;
  Buffer* last;
};

// Buffers to read, oldest first.
template <class Buffer>
class Buffers {
 public:
  Buffers(const BufferPlaces<Buffer>& places, Buffer* oldest, std::size_t count) noexcept
      : places_{places}, oldest_{oldest}, count_{count} {}
  // One buffer that is in no ring.
  explicit Buffers(Buffer& only) noexcept : Buffers{{&only, &only}, &only, 1} {}

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] Buffer* front() const noexcept { return oldest_; }
  void drop_front() noexcept {
    oldest_ = places_.next_after(oldest_);
    --count_;
  }

 private:
  BufferPlaces<Buffer> places_;
  Buffer* oldest_;
  std::size_t count_;
};

// Room for exactly Capacity buffers, however short they are. In order; no buffer is lost or
// repeated. Short buffers are close together: the CPU prefetches consecutive lines by itself, and a
// lap through the ring takes longer.
//
// Threads: one producer calls claim and commit; one consumer calls readable and release; any thread
// calls pushed. Every function is wait-free. Only the constructor allocates, and only it throws
// (std::bad_alloc).
template <class Buffer, std::size_t Capacity>
class BufferRing {
  static_assert(Capacity > 0);
  static_assert(std::is_nothrow_default_constructible_v<Buffer>);
  static_assert(alignof(Buffer) <= kApartBytes, "RingMemory is not aligned any further");

 public:
  BufferRing() : memory_{kPlaces * sizeof(Buffer)}, producer_{places()}, consumer_{places()} {
    // Default initialization: the memory is zeroed already.
    if constexpr (!EndsEarly<Buffer>) {
      std::uninitialized_default_construct_n(places().first, kPlaces);
    }
  }
  BufferRing(const BufferRing&) = delete;
  BufferRing& operator=(const BufferRing&) = delete;
  ~BufferRing() {
    if constexpr (!EndsEarly<Buffer>) std::destroy_n(places().first, kPlaces);
  }

  // Producer. The next free buffer, to fill in place, or null if there are Capacity buffers. It
  // holds the content of an earlier lap or, if buffers end early, is new. A claim that is not
  // committed has no effect.
  [[nodiscard]] Buffer* claim() noexcept {
    if (producer_.tail - producer_.head_seen == Capacity) [[unlikely]] {
      // Acquire pairs with the release of head_ in release(): the consumer has read the buffers
      // before they are written again.
      producer_.head_seen = head_.value.load(std::memory_order_acquire);
      if (producer_.tail - producer_.head_seen == Capacity) return nullptr;
    }
    if constexpr (EndsEarly<Buffer>) return ::new (static_cast<void*>(producer_.place)) Buffer;
    return producer_.place;
  }
  void commit() noexcept {
    if constexpr (EndsEarly<Buffer>) {
      // The size is from the user's buffer: 0 would let two buffers overlap, and a larger one would
      // leave the ring.
      NEXUSFIX_ASSERT(producer_.place->used_bytes() - 1 < sizeof(Buffer));
    }
    Buffer* const filled =
        std::exchange(producer_.place, producer_.places.next_after(producer_.place));
    prefetch_ahead(filled);
    ++producer_.tail;
    // Release pairs with the acquire in readable(): the buffer is filled before it is counted.
    tail_.value.store(producer_.tail, std::memory_order_release);
  }

  // Consumer. The oldest buffers, in place, at most count_max. Empty only if the ring is empty.
  // Valid until they are released.
  [[nodiscard]] Buffers<Buffer> readable(std::size_t count_max) noexcept {
    if (consumer_.head == consumer_.tail_seen) {
      // Acquire pairs with commit().
      consumer_.tail_seen = tail_.value.load(std::memory_order_acquire);
    }
    const auto available = static_cast<std::size_t>(consumer_.tail_seen - consumer_.head);
    return {consumer_.places, consumer_.place, std::min(available, count_max)};
  }
  [[nodiscard]] bool empty() noexcept { return readable(1).count() == 0; }
  // Consumer. Releases the `count` oldest buffers. rest: the result of readable() without them.
  void release(std::size_t count, const Buffers<Buffer>& rest) noexcept {
    NEXUSFIX_DEBUG_ASSERT(count <= consumer_.tail_seen - consumer_.head);
    consumer_.head += count;
    consumer_.place = rest.front();
    // Release pairs with the acquire in claim(): the consumer has read the buffers before they are
    // written again.
    head_.value.store(consumer_.head, std::memory_order_release);
  }

  // Any thread: the number of buffers that were ever committed.
  [[nodiscard]] std::uint64_t pushed() const noexcept {
    // Acquire pairs with commit(): a reader may compare the result with a count of the consumer.
    return tail_.value.load(std::memory_order_acquire);
  }

 private:
  // One place more than there are buffers. Capacity - 1 buffers, the unused end of the ring, which
  // is shorter than a buffer, and the claimed buffer fit into it together: a claim never reaches a
  // buffer that is not released, without counting bytes.
  static constexpr std::size_t kPlaces = Capacity + 1;
  static constexpr std::size_t kAheadBytes = 2048;

  // An Index is written by one thread and read by the other. Each thread's copy of the other one's
  // index is private. Each has its own cache lines.
  struct alignas(kApartBytes) Index {
    std::atomic<std::uint64_t> value{0};
  };
  struct alignas(kApartBytes) Producer {
    BufferPlaces<Buffer> places;
    Buffer* place = places.first;
    std::uint64_t tail = 0;
    std::uint64_t head_seen = 0;
  };
  struct alignas(kApartBytes) Consumer {
    BufferPlaces<Buffer> places;
    Buffer* place = places.first;
    std::uint64_t head = 0;
    std::uint64_t tail_seen = 0;
  };

  // Prefetches as many cache lines as were filled, further ahead: the consumer had them last, or
  // they have left the caches, and fetching them takes as long as several claims.
  void prefetch_ahead(const Buffer* filled) noexcept {
    // Never what the consumer may still read: if this number of buffers is free, so are the bytes.
    constexpr std::size_t kAheadBuffers = kAheadBytes / sizeof(Buffer) + 2;
    if (producer_.tail + kAheadBuffers - producer_.head_seen > Capacity) return;
    const auto* const begin = static_cast<const char*>(static_cast<const void*>(filled));
    const auto* const end = static_cast<const char*>(static_cast<const void*>(producer_.place));
    const auto* const ring_end =
        static_cast<const char*>(static_cast<const void*>(producer_.places.last));
    if (end < begin || ring_end - end < static_cast<std::ptrdiff_t>(kAheadBytes)) return;
    for (const char* line = begin; line < end; line += kCacheLineBytes) {
      prefetch_for_writing(line + kAheadBytes);
    }
  }

  [[nodiscard]] BufferPlaces<Buffer> places() const noexcept {
    auto* const first = static_cast<Buffer*>(static_cast<void*>(memory_.data()));
    return {first, first + (kPlaces - 1)};
  }

  RingMemory memory_;
  Producer producer_;
  Index tail_;
  Consumer consumer_;
  Index head_;
};

}  // namespace nexusfix::deferred::detail
