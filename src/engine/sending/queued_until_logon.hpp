// Messages that wait for the answer to our Logon.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/connection/connection.hpp"

namespace nexusfix::engine {

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
