#include "session/inbound/inbound.hpp"

#include <optional>

namespace nexusfix::session::detail {

Inbound::Inbound(const wire::MessageView& received, std::uint64_t number) noexcept
    : message{received}, kind{MsgKind::Application}, msg_seq_num{number} {
  poss_dup = says_yes(tag::PossDupFlag);
  const std::string_view type = received.msg_type();
  if (type.size() != 1) return;
  switch (type.front()) {
    case '0':
      kind = MsgKind::Heartbeat;
      break;
    case '1':
      kind = MsgKind::TestRequest;
      break;
    case '2':
      kind = MsgKind::ResendRequest;
      break;
    case '3':
      kind = MsgKind::Reject;
      break;
    case '4':
      kind = MsgKind::SequenceReset;
      break;
    case '5':
      kind = MsgKind::Logout;
      break;
    case 'A':
      kind = MsgKind::Logon;
      break;
    default:
      break;
  }
}

bool Inbound::says_yes(wire::Tag tag) const noexcept {
  const std::optional<std::string_view> value = message[tag];
  return value && *value == "Y";
}

}  // namespace nexusfix::session::detail
