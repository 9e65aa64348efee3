// The events of a session's state machine.
#pragma once

#include <span>
#include <string>

#include <nexusfix/base/event_id.hpp>

#include "observe/api/logs.hpp"
#include "session/api/actions.hpp"

namespace nexusfix::engine {

[[nodiscard]] EventId event_of(session::NoticeCode code) noexcept;
// LogoutComplete has no event of its own: the result is LoggedOut.
[[nodiscard]] EventId event_of(session::DisconnectReason reason) noexcept;
// The text of a notice: the range and the count of MsgSeqNums; of a rejected message its MsgType,
// its ClOrdID, the value and the key to look at. masked: fields whose values are not shown, besides
// passwords.
[[nodiscard]] std::string describe(const session::Notice& notice,
                                   std::span<const observe::MaskedField> masked);
// What the event of a received Reject says of our message: " [35=D 11=A2 41=A1 44=-1]", with the
// field that the Reject names (ref_tag; 0: none).
[[nodiscard]] std::string describe_rejected(const wire::MessageView& ours, wire::Tag ref_tag,
                                            std::span<const observe::MaskedField> masked);

}  // namespace nexusfix::engine
