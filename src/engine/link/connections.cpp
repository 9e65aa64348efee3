#include "engine/link/connections.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {
namespace {

// How long the last bytes (a Logout) may take to leave.
constexpr std::chrono::seconds kLastBytesTimeout{2};

}  // namespace

std::string Connections::protection_of(const Connection& connection) const {
  const std::string protection = loop_.network->protection(connection.socket_id());
  return protection.empty() ? protection : ", " + protection;
}

// AllowedCertificates.
std::string Connections::certificate_fault(const Connection& connection,
                                           const SessionSettings& settings) const {
  const std::vector<std::string>& allowed = settings.admission.allowed_certificates;
  if (allowed.empty()) return {};
  const std::vector<std::string> shown = loop_.network->peer_identities(connection.socket_id());
  if (shown.empty()) return "it has shown no certificate, and AllowedCertificates asks for one";
  if (std::ranges::find_first_of(shown, allowed) != shown.end()) return {};
  std::string text = "its certificate is none of AllowedCertificates:";
  constexpr std::size_t kLoggedBytesMax = 400;
  for (const std::string& one : shown) {
    if (text.size() + one.size() > kLoggedBytesMax) return text + " ...";
    text += " " + one;
  }
  return text;
}

void Connections::refuse(Connection& connection, EventId id, std::string_view why) {
  ++loop_.stats.connections_refused;
  loop_.report.refused(id, connection.accepted().source,
                       loop_.network->peer_name(connection.socket_id()), why);
  drop(connection);
}

void ConnectionList::drop_dead() noexcept {
  const auto end = connections_.begin() + static_cast<std::ptrdiff_t>(count_);
  const auto kept = std::remove_if(connections_.begin(), end,
                                   [](const Connection* one) { return one->is_dead(); });
  count_ = static_cast<std::size_t>(kept - connections_.begin());
}

void Connections::destroy_all_closed() noexcept {
  unsent_.drop_dead();
  if (unsent_.empty()) loop_.work.clear(Work::Unsent);
  ended_.drop_dead();
  closed_.clear();
}

void Connections::abort(const transport::Ready& ready) noexcept {
  const bool is_new = ready.kind == transport::ReadyKind::Accepted;
  const transport::SocketId socket = is_new ? ready.accepted : ready.socket;
  Connection* const connection = table_.find(socket);
  if (connection == nullptr) {
    if (!is_new) return;
    ++loop_.stats.connections_refused;
    if (socket != 0) loop_.network->close(socket);
    return;
  }
  abort(*connection);
}

void Connections::abort(Connection& connection) noexcept {
  if (connection.entry() != nullptr) return abort_session(loop_, *connection.entry());
  ++loop_.stats.connections_refused;
  drop(connection);
}

void Connections::reserve() {
  const std::size_t count = table_.size() + 1;
  loop_.timers.reserve_connections(count);
  if (closed_.capacity() < closed_.size() + count) closed_.reserve(closed_.size() + 2 * count);
  unsent_.reserve(2 * count);  // send_unsent() adds connections before it removes others
  ended_.reserve(count);
}

void Connections::close_soon(Connection& connection) {
  connection.begin_draining();
  connection.set_deadline(loop_.now().mono + kLastBytesTimeout);
  loop_.arm(connection, connection.deadline());
  mark_unsent(connection);
}

void Connections::end(Connection& connection, EventId id, std::string_view why) {
  if (connection.is_dead() || connection.has_ended()) return;
  connection.set_close_reason(why);
  connection.begin_draining();
  connection.end_with(id);
  ended_.add(connection);
  mark_unsent(connection);
}

Connection* Connections::next_ended() noexcept {
  while (!ended_.empty()) {
    Connection& connection = ended_.remove_last();
    if (!connection.is_dead()) return &connection;
  }
  return nullptr;
}

bool Connections::cut(Connection& connection) noexcept {
  std::unique_ptr<Connection> owned = table_.take(connection.socket_id());
  if (owned == nullptr) return false;
  connection.leave_pending();
  loop_.network->close(connection.socket_id());
  loop_.timers.disarm(connection);
  closed_.push_back(std::move(owned));
  return true;
}

void Connections::drop(Connection& connection) noexcept {
  if (cut(connection)) connection.end();
}

void Connections::retire(Connection& connection) noexcept {
  loop_.timers.disarm(connection);
  connection.leave_pending();
  closed_.push_back(table_.take(connection.socket_id()));
  connection.end();
}

void Connections::abandon_all() noexcept {
  for (const auto& [socket, connection] : table_) {
    loop_.network->close(socket);
    connection->end();
  }
  for (auto& [socket, connection] : table_.release_all()) closed_.push_back(std::move(connection));
}

}  // namespace nexusfix::engine
