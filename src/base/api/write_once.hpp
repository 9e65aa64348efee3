// A value that one thread writes once, and that any thread reads from then on.
#pragma once

#include <atomic>
#include <cstdint>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

template <class T>
class WriteOnce {
 public:
  // Null: no value is written yet. It stays the same from then on.
  [[nodiscard]] const T* get() const noexcept {
    // Acquire: the value that publish() has released.
    return state_.load(std::memory_order_acquire) == State::Written ? &value_ : nullptr;
  }
  // For the one thread that writes the value, and then calls publish(). Null: another thread does.
  [[nodiscard]] T* claim() noexcept {
    State free = State::Free;
    // Relaxed: nothing was written before.
    const bool is_first =
        state_.compare_exchange_strong(free, State::Claimed, std::memory_order_relaxed);
    return is_first ? &value_ : nullptr;
  }
  // Only after claim().
  void publish() noexcept { state_.store(State::Written, std::memory_order_release); }

 private:
  enum class State : std::uint8_t { Free, Claimed, Written };

  std::atomic<State> state_{State::Free};
  T value_{};
};

}  // namespace nexusfix
