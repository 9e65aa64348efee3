#include "engine/link/listeners.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "engine/ground/loop_context.hpp"
#include "engine/link/connections.hpp"

namespace nexusfix::engine {
namespace {

// The error names the line of the key that must change.
EngineError cannot_listen(const SessionSettings& settings, const std::string& file,
                          const transport::NetworkError& error) {
  const transport::Endpoint& endpoint = *settings.accept;
  const bool is_of_port =
      endpoint.host.empty() || error.error_number == EADDRINUSE || error.error_number == EACCES;
  const std::string what =
      is_of_port ? "SocketAcceptPort=" + std::to_string(endpoint.port) + ": " + error.text +
                       "; a port was expected that is free, and that this process may listen on"
                 : "SocketAcceptAddress=" + endpoint.host + ": " + error.text +
                       "; an address of this machine was expected";
  const std::size_t line = is_of_port ? settings.accept_port_line : settings.accept_host_line;
  return {SettingsError{file, line, what}.what()};
}

bool is_same(const transport::Endpoint& a, const transport::Endpoint& b) {
  return a.host == b.host && a.port == b.port;
}

constexpr std::string_view kAddressNotAllowed =
    "no session of this port is allowed from this address";

// When the operating system had no room for a connection, each port closes at most kPlacesMade
// pending ones. For kShortFor, each new connection then takes the place of a pending one if the
// port has at least kPendingAlways of them.
constexpr std::size_t kPlacesMade = 16;
constexpr std::chrono::seconds kShortFor{1};
constexpr std::uint32_t kPendingAlways = 8;

}  // namespace

void PortRules::widen(const SessionSettings& by) {
  logon_timeout = std::max(logon_timeout, by.session.logon.timeout);
  allowed.allow(by.admission.allowed_remote_addresses);
  pending_limits.widen(
      {by.admission.pending_logons_max, by.admission.pending_logons_per_address_max});
  logon_bytes_max = std::max(logon_bytes_max, by.limits.logon_bytes_max);
}

// Whether any session of the port, on any loop, accepts connections from this address.
bool Listeners::is_address_allowed(const Listener& listener, std::string_view peer_name) {
  const std::string_view address = transport::peer_address_of(peer_name);
  return loop_.shared.directory ? loop_.shared.directory->allows(listener.endpoint, address)
                                : listener.rules.allowed.contains(address);
}

std::uint16_t Listeners::accept_port() const noexcept {
  return listeners_.empty() ? std::uint16_t{0} : listeners_.front().port;
}

void Listeners::append_accept_endpoints(std::vector<transport::Endpoint>& endpoints) const {
  for (const Listener& listener : listeners_) {
    if (!listener.is_listening()) continue;
    endpoints.push_back(listener.endpoint);
    endpoints.back().port = listener.port;
  }
}

// The setting that differs, such as "TLS"; empty: none.
std::string_view Listeners::difference_from(const transport::Endpoint& used,
                                            const transport::Endpoint& wanted) const {
  if (used.tls != wanted.tls) return "TLS";
  if (used.trusted_proxies != wanted.trusted_proxies) return "UseTCPProxy";
  return loop_.shared.directory ? loop_.shared.directory->difference(wanted) : std::string_view{};
}

std::expected<void, transport::NetworkError> Listeners::open_listener(
    Listener& listener, const transport::Endpoint& wanted) {
  const auto listen = [&]() -> std::expected<void, transport::NetworkError> {
    const auto socket = loop_.network->listen(wanted);
    if (!socket) return std::unexpected{socket.error()};
    listener.listen_with(*socket);
    return {};
  };
  if (!loop_.shared.directory) {
    if (listener.is_listening()) return {};
    auto done = listen();
    if (!done && done.error().error_number == EADDRINUSE && displace_for(wanted)) done = listen();
    return done;
  }
  const auto is_own = loop_.shared.directory->claim(wanted, loop_.index, listen);
  if (!is_own) return std::unexpected{is_own.error()};
  if (!*is_own) listener.listen_elsewhere();
  return {};
}

// Sessions of one endpoint share its listener.
std::expected<std::size_t, EngineError> Listeners::listen_for(const SessionSettings& settings,
                                                              const std::string& file) {
  const transport::Endpoint& wanted = *settings.accept;
  std::size_t index = 0;
  while (index < listeners_.size() && !is_same(listeners_[index].endpoint, wanted)) ++index;
  if (index == listeners_.size()) listeners_.push_back({.endpoint = wanted});
  Listener& listener = listeners_[index];
  if (!listener.is_open()) listener.endpoint = wanted;
  if (const std::string_view different = difference_from(listener.endpoint, wanted);
      !different.empty() && !listens_by_file_) {
    const std::string what = "[SESSION]: its " + std::string{different} +
                             " differs from that of who listens there already";
    return std::unexpected{EngineError{SettingsError{file, settings.line, what}.what()}};
  }
  const bool was_listening = listener.is_listening();
  if (auto opened = open_listener(listener, wanted); !opened) {
    return std::unexpected{cannot_listen(settings, file, opened.error())};
  }
  if (listener.is_listening() && !was_listening) {
    listener.port = loop_.network->local_port(listener.socket);
    listener.rules = {};
    const std::string host = wanted.host.empty() ? "*" : wanted.host;
    loop_.report.engine(EventId::PortOpened,
                        "listening on " + host + " port " + std::to_string(listener.port));
  }
  listener.rules.widen(settings);
  if (loop_.shared.directory) {
    loop_.shared.directory->allow(wanted, loop_.index, listener.rules.allowed,
                                  listener.rules.logon_bytes_max);
  }
  return index;
}

// Tries each endpoint once, however many sessions share it.
std::expected<void, EngineError> Listeners::could_listen(const Settings& settings) const {
  std::vector<const transport::Endpoint*> asked;
  EngineError errors;
  for (const SessionSettings& one : settings.sessions) {
    if (!one.accept || std::ranges::any_of(asked, [&](const transport::Endpoint* other) {
          return is_same(*other, *one.accept);
        })) {
      continue;
    }
    asked.push_back(&*one.accept);
    const auto could = loop_.network->could_listen(*one.accept);
    if (could) continue;
    if (!errors.text.empty()) errors.text += '\n';
    errors.text += cannot_listen(one, settings.file, could.error()).text;
  }
  if (errors.text.empty()) return {};
  return std::unexpected{std::move(errors)};
}

// A reload that is not applied yet may need a listener, too.
void Listeners::close_unused(FunctionRef<bool(std::size_t)> is_used) {
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    Listener& one = listeners_[i];
    if (!one.is_open() || one.in_reload == ListenerInReload::Kept || is_used(i)) continue;
    if (!loop_.shared.directory) {
      close_listener(one);
      continue;
    }
    one.leave_elsewhere();
    const auto unused = loop_.shared.directory->leave(one.endpoint, loop_.index);
    if (unused == loop_.index) {
      loop_.shared.directory->retire(one.endpoint, loop_.index, [&] { close_listener(one); });
    } else if (unused) {
      loop_.shared.directory->close_unused(*unused);
    }
  }
}

// A process cannot listen on all addresses of a port and on one of them at the same time. When a
// reload moves a session from the one to the other, the old listener is therefore closed before the
// reload is applied. Several loops share their listeners, and one loop does not know what another
// one needs: there the move takes two reloads.
bool Listeners::displace_for(const transport::Endpoint& wanted) noexcept {
  bool any = false;
  for (Listener& one : listeners_) {
    const bool leaves = one.in_reload == ListenerInReload::Leaving && one.is_listening();
    if (!leaves || one.endpoint.port != wanted.port) continue;
    loop_.network->close(one.stop_listening(ListenerState::Displaced));
    any = true;
  }
  return any;
}

// The reload failed: listens again on the displaced ports.
void Listeners::open_displaced() noexcept {
  for (Listener& one : listeners_) {
    one.set_leaving(false);
    if (one.state != ListenerState::Displaced) continue;
    one.state = ListenerState::Closed;
    loop_.boundary.run([&] {
      const auto socket = loop_.network->listen(one.endpoint);
      if (socket) one.listen_with(*socket);
      if (!socket) {
        loop_.report.engine(EventId::PortNotReopened,
                            {"cannot listen again: ", socket.error().text});
      }
    });
  }
}

void Listeners::close_listener(Listener& listener) {
  loop_.network->close(listener.stop_listening(ListenerState::Closed));
  loop_.report.engine(EventId::PortClosed,
                      {"port ", listener.port, " is closed: no session is left for it"});
}

Listener* Listeners::find(const transport::Endpoint& endpoint) noexcept {
  const auto found = std::ranges::find_if(
      listeners_, [&](const Listener& one) { return is_same(one.endpoint, endpoint); });
  return found == listeners_.end() ? nullptr : &*found;
}

void Listeners::close_all() noexcept {
  for (Listener& one : listeners_) {
    if (one.is_listening()) loop_.network->close(one.stop_listening(ListenerState::Closed));
  }
}

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
                             : listener.rules.logon_bytes_max};
  auto owned = std::make_unique<Connection>(socket, accepted,
                                            loop_.now().mono + listener.rules.logon_timeout);
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
  PendingLogons::Limits limits = listener.rules.pending_limits;
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
