// What a turn of the loop has to do: one word of flags, which the usual path reads once an event.
// What other threads ask of the loop.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include <nexusfix/transport/network.hpp>

namespace nexusfix::engine {

class Connection;

// Only the function that changes the data sets its flag, so that no caller can forget it. What has
// done the work clears it.
enum class Work : unsigned {
  Aborted = 1,     // sessions are to be disconnected
  Resends = 2,     // a resend can go on: its connection has room, or its messages were read
  Decided = 4,     // Logons were decided: the held messages of their sessions are due
  Unsent = 8,      // connections have bytes to send
  Unsettled = 16,  // records are not durable, or were appended since the last flush
  Links = 32,      // a connection was opened, closed or paused: LoopWork::only() is not known
  Ended = 64,      // the store takes nothing more: the loop ends
  Scratch = 128,   // the memory of Session::scratch() is in use
};

// The loop's thread only.
class LoopWork {
 public:
  void set(Work work) noexcept { flags_ |= static_cast<unsigned>(work); }
  void clear(Work work) noexcept { flags_ &= ~static_cast<unsigned>(work); }
  [[nodiscard]] bool has(Work work) const noexcept {
    return (flags_ & static_cast<unsigned>(work)) != 0;
  }
  // Work that no event of the network announces, and that need not wait for one.
  [[nodiscard]] bool is_due() const noexcept {
    return (flags_ & bits(Work::Aborted, Work::Resends, Work::Decided)) != 0;
  }
  // Work for the end of each event.
  [[nodiscard]] bool ends_events() const noexcept {
    return (flags_ & bits(Work::Aborted, Work::Unsent, Work::Unsettled, Work::Scratch)) != 0;
  }

  // A turn has nothing to do but to receive from only(), and to send the answers.
  [[nodiscard]] bool is_quiet() const noexcept { return flags_ == 0; }
  // 0: it is quiet.
  [[nodiscard]] unsigned flags() const noexcept { return flags_; }
  // Nothing is left but to find only(), as after most turns that did something else.
  [[nodiscard]] bool may_become_quiet() const noexcept {
    return (flags_ & ~bits(Work::Links)) == 0;
  }
  // The only connection of a spinning loop, if Links is not set.
  [[nodiscard]] Connection* only() const noexcept { return only_; }
  // Null: there is none, or it must not be received from.
  void set_only(Connection* only) noexcept {
    only_ = only;
    only == nullptr ? set(Work::Links) : clear(Work::Links);
  }

  [[nodiscard]] bool is_stopping() const noexcept { return is_stopping_; }
  void begin_stop() noexcept { is_stopping_ = true; }
  // No new message of the application is accepted.
  [[nodiscard]] bool is_draining() const noexcept { return is_draining_; }
  void begin_drain() noexcept { is_draining_ = true; }
  // From the control socket.
  [[nodiscard]] bool accepts_commands() const noexcept { return accepts_commands_; }
  void accept_commands() noexcept { accepts_commands_ = true; }

 private:
  template <class... Works>
  [[nodiscard]] static constexpr unsigned bits(Works... works) noexcept {
    return (static_cast<unsigned>(works) | ...);
  }

  unsigned flags_ = bits(Work::Unsettled, Work::Links);
  Connection* only_ = nullptr;
  bool is_stopping_ = false;
  bool is_draining_ = false;
  bool accepts_commands_ = false;
};

// Any thread asks, and wakes the loop.
class StopRequest {
 public:
  explicit StopRequest(transport::Network& network) noexcept : network_{network} {}

  // The loop stops when all work is done: no new Logon and no new message of the application is
  // accepted, and resends, unsent bytes and posted tasks are finished, for at most this time. 0: it
  // stops at once.
  void ask(std::chrono::seconds drain_max) noexcept {
    drain_seconds_.store(drain_max.count(), std::memory_order_relaxed);
    is_asked_.store(true, std::memory_order_release);  // Pairs with the acquire in must_stop().
    network_.wake();
  }
  // Only shown: no other memory depends on it.
  [[nodiscard]] bool is_asked() const noexcept { return is_asked_.load(std::memory_order_relaxed); }

  // The loop's thread. drain_max() is read after it.
  [[nodiscard]] bool must_stop() const noexcept {
    return is_asked_.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::chrono::seconds drain_max() const noexcept {
    return std::chrono::seconds{drain_seconds_.load(std::memory_order_relaxed)};
  }

 private:
  transport::Network& network_;
  std::atomic<std::int64_t> drain_seconds_{0};
  std::atomic<bool> is_asked_{false};
};

}  // namespace nexusfix::engine
