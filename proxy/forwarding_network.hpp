// A network above another one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nexusfix/transport/network.hpp>

namespace nexusfix::transport {

// Passes each call on to another network, but for detach() and attach(): a class that is derived
// from it may know a connection by its id. Threads: as the other network.
class ForwardingNetwork : public Network {
 public:
  // inner must outlive it.
  explicit ForwardingNetwork(Network& inner) noexcept : inner_{inner} {}
  ForwardingNetwork(const ForwardingNetwork&) = delete;
  ForwardingNetwork& operator=(const ForwardingNetwork&) = delete;

  [[nodiscard]] std::expected<SocketId, NetworkError> listen(const Endpoint& endpoint) override {
    return inner_.listen(endpoint);
  }
  [[nodiscard]] std::expected<void, NetworkError> could_listen(const Endpoint& endpoint) override {
    return inner_.could_listen(endpoint);
  }
  void change_listener(SocketId listener, const Endpoint& endpoint) override {
    inner_.change_listener(listener, endpoint);
  }
  [[nodiscard]] std::expected<SocketId, NetworkError> connect(const Endpoint& endpoint) override {
    return inner_.connect(endpoint);
  }
  [[nodiscard]] std::uint16_t local_port(SocketId socket) const override {
    return inner_.local_port(socket);
  }
  [[nodiscard]] std::string peer_name(SocketId socket) const override {
    return inner_.peer_name(socket);
  }
  [[nodiscard]] std::string last_error(SocketId socket) const override {
    return inner_.last_error(socket);
  }
  [[nodiscard]] std::string protection(SocketId socket) const override {
    return inner_.protection(socket);
  }
  [[nodiscard]] std::vector<std::string> peer_identities(SocketId socket) const override {
    return inner_.peer_identities(socket);
  }
  [[nodiscard]] std::uint64_t connections_refused() const noexcept override {
    return inner_.connections_refused();
  }
  [[nodiscard]] IoResult receive(SocketId socket, std::span<char> buffer) noexcept override {
    return inner_.receive(socket, buffer);
  }
  [[nodiscard]] ReceiveTime receive_time(SocketId socket) const noexcept override {
    return inner_.receive_time(socket);
  }
  [[nodiscard]] IoResult send(SocketId socket, std::span<const char> bytes) noexcept override {
    return inner_.send(socket, bytes);
  }
  void pause(SocketId socket, bool paused) noexcept override { inner_.pause(socket, paused); }
  void unwatch(SocketId socket, bool unwatched) noexcept override {
    inner_.unwatch(socket, unwatched);
  }
  void close(SocketId socket) noexcept override { inner_.close(socket); }
  [[nodiscard]] std::size_t wait(
      std::span<Ready> events, std::optional<std::chrono::nanoseconds> timeout) noexcept override {
    return inner_.wait(events, timeout);
  }
  void expect_wake() noexcept override { inner_.expect_wake(); }
  void wake() noexcept override { inner_.wake(); }
  [[nodiscard]] int descriptor() const noexcept override { return inner_.descriptor(); }

 protected:
  Network& inner_;
};

}  // namespace nexusfix::transport
