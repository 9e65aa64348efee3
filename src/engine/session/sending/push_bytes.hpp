// A message's last step before its socket, for the two sources that send messages.
#pragma once

#include <string_view>

#include "engine/session/sessions.hpp"

namespace nexusfix::engine {

// The connection is not draining. kEncodedHere: the bytes are in encode_buffer_.
template <bool kEncodedHere>
[[gnu::always_inline]] inline void Outbox::push_bytes(Connection& connection,
                                                      std::string_view bytes) {
  const bool is_pushed = kEncodedHere ? io_.buffers.lend(connection, bytes, lent_)
                                      : io_.buffers.push(connection, connection.outbound(), bytes);
  if (!is_pushed) [[unlikely]]
    return;
  // Bytes that waited for the end of a resend have their records already.
  if constexpr (!kEncodedHere) connection.wait_for(io_.commit.appended());
  io_.connections.mark_unsent(connection);
  loop_.latency.on_queued(connection.timed_answer());
  if (!connection.is_in_event()) sessions_.transactor.add_connection(connection);
}

}  // namespace nexusfix::engine
