// Connects initiators.
#include "base/api/exceptions.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/ground/statistics/session_state.hpp"
#include "engine/link/io.hpp"
#include "engine/policy/policy.hpp"
#include "engine/session/sessions.hpp"

namespace nexusfix::engine {

void Connector::connect(SessionEntry& entry) {
  io_.connections.reserve();
  const transport::Endpoint& endpoint = entry.settings().connect[entry.connect_policy.address()];
  const auto socket = loop_.network->connect(endpoint);
  if (!socket) {
    entry.logons.failed.count(socket.error().text, loop_.now().wall);
    loop_.report.session(EventId::ConnectFailed, entry,
                         {socket.error().text, " (", entry.logons.failed.row_text(), ")"});
    ++entry.counters->connect_failures;
    entry.connect_policy.schedule(entry.settings(), entry.name, loop_.now().mono);
    publish(entry, loop_.now());
    return;
  }
  const SessionSettings& settings = entry.settings();
  const MonoTime deadline = loop_.now().mono + (settings.reconnect.connect_timeout.count() != 0
                                                    ? settings.reconnect.connect_timeout
                                                    : settings.session.logon.timeout);
  UndoGuard undo{[&] { loop_.network->close(*socket); }};
  auto owned = std::make_unique<Connection>(*socket, entry, deadline);
  Connection& connection = *owned;
  connection.count_in(*loop_.shared.budget);
  io_.connections.add(std::move(owned));
  undo.keep();
  connection.link();
  loop_.arm(connection, deadline);
  entry.connect_policy.on_connecting();
  publish(entry, loop_.now());
}

void Connector::on_connected(Connection& connection) {
  SessionEntry& entry = *connection.entry();
  if (entry.abort.is_pending()) return;  // It is closed at the end of the turn.
  // Before our Logon, which may contain a password.
  const std::string fault =
      certificate_fault(entry.settings(), loop_.network->peer_identities(connection.socket_id()));
  if (!fault.empty()) {
    loop_.report.peer(EventId::CertificateRefused, entry,
                      "connection to " + loop_.network->peer_name(connection.socket_id()) +
                          io_.connections.protection_of(connection) + " closed: " + fault);
    return sessions_.disconnector.close(connection);
  }
  connection.on_connected();
  loop_.report.session(EventId::Connected, entry,
                       "connected to " + loop_.network->peer_name(connection.socket_id()) +
                           io_.connections.protection_of(connection));
  sessions_.transactor.transact(
      entry, [this](session::StateMachine& machine) { machine.on_connected(loop_.now()); });
}

}  // namespace nexusfix::engine
