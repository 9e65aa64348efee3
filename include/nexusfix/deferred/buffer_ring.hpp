// The ring of a DeferredProcessor: buffers behind each other, each as long as what is in it.
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

// A buffer that says how many of its bytes, from the first on, mean something. Nobody reads the
// others, its own copy constructor included, so that the next buffer may begin there.
template <class Buffer>
concept EndsEarly = requires(const Buffer& buffer) {
  { buffer.used_bytes() } noexcept -> std::same_as<std::size_t>;
} && std::is_trivially_destructible_v<Buffer>;

// Where buffers may lie: from first to last, by steps of their alignment. Both sides go through
// them by the same rule, so that none needs to be told where the next buffer is.
template <class Buffer>
struct BufferPlaces {
  [[nodiscard]] Buffer* behind(Buffer* buffer) const noexcept {
    std::size_t step_bytes = sizeof(Buffer);
    if constexpr (EndsEarly<Buffer>) {
      step_bytes = (buffer->used_bytes() + alignof(Buffer) - 1) / alignof(Buffer) * alignof(Buffer);
    }
    void* const next = static_cast<std::byte*>(static_cast<void*>(buffer)) + step_bytes;
    // A whole buffer must fit: how long it will be is known when it is filled.
    return std::less<void*>{}(last, next) ? first : static_cast<Buffer*>(next);
  }

  Buffer* first;
  Buffer* last;
};

// Buffers to be read, oldest first.
template <class Buffer>
class Buffers {
 public:
  Buffers(const BufferPlaces<Buffer>& places, Buffer* oldest, std::size_t count) noexcept
      : places_{places}, oldest_{oldest}, count_{count} {}
  // One that lies in no ring.
  explicit Buffers(Buffer& only) noexcept : Buffers{{&only, &only}, &only, 1} {}

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] Buffer* front() const noexcept { return oldest_; }
  void drop_front() noexcept {
    oldest_ = places_.behind(oldest_);
    --count_;
  }

 private:
  BufferPlaces<Buffer> places_;
  Buffer* oldest_;
  std::size_t count_;
};

// Room for Capacity buffers and not one more, however short they are. In order, nothing lost,
// nothing twice. Buffers that end early lie close together: the CPU fetches lines that follow each
// other by itself, and a lap through the ring takes longer.
//
// Threads: one producer calls claim and commit; one consumer calls readable and release; any thread
// calls pushed. Every function is wait-free. Allocation: the constructor only. Nothing throws but
// the constructor (std::bad_alloc).
template <class Buffer, std::size_t Capacity>
class BufferRing {
  static_assert(Capacity > 0);
  static_assert(std::is_nothrow_default_constructible_v<Buffer>);
  static_assert(alignof(Buffer) <= kApartBytes, "RingMemory is not aligned any further");

 public:
  BufferRing() : memory_{kPlaces * sizeof(Buffer)}, producer_{places()}, consumer_{places()} {
    // Default, not value: what RingMemory zeroed need not be written again.
    if constexpr (!EndsEarly<Buffer>) {
      std::uninitialized_default_construct_n(places().first, kPlaces);
    }
  }
  BufferRing(const BufferRing&) = delete;
  BufferRing& operator=(const BufferRing&) = delete;
  ~BufferRing() {
    if constexpr (!EndsEarly<Buffer>) std::destroy_n(places().first, kPlaces);
  }

  // Producer. The next free buffer, to be filled in place, or null if there are Capacity already.
  // It holds what an earlier lap left there, or, if it ends early, is a new one. A claim that is
  // not committed is forgotten.
  [[nodiscard]] Buffer* claim() noexcept {
    if (producer_.tail - producer_.head_seen == Capacity) [[unlikely]] {
      // Acquire pairs with the consumer's release of head_ in release(): it has read what was in
      // the buffers before they are written again.
      producer_.head_seen = head_.value.load(std::memory_order_acquire);
      if (producer_.tail - producer_.head_seen == Capacity) return nullptr;
    }
    if constexpr (EndsEarly<Buffer>) return ::new (static_cast<void*>(producer_.place)) Buffer;
    return producer_.place;
  }
  void commit() noexcept {
    if constexpr (EndsEarly<Buffer>) {
      // A user's buffer says it: none could lie on another, and more would leave the ring.
      NEXUSFIX_ASSERT(producer_.place->used_bytes() - 1 < sizeof(Buffer));
    }
    Buffer* const filled = std::exchange(producer_.place, producer_.places.behind(producer_.place));
    ask_ahead(filled);
    ++producer_.tail;
    // Release pairs with the consumer's acquire in readable(): the buffer is filled before it is
    // counted.
    tail_.value.store(producer_.tail, std::memory_order_release);
  }

  // Consumer. The oldest buffers, in place, at most count_max; none only if there is none. Valid
  // until they are released.
  [[nodiscard]] Buffers<Buffer> readable(std::size_t count_max) noexcept {
    if (consumer_.head == consumer_.tail_seen) {
      // Acquire pairs with commit().
      consumer_.tail_seen = tail_.value.load(std::memory_order_acquire);
    }
    const auto available = static_cast<std::size_t>(consumer_.tail_seen - consumer_.head);
    return {consumer_.places, consumer_.place, std::min(available, count_max)};
  }
  [[nodiscard]] bool empty() noexcept { return readable(1).count() == 0; }
  // Consumer. Gives the count oldest buffers back; rest is what readable() returned, with that many
  // dropped.
  void release(std::size_t count, const Buffers<Buffer>& rest) noexcept {
    NEXUSFIX_DEBUG_ASSERT(count <= consumer_.tail_seen - consumer_.head);
    consumer_.head += count;
    consumer_.place = rest.front();
    // Release pairs with the producer's acquire in claim(): reading of the buffers is over before
    // they may be written to.
    head_.value.store(consumer_.head, std::memory_order_release);
  }

  // Any thread: how many buffers were ever committed.
  [[nodiscard]] std::uint64_t pushed() const noexcept {
    // Acquire pairs with commit(), for a reader who goes on to compare with a consumer's count.
    return tail_.value.load(std::memory_order_acquire);
  }

 private:
  // One place more than there are buffers. Capacity - 1 buffers, the end of the ring that they
  // leave out, shorter than a buffer, and the one that is claimed are shorter than this together:
  // a claim never reaches what has not been released, and nobody has to count bytes.
  static constexpr std::size_t kPlaces = Capacity + 1;
  static constexpr std::size_t kAheadBytes = 2048;

  // What one thread writes and the other one reads is an Index; what a thread remembers of the
  // other one's index is private to it. Each has cache lines of its own.
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

  // As many cache lines as were filled are asked for further ahead: the consumer had them last, or
  // they have left the caches, and getting them back takes as long as several claims.
  void ask_ahead(const Buffer* filled) noexcept {
    // Not what the consumer may still be reading: as long as so many buffers are free, so are the
    // bytes.
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
