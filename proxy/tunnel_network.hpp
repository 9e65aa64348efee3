// Connections of another network, some of them made through proxies.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "proxy/forwarding_network.hpp"
#include "proxy/proxy_handshake.hpp"
#include "transport/api/resolver.hpp"

namespace nexusfix::transport {

class TunnelNetwork final : public ForwardingNetwork {
 public:
  // The lookup resolves names for SOCKS 4.
  TunnelNetwork(Network& inner, Lookup lookup);

  [[nodiscard]] std::expected<SocketId, NetworkError> connect(const Endpoint& endpoint) override;
  [[nodiscard]] std::string peer_name(SocketId socket) const override;
  [[nodiscard]] std::string last_error(SocketId socket) const override;
  [[nodiscard]] std::string protection(SocketId socket) const override;
  [[nodiscard]] IoResult receive(SocketId socket, std::span<char> buffer) noexcept override;
  [[nodiscard]] IoResult send(SocketId socket, std::span<const char> bytes) noexcept override;
  void unwatch(SocketId socket, bool unwatched) noexcept override {
    if (!attempts_.contains(socket)) inner_.unwatch(socket, unwatched);
  }
  void close(SocketId socket) noexcept override;
  // Connections that other networks have made; this one keeps its own.
  [[nodiscard]] Detached detach(SocketId socket) noexcept override;
  [[nodiscard]] std::expected<SocketId, NetworkError> attach(Detached connection) override {
    return inner_.attach(std::move(connection));
  }
  [[nodiscard]] std::size_t wait(std::span<Ready> events,
                                 std::optional<std::chrono::nanoseconds> timeout) noexcept override;

 private:
  // A connection that the proxy has not made yet, or has refused.
  struct Attempt {
    Endpoint target;
    std::optional<ProxyHandshake> handshake{};  // nothing: SOCKS 4 needs an address first
    bool is_connected = false;                  // with the proxy
    bool is_paused = false;                     // its bytes are not read yet
    std::string failure{};                      // empty: no error so far
  };

  // The event for the caller; nothing: it concerned the proxy only.
  [[nodiscard]] std::optional<Ready> translate(const Ready& ready) noexcept;
  // Reads and writes what is possible now. The event for the caller; nothing: more is needed.
  [[nodiscard]] std::optional<Ready> advance(SocketId socket, Attempt& attempt);
  void hold(const Ready& ready, Attempt& attempt);
  [[nodiscard]] bool send_request(SocketId socket, Attempt& attempt);
  void read_answer(SocketId socket, Attempt& attempt);
  void accept_resolutions() noexcept;
  void accept_resolution(SocketId socket, Attempt& attempt, const Resolution& resolution);
  void fail(SocketId socket, Attempt& attempt, std::string why) noexcept;

  Resolver resolver_;
  std::size_t questions_open_ = 0;
  std::unordered_map<SocketId, Attempt> attempts_;
  std::unordered_map<SocketId, std::string> targets_;  // of all connections through a proxy
  std::vector<SocketId> failed_;  // and not closed yet: reported again in each wait()
};

// ProxyPart::make_tunnel_network().
[[nodiscard]] std::unique_ptr<Network> make_tunnel_network(Network& inner);

}  // namespace nexusfix::transport
