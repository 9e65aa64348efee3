// NewPassword (925) of a Logon.
#pragma once

#include "engine/ground/loop_context.hpp"
#include "engine/state/session_entry.hpp"

namespace nexusfix::engine {

// The last step before the answer to a Logon that breaks no rule and that the application accepts.
// True: the answer waits until the password is changed.
[[nodiscard]] bool begin_password_change(LoopContext& loop, SessionEntry& entry,
                                         LogonAnswer& answer);

}  // namespace nexusfix::engine
