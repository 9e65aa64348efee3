// A figure that one thread writes and every thread reads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::engine {

// Relaxed, as it orders no other memory: a reader sees some recent value. One writer needs no
// locked instruction. Row `inside` has the cost of all of them.
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

}  // namespace nexusfix::engine
