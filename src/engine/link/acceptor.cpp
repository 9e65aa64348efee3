// Accepts inbound connections, and limits how many of them wait for their Logon.
#include "engine/link/acceptor.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "engine/ground/loop_context.hpp"
#include "engine/link/connections.hpp"
#include "engine/link/listeners.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::string_view kAddressNotAllowed =
    "no session of this port is allowed from this address";

// When the operating system had no room for a connection, each port closes at most kPlacesMade
// pending ones. For kShortFor, each new connection then takes the place of a pending one if the
// port has at least kPendingAlways of them.
constexpr std::size_t kPlacesMade = 16;
constexpr std::chrono::seconds kShortFor{1};
constexpr std::uint32_t kPendingAlways = 8;

}  // namespace

void Acceptor::on_accepted(const transport::Ready& ready) {
  const auto listener =
      std::find_if(listeners_.all().begin(), listeners_.all().end(),
                   [&](const Listener& one) { return one.socket == ready.socket; });
  if (listener == listeners_.all().end() || loop_.work.is_stopping()) {
    loop_.network->close(ready.accepted);
    return;
  }
  const std::string peer = loop_.network->peer_name(ready.accepted);
  // If the connection comes through a proxy, the client's address is known later.
  if (!listener->endpoint.trusted_proxies && !listeners_.is_address_allowed(*listener, peer)) {
    loop_.network->close(ready.accepted);
    ++loop_.stats.connections_refused;
    return loop_.report.refused(EventId::AddressRefused,
                                transport::source_of(transport::peer_address_of(peer)), peer,
                                kAddressNotAllowed);
  }
  static_cast<void>(await_logon(*listener, ready.accepted, peer));
}

// The proxy has reported the client's address; no byte after that header was read. From here on the
// connection counts among the pending ones of that address.
void Acceptor::on_announced(Connection& connection) {
  Listener& listener = listeners_.all()[connection.accepted().listener];
  const std::string peer = loop_.network->peer_name(connection.socket_id());
  const transport::Source source = transport::source_of(transport::peer_address_of(peer));
  connection.leave_pending();
  connection.set_source(source);
  if (!listeners_.is_address_allowed(listener, peer))
    return connections_.refuse(connection, EventId::AddressRefused, kAddressNotAllowed);
  if (!find_place(listener, source, peer)) return connections_.drop(connection);
  await_among(listener, source, connection);
}

// Null: the connection was closed, because too many are pending already.
Connection* Acceptor::await_logon(Listener& listener, transport::SocketId socket,
                                  const std::string& peer) {
  const transport::Source source = transport::source_of(transport::peer_address_of(peer));
  if (!find_place(listener, source, peer)) {
    loop_.network->close(socket);
    return nullptr;
  }
  connections_.reserve();
  const AcceptedFrom accepted{
      .listener = static_cast<std::size_t>(&listener - listeners_.all().data()),
      .source = source,
      .logon_bytes_max = loop_.shared.directory
                             ? loop_.shared.directory->logon_bytes_max(listener.endpoint)
                             : listener.logon_bytes_max};
  auto owned =
      std::make_unique<Connection>(socket, accepted, loop_.now().mono + listener.logon_timeout);
  Connection& connection = *owned;
  connection.count_in(*loop_.shared.budget);
  connections_.add(std::move(owned));
  loop_.arm(connection, connection.deadline());
  await_among(listener, source, connection);
  return &connection;
}

void Acceptor::await_among(Listener& listener, transport::Source source, Connection& connection) {
  connection.set_source(source);
  connection.join_pending(*listener.pending);
}

bool Acceptor::find_place(Listener& listener, transport::Source source, const std::string& peer) {
  PendingLogons::Limits limits = listener.pending_limits;
  if (loop_.now().mono < short_until_) {  // No more may be pending than now.
    const auto pending = static_cast<std::uint32_t>(listener.pending->size());
    limits.all_max = std::min(limits.all_max, std::max(pending, kPendingAlways));
  }
  const PendingLogons::Place place = listener.pending->ask(source, limits);
  using Answer = PendingLogons::Answer;
  if (place.answer != Answer::Yes) {
    ++loop_.stats.connections_refused;
    loop_.report.count(place.answer == Answer::TooMany ? NoRoom::Port : NoRoom::Address, 1, peer);
    return false;
  }
  if (place.displaced) displace(*place.displaced);
  return true;
}

void Acceptor::displace(transport::SocketId oldest) {
  Connection* const connection = connections_.find(oldest);
  if (connection == nullptr) return;
  ++loop_.stats.connections_refused;
  loop_.report.count(NoRoom::Displaced, 1, loop_.network->peer_name(connection->socket_id()));
  connections_.drop(*connection);
}

// The operating system had no room for a new connection. Closes pending connections of the address
// that has most of them, so that they do not keep out a client that would log on. For a while, each
// new connection then takes the place of a pending one.
void Acceptor::make_room() {
  short_until_ = loop_.now().mono + kShortFor;
  loop_.wake_at(short_until_);
  for (Listener& listener : listeners_.all()) {
    for (std::size_t i = 0; i < kPlacesMade; ++i) {
      const auto oldest = listener.pending->oldest_of_most();
      if (!oldest) break;
      displace(*oldest);
    }
  }
}

// Counts the connections that the network closed because there was no room for them.
void Acceptor::check_refused() {
  const std::uint64_t refused = loop_.network->connections_refused();
  if (refused != refused_counted_) {
    loop_.report.count(NoRoom::Descriptors, refused - refused_counted_);
    loop_.stats.connections_refused += refused - std::exchange(refused_counted_, refused);
    make_room();
  }
  loop_.report.report_counted();
}

}  // namespace nexusfix::engine
