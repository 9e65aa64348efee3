// A message's last step before its socket, for the two sources that send messages.
#pragma once

#include <string_view>

#include "engine/commit/commit_gate.hpp"
#include "engine/connection/buffer_governor.hpp"
#include "engine/connection/connections.hpp"
#include "engine/sending/outbox.hpp"
#include "engine/sessions/transactor.hpp"

namespace nexusfix::engine {

// The connection is not draining.
[[gnu::always_inline]] inline void Outbox::push_bytes(Connection& connection,
                                                      std::string_view bytes) {
  if (!buffers_.push(connection, connection.outbound(), bytes)) [[unlikely]]
    return;
  // Bytes that waited for the end of a resend have their records already; this event adds its own.
  connection.wait_for(commit_.appended());
  connections_.mark_unsent(connection);
  loop_.latency.on_queued(connection.timed_answer());
  if (!connection.is_in_event()) transactor_.add_connection(connection);
}

}  // namespace nexusfix::engine
