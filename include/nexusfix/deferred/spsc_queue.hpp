// Queues from one thread to another: of slots (SpscQueue), of records of bytes (RecordQueue), and
// of buffers that a processor fills in place.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <nexusfix/base/language.hpp>

// The distance in memory between the data of two threads, and a prefetch.

namespace nexusfix::deferred {

// The size of a cache line of the CPUs that the engine runs on.
inline constexpr std::size_t kCacheLineBytes = 64;

// The distance between the data of two threads: two lines, because some CPUs fetch a line together
// with its neighbour.
inline constexpr std::size_t kApartBytes = 2 * kCacheLineBytes;

namespace detail {

// Prefetches the cache line of address for writing. The compiler's builtin would prefetch it for
// reading, because it takes the instruction for an extension of x86-64; a CPU without it executes
// it as a no-op.
inline void prefetch_for_writing(const char* address) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*address));
#elif defined(__GNUC__)
  __builtin_prefetch(address, 1);
#else
  static_cast<void>(address);
#endif
}

}  // namespace detail

}  // namespace nexusfix::deferred

// The memory of a ring: large, touched before it is used, and never moved.

namespace nexusfix::deferred::detail {

// Owns size_bytes zeroed bytes, aligned to a cache line or better. Every page has been written to,
// so that the first lap has no page faults. A large ring requests huge pages, so that a lap has few
// TLB misses. The constructor allocates and may throw std::bad_alloc.
class RingMemory {
 public:
  explicit RingMemory(std::size_t size_bytes);
  RingMemory(const RingMemory&) = delete;
  RingMemory& operator=(const RingMemory&) = delete;
  ~RingMemory();

  [[nodiscard]] std::byte* data() const noexcept { return memory_; }

 private:
  std::size_t alignment_bytes_;
  std::byte* memory_;
};

// memcpy by the C library, even if the size is a constant. Code for the baseline instruction set
// moves 16 bytes at a time; the library uses the widest moves of the CPU. Faster from some hundred
// bytes on.
inline void copy_by_library(void* to, const void* from, std::size_t size_bytes) noexcept {
#if defined(__GNUC__)
  asm("" : "+r"(size_bytes));  // Hides from the compiler that the size is a constant.
#endif
  std::memcpy(to, from, size_bytes);
}

}  // namespace nexusfix::deferred::detail

// A bounded queue of slots of one size, from one thread to one other thread.

namespace nexusfix::deferred {

// Capacity slots. Each holds a T that is constructed with the queue and assigned to from then on.
// In order; no value is lost or repeated.
//
// Threads: one producer calls push, push_batch, claim and commit; one consumer calls pop,
// pop_batch, readable and release; any thread calls size. Every function is wait-free: it never
// loops on the other thread. Only the constructor and T's assignment may allocate. Only the
// constructor throws (std::bad_alloc).
//
//   auto queue = std::make_unique<SpscQueue<Fill, 1024>>();
//   if (!queue->push(fill)) ++refused;                      // full
//   for (const Fill& fill : queue->readable()) book(fill);  // on the other thread
//   queue->release(count);
template <class T, std::size_t Capacity>
class SpscQueue {
  static_assert(std::has_single_bit(Capacity), "Capacity is a power of two");
  static_assert(std::is_nothrow_default_constructible_v<T>);

 public:
  static constexpr std::size_t kCapacity = Capacity;  // the number of slots

  // Constructs all slots.
  SpscQueue()
      : memory_{Capacity * sizeof(T)}, slots_{static_cast<T*>(static_cast<void*>(memory_.data()))} {
    static_assert(alignof(T) <= kApartBytes, "RingMemory is not aligned any further");
    // Default initialization: the memory is zeroed already.
    std::uninitialized_default_construct_n(slots_, Capacity);
  }
  SpscQueue(const SpscQueue&) = delete;
  SpscQueue& operator=(const SpscQueue&) = delete;
  ~SpscQueue() { std::destroy_n(slots_, Capacity); }

  // Producer. Adds a copy of value. False if the queue is full.
  [[nodiscard]] bool push(const T& value) noexcept
    requires std::is_nothrow_copy_assignable_v<T>
  {
    T* const slot = claim();
    if (slot == nullptr) return false;
    assign(*slot, value);
    commit();
    return true;
  }
  // Producer. Moves value into the queue. False if the queue is full; value is unchanged then.
  [[nodiscard]] bool push(T&& value) noexcept
    requires(std::is_nothrow_move_assignable_v<T> && !std::is_trivially_copyable_v<T>)
  {
    T* const slot = claim();
    if (slot == nullptr) return false;
    *slot = std::move(value);
    commit();
    return true;
  }

  // Producer. Copies as many of the first values as there is room for; they become visible
  // together. Returns their number.
  [[nodiscard]] std::size_t push_batch(std::span<const T> values) noexcept
    requires std::is_nothrow_copy_assignable_v<T>
  {
    const std::size_t count = std::min(values.size(), room_for(values.size()));
    for (std::size_t i = 0; i < count; ++i) assign(slot_at(producer_.tail + i), values[i]);
    publish(producer_.tail + count);
    return count;
  }

  // Producer. The next free slot, to fill in place, or null if the queue is full. It holds the
  // content of an earlier lap. A claim that is not committed has no effect.
  [[nodiscard]] T* claim() noexcept {
    const std::uint64_t tail = producer_.tail;
    if (tail - producer_.head_seen == Capacity) [[unlikely]] {
      // Acquire pairs with the release of head_ in release_slots(): the consumer has read the slots
      // before they are written again.
      producer_.head_seen = head_.value.load(std::memory_order_acquire);
      if (tail - producer_.head_seen == Capacity) return nullptr;
    }
    return &slot_at(tail);
  }
  // Producer. Passes the slot that claim() returned to the consumer.
  void commit() noexcept { publish(producer_.tail + 1); }

  // Consumer. Moves the oldest value out. False if the queue is empty; value is unchanged then.
  [[nodiscard]] bool pop(T& value) noexcept
    requires std::is_nothrow_move_assignable_v<T>
  {
    const std::span<T> one = readable(1);
    if (one.empty()) return false;
    take(value, one.front());
    release(1);
    return true;
  }

  // Consumer. Moves up to values.size() of the oldest values out and returns their number. Their
  // slots are released together, which costs the producer one cache miss instead of one for each.
  [[nodiscard]] std::size_t pop_batch(std::span<T> values) noexcept
    requires std::is_nothrow_move_assignable_v<T>
  {
    std::size_t count = 0;
    while (count < values.size()) {
      const std::span<T> some = readable(values.size() - count);
      if (some.empty()) break;
      for (T& slot : some) take(values[count++], slot);
      consumer_.head += some.size();
    }
    // Not for 0 values: the producer would lose the index's cache line for nothing.
    if (count != 0) release_slots();
    return count;
  }

  // Consumer. The oldest values, in place, as many as are contiguous, at most count_max. Empty only
  // if the queue is empty. Valid until they are released.
  [[nodiscard]] std::span<T> readable(std::size_t count_max = Capacity) noexcept {
    const std::uint64_t head = consumer_.head;
    if (head == consumer_.tail_seen) {
      // Acquire pairs with the release of tail_ in publish(): the slots are filled before they are
      // counted.
      consumer_.tail_seen = tail_.value.load(std::memory_order_acquire);
    }
    const auto available = static_cast<std::size_t>(consumer_.tail_seen - head);
    const std::size_t until_wrap = Capacity - (head & (Capacity - 1));
    return {&slot_at(head), std::min({available, until_wrap, count_max})};
  }
  // Consumer. Releases the `count` oldest slots; at most the size of readable()'s result.
  void release(std::size_t count) noexcept {
    NEXUSFIX_DEBUG_ASSERT(count <= consumer_.tail_seen - consumer_.head);
    consumer_.head += count;
    release_slots();
  }

  // The number of values in the queue. Any thread: right a moment ago, exact while neither side
  // works.
  [[nodiscard]] std::size_t size() const noexcept {
    // Head first: it never overtakes the tail, so the difference is not negative. Acquire keeps the
    // second load after the first.
    const std::uint64_t head = head_.value.load(std::memory_order_acquire);
    return static_cast<std::size_t>(pushed() - head);
  }
  // Any thread: the number of values that were ever pushed.
  [[nodiscard]] std::uint64_t pushed() const noexcept {
    // Acquire pairs with publish(): a reader may compare the result with a count of the consumer.
    return tail_.value.load(std::memory_order_acquire);
  }

 private:
  // From this size on the C library's copy is faster than an inlined one.
  static constexpr std::size_t kCopyByLibraryBytes = 128;

  // Each on its own cache lines. An Index is written by one thread and read by the other. Each
  // thread's copy of the other one's index is private, and saves most of the cache misses.
  struct alignas(kApartBytes) Index {
    std::atomic<std::uint64_t> value{0};
  };
  struct alignas(kApartBytes) Producer {
    std::uint64_t tail = 0;
    std::uint64_t head_seen = 0;
  };
  struct alignas(kApartBytes) Consumer {
    std::uint64_t head = 0;
    std::uint64_t tail_seen = 0;
  };

  [[nodiscard]] T& slot_at(std::uint64_t index) noexcept { return slots_[index & (Capacity - 1)]; }

  static void assign(T& slot, const T& value) noexcept {
    if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) >= kCopyByLibraryBytes) {
      detail::copy_by_library(&slot, &value, sizeof(T));
    } else {
      slot = value;
    }
  }
  static void take(T& value, T& slot) noexcept {
    if constexpr (std::is_trivially_copyable_v<T>) {
      assign(value, slot);
    } else {
      value = std::move(slot);
    }
  }

  [[nodiscard]] std::size_t room_for(std::size_t wanted) noexcept {
    std::uint64_t room = Capacity - (producer_.tail - producer_.head_seen);
    if (room < wanted) {
      // Acquire: as in claim().
      producer_.head_seen = head_.value.load(std::memory_order_acquire);
      room = Capacity - (producer_.tail - producer_.head_seen);
    }
    return static_cast<std::size_t>(room);
  }
  void publish(std::uint64_t tail) noexcept {
    producer_.tail = tail;
    // Release pairs with the acquire in readable(): the slots are written before the index.
    tail_.value.store(tail, std::memory_order_release);
  }
  void release_slots() noexcept {
    // Release pairs with the acquire in claim(): the consumer has read the slots before they are
    // written again.
    head_.value.store(consumer_.head, std::memory_order_release);
  }

  detail::RingMemory memory_;
  T* slots_;
  Producer producer_;
  Index tail_;
  Consumer consumer_;
  Index head_;
};

// A bounded queue of byte records of any length, from one thread to one other thread.

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
  // Why there is no room for a record.
  enum class Error : std::uint8_t {
    Full,     // no room now; there will be room after the consumer has released records
    TooLong,  // longer than record_bytes_max(): there will never be room
  };
  static constexpr std::size_t kCapacityBytesMin = 64;  // the smallest ring

  // capacity_bytes: a power of two, at least kCapacityBytesMin. Anything else is a programmer's
  // error.
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
  [[nodiscard]] std::expected<std::span<std::byte>, Error> claim(std::size_t size_bytes) noexcept {
    if (size_bytes > record_bytes_max()) [[unlikely]]
      return std::unexpected{Error::TooLong};
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
        return std::unexpected{Error::Full};
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
  [[nodiscard]] std::expected<void, Error> push(std::span<const std::byte> bytes) noexcept {
    const std::expected<std::span<std::byte>, Error> room = claim(bytes.size());
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

}  // namespace nexusfix::deferred

// The ring of a DeferredProcessor: consecutive buffers, each as long as its content.

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
