// Sockets: one machine's view of the simulated internet.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <nexusfix/simulator/simulated_network.hpp>

namespace nexusfix::simulator {

using transport::IoResult;
using IoStatus = transport::IoResult::Status;
using transport::Ready;
using ReadyKind = transport::Ready::Kind;
using transport::SocketId;

transport::SocketId SimulatedNetwork::add(Socket socket) {
  socket.id = next_socket_++;
  sockets_.push_back(socket);
  return socket.id;
}

SimulatedNetwork::Socket* SimulatedNetwork::find(SocketId socket) noexcept {
  const auto place = std::ranges::lower_bound(sockets_, socket, {}, &Socket::id);
  return place == sockets_.end() || place->id != socket ? nullptr : &*place;
}

const SimulatedNetwork::Socket* SimulatedNetwork::find(SocketId socket) const noexcept {
  return const_cast<SimulatedNetwork*>(this)->find(socket);
}

std::expected<SocketId, transport::NetworkError> SimulatedNetwork::listen(
    const transport::Endpoint& endpoint) {
  const std::uint16_t port = endpoint.port != 0 ? endpoint.port : internet_.next_port_++;
  if (life_.step(SeamCall::Other) != CallFate::Done || internet_.listeners_.contains(port)) {
    return std::unexpected{transport::NetworkError{
        "listen " + endpoint.host + ":" + std::to_string(port) + ": address in use", EADDRINUSE}};
  }
  const SocketId id = add({.state = State::Listening, .port = port});
  internet_.listeners_[port] = {this, id};
  return id;
}

std::expected<SocketId, transport::NetworkError> SimulatedNetwork::connect(
    const transport::Endpoint& endpoint) {
  if (life_.step(SeamCall::Other) != CallFate::Done) {
    return std::unexpected{transport::NetworkError{"connect: the process is dead", EBADF}};
  }
  const SocketId id = add({.state = State::Connecting, .side = 0, .port = internet_.next_port_++});
  find(id)->connection = internet_.begin(*this, id, endpoint.port).id;
  return id;
}

std::uint16_t SimulatedNetwork::local_port(SocketId socket) const {
  const Socket* found = find(socket);
  return found == nullptr ? std::uint16_t{0} : found->port;
}

std::string SimulatedNetwork::peer_name(SocketId socket) const {
  const Socket* found = find(socket);
  return found == nullptr ? std::string{} : "connection " + std::to_string(found->connection);
}

std::string SimulatedNetwork::last_error(SocketId socket) const {
  const Socket* found = find(socket);
  if (found == nullptr || found->error_number == 0) return {};
  return peer_name(socket) + ": " + std::generic_category().message(found->error_number);
}

IoResult SimulatedNetwork::receive(SocketId id, std::span<char> buffer) noexcept {
  if (life_.step(SeamCall::Receive) != CallFate::Done) return {IoStatus::Failed, 0, EBADF};
  Socket* const socket = find(id);
  if (socket == nullptr) return {IoStatus::Failed, 0, EBADF};
  if (socket->state == State::Failed) return {IoStatus::Failed, 0, socket->error_number};
  SimulatedInternet::Connection* const connection = internet_.find(socket->connection);
  if (socket->state != State::Open || connection == nullptr) return {IoStatus::WouldBlock, 0, 0};
  SimulatedInternet::Pipe& pipe = connection->pipes[socket->side];
  std::size_t count = std::min(buffer.size(), pipe.arrived);
  if (count == 0) {
    if (const int broken = connection->ends[socket->side].broken; broken != 0) {
      socket->error_number = broken;
      return {IoStatus::Failed, 0, broken};
    }
    return {pipe.end_arrived ? IoStatus::Closed : IoStatus::WouldBlock, 0, 0};
  }
  if (internet_.weather.tears && count > 1 && internet_.random_.below(16) == 0) {
    count = 1 + static_cast<std::size_t>(internet_.random_.below(count));
    simulator::count(internet_.counts_, Fault::Tear);
  }
  std::memcpy(buffer.data(), pipe.bytes.data() + pipe.begin, count);
  internet_.observer_.bytes_received(connection->id, socket->side, {buffer.data(), count});
  const bool was_full = pipe.size() >= pipe.capacity;
  pipe.begin += count;
  pipe.arrived -= count;
  if (pipe.begin == pipe.bytes.size()) {
    pipe.bytes.clear();
    pipe.begin = 0;
  } else if (pipe.begin > pipe.bytes.size() / 2) {
    pipe.bytes.erase(pipe.bytes.begin(),
                     pipe.bytes.begin() + static_cast<std::ptrdiff_t>(pipe.begin));
    pipe.begin = 0;
  }
  if (was_full) internet_.wake(*connection, static_cast<Side>(1 - socket->side));
  return {IoStatus::Ok, count, 0};
}

IoResult SimulatedNetwork::send(SocketId id, std::span<const char> bytes) noexcept {
  const CallFate fate = life_.step(SeamCall::Send);
  if (fate == CallFate::Dead) return {IoStatus::Failed, 0, EBADF};
  Socket* const socket = find(id);
  if (socket == nullptr) return {IoStatus::Failed, 0, EBADF};
  if (socket->state == State::Failed) return {IoStatus::Failed, 0, socket->error_number};
  SimulatedInternet::Connection* const connection = internet_.find(socket->connection);
  if (socket->state != State::Open || connection == nullptr) return {IoStatus::WouldBlock, 0, 0};
  if (const int broken = connection->ends[socket->side].broken; broken != 0) {
    socket->error_number = broken;
    socket->wants_room = false;
    return {IoStatus::Failed, 0, broken};
  }
  const SimulatedInternet::Pipe& pipe = connection->pipes[1 - socket->side];
  if (pipe.size() >= pipe.capacity && !connection->is_silent) {
    socket->wants_room = true;
    return {IoStatus::WouldBlock, 0, 0};
  }
  std::size_t count =
      connection->is_silent ? bytes.size() : std::min(bytes.size(), pipe.capacity - pipe.size());
  if (internet_.weather.tears && count > 1 && internet_.random_.below(16) == 0) {
    count = 1 + static_cast<std::size_t>(internet_.random_.below(count));
    simulator::count(internet_.counts_, Fault::Tear);
  }
  // A process that dies in the call may have sent a part.
  if (fate == CallFate::DiesIn) {
    count = static_cast<std::size_t>(internet_.random_.below(count + 1));
  }
  const std::string_view taken{bytes.data(), count};
  internet_.observer_.bytes_sent(connection->id, socket->side, process_, taken);
  internet_.send(*connection, socket->side, taken);
  socket->wants_room = count < bytes.size();
  return {IoStatus::Ok, count, 0};
}

void SimulatedNetwork::close(SocketId id) noexcept {
  if (!life_.alive()) return;
  Socket* const socket = find(id);
  if (socket == nullptr) return;
  const Socket closed = *socket;
  sockets_.erase(sockets_.begin() + (socket - sockets_.data()));
  if (closed.state == State::Listening) {
    internet_.listeners_.erase(closed.port);
    return;
  }
  if (auto* const connection = internet_.find(closed.connection)) {
    const bool is_working = connection->is_established && !connection->is_silent &&
                            connection->ends[closed.side].broken == 0 &&
                            !connection->pipes[closed.side].end_arrived && !closed.wants_room;
    internet_.observer_.closed_by(connection->id, closed.side, process_, is_working);
    internet_.close_end(*connection, closed.side);
  }
}

void SimulatedNetwork::end_process(bool is_silent) {
  const std::vector<Socket> sockets = std::exchange(sockets_, {});
  for (const Socket& socket : sockets) {
    if (socket.state == State::Listening) {
      internet_.listeners_.erase(socket.port);
      continue;
    }
    auto* const connection = internet_.find(socket.connection);
    if (connection == nullptr) continue;
    if (is_silent) connection->is_silent = true;
    // The kernel resets a connection with unread bytes.
    const bool is_reset = !is_silent && connection->pipes[socket.side].size() > 0;
    if (is_reset) internet_.drop(*connection, ECONNRESET);
    internet_.close_end(*connection, socket.side);
  }
}

bool SimulatedNetwork::has_room(const Socket& socket) const noexcept {
  const auto* const connection = internet_.find(socket.connection);
  if (connection == nullptr || connection->ends[socket.side].broken != 0) return true;
  const SimulatedInternet::Pipe& pipe = connection->pipes[1 - socket.side];
  return connection->is_silent || pipe.size() < pipe.capacity;
}

void SimulatedNetwork::pause(transport::SocketId socket, bool paused) noexcept {
  if (Socket* const found = find(socket); found != nullptr) found->is_paused = paused;
}

std::optional<Ready> SimulatedNetwork::ready_of(const Socket& socket) const noexcept {
  switch (socket.state) {
    case State::Listening:
    case State::Connecting:
      return std::nullopt;
    case State::Failed:
      return Ready{ReadyKind::Failed, socket.id, 0};
    case State::Answered:
      return Ready{ReadyKind::Connected, socket.id, 0};
    case State::Unaccepted:
      return Ready{ReadyKind::Accepted, socket.listener, socket.id};
    case State::Open:
      break;
  }
  const auto* const connection = internet_.find(socket.connection);
  if (connection == nullptr) return std::nullopt;
  const SimulatedInternet::Pipe& pipe = connection->pipes[socket.side];
  if (socket.is_paused && connection->ends[socket.side].broken == 0) return std::nullopt;
  if (pipe.arrived > 0 || pipe.end_arrived || connection->ends[socket.side].broken != 0) {
    return Ready{ReadyKind::Readable, socket.id, 0};
  }
  return std::nullopt;
}

std::size_t SimulatedNetwork::wait(std::span<Ready> events,
                                   std::optional<std::chrono::nanoseconds> /*timeout*/) noexcept {
  if (life_.step(SeamCall::Other) != CallFate::Done) return 0;
  std::size_t count = 0;
  for (Socket& socket : sockets_) {
    if (count + 2 > events.size()) break;
    if (socket.state == State::Open && socket.wants_room && has_room(socket)) {
      events[count++] = {ReadyKind::Writable, socket.id, 0};
    }
    const std::optional<Ready> ready = ready_of(socket);
    if (!ready) continue;
    events[count++] = *ready;
    if (socket.state == State::Answered || socket.state == State::Unaccepted) {
      socket.state = State::Open;
    }
  }
  if (internet_.weather.reorders && count > 1) {
    for (std::size_t i = count - 1; i > 0; --i) {
      const auto other = static_cast<std::size_t>(internet_.random_.below(i + 1));
      if (other != i) simulator::count(internet_.counts_, Fault::Reorder);
      std::swap(events[i], events[other]);
    }
  }
  return count;
}

bool SimulatedNetwork::is_ready() const noexcept {
  return std::ranges::any_of(sockets_, [this](const Socket& socket) {
    return (socket.state == State::Open && socket.wants_room && has_room(socket)) ||
           ready_of(socket).has_value();
  });
}

}  // namespace nexusfix::simulator
