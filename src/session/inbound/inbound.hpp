// A received message, with what every rule asks of its header read once.
#pragma once

#include <cstdint>
#include <string_view>

#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::session::detail {

// The administrative messages; everything else is the application's.
enum class MsgKind : std::uint8_t {
  Heartbeat,
  TestRequest,
  ResendRequest,
  Reject,
  SequenceReset,
  Logout,
  Logon,
  Application,
};

struct Inbound {
  const wire::MessageView& message;
  MsgKind kind;
  std::uint64_t msg_seq_num = 0;
  bool poss_dup = false;

  Inbound(const wire::MessageView& received, std::uint64_t number) noexcept;

  // Whether a Boolean field is there and says yes; what is neither Y nor N is objected to
  // elsewhere.
  [[nodiscard]] bool says_yes(wire::Tag tag) const noexcept;
};

}  // namespace nexusfix::session::detail
