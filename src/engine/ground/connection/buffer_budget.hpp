// The bytes that all connections and sessions of an engine have in buffers, and their limit.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace nexusfix::engine {

// MaxBufferedBytes. Counts what buffers have allocated, whether it is used or not. A connection
// that receives and answers one message after the other does not change the count: only a buffer
// that grows or releases its storage does. All functions: any thread.
// An event loop disconnects only its own connections. Several loops keep an eighth in reserve. A
// loop that has used up the rest asks the loop that has a larger connection than its own. That loop
// checks at least once a second; until then the first loop uses the reserve.
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
  // Whether this number of further bytes fits without a disconnection. has_reserve() includes the
  // reserve.
  [[nodiscard]] bool has_room(std::uint64_t bytes) const noexcept {
    return used() + bytes <= bytes_max_ - reserve_;
  }
  [[nodiscard]] bool has_reserve(std::uint64_t bytes) const noexcept {
    return used() + bytes <= bytes_max_;
  }

  // The bytes that a resend may have unsent, and may add in one turn. A resend can wait, so it must
  // not cause a disconnection.
  [[nodiscard]] std::size_t replay_bytes_max() const noexcept {
    constexpr std::uint64_t kUnsentBytesMax = 1U << 20U;  // A slow reader costs little memory.
    constexpr std::uint64_t kBytesWhenScarce = 64U << 10U;
    const bool is_scarce = used() > bytes_max_ / 4 * 3;
    return static_cast<std::size_t>(
        std::min(bytes_max_ / 16, is_scarce ? kBytesWhenScarce : kUnsentBytesMax));
  }

  // The bytes of the loop's largest connection, when it was last checked.
  void set_largest(std::size_t loop, std::uint64_t bytes) noexcept {
    if (loop < loops_.size()) loops_[loop].largest.store(bytes, std::memory_order_relaxed);
  }
  void raise_largest(std::size_t loop, std::uint64_t bytes) noexcept {
    if (loop >= loops_.size() || loops_.size() == 1) return;
    if (bytes > loops_[loop].largest.load(std::memory_order_relaxed)) set_largest(loop, bytes);
  }
  // Asks the loop with the largest connection, if that has more than this number of bytes. False:
  // no other loop has such a connection.
  bool ask_for_larger(std::size_t loop, std::uint64_t bytes) noexcept {
    std::size_t largest = loop;
    for (std::size_t other = 0; other < loops_.size(); ++other) {
      const std::uint64_t has = loops_[other].largest.load(std::memory_order_relaxed);
      if (other == loop || has <= bytes) continue;
      bytes = has;
      largest = other;
    }
    if (largest == loop) return false;
    loops_[largest].is_asked.store(true, std::memory_order_release);  // consume_request() reads it
    return true;
  }
  // Whether another loop has asked this one since the last call.
  [[nodiscard]] bool consume_request(std::size_t loop) noexcept {
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

// The part of the budget that one buffer uses. It is used like a number, and its end releases it.
class BufferCharge {
 public:
  BufferCharge() = default;
  ~BufferCharge() { *this = 0; }
  BufferCharge(const BufferCharge&) = delete;
  BufferCharge& operator=(const BufferCharge&) = delete;

  // Must be called before any bytes are counted.
  void count_in(BufferBudget& budget) noexcept { budget_ = &budget; }
  // NOLINTNEXTLINE(google-explicit-constructor): it reads as a number.
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
