// The events that a session's state machine causes.
#pragma once

#include <nexusfix/base/event_id.hpp>
#include <nexusfix/session/actions.hpp>

namespace nexusfix::engine {

[[nodiscard]] EventId event_of(session::NoticeCode code) noexcept;
// LogoutComplete is no event of its own: the session has logged out.
[[nodiscard]] EventId event_of(session::DisconnectReason reason) noexcept;

}  // namespace nexusfix::engine
