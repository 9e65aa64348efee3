// When an initiator may connect, and what a reset or a halt changes in that.
#pragma once

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

// The session is an initiator that the loop still serves.
[[nodiscard]] inline bool may_connect(const LoopContext& loop, const SessionEntry& entry) noexcept {
  return entry.settings().session.role == session::Role::Initiator && !loop.work.is_stopping() &&
         !loop.work.is_draining() && entry.membership.is_active();
}

// One side has lost sequence numbers: the session waits for an operator.
inline void halt(SessionEntry& entry) noexcept {
  entry.acceptor.halt.begin();
  entry.connect_policy.halt();
}

// The sequence numbers are 1 again.
inline void end_halt_by_reset(LoopContext& loop, SessionEntry& entry) {
  entry.acceptor.halt.end();
  if (entry.connect_policy.on_reset(may_connect(loop, entry), entry.connection() != nullptr,
                                    loop.now().mono)) {
    loop.arm(entry, entry.connect_policy.connect_at());
  }
}

}  // namespace nexusfix::engine
