// Moves connections whose session lives on another event loop.
#include <string>
#include <unistd.h>
#include <utility>

#include "base/api/secret.hpp"
#include "engine/directory/directory.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/link/io.hpp"

namespace nexusfix::engine {

// rest: the bytes after the Logon. Nothing of the connection stays here.
void ConnectionMigration::migrate(Connection& connection, std::string_view rest) {
  // No copy of the Logon's password may remain, here or there.
  Migration migration = connection.consume_migration();
  const WipedAtEnd logon{migration.bytes};
  const std::uint32_t other = migration.loop;
  // Allocate first: a detached connection is in no network that would close it.
  LoopDirectory::MigratedConnection handed{
      .connection = {},
      .endpoint = io_.listeners.all()[connection.accepted().listener].endpoint,
      .bytes = {}};
  handed.bytes.reserve(migration.bytes.size() + rest.size());
  handed.bytes.append(migration.bytes).append(rest);
  const std::string lost = "connection from " + loop_.network->peer_name(connection.socket_id()) +
                           " closed: its session's event loop does not take it";
  const transport::Source source = connection.accepted().source;
  transport::Detached detached = loop_.network->detach(connection.socket_id());
  if (detached.descriptor < 0) {
    return io_.connections.refuse(connection, EventId::ConnectionNotMigrated,
                                  "it cannot be moved to its session's event loop");
  }
  connection.leave_pending();
  io_.connections.retire(connection);
  handed.connection = std::move(detached);
  if (loop_.shared.directory->migrate(other, std::move(handed))) return;
  ++loop_.stats.connections_refused;
  loop_.report.unauthenticated(EventId::ConnectionNotMigrated, source, {}, lost);
}

Connection* ConnectionMigration::attach(LoopDirectory::MigratedConnection& handed,
                                        transport::SocketId& attached) {
  Listener* const listener = io_.listeners.find(handed.endpoint);
  if (loop_.work.is_stopping() || io_.commit.has_failed() || listener == nullptr) {
    ::close(handed.connection.descriptor);
    ++loop_.stats.connections_refused;
    return nullptr;
  }
  const auto socket = loop_.network->attach(std::move(handed.connection));
  if (!socket) {
    ++loop_.stats.connections_refused;
    loop_.report.engine_limited(EventId::MigratedConnectionLost, socket.error().text);
    return nullptr;
  }
  attached = *socket;
  return io_.acceptor.await_logon(*listener, *socket, loop_.network->peer_name(*socket));
}

}  // namespace nexusfix::engine
