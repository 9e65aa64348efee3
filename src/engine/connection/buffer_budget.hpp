// What all connections and sessions of an engine have in buffers, and how much that may be.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace nexusfix::engine {

// MaxBufferedBytes. Counted is what buffers have allocated, whether it is used or not. A connection
// that receives and answers one message after the other changes nothing of it: only a buffer that
// grows, or is given back, comes here. All functions: any thread.
//
// Who is cut is an event loop's decision, of its own connections. Several loops keep an eighth in
// reserve: one that has used up the rest asks the loop that has a larger connection than its own,
// which looks once a second at least, and takes from the reserve until then.
class BufferBudget {
 public:
  explicit BufferBudget(std::uint64_t bytes_max, std::size_t loops = 1)
      : bytes_max_{bytes_max}, reserve_{loops > 1 ? bytes_max / 8 : 0}, loops_(loops) {}
  BufferBudget(const BufferBudget&) = delete;
  BufferBudget& operator=(const BufferBudget&) = delete;

  [[nodiscard]] std::uint64_t bytes_max() const noexcept { return bytes_max_; }
  [[nodiscard]] std::uint64_t used() const noexcept {
    return used_.load(std::memory_order_relaxed);
  }
  void add(std::size_t bytes) noexcept { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void subtract(std::size_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  // Whether that number more is within what may be taken with no connection cut, or with the
  // reserve.
  [[nodiscard]] bool has_room(std::uint64_t bytes) const noexcept {
    return used() + bytes <= bytes_max_ - reserve_;
  }
  [[nodiscard]] bool has_reserve(std::uint64_t bytes) const noexcept {
    return used() + bytes <= bytes_max_;
  }

  // What the largest connection of a loop has, as it was last looked at.
  void set_largest(std::size_t loop, std::uint64_t bytes) noexcept {
    if (loop < loops_.size()) loops_[loop].largest.store(bytes, std::memory_order_relaxed);
  }
  void note_large(std::size_t loop, std::uint64_t bytes) noexcept {
    if (loop >= loops_.size() || loops_.size() == 1) return;
    if (bytes > loops_[loop].largest.load(std::memory_order_relaxed)) set_largest(loop, bytes);
  }
  // Asks the loop that has a larger one than that number of bytes; false: there is none.
  bool ask_for_larger(std::size_t loop, std::uint64_t bytes) noexcept;
  // Whether that loop was asked since.
  [[nodiscard]] bool take_asked(std::size_t loop) noexcept {
    if (loop >= loops_.size() || loops_.size() == 1) return false;
    return loops_[loop].is_asked.load(std::memory_order_relaxed) &&
           loops_[loop].is_asked.exchange(false, std::memory_order_acquire);
  }

 private:
  struct Loop {
    std::atomic<std::uint64_t> largest{0};
    std::atomic<bool> is_asked{false};
  };

  const std::uint64_t bytes_max_;
  const std::uint64_t reserve_;
  std::vector<Loop> loops_;
  std::atomic<std::uint64_t> used_{0};
};

// What one buffer has of it: a number of bytes like any other, given back with the buffer.
class BufferCharge {
 public:
  BufferCharge() = default;
  ~BufferCharge() { *this = 0; }
  BufferCharge(const BufferCharge&) = delete;
  BufferCharge& operator=(const BufferCharge&) = delete;

  // Before there is anything to count.
  void count_in(BufferBudget& budget) noexcept { budget_ = &budget; }
  // NOLINTNEXTLINE: reads as the number that it is.
  operator std::size_t() const noexcept { return bytes_; }
  BufferCharge& operator=(std::size_t bytes) noexcept {
    const std::size_t before = std::exchange(bytes_, bytes);
    if (budget_ == nullptr || bytes == before) return *this;
    if (bytes > before) {
      budget_->add(bytes - before);
    } else {
      budget_->subtract(before - bytes);
    }
    return *this;
  }
  BufferCharge& operator+=(std::size_t bytes) noexcept { return *this = bytes_ + bytes; }
  BufferCharge& operator-=(std::size_t bytes) noexcept { return *this = bytes_ - bytes; }

 private:
  BufferBudget* budget_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace nexusfix::engine
