// The events of a session's state machine.
#pragma once

#include <nexusfix/base/event_id.hpp>
#include <nexusfix/session/actions.hpp>

namespace nexusfix::engine {

[[nodiscard]] EventId event_of(session::NoticeCode code) noexcept;
// LogoutComplete has no event of its own: the result is LoggedOut.
[[nodiscard]] EventId event_of(session::DisconnectReason reason) noexcept;

}  // namespace nexusfix::engine
