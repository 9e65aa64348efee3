// The HTTP server: ports, connections and their limits. One thread calls turn(); answers may come
// from any thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/transport/network.hpp>

#include "console/http/request.hpp"
#include "console/http/request_reader.hpp"

namespace nexusfix::web {

// Where an answer goes. May outlive the connection and the server: then the answer is dropped.
class ReplyBox;
class Reply {
 public:
  Reply(std::shared_ptr<ReplyBox> box, transport::SocketId socket) noexcept
      : box_{std::move(box)}, socket_{socket} {}
  // Once. Any thread.
  void send(Response response);
  // Whether the client still waits for it. Any thread.
  [[nodiscard]] bool is_wanted() const;

 private:
  std::shared_ptr<ReplyBox> box_;
  transport::SocketId socket_;
};

// What a port serves.
class Site {
 public:
  virtual ~Site() = default;
  // The server's thread: it must not block. The reply may be sent later, and by another thread.
  virtual void answer(Request request, Reply reply) = 0;
};

// A connection waits for its client while its TLS handshake or its request is not complete, between
// two requests, and while the client has not read its answer. Above a limit, the oldest one that
// waits gives way, so a new client is served whatever others do.
struct HttpLimits {
  std::size_t connections_max = 256;  // of a port
  std::size_t per_source_max = 224;   // of these, of one address
  // All answers together that their clients have not read.
  std::size_t unread_bytes_max = 64U << 20U;
  // From the connection to the first byte of the request, with the TLS handshake; and from there to
  // its last byte.
  std::chrono::milliseconds request_time{10'000};
  std::chrono::milliseconds idle_time{30'000};    // between two requests
  std::chrono::milliseconds reader_time{30'000};  // in which a client must read something
  std::chrono::milliseconds tick{1'000};          // between two chunks of a stream
};

class HttpServer {
 public:
  // Both must outlive the server.
  HttpServer(transport::Network& network, Clock& clock, HttpLimits limits = {});
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  // site: not owned. The port in use, or why there is none.
  [[nodiscard]] std::expected<std::uint16_t, std::string> listen(
      const transport::Endpoint& endpoint, Site& site);
  // Waits for events, at most until the next tick, and handles them.
  void turn();
  // The number of connections that were cut off because of a limit.
  [[nodiscard]] std::uint64_t cut_off() const noexcept { return cut_off_; }

 private:
  struct Connection {
    transport::SocketId port = 0;
    transport::Source source = 0;
    RequestReader reader{};
    bool is_answering = false;  // the site has the request, or its answer is not sent
    bool is_head = false;
    bool keeps_alive = false;
    std::shared_ptr<const std::string> unsent{};  // null: everything is sent
    std::size_t sent = 0;                         // of unsent
    std::unique_ptr<Stream> stream{};
    std::optional<Response> delayed{};  // to be sent at the deadline
    MonoTime since{};                   // it was accepted, or its stream got these unsent bytes
    MonoTime deadline{};

    [[nodiscard]] bool waits_for_client() const noexcept {
      return !is_answering || unsent || delayed;
    }
  };
  using Connections = std::unordered_map<transport::SocketId, Connection>;

  void handle(const transport::Ready& ready);
  void accept(const transport::Ready& ready);
  [[nodiscard]] bool make_place(transport::SocketId port, transport::Source source);
  void refuse(transport::SocketId socket);
  template <class Condition>
  [[nodiscard]] transport::SocketId oldest_waiting(Condition condition) const;
  void make_room();
  void drop(transport::SocketId socket);
  void limit_unread(transport::SocketId newest);
  void receive(transport::SocketId socket);
  void parse(transport::SocketId socket, Connection& connection);
  void respond(transport::SocketId socket, Connection& connection, Response response);
  void flush(transport::SocketId socket, Connection& connection);
  void finish(transport::SocketId socket, Connection& connection);
  void send_replies();
  void parse_following();
  void tick(MonoTime now);
  void close(transport::SocketId socket);
  [[nodiscard]] MonoTime in(std::chrono::milliseconds time) noexcept {
    return clock_.now().mono + time;
  }

  transport::Network& network_;
  Clock& clock_;
  HttpLimits limits_;
  std::unordered_map<transport::SocketId, Site*> ports_;
  Connections connections_;
  std::deque<transport::SocketId> following_;  // have sent more than the request that is answered
  std::shared_ptr<ReplyBox> replies_;
  MonoTime next_tick_;
  std::uint64_t cut_off_ = 0;
  std::uint64_t refused_by_network_ = 0;  // of these, make_room() knows
  std::array<char, 16U << 10U> buffer_{};
};

}  // namespace nexusfix::web
