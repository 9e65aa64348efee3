// Connects initiators.
#include "engine/connection/connector.hpp"

#include "engine/connection/connections.hpp"
#include "engine/loop/loop_context.hpp"
#include "engine/registry/settings_changes.hpp"
#include "engine/sessions/transactor.hpp"
#include "engine/undo_guard.hpp"

namespace nexusfix::engine {

void Connector::connect(SessionEntry& entry) {
  if (entry.file.next_settings) changes_.apply_next_settings(entry);
  connections_.reserve();
  auto owned = std::make_unique<Connection>();
  Connection& connection = *owned;
  const transport::Endpoint& endpoint = entry.settings.connect[entry.connect_policy.address()];
  const auto socket = loop_.network->connect(endpoint);
  if (!socket) {
    loop_.report.session(EventId::ConnectFailed, entry, socket.error().text);
    entry.connect_policy.schedule(entry.settings, entry.name, loop_.now().mono);
    return;
  }
  connection.count_in(*loop_.budget);
  connection.framing.scanner = entry.frame_scanner();
  connection.socket = *socket;
  connection.entry = &entry;
  const SessionSettings& settings = entry.settings;
  connection.deadline = loop_.now().mono + (settings.reconnect.connect_timeout.count() != 0
                                                ? settings.reconnect.connect_timeout
                                                : settings.session.logon.timeout);
  UndoGuard undo{[&] { loop_.network->close(*socket); }};
  connections_.add(std::move(owned));
  undo.keep();
  loop_.arm(connection, connection.deadline);
  entry.connection = &connection;
  entry.connect_policy.on_connecting();
}

void Connector::on_connected(Connection& connection) {
  if (connection.entry != nullptr) {
    // Before our Logon, which may contain a password.
    const std::string fault =
        connections_.certificate_fault(connection, connection.entry->settings);
    if (!fault.empty()) {
      loop_.report.peer(EventId::CertificateRefused, *connection.entry,
                        "connection to " + loop_.network->peer_name(connection.socket) +
                            connections_.protection_of(connection) + " closed: " + fault);
      return connections_.close(connection);
    }
  }
  connection.established = true;
  connection.deadline = kNever;
  if (connection.entry == nullptr) return;
  loop_.report.session(EventId::Connected, *connection.entry,
                       "connected to " + loop_.network->peer_name(connection.socket) +
                           connections_.protection_of(connection));
  transactor_.transact(*connection.entry, [this](session::StateMachine& machine) {
    machine.on_connected(loop_.now());
  });
}

}  // namespace nexusfix::engine
