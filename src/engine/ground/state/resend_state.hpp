// The resend that a counterparty has requested.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/store.hpp>

#include "engine/ground/connection/connection.hpp"
#include "engine/ground/report/second_limit.hpp"

namespace nexusfix::engine {

// A resend in progress: stored messages from next to end still have to be passed to the state
// machine.
struct ReplayCursor {
  std::uint64_t next = 0;
  std::uint64_t end = 0;
  std::uint64_t serial = 0;  // unique among all resends
  // The slice that a thread of the store reads, where reading may take long; null: none.
  std::unique_ptr<store::Fetch> fetch{};
  std::uint64_t slice_end = 0;  // the slice's last MsgSeqNum
  // MsgSeqNums of the next slice: few where each has a message, many where few have one.
  std::uint64_t numbers_max = 0;
  std::uint64_t messages_max = 0;  // of the slice; MsgSeqNums without a message do not count
};

// Only the ResendServer begins and continues a resend; its session's other events may end it.
class ResendState {
 public:
  void count_in(BufferBudget& budget) noexcept { queued_.count_in(budget); }
  [[nodiscard]] bool is_in_progress() const noexcept { return cursor_.has_value(); }
  // MaxResendsPerSecond has paused it until then.
  [[nodiscard]] MonoTime resumes_at() const noexcept { return resumes_at_; }
  // Messages that got their MsgSeqNum during the resend.
  [[nodiscard]] OutboundQueue& queued() noexcept { return queued_; }
  [[nodiscard]] const OutboundQueue& queued() const noexcept { return queued_; }

  // The messages that are left are not sent. The counterparty asks for them again.
  void abort() noexcept { cursor_.reset(); }
  // All its messages are sent; end_if_done() is awaited.
  [[nodiscard]] bool is_done() const noexcept { return is_done_; }
  // Ends a resend whose messages are all sent. Call it when their actions are performed.
  [[nodiscard]] bool end_if_done() noexcept {
    if (!is_done_) return false;
    is_done_ = false;
    cursor_.reset();
    return true;
  }

 private:
  friend class ResendServer;

  std::optional<ReplayCursor> cursor_;  // no value: no resend is in progress
  bool is_done_ = false;    // all messages are sent; the last actions are being performed
  bool is_listed_ = false;  // in the list of the resend server
  OutboundQueue queued_;
  std::string answer_text_;  // for a ResendRequest that is refused
  // For MaxResendsPerSecond.
  SecondLimit sent_;
  MonoTime resumes_at_ = MonoTime::min();
};

}  // namespace nexusfix::engine
