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
  if (state_ == State::LoggedOn) last_sent_ = begun_at_;
  return Outbound{.msg_seq_num = numbers_.next_outbound++, .bytes = *bytes};
}

void StateMachine::rewind_outbound(std::uint64_t next_outbound) noexcept {
  NEXUSFIX_ASSERT(next_outbound >= 1);
  NEXUSFIX_ASSERT(next_outbound <= numbers_.next_outbound);
  numbers_.next_outbound = next_outbound;
}

}  // namespace nexusfix::session
