#include "support/network/fake_network.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace nexusfix::transport {
namespace {

std::string explain(std::string_view operation, std::string_view where, int error_number) {
  return std::string{operation} + " " + std::string{where} + ": " +
         std::generic_category().message(error_number);
}

}  // namespace

void FakeInternet::deliver(std::size_t bytes_max) {
  for (const std::weak_ptr<Connection>& weak : connections_) {
    const std::shared_ptr<Connection> connection = weak.lock();
    if (!connection) continue;
    for (Pipe& pipe : connection->pipes) {
      pipe.arrived += std::min(bytes_max, pipe.size - pipe.arrived);
      pipe.end_arrived = pipe.ended && pipe.arrived == pipe.size;
    }
  }
  std::erase_if(connections_, [](const auto& weak) { return weak.expired(); });
}

FakeNetwork::FakeNetwork(FakeInternet& internet, std::string address)
    : internet_{internet}, address_{std::move(address)} {}

FakeNetwork::~FakeNetwork() { close_all(); }

FakeNetwork::Socket& FakeNetwork::add(State state) {
  Socket socket;
  socket.id = internet_.next_socket_++;
  socket.state = state;
  socket.port = internet_.next_port_++;
  return sockets_.emplace_back(std::move(socket));
}

FakeNetwork::Socket* FakeNetwork::find(SocketId socket) noexcept {
  const auto place = std::ranges::find(sockets_, socket, &Socket::id);
  return place == sockets_.end() || place->state == State::Unaccepted ? nullptr : &*place;
}

const FakeNetwork::Socket* FakeNetwork::find(SocketId socket) const noexcept {
  return const_cast<FakeNetwork*>(this)->find(socket);
}

std::expected<SocketId, NetworkError> FakeNetwork::listen(const Endpoint& endpoint) {
  const std::uint16_t port = endpoint.port == 0 ? internet_.next_port_++ : endpoint.port;
  if (internet_.listeners_.contains(port)) {
    const std::string where = endpoint.host + ":" + std::to_string(port);
    return std::unexpected{NetworkError{explain("listen", where, EADDRINUSE), EADDRINUSE}};
  }
  Socket& socket = add(State::Listening);
  socket.port = port;
  internet_.listeners_[port] = {socket.id, this};
  return socket.id;
}

std::expected<SocketId, NetworkError> FakeNetwork::connect(const Endpoint& endpoint) {
  const std::string where = endpoint.host + ":" + std::to_string(endpoint.port);
  if (!internet_.limits.has_descriptors)
    return std::unexpected{NetworkError{explain("connect", where, EMFILE), EMFILE}};
  const SocketId id = add(State::Failed).id;
  find(id)->peer = where;
  find(id)->operation = "connect";
  if (const int error_number = internet_.refused_[endpoint.port]; error_number != 0) {
    find(id)->error_number = error_number;
    return id;
  }
  if (internet_.swallowed_[endpoint.port]) {
    find(id)->state = State::Silent;
    return id;
  }
  const auto listener = internet_.listeners_.find(endpoint.port);
  if (listener == internet_.listeners_.end()) {
    find(id)->error_number = ECONNREFUSED;
    return id;
  }
  auto connection = std::make_shared<FakeInternet::Connection>();
  for (FakeInternet::Pipe& pipe : connection->pipes) pipe.ring.resize(internet_.pipe_bytes_);
  internet_.connections_.push_back(connection);
  Socket& far = listener->second.network->add(State::Unaccepted);
  far.listener = listener->second.socket;
  far.side = 1;
  far.port = endpoint.port;
  far.connection = connection;
  // Both ends may be in this network: adding the far one may have moved the near one.
  Socket& near = *find(id);
  near.state = State::Connecting;
  near.operation = "";
  near.connection = std::move(connection);
  far.peer = address_ + ":" + std::to_string(near.port);
  return id;
}

std::uint16_t FakeNetwork::local_port(SocketId socket) const {
  const Socket* found = find(socket);
  return found == nullptr ? std::uint16_t{0} : found->port;
}

std::string FakeNetwork::peer_name(SocketId socket) const {
  const Socket* found = find(socket);
  return found == nullptr ? std::string{} : found->peer;
}

std::string FakeNetwork::last_error(SocketId socket) const {
  const Socket* found = find(socket);
  if (found == nullptr || found->error_number == 0) return {};
  return explain(found->operation, found->peer, found->error_number);
}

IoResult FakeNetwork::receive(SocketId id, std::span<char> buffer) noexcept {
  Socket* socket = find(id);
  if (socket == nullptr) return {IoResult::Status::Failed, 0, EBADF};
  if (socket->state == State::Failed) return {IoResult::Status::Failed, 0, socket->error_number};
  if (socket->state != State::Open) return {IoResult::Status::WouldBlock, 0, 0};
  FakeInternet::Pipe& pipe = socket->connection->pipes[socket->side];
  const std::size_t wanted = std::min(buffer.size(), internet_.limits.receive_bytes_max);
  const std::size_t count = std::min(wanted, pipe.arrived);
  if (count == 0 && socket->connection->broken != 0 && pipe.arrived == 0) {
    socket->state = State::Failed;
    socket->operation = "receive from";
    socket->error_number = socket->connection->broken;
    return {IoResult::Status::Failed, 0, socket->error_number};
  }
  if (count == 0 && !buffer.empty()) {
    return {pipe.end_arrived ? IoResult::Status::Closed : IoResult::Status::WouldBlock, 0, 0};
  }
  const std::size_t first = std::min(count, pipe.ring.size() - pipe.head);
  if (first > 0) std::memcpy(buffer.data(), pipe.ring.data() + pipe.head, first);
  if (count > first) std::memcpy(buffer.data() + first, pipe.ring.data(), count - first);
  pipe.head = (pipe.head + count) % pipe.ring.size();
  pipe.size -= count;
  pipe.arrived -= count;
  return {IoResult::Status::Ok, count, 0};
}

IoResult FakeNetwork::send(SocketId id, std::span<const char> bytes) noexcept {
  Socket* socket = find(id);
  if (socket == nullptr) return {IoResult::Status::Failed, 0, EBADF};
  if (socket->state == State::Failed) return {IoResult::Status::Failed, 0, socket->error_number};
  if (socket->state != State::Open) return {IoResult::Status::WouldBlock, 0, 0};
  FakeInternet::Connection& connection = *socket->connection;
  const int far_side = 1 - socket->side;
  if (connection.broken != 0 || connection.closed[far_side]) {
    socket->operation = "send to";
    socket->error_number = connection.broken != 0 ? connection.broken : EPIPE;
    socket->wants_room = false;
    return {IoResult::Status::Failed, 0, socket->error_number};
  }
  FakeInternet::Pipe& pipe = connection.pipes[far_side];
  const std::size_t room = pipe.ring.size() - pipe.size;
  const std::size_t count = std::min({bytes.size(), internet_.limits.send_bytes_max, room});
  socket->wants_room = count < bytes.size();
  if (count == 0 && !bytes.empty()) return {IoResult::Status::WouldBlock, 0, 0};
  const std::size_t tail = (pipe.head + pipe.size) % pipe.ring.size();
  const std::size_t first = std::min(count, pipe.ring.size() - tail);
  if (first > 0) std::memcpy(pipe.ring.data() + tail, bytes.data(), first);
  if (count > first) std::memcpy(pipe.ring.data(), bytes.data() + first, count - first);
  pipe.size += count;
  if (!internet_.limits.hold) pipe.arrived = pipe.size;
  return {IoResult::Status::Ok, count, 0};
}

void FakeNetwork::break_connection(SocketId id, int error_number) {
  const Socket* socket = find(id);
  if (socket == nullptr || !socket->connection) return;
  socket->connection->broken = error_number;
  for (FakeInternet::Pipe& pipe : socket->connection->pipes) pipe.size = pipe.arrived;
}

void FakeNetwork::release(Socket& socket) noexcept {
  if (socket.state == State::Listening) internet_.listeners_.erase(socket.port);
  if (!socket.connection) return;
  socket.connection->closed[socket.side] = true;
  FakeInternet::Pipe& pipe = socket.connection->pipes[1 - socket.side];
  pipe.ended = true;
  pipe.end_arrived = !internet_.limits.hold && pipe.arrived == pipe.size;
}

void FakeNetwork::pause(SocketId socket, bool paused) noexcept {
  if (Socket* const found = find(socket); found != nullptr) found->is_paused = paused;
}

void FakeNetwork::close(SocketId id) noexcept {
  Socket* socket = find(id);
  if (socket == nullptr) return;
  const bool listening = socket->state == State::Listening;
  release(*socket);
  sockets_.erase(sockets_.begin() + (socket - sockets_.data()));
  if (!listening) return;
  for (Socket& other : sockets_) {
    if (other.state == State::Unaccepted && other.listener == id) release(other);
  }
  std::erase_if(sockets_, [id](const Socket& other) {
    return other.state == State::Unaccepted && other.listener == id;
  });
}

void FakeNetwork::close_all() noexcept {
  for (Socket& socket : sockets_) release(socket);
  sockets_.clear();
}

std::size_t FakeNetwork::wait(std::span<Ready> events,
                              std::optional<std::chrono::nanoseconds> timeout) noexcept {
  wakes_.store(0, std::memory_order_relaxed);
  if (while_waiting && timeout != std::chrono::nanoseconds{0}) while_waiting();
  std::size_t count = 0;
  // Begins after the last reported socket, so that a few events at a time reach all in turn.
  const std::size_t sockets = sockets_.size();
  for (std::size_t i = 0; i < sockets; ++i) {
    const std::size_t index = (next_reported_ + i) % sockets;
    if (report(sockets_[index], events, count)) continue;
    next_reported_ = index;
    break;
  }
  return count;
}

// False: there was no room for an event of this socket.
bool FakeNetwork::report(Socket& socket, std::span<Ready> events, std::size_t& count) noexcept {
  const auto put = [&](Ready ready) {
    if (count == events.size()) return false;
    events[count++] = ready;
    return true;
  };
  switch (socket.state) {
    case State::Listening:
    case State::Silent:
      return true;
    case State::Failed:
      return put({Ready::Kind::Failed, socket.id, 0});
    case State::Connecting:
      if (!put({Ready::Kind::Connected, socket.id, 0})) return false;
      socket.state = State::Open;
      return true;
    case State::Unaccepted:
      if (!put({Ready::Kind::Accepted, socket.listener, socket.id})) return false;
      socket.state = State::Open;
      return true;
    case State::Open:
      break;
  }
  const FakeInternet::Connection& connection = *socket.connection;
  const FakeInternet::Pipe& in = connection.pipes[socket.side];
  const FakeInternet::Pipe& out = connection.pipes[1 - socket.side];
  const bool over = connection.broken != 0 || connection.closed[1 - socket.side];
  if (socket.wants_room && (over || out.size < out.ring.size()) &&
      !put({Ready::Kind::Writable, socket.id, 0})) {
    return false;
  }
  const bool has_arrived = !socket.is_paused && (in.arrived > 0 || in.end_arrived);
  if (has_arrived || connection.broken != 0) {
    return put({Ready::Kind::Readable, socket.id, 0});
  }
  return true;
}

}  // namespace nexusfix::transport
