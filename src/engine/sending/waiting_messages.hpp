// Which messages have not left when a connection ends, for the audit of JournalInbound.
#pragma once

#include <cstdint>

#include "engine/state/session_entry.hpp"

namespace nexusfix::engine {

// The lowest MsgSeqNum that may wait for the session's connection: in its queue, in those of a
// resend and of a Logon. A message of which the socket took a part waits. 0: none waits. 1: it is
// not known which, because a resend is not at its end.
[[nodiscard]] std::uint64_t lowest_waiting(const SessionEntry& entry) noexcept;

}  // namespace nexusfix::engine
