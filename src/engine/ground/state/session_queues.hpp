// Messages that a session keeps: received ones that came too early, and sent ones that wait for the
// answer to its Logon.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "engine/ground/connection/buffer_budget.hpp"
#include "engine/ground/connection/connection.hpp"

namespace nexusfix::engine {

// Messages that came too early. HeldMessages adds and discards them, OutOfOrderQueue
// delivers them.
class OutOfOrderMessages {
 public:
  void count_in(BufferBudget& budget) noexcept { bytes_.count_in(budget); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  // They came after a Logon that is not decided.
  [[nodiscard]] bool arrived_undecided() const noexcept { return arrived_undecided_; }
  void clear() noexcept {
    messages_.clear();
    bytes_ = 0;
    dropped_high_ = 0;
    arrived_undecided_ = false;
  }

 private:
  friend class HeldMessages;
  friend class OutOfOrderQueue;

  static constexpr std::size_t kOverheadBytes = 128;  // the estimated overhead of a message

  std::map<std::uint64_t, std::string> messages_;  // by MsgSeqNum
  BufferCharge bytes_;
  std::uint64_t dropped_high_ = 0;  // the highest MsgSeqNum for which there was no room; 0: none
  std::uint64_t discarded_ = 0;     // application messages, since the start
  bool arrived_undecided_ = false;
};

// Messages that got their MsgSeqNum after our Logon, which has no answer yet.
class QueuedUntilLogon {
 public:
  void count_in(BufferBudget& budget) noexcept { queued_.count_in(budget); }
  [[nodiscard]] OutboundQueue& queued() noexcept { return queued_; }
  [[nodiscard]] const OutboundQueue& queued() const noexcept { return queued_; }
  // The number of messages that did not fit: a resend will send them.
  [[nodiscard]] std::uint64_t left_to_resend() const noexcept { return left_to_resend_; }

  void leave_one_to_resend() noexcept { ++left_to_resend_; }
  void clear() noexcept {
    queued_.clear();
    left_to_resend_ = 0;
  }
  // Like clear(), and releases the storage.
  void release() noexcept {
    queued_.release();
    left_to_resend_ = 0;
  }
  // As it was with this number of bytes and of messages.
  void roll_back(std::size_t bytes, std::uint64_t left_to_resend) noexcept {
    queued_.shrink_to(bytes);
    left_to_resend_ = left_to_resend;
  }

 private:
  OutboundQueue queued_;
  std::uint64_t left_to_resend_ = 0;
};

}  // namespace nexusfix::engine
