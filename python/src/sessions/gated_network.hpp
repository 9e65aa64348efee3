// A network that does not read from counterparties whose messages wait for Python, and that holds
// connections until Python has given the fields of their Logon.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <nexusfix/transport/network.hpp>

#include "python/src/sessions/session_port.hpp"

namespace nexusfix::python {

// Threads: as transport::Network.
class GatedNetwork final : public transport::Network {
 public:
  // Called on the thread of the engine, between two events.
  struct Hooks {
    std::function<void()> on_turn;
    std::function<void(SessionPort&)> on_logon_wanted;  // null: no Logon has fields of Python
  };
  // waiting_bytes_max: of a session; above it its connection is not read. ports must outlive it.
  GatedNetwork(std::unique_ptr<transport::Network> inner, SessionPorts& ports,
               std::uint64_t waiting_bytes_max);
  void set_hooks(Hooks hooks) { hooks_ = std::move(hooks); }

  // A message of this session has come by the connection that was read last.
  void on_message(SessionPort& port);
  // Any thread: whether the session is not held, or has few bytes.
  [[nodiscard]] bool may_go_on(const SessionPort& port) const noexcept {
    return port.waiting_bytes.load() <= waiting_bytes_max_ / 2;
  }

  std::expected<transport::SocketId, transport::NetworkError> listen(
      const transport::Endpoint& endpoint) override {
    return inner_->listen(endpoint);
  }
  std::expected<void, transport::NetworkError> could_listen(
      const transport::Endpoint& endpoint) override {
    return inner_->could_listen(endpoint);
  }
  void change_listener(transport::SocketId listener, const transport::Endpoint& endpoint) override {
    inner_->change_listener(listener, endpoint);
  }
  std::expected<transport::SocketId, transport::NetworkError> connect(
      const transport::Endpoint& endpoint) override;
  std::uint16_t local_port(transport::SocketId socket) const override {
    return inner_->local_port(socket);
  }
  std::string peer_name(transport::SocketId socket) const override {
    return inner_->peer_name(socket);
  }
  std::string last_error(transport::SocketId socket) const override;
  std::string protection(transport::SocketId socket) const override {
    return inner_->protection(socket);
  }
  std::vector<std::string> peer_identities(transport::SocketId socket) const override {
    return inner_->peer_identities(socket);
  }
  std::uint64_t connections_refused() const noexcept override {
    return inner_->connections_refused();
  }
  transport::IoResult receive(transport::SocketId socket, std::span<char> buffer) noexcept override;
  transport::ReceiveTime receive_time(transport::SocketId socket) const noexcept override {
    return inner_->receive_time(socket);
  }
  transport::IoResult send(transport::SocketId socket,
                           std::span<const char> bytes) noexcept override {
    return inner_->send(socket, bytes);
  }
  void pause(transport::SocketId socket, bool paused) noexcept override;
  void unwatch(transport::SocketId socket, bool unwatched) noexcept override {
    inner_->unwatch(socket, unwatched);
  }
  void close(transport::SocketId socket) noexcept override;
  std::size_t wait(std::span<transport::Ready> events,
                   std::optional<std::chrono::nanoseconds> timeout) noexcept override;
  void expect_wake() noexcept override { inner_->expect_wake(); }
  void wake() noexcept override { inner_->wake(); }
  int descriptor() const noexcept override { return inner_->descriptor(); }

 private:
  // A connection of an initiator before its Logon.
  struct Connecting {
    std::vector<SessionPort*> sessions;  // one of them will log on
    bool is_connected = false;
  };

  void turn();
  [[nodiscard]] bool is_held(transport::SocketId socket) const noexcept;
  void release_held();
  [[nodiscard]] std::size_t report_connected(std::span<transport::Ready> events);
  // Removes what the engine must not see yet. Returns the number of the rest.
  [[nodiscard]] std::size_t keep_connected(std::span<transport::Ready> events);

  std::unique_ptr<transport::Network> inner_;
  SessionPorts& ports_;
  std::uint64_t waiting_bytes_max_;
  Hooks hooks_;
  transport::SocketId read_last_ = 0;
  std::vector<SessionPort*> held_;
  std::set<transport::SocketId> paused_;  // by the engine
  std::map<transport::SocketId, Connecting> connecting_;
};

}  // namespace nexusfix::python
