#include "web/http/http_server.hpp"

#include <algorithm>
#include <utility>

namespace nexusfix::web {

using transport::IoResult;
using transport::IoStatus;
using transport::ReadyKind;
using transport::SocketId;

// Answers on their way to the server's thread.
class ReplyBox {
 public:
  using Replies = std::vector<std::pair<SocketId, Response>>;

  explicit ReplyBox(transport::Network& network) noexcept : network_{&network} {}
  void add(SocketId socket, Response response) {
    const std::lock_guard lock{mutex_};
    if (network_ == nullptr) return;
    replies_.emplace_back(socket, std::move(response));
    network_->wake();
  }
  [[nodiscard]] Replies take() {
    const std::lock_guard lock{mutex_};
    return std::exchange(replies_, {});
  }
  void close() {
    const std::lock_guard lock{mutex_};
    network_ = nullptr;
    replies_.clear();
  }

 private:
  std::mutex mutex_;
  transport::Network* network_;  // null: the server has ended
  Replies replies_;
};

void Reply::send(Response response) { box_->add(socket_, std::move(response)); }

HttpServer::HttpServer(transport::Network& network, Clock& clock, HttpLimits limits)
    : network_{network},
      clock_{clock},
      limits_{limits},
      replies_{std::make_shared<ReplyBox>(network)},
      next_tick_{clock.now().mono + limits.tick} {}

HttpServer::~HttpServer() {
  replies_->close();
  for (const auto& [socket, connection] : connections_) network_.close(socket);
  for (const auto& [socket, port] : ports_) network_.close(socket);
}

std::expected<std::uint16_t, std::string> HttpServer::listen(const transport::Endpoint& endpoint,
                                                             Site& site) {
  const auto listener = network_.listen(endpoint);
  if (!listener) return std::unexpected{listener.error().text};
  ports_.emplace(*listener, Port{.site = &site});
  return network_.local_port(*listener);
}

void HttpServer::turn() {
  std::array<transport::Ready, 64> events;
  const MonoTime now = clock_.now().mono;
  const auto left = std::max(next_tick_ - now, std::chrono::nanoseconds{0});
  const std::size_t count = network_.wait(events, left);
  for (const transport::Ready& ready : std::span{events}.first(count)) handle(ready);
  take_replies();
  if (const MonoTime after = clock_.now().mono; after >= next_tick_) tick(after);
}

void HttpServer::handle(const transport::Ready& ready) {
  switch (ready.kind) {
    case ReadyKind::Accepted:
      return accept(ready);
    case ReadyKind::Readable:
      return receive(ready.socket);
    case ReadyKind::Writable:
      if (const auto found = connections_.find(ready.socket); found != connections_.end()) {
        flush(ready.socket, found->second);
      }
      return;
    case ReadyKind::Failed:
      return close(ready.socket);
    case ReadyKind::Announced:
    case ReadyKind::Connected:
      return;
  }
}

void HttpServer::accept(const transport::Ready& ready) {
  Port& port = ports_.at(ready.socket);
  ++port.connections;
  Connection& connection = connections_[ready.accepted];
  connection.port = ready.socket;
  connection.deadline = in(limits_.request_time);
  if (port.connections <= limits_.connections_max) return;
  ++cut_off_;
  connection.is_answering = true;
  respond(ready.accepted, connection, text_response(503, "too many connections"));
}

void HttpServer::receive(SocketId socket) {
  const auto found = connections_.find(socket);
  if (found == connections_.end()) return;
  const IoResult got = network_.receive(socket, buffer_);
  if (got.status == IoStatus::WouldBlock) return;
  if (got.status != IoStatus::Ok) return close(socket);
  Connection& connection = found->second;
  // A stream takes no requests. While a site answers, only a broken or refused client gets here.
  if (connection.stream != nullptr || connection.is_answering) return;
  const bool is_first = !connection.reader.has_begun();
  connection.reader.add({buffer_.data(), got.bytes});
  if (is_first) connection.deadline = in(limits_.request_time);
  parse(socket, connection);
}

void HttpServer::parse(SocketId socket, Connection& connection) {
  switch (connection.reader.parse()) {
    case RequestReader::Progress::NeedsMore:
      return;
    case RequestReader::Progress::Wrong:
      connection.is_answering = true;
      network_.pause(socket, true);
      connection.keeps_alive = false;
      ++cut_off_;
      return respond(socket, connection,
                     text_response(connection.reader.status(), "the request is wrong or too long"));
    case RequestReader::Progress::Complete:
      break;
  }
  Request request = connection.reader.take();
  request.peer = network_.peer_name(socket);
  request.identities = network_.peer_identities(socket);
  connection.is_answering = true;
  connection.is_head = request.method == "HEAD";
  connection.keeps_alive = connection.reader.keeps_alive();
  network_.pause(socket, true);
  ports_.at(connection.port).site->answer(std::move(request), Reply{replies_, socket});
}

void HttpServer::respond(SocketId socket, Connection& connection, Response response) {
  if (response.stream) connection.keeps_alive = false;
  std::string bytes = response_head(response, connection.keeps_alive);
  if (!connection.is_head) {
    bytes += response.body;
    connection.stream = std::move(response.stream);
  }
  connection.unsent = std::make_shared<const std::string>(std::move(bytes));
  connection.sent = 0;
  connection.deadline = in(limits_.reader_time);
  if (connection.stream) network_.pause(socket, false);  // so that its end is noticed
  flush(socket, connection);
}

// Sends what the client takes; a stream goes on with its next chunk.
void HttpServer::flush(SocketId socket, Connection& connection) {
  if (!connection.unsent) return;
  const auto left = std::span<const char>{*connection.unsent}.subspan(connection.sent);
  const IoResult result = network_.send(socket, left);
  if (result.status == IoStatus::WouldBlock) return;
  if (result.status != IoStatus::Ok) return close(socket);
  connection.sent += result.bytes;
  connection.deadline = in(limits_.reader_time);
  if (result.bytes < left.size()) return;  // Writable follows.
  connection.unsent.reset();
  if (!connection.stream) finish(socket, connection);
}

// The answer is sent.
void HttpServer::finish(SocketId socket, Connection& connection) {
  if (!connection.keeps_alive) return close(socket);
  connection.is_answering = false;
  connection.deadline =
      in(connection.reader.has_begun() ? limits_.request_time : limits_.idle_time);
  network_.pause(socket, false);
  parse(socket, connection);
}

void HttpServer::take_replies() {
  for (auto& [socket, response] : replies_->take()) {
    const auto found = connections_.find(socket);
    if (found == connections_.end() || !found->second.is_answering) continue;
    respond(socket, found->second, std::move(response));
  }
}

void HttpServer::tick(MonoTime now) {
  next_tick_ = now + limits_.tick;
  std::vector<SocketId> sockets;
  for (const auto& [socket, connection] : connections_) sockets.push_back(socket);
  for (const SocketId socket : sockets) {
    Connection& connection = connections_.at(socket);
    if (connection.stream && !connection.unsent) {
      connection.unsent = connection.stream->next(now);
      connection.sent = 0;
      connection.deadline = in(limits_.reader_time);
      flush(socket, connection);
      continue;
    }
    // A site answers in its own time.
    const bool waits_for_site = connection.is_answering && !connection.unsent;
    if (waits_for_site || connection.deadline > now) continue;
    ++cut_off_;
    close(socket);
  }
}

void HttpServer::close(SocketId socket) {
  const auto found = connections_.find(socket);
  if (found == connections_.end()) return;
  --ports_.at(found->second.port).connections;
  connections_.erase(found);
  network_.close(socket);
}

}  // namespace nexusfix::web
