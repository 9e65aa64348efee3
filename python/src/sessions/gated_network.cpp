#include "python/src/sessions/gated_network.hpp"

#include <algorithm>
#include <utility>

namespace nexusfix::python {

using transport::Ready;
using ReadyKind = transport::Ready::Kind;
using transport::SocketId;
using State = LogonFields::State;

GatedNetwork::GatedNetwork(std::unique_ptr<transport::Network> inner, SessionPorts& ports,
                           std::uint64_t waiting_bytes_max)
    : inner_{std::move(inner)}, ports_{ports}, waiting_bytes_max_{waiting_bytes_max} {}

void GatedNetwork::on_message(SessionPort& port) {
  port.socket = read_last_;
  if (port.waiting_bytes.load() <= waiting_bytes_max_ || port.is_held.load()) return;
  held_.push_back(&port);
  port.is_held.store(true);
  inner_->pause(port.socket, true);
}

bool GatedNetwork::is_held(SocketId socket) const noexcept {
  return std::ranges::find(held_, socket, &SessionPort::socket) != held_.end();
}

// Before each wait, so that a session which Python has released meanwhile is read again.
void GatedNetwork::release_held() {
  std::erase_if(held_, [this](SessionPort* port) {
    if (!may_go_on(*port)) return false;
    port->is_held.store(false);
    inner_->pause(port->socket, paused_.contains(port->socket));
    return true;
  });
}

void GatedNetwork::turn() {
  if (hooks_.on_turn) hooks_.on_turn();
  if (!held_.empty()) release_held();
}

transport::IoResult GatedNetwork::receive(SocketId socket, std::span<char> buffer) noexcept {
  if (!held_.empty() && is_held(socket)) {
    turn();
    if (is_held(socket)) return {.status = transport::IoResult::Status::WouldBlock};
  }
  read_last_ = socket;
  return inner_->receive(socket, buffer);
}

void GatedNetwork::pause(SocketId socket, bool paused) noexcept {
  if (paused) {
    paused_.insert(socket);
  } else {
    paused_.erase(socket);
  }
  inner_->pause(socket, paused || is_held(socket));
}

void GatedNetwork::close(SocketId socket) noexcept {
  paused_.erase(socket);
  connecting_.erase(socket);
  std::erase_if(held_, [socket](SessionPort* port) {
    if (port->socket != socket) return false;
    port->is_held.store(false);
    return true;
  });
  inner_->close(socket);
}

std::expected<SocketId, transport::NetworkError> GatedNetwork::connect(
    const transport::Endpoint& endpoint) {
  auto socket = inner_->connect(endpoint);
  if (!socket || !hooks_.on_logon_wanted) return socket;
  Connecting connecting;
  const std::string host = endpoint.host + ":" + std::to_string(endpoint.port);
  for (SessionPort& port : ports_.all()) {
    if (port.is_logged_on || std::ranges::find(port.hosts, host) == port.hosts.end()) continue;
    connecting.sessions.push_back(&port);
    if (port.logon.state == State::Wanted) continue;
    port.logon.state = State::Wanted;
    hooks_.on_logon_wanted(port);
  }
  connecting_.emplace(*socket, std::move(connecting));
  return socket;
}

std::string GatedNetwork::last_error(SocketId socket) const {
  if (const auto found = connecting_.find(socket); found != connecting_.end()) {
    for (const SessionPort* const port : found->second.sessions) {
      if (port->logon.state == State::Refused)
        return "no fields for the Logon: " + port->logon.text;
    }
  }
  return inner_->last_error(socket);
}

std::size_t GatedNetwork::report_connected(std::span<Ready> events) {
  std::size_t count = 0;
  for (auto at = connecting_.begin(); at != connecting_.end() && count < events.size();) {
    const auto has = [&at](State state) {
      return std::ranges::any_of(at->second.sessions, [state](const SessionPort* port) {
        return port->logon.state == state && !port->is_logged_on;
      });
    };
    if (!at->second.is_connected || (has(State::Wanted) && !has(State::Refused))) {
      ++at;
      continue;
    }
    const bool is_refused = has(State::Refused);
    events[count++] = {.kind = is_refused ? ReadyKind::Failed : ReadyKind::Connected,
                       .socket = at->first};
    // Refused: last_error() has the reason until the engine closes the socket.
    at->second.is_connected = false;
    at = is_refused ? std::next(at) : connecting_.erase(at);
  }
  return count;
}

std::size_t GatedNetwork::keep_connected(std::span<Ready> events) {
  const auto rest = std::ranges::remove_if(events, [this](const Ready& ready) {
    const auto found = connecting_.find(ready.socket);
    if (found == connecting_.end() || ready.kind != ReadyKind::Connected) return false;
    found->second.is_connected = true;
    return true;
  });
  return events.size() - rest.size();
}

std::size_t GatedNetwork::wait(std::span<Ready> events,
                               std::optional<std::chrono::nanoseconds> timeout) noexcept {
  turn();
  std::size_t count = connecting_.empty() ? 0 : report_connected(events);
  if (count != 0) timeout = std::chrono::nanoseconds{0};
  const std::span<Ready> room = events.subspan(count);
  const std::size_t found = room.empty() ? 0 : inner_->wait(room, timeout);
  return count + (connecting_.empty() ? found : keep_connected(room.first(found)));
}

}  // namespace nexusfix::python
