// Connections that others make: who is taken, and how many may be there without a Logon.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "engine/loop/event_loop.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::string_view kAddressNotAllowed =
    "no session of this port is allowed from this address";

// Behind a connection for which there was no room: so many that are not logged on give up theirs on
// each port, and for so long each that comes takes the place of another one, above so many.
constexpr std::size_t kPlacesMade = 16;
constexpr std::chrono::seconds kShortFor{1};
constexpr std::uint32_t kPendingAlways = 8;

}  // namespace

// Whether any session of the port is for whoever comes from there; on any loop.
bool EventLoop::is_address_allowed(const Listener& listener, std::string_view peer_name) {
  const std::string_view address = transport::peer_address_of(peer_name);
  return seams_.directory ? seams_.directory->allows(listener.endpoint, address)
                          : listener.allowed.contains(address);
}

void EventLoop::on_accepted(const transport::Ready& ready) {
  const auto listener =
      std::find_if(listeners_.begin(), listeners_.end(),
                   [&](const Listener& one) { return one.socket == ready.socket; });
  if (listener == listeners_.end() || stopping_) {
    seams_.network->close(ready.accepted);
    return;
  }
  const std::string peer = seams_.network->peer_name(ready.accepted);
  // Whose connections come by way of a proxy is known later.
  if (!listener->endpoint.trusted_proxies && !is_address_allowed(*listener, peer)) {
    seams_.network->close(ready.accepted);
    ++stats_.connections_refused;
    return report_.refused(EventId::AddressRefused,
                           transport::source_of(transport::peer_address_of(peer)), peer,
                           kAddressNotAllowed);
  }
  static_cast<void>(await_logon(*listener, ready.accepted, peer));
}

// Its proxy has said whom it is from, and nothing behind that has been read. From here on it waits
// among those of that address.
void EventLoop::on_announced(Connection& connection) {
  Listener& listener = listeners_[connection.listener];
  const std::string peer = seams_.network->peer_name(connection.socket);
  const transport::Source source = transport::source_of(transport::peer_address_of(peer));
  leave_pending(connection);
  connection.source = source;
  if (!is_address_allowed(listener, peer))
    return refuse(connection, EventId::AddressRefused, kAddressNotAllowed);
  if (!find_place(listener, source, peer)) return close(connection);
  await_among(listener, source, connection);
}

// Null: it is closed, because too many wait already.
Connection* EventLoop::await_logon(Listener& listener, transport::SocketId socket,
                                 const std::string& peer) {
  const transport::Source source = transport::source_of(transport::peer_address_of(peer));
  if (!find_place(listener, source, peer)) {
    seams_.network->close(socket);
    return nullptr;
  }
  reserve_for_connections();
  auto owned = std::make_unique<Connection>();
  Connection& connection = *owned;
  connection.count_in(*seams_.budget);
  connection.scanner = wire::FrameScanner{limits_};
  connection.socket = socket;
  connection.listener = static_cast<std::size_t>(&listener - listeners_.data());
  connection.established = true;
  connection.logon_bytes_max = seams_.directory
                                   ? seams_.directory->logon_bytes_max(listener.endpoint)
                                   : listener.logon_bytes_max;
  connection.carried.wipe_on_clear();
  connection.deadline = now_.mono + listener.logon_timeout;
  connections_.add(std::move(owned));
  arm(connection, connection.deadline);
  await_among(listener, source, connection);
  return &connection;
}

void EventLoop::await_among(Listener& listener, transport::Source source, Connection& connection) {
  listener.pending.add(source, connection.socket);
  connection.source = source;
  connection.is_pending = true;
}

bool EventLoop::find_place(Listener& listener, transport::Source source, const std::string& peer) {
  PendingLogons::Limits limits = listener.pending_limits;
  if (now_.mono < short_until_) {  // As many as there are, and no more.
    const auto pending = static_cast<std::uint32_t>(listener.pending.size());
    limits.all_max = std::min(limits.all_max, std::max(pending, kPendingAlways));
  }
  const PendingLogons::Place place = listener.pending.ask(source, limits);
  using Answer = PendingLogons::Answer;
  if (place.answer != Answer::Yes) {
    ++stats_.connections_refused;
    report_.count(place.answer == Answer::TooMany ? NoRoom::Port : NoRoom::Address, 1, peer);
    return false;
  }
  if (place.displaced) displace(*place.displaced);
  return true;
}

void EventLoop::displace(transport::SocketId oldest) {
  Connection* const connection = connections_.find(oldest);
  if (connection == nullptr) return;
  ++stats_.connections_refused;
  report_.count(NoRoom::Displaced, 1, seams_.network->peer_name(connection->socket));
  close(*connection);
}

// The operating system has no room for a connection that came: those that were never answered, of
// the address that has most of them, go, before somebody who would log on is kept out by them. For
// a while each that comes then takes the place of one of them.
void EventLoop::make_room() {
  short_until_ = now_.mono + kShortFor;
  wake_at(short_until_);
  for (Listener& listener : listeners_) {
    for (std::size_t i = 0; i < kPlacesMade; ++i) {
      const auto oldest = listener.pending.oldest_of_most();
      if (!oldest) break;
      displace(*oldest);
    }
  }
}

void EventLoop::leave_pending(Connection& connection) noexcept {
  if (!std::exchange(connection.is_pending, false)) return;
  listeners_[connection.listener].pending.remove(connection.source, connection.socket);
}

// Connections that the network closed, because there was no room for them.
void EventLoop::check_refused() {
  const std::uint64_t refused = seams_.network->connections_refused();
  if (refused != refused_counted_) {
    report_.count(NoRoom::Descriptors, refused - refused_counted_);
    stats_.connections_refused += refused - std::exchange(refused_counted_, refused);
    make_room();
  }
  report_.report_counted();
}

}  // namespace nexusfix::engine
