// A message's last step before its socket, for the two sources that send messages.
#pragma once

#include <string_view>

#include "engine/session/sessions.hpp"

namespace nexusfix::engine {

[[gnu::always_inline]] inline void Outbox::on_queued(Connection& connection) {
  io_.connections.mark_unsent(connection);
  loop_.latency.on_queued(connection.timed_answer());
  if (!connection.is_in_event()) sessions_.transactor.add_connection(connection);
}

}  // namespace nexusfix::engine
