// A received message, with what every rule asks of its header read once.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/session/state_machine.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/session_tags.hpp>

namespace nexusfix::session {

// The administrative messages; everything else is the application's.
enum class StateMachine::MsgKind : std::uint8_t {
  Heartbeat,
  TestRequest,
  ResendRequest,
  Reject,
  SequenceReset,
  Logout,
  Logon,
  Application,
};

struct StateMachine::Inbound {
  const wire::MessageView& message;
  MsgKind kind;
  std::uint64_t msg_seq_num = 0;
  bool poss_dup = false;

  Inbound(const wire::MessageView& received, std::uint64_t number) noexcept;

  // Whether a Boolean field is there and says yes; what is neither Y nor N is objected to
  // elsewhere.
  [[nodiscard]] bool says_yes(wire::Tag tag) const noexcept;
};

// Bounded, so that the number after it exists and differences of two numbers cannot wrap.
inline constexpr std::uint64_t kMsgSeqNumMax =
    static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

// What every message in order passes, in its callers' code.

// Starts an event: everything of the one before it must have been done.
inline void StateMachine::begin_event(const Now& now) noexcept {
  NEXUSFIX_ASSERT(pending_begin_ == pending_end_ && !delivers_next_);
  now_ = now;
  noted_size_ = 0;
}

// Without a Pending, which would be written in small pieces and read in large ones: no store buffer
// forwards that.
inline void StateMachine::deliver_in_order() noexcept {
  NEXUSFIX_ASSERT(pending_begin_ == pending_end_);
  reset_sent_ = false;
  message_seq_num_ = numbers_.next_inbound;
  awaits_verdict_ = true;
  delivers_next_ = true;
}

// Everything below next_inbound is used up. The one place where inbound numbers move forward.
inline void StateMachine::advance_to(std::uint64_t next_inbound) noexcept {
  NEXUSFIX_ASSERT(next_inbound > numbers_.next_inbound);
  if (next_inbound == early_first_) [[unlikely]] {
    next_inbound = after_early(next_inbound);
    drop_early_below(next_inbound);
  }
  numbers_.next_inbound = next_inbound;
  if (gap_end_ != 0) [[unlikely]]
    advance_within_gap();
}

}  // namespace nexusfix::session
