// Figures that one thread writes and every thread reads, without a lock.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <new>
#include <optional>
#include <string>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::observe {

// A figure that one thread writes and every thread reads. Relaxed, as it orders no other memory: a
// reader sees some recent value. One writer needs no locked instruction. Row `inside` has the cost
// of all of them.
template <class Value>
class Figure {
 public:
  // The writer's thread.
  void set(Value value) noexcept { value_.store(value, std::memory_order_relaxed); }
  // Any thread.
  [[nodiscard]] Value read() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<Value> value_{};
};

// A count. A reader never sees a smaller one later.
class Counter : public Figure<std::uint64_t> {
 public:
  // The writer's thread. Inlined: a call takes four times the instructions of the addition.
  [[gnu::always_inline]] Counter& operator+=(std::uint64_t more) noexcept {
    set(read() + more);
    return *this;
  }
  [[gnu::always_inline]] Counter& operator++() noexcept { return *this += 1; }
};

// A time of day; the epoch: none.
class TimeFigure {
 public:
  // The writer's thread.
  void set(WallTime time) noexcept { nanoseconds_.set(time.time_since_epoch().count()); }
  void clear() noexcept { set(WallTime{}); }
  // Any thread.
  [[nodiscard]] bool is_set() const noexcept { return nanoseconds_.read() != 0; }
  [[nodiscard]] WallTime read() const noexcept {
    return WallTime{std::chrono::nanoseconds{nanoseconds_.read()}};
  }
  [[nodiscard]] std::optional<WallTime> if_set() const noexcept {
    const WallTime time = read();
    return time == WallTime{} ? std::nullopt : std::optional{time};
  }

 private:
  Figure<std::int64_t> nanoseconds_;
};

// A pointer that is set once: the loop's thread makes the object, every thread reads it. It lives
// as long as this.
template <class Object>
class MadeOnce {
 public:
  MadeOnce() = default;
  ~MadeOnce() { delete get(); }
  MadeOnce(const MadeOnce&) = delete;
  MadeOnce& operator=(const MadeOnce&) = delete;

  // The loop's thread. Without memory nothing is made.
  void make() noexcept {
    if (get() != nullptr) return;
    try {
      // Release: a reader that has the pointer sees the object. Pairs with the acquire in read().
      object_.store(new Object, std::memory_order_release);
    } catch (const std::bad_alloc&) {  // it is tried again the next time
    }
  }
  // Makes it, and returns it. Null: there was no memory.
  [[nodiscard]] Object* made() noexcept {
    make();
    return get();
  }
  // The loop's thread. Null: it is not made.
  [[nodiscard]] Object* get() const noexcept { return object_.load(std::memory_order_relaxed); }
  // Any thread.
  [[nodiscard]] const Object* read() const noexcept {
    return object_.load(std::memory_order_acquire);
  }

 private:
  std::atomic<Object*> object_{nullptr};
};

// A text that changes seldom: only its readers and a change of it lock.
class WhyText {
 public:
  // The loop's thread. A text of the counterparty may be part of it: bytes that are not ASCII text
  // become ?.
  void set(std::string text) noexcept {
    for (char& byte : text) {
      if (byte < ' ' || byte > '~') byte = '?';
    }
    if (text == text_) return;
    const std::lock_guard lock{mutex_};
    text_.swap(text);
  }
  // Any thread.
  [[nodiscard]] std::string read() const {
    const std::lock_guard lock{mutex_};
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

}  // namespace nexusfix::observe
