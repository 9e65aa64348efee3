// The connections of a simulated venue that refuses a Logon by a message of its own, where the
// engine says Logout: its Logout is replaced before it is sent.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/transport/network.hpp>

#include "venues/simulate/message_template.hpp"

namespace nexusfix::venues {

// One thread, as every network. It has no TLS, and sees what is sent only where the engine adds
// none above it.
class RefusalNetwork final : public transport::Network {
 public:
  using SocketId = transport::SocketId;
  using Endpoint = transport::Endpoint;
  using NetworkError = transport::NetworkError;
  using IoResult = transport::IoResult;

  // inner must outlive it.
  explicit RefusalNetwork(transport::Network& inner) noexcept : inner_{inner} {}
  RefusalNetwork(const RefusalNetwork&) = delete;
  RefusalNetwork& operator=(const RefusalNetwork&) = delete;

  // The next Logout with this Text (58) is sent as a message of these fields: 35 of another type,
  // and the body. CompIDs, MsgSeqNum and SendingTime stay.
  void replace_logout(std::string text, std::vector<TemplateField> fields) {
    replaced_.emplace_back(std::move(text), std::move(fields));
  }

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
  [[nodiscard]] std::uint64_t connections_refused() const noexcept override {
    return inner_.connections_refused();
  }
  [[nodiscard]] IoResult receive(SocketId socket, std::span<char> buffer) noexcept override {
    return inner_.receive(socket, buffer);
  }
  [[nodiscard]] transport::ReceiveTime receive_time(SocketId socket) const noexcept override {
    return inner_.receive_time(socket);
  }
  [[nodiscard]] IoResult send(SocketId socket, std::span<const char> bytes) noexcept override;
  void pause(SocketId socket, bool paused) noexcept override { inner_.pause(socket, paused); }
  void unwatch(SocketId socket, bool unwatched) noexcept override {
    inner_.unwatch(socket, unwatched);
  }
  void close(SocketId socket) noexcept override { inner_.close(socket); }
  [[nodiscard]] std::size_t wait(
      std::span<transport::Ready> events,
      std::optional<std::chrono::nanoseconds> timeout) noexcept override {
    return inner_.wait(events, timeout);
  }
  void expect_wake() noexcept override { inner_.expect_wake(); }
  void wake() noexcept override { inner_.wake(); }
  [[nodiscard]] int descriptor() const noexcept override { return inner_.descriptor(); }

 private:
  // Empty: the bytes are no Logout that is replaced.
  [[nodiscard]] std::string replacement_of(std::string_view bytes);

  transport::Network& inner_;
  std::vector<std::pair<std::string, std::vector<TemplateField>>> replaced_;  // Text, message
};

}  // namespace nexusfix::venues
