// The connections of a simulated venue. It may refuse a Logon by a message of its own, where the
// engine says Logout: its Logout is replaced before it is sent.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/forwarding_network.hpp"
#include "venues/simulate/message_template.hpp"

namespace nexusfix::venues {

// One thread, as every network. It has no TLS, and sees what is sent only where the engine adds
// none above it.
class RefusalNetwork final : public transport::ForwardingNetwork {
 public:
  using SocketId = transport::SocketId;
  using Endpoint = transport::Endpoint;
  using NetworkError = transport::NetworkError;
  using IoResult = transport::IoResult;

  using ForwardingNetwork::ForwardingNetwork;

  // The next Logout with this Text (58) is sent as a message of these fields: 35 of another type,
  // and the body. CompIDs, MsgSeqNum and SendingTime stay.
  void replace_logout(std::string text, std::vector<TemplateField> fields) {
    replaced_.emplace_back(std::move(text), std::move(fields));
  }

  // Opens free ports of this address, all different, for listen(): no other program takes one
  // before the engine listens there. The error is one line.
  [[nodiscard]] std::expected<std::vector<std::uint16_t>, std::string> open_ports(
      const std::string& host, std::size_t count);

  [[nodiscard]] std::expected<SocketId, NetworkError> listen(const Endpoint& endpoint) override;
  [[nodiscard]] std::expected<void, NetworkError> could_listen(const Endpoint& endpoint) override;
  [[nodiscard]] IoResult send(SocketId socket, std::span<const char> bytes) noexcept override;

 private:
  // Empty: the bytes are no Logout that is replaced.
  [[nodiscard]] std::string replacement_of(std::string_view bytes);

  std::map<std::uint16_t, SocketId> open_;  // by port: listeners that nothing has asked for yet
  std::vector<std::pair<std::string, std::vector<TemplateField>>> replaced_;  // Text, message
};

}  // namespace nexusfix::venues
