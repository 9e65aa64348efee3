// The port at which clients attach by WebSocket.
#pragma once

#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <string>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/transport/network.hpp>

#include "gateway/door/client_door.hpp"
#include "gateway/door/web_socket_link.hpp"
#include "gateway/rights/client_file.hpp"

namespace nexusfix::gateway {

// One thread.
class WebSocketDoor final : public ClientDoor {
 public:
  // As open_web_socket(). names: of the fields of messages in JSON.
  [[nodiscard]] static std::expected<std::unique_ptr<WebSocketDoor>, std::string> open(
      const WebSocketSettings& settings, FieldNames names, Disk& disk);
  WebSocketDoor(const WebSocketDoor&) = delete;
  WebSocketDoor& operator=(const WebSocketDoor&) = delete;
  // Its links have ended before.
  ~WebSocketDoor() override;

  AcceptedClient accept() override;
  // "wss://127.0.0.1:8443/"
  std::string address() const override;
  int descriptor() const noexcept override { return network().descriptor(); }
  void poll() override;

 private:
  WebSocketDoor() = default;
  [[nodiscard]] transport::Network& network() const noexcept {
    return tls_network_ ? *tls_network_ : *network_;
  }
  void look();

  std::unique_ptr<transport::Network> network_;
  std::unique_ptr<transport::Network> tls_network_;  // wraps network_; null: no TLS
  WebSocketShared shared_;
  std::deque<transport::SocketId> accepted_;
  std::string host_;
  std::uint16_t port_ = 0;
};

}  // namespace nexusfix::gateway
