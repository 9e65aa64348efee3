#include "console/http/http_server.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

namespace nexusfix::web {

using transport::IoResult;
using IoStatus = transport::IoResult::Status;
using ReadyKind = transport::Ready::Kind;
using transport::SocketId;

// Requests that came with earlier ones. As many as connections that are accepted in a turn: clients
// that send many requests at once must not keep new ones waiting.
constexpr std::size_t kFollowingPerTurn = 16;

// Answers on their way to the server's thread.
class ReplyBox {
 public:
  using Replies = std::vector<std::pair<SocketId, Response>>;

  explicit ReplyBox(transport::Network& network) noexcept : network_{&network} {}
  void expect(SocketId socket) {
    const std::lock_guard lock{mutex_};
    expected_.insert(socket);
  }
  void forget(SocketId socket) {
    const std::lock_guard lock{mutex_};
    expected_.erase(socket);
  }
  [[nodiscard]] bool expects(SocketId socket) {
    const std::lock_guard lock{mutex_};
    return expected_.contains(socket);
  }
  void add(SocketId socket, Response response) {
    const std::lock_guard lock{mutex_};
    if (expected_.erase(socket) == 0) return;
    replies_.emplace_back(socket, std::move(response));
    network_->wake();
  }
  [[nodiscard]] Replies take() {
    const std::lock_guard lock{mutex_};
    return std::exchange(replies_, {});
  }
  void close() {
    const std::lock_guard lock{mutex_};
    expected_.clear();
    replies_.clear();
  }

 private:
  std::mutex mutex_;
  transport::Network* network_;
  std::unordered_set<SocketId> expected_;  // connections that wait for their answer
  Replies replies_;
};

void Reply::send(Response response) { box_->add(socket_, std::move(response)); }
bool Reply::is_wanted() const { return box_->expects(socket_); }

HttpServer::HttpServer(transport::Network& network, Clock& clock, HttpLimits limits)
    : network_{network},
      clock_{clock},
      limits_{limits},
      replies_{std::make_shared<ReplyBox>(network)},
      next_tick_{clock.now().mono + limits.tick} {}

HttpServer::~HttpServer() {
  replies_->close();
  for (const auto& [socket, connection] : connections_) network_.close(socket);
  for (const auto& [socket, site] : ports_) network_.close(socket);
}

std::expected<std::uint16_t, std::string> HttpServer::listen(const transport::Endpoint& endpoint,
                                                             Site& site) {
  const auto listener = network_.listen(endpoint);
  if (!listener) return std::unexpected{listener.error().text};
  ports_.emplace(*listener, &site);
  return network_.local_port(*listener);
}

void HttpServer::turn() {
  std::array<transport::Ready, 64> events;
  const MonoTime now = clock_.now().mono;
  const auto left = std::max(next_tick_ - now, std::chrono::nanoseconds{0});
  const std::size_t count = network_.wait(events, left);
  for (const transport::Ready& ready : std::span{events}.first(count)) handle(ready);
  send_replies();
  parse_following();
  make_room();
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
  const transport::Source source =
      transport::source_of(transport::peer_address_of(network_.peer_name(ready.accepted)));
  if (!make_place(ready.socket, source)) return refuse(ready.accepted);
  Connection& connection = connections_[ready.accepted];
  connection.port = ready.socket;
  connection.source = source;
  connection.since = clock_.now().mono;
  connection.deadline = in(limits_.request_time);
}

// Whether the port has a place for one more connection of this address. If it is full, a connection
// of the address that has most of those that wait gives way; if the address has its share, one of
// its own.
bool HttpServer::make_place(SocketId port, transport::Source source) {
  std::size_t all = 0;
  std::size_t own = 0;
  std::map<transport::Source, std::size_t> waiting;
  for (const auto& [socket, connection] : connections_) {
    if (connection.port != port) continue;
    ++all;
    if (connection.source == source) ++own;
    if (connection.waits_for_client()) ++waiting[connection.source];
  }
  transport::Source from = source;
  if (own < limits_.per_source_max) {
    if (all < limits_.connections_max) return true;
    if (waiting.empty()) return false;
    from = std::ranges::max_element(waiting, {}, [](const auto& one) { return one.second; })->first;
  }
  const SocketId oldest = oldest_waiting([&](const Connection& connection) {
    return connection.port == port && connection.source == from;
  });
  if (oldest == 0) return false;
  drop(oldest);
  return true;
}

// A client of TLS gets no answer: its handshake has not begun.
void HttpServer::refuse(SocketId socket) {
  const Response response = text_response(503, "too many connections");
  static_cast<void>(network_.send(socket, response_head(response, false) + response.body));
  ++cut_off_;
  network_.close(socket);
}

// 0: none waits. A client that sends many requests is not newer because of them.
template <class Condition>
SocketId HttpServer::oldest_waiting(Condition condition) const {
  auto oldest = connections_.end();
  for (auto one = connections_.begin(); one != connections_.end(); ++one) {
    const Connection& connection = one->second;
    if (!connection.waits_for_client() || !condition(connection)) continue;
    if (oldest == connections_.end() || connection.since < oldest->second.since) oldest = one;
  }
  return oldest == connections_.end() ? SocketId{0} : oldest->first;
}

// The process had no descriptor for a new connection: the next one has one.
void HttpServer::make_room() {
  const std::uint64_t refused = network_.connections_refused();
  if (refused == std::exchange(refused_by_network_, refused)) return;
  const SocketId oldest = oldest_waiting([](const Connection&) { return true; });
  if (oldest != 0) drop(oldest);
}

void HttpServer::drop(SocketId socket) {
  ++cut_off_;
  close(socket);
}

// The newest answer is sent, however large it is.
void HttpServer::limit_unread(SocketId newest) {
  const auto unread = [&] {
    std::size_t bytes = 0;
    for (const auto& [socket, connection] : connections_) {
      if (connection.unsent && !connection.stream) bytes += connection.unsent->size();
    }
    return bytes;
  };
  while (unread() > limits_.unread_bytes_max) {
    const auto& kept = connections_.at(newest);
    const SocketId oldest = oldest_waiting([&](const Connection& connection) {
      return connection.unsent && !connection.stream && &connection != &kept;
    });
    if (oldest == 0) return;
    drop(oldest);
  }
}

void HttpServer::receive(SocketId socket) {
  const auto found = connections_.find(socket);
  if (found == connections_.end()) return;
  const IoResult got = network_.receive(socket, buffer_);
  if (got.status == IoStatus::WouldBlock) return;
  if (got.status != IoStatus::Ok) return close(socket);
  Connection& connection = found->second;
  if (connection.stream != nullptr) return;  // A stream takes no requests.
  const bool is_first = !connection.reader.has_begun();
  connection.reader.add({buffer_.data(), got.bytes});
  // While the site answers, only the end of the client matters; the next request waits.
  if (connection.is_answering) return network_.pause(socket, true);
  if (is_first) connection.deadline = in(limits_.request_time);
  parse(socket, connection);
}

void HttpServer::parse(SocketId socket, Connection& connection) {
  switch (connection.reader.parse()) {
    case RequestReader::Progress::NeedsMore:
      return;
    case RequestReader::Progress::Wrong:
      connection.is_answering = true;
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
  replies_->expect(socket);
  ports_.at(connection.port)->answer(std::move(request), Reply{replies_, socket});
}

// A client that has half closed its connection still gets the whole answer.
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
  network_.pause(socket, connection.stream == nullptr);  // the end of a stream is noticed
  limit_unread(socket);
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
  if (!connection.reader.has_begun()) return;
  following_.push_back(socket);
  network_.wake();
}

void HttpServer::parse_following() {
  for (std::size_t i = 0; i < kFollowingPerTurn && !following_.empty(); ++i) {
    const SocketId socket = following_.front();
    following_.pop_front();
    const auto found = connections_.find(socket);
    if (found != connections_.end() && !found->second.is_answering) parse(socket, found->second);
  }
  if (!following_.empty()) network_.wake();
}

void HttpServer::send_replies() {
  for (auto& [socket, response] : replies_->take()) {
    const auto found = connections_.find(socket);
    if (found == connections_.end() || !found->second.is_answering) continue;
    Connection& connection = found->second;
    if (response.delay.count() == 0) {
      respond(socket, connection, std::move(response));
      continue;
    }
    connection.deadline = in(response.delay);
    connection.delayed = std::move(response);
  }
}

void HttpServer::tick(MonoTime now) {
  next_tick_ = now + limits_.tick;
  std::vector<SocketId> sockets;
  sockets.reserve(connections_.size());
  for (const auto& [socket, connection] : connections_) sockets.push_back(socket);
  for (const SocketId socket : sockets) {
    const auto found = connections_.find(socket);
    if (found == connections_.end()) continue;  // it gave way to an answer
    Connection& connection = found->second;
    if (connection.stream && !connection.unsent) {
      connection.unsent = connection.stream->next(now);
      connection.sent = 0;
      connection.since = now;
      connection.deadline = in(limits_.reader_time);
      flush(socket, connection);
      continue;
    }
    // A site answers in its own time.
    if (!connection.waits_for_client() || connection.deadline > now) continue;
    if (connection.delayed) {
      Response response = *std::exchange(connection.delayed, std::nullopt);
      respond(socket, connection, std::move(response));
    } else {
      drop(socket);
    }
  }
}

void HttpServer::close(SocketId socket) {
  const auto found = connections_.find(socket);
  if (found == connections_.end()) return;
  replies_->forget(socket);
  connections_.erase(found);
  network_.close(socket);
}

}  // namespace nexusfix::web
