// A bounded queue of slots of one size, from one thread to one other thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/deferred/cache_line.hpp>
#include <nexusfix/deferred/ring_memory.hpp>

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

}  // namespace nexusfix::deferred
