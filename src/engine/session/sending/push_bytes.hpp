// A message's last step before its socket, for the two sources that send messages.
#pragma once

#include <string_view>

#include "engine/session/sessions.hpp"

namespace nexusfix::engine {

// The connection is not draining.
[[gnu::always_inline]] inline void Outbox::push_bytes(Connection& connection,
                                                      std::string_view bytes) {
  if (!io_.buffers.push(connection, connection.outbound(), bytes)) [[unlikely]]
    return;
  // Bytes that waited for the end of a resend have their records already; this event adds its own.
  connection.wait_for(io_.commit.appended());
  io_.connections.mark_unsent(connection);
  loop_.latency.on_queued(connection.timed_answer());
  if (!connection.is_in_event()) sessions_.transactor.add_connection(connection);
}

}  // namespace nexusfix::engine
