// Application messages, which the owner encodes and stores.
#include <nexusfix/base/assert.hpp>

#include "session/inbound.hpp"

namespace nexusfix::session {

wire::Encoder StateMachine::begin_message(std::span<char> buffer, std::string_view msg_type,
                                          Now now) noexcept {
  begun_msg_seq_num_ = numbers_.next_outbound;
  begun_is_administrative_ = is_administrative(msg_type);
  begun_at_ = now.mono;
  wire::MessageHeader message_header = header(msg_type);
  message_header.sending_time = now.wall;
  wire::Encoder encoder{buffer, header_template_, message_header};
  write_last_processed(encoder);
  return encoder;
}

std::expected<Outbound, SendError> StateMachine::finish_message(
    const std::expected<std::string_view, wire::EncodeError>& bytes) noexcept {
  NEXUSFIX_ASSERT(begun_msg_seq_num_ == numbers_.next_outbound);
  begun_msg_seq_num_ = 0;
  if (begun_is_administrative_) {
    return std::unexpected{SendError{.code = SendErrorCode::NotApplicationMessage, .encode = {}}};
  }
  if (!bytes) {
    return std::unexpected{SendError{.code = SendErrorCode::Encode, .encode = bytes.error()}};
  }
  if (outlet() == Outlet::Wire) note_sent_application();
  return Outbound{.msg_seq_num = numbers_.next_outbound++, .bytes = *bytes};
}

void StateMachine::tell_number() noexcept {
  if (state_ == State::LoggedOn) push({.step = Step::TransmitHeartbeat});
}

// What a callback sends follows one event without a message of the session's own in between, so the
// time to go back to is the one from before the first of them. Messages that were sent in front of
// the callback may be among them, if no event came between: then a Heartbeat comes early, never
// late.
void StateMachine::note_sent_application() noexcept {
  const bool goes_on = last_sent_ == undo_.sent && now_.mono == undo_.event &&
                       numbers_.next_inbound == undo_.next_inbound;
  if (!goes_on) {
    undo_ = {.event = now_.mono, .next_inbound = numbers_.next_inbound, .sent_before = last_sent_};
  }
  last_sent_ = undo_.sent = begun_at_;
}

void StateMachine::rewind_outbound(std::uint64_t next_outbound) noexcept {
  NEXUSFIX_ASSERT(next_outbound >= 1);
  NEXUSFIX_ASSERT(next_outbound <= numbers_.next_outbound);
  if (next_outbound != numbers_.next_outbound && last_sent_ == undo_.sent) {
    last_sent_ = undo_.sent_before;
  }
  numbers_.next_outbound = next_outbound;
}

}  // namespace nexusfix::session
