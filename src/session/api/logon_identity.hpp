// Which session the Logon of a counterparty names, and which configured session accepts it.
#pragma once

#include <optional>

#include <nexusfix/session/identity.hpp>
#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::session {

// The session that a received Logon names, from our side: the counterparty is the target. Unset: a
// CompID is missing.
[[nodiscard]] std::optional<SessionId> session_of(const wire::MessageView& logon);
// The identity without SubIDs and LocationIDs. An acceptor that is configured without them
// accepts a Logon with any of them, unless another one is configured with exactly these.
[[nodiscard]] SessionId without_sub_ids(const SessionId& id);
// Whether the template of a session stands for this identity. A CompID of `*` stands for any;
// SubIDs and LocationIDs are not compared.
[[nodiscard]] bool stands_for(const SessionId& pattern, const SessionId& id) noexcept;

}  // namespace nexusfix::session
