// Connections of another network. Some come through proxies, which announce the source address.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "proxy/forwarding_network.hpp"

namespace nexusfix::transport {

class ProxiedNetwork final : public ForwardingNetwork {
 public:
  using ForwardingNetwork::ForwardingNetwork;

  [[nodiscard]] std::expected<SocketId, NetworkError> listen(const Endpoint& endpoint) override;
  [[nodiscard]] std::expected<void, NetworkError> could_listen(const Endpoint& endpoint) override;
  void change_listener(SocketId listener, const Endpoint& endpoint) override;
  [[nodiscard]] std::string peer_name(SocketId socket) const override;
  [[nodiscard]] std::string last_error(SocketId socket) const override;
  [[nodiscard]] std::string protection(SocketId socket) const override;
  [[nodiscard]] std::uint64_t connections_refused() const noexcept override {
    return inner_.connections_refused() + memory_refused_;
  }
  [[nodiscard]] IoResult receive(SocketId socket, std::span<char> buffer) noexcept override;
  void unwatch(SocketId socket, bool unwatched) noexcept override {
    if (!waiting_.contains(socket)) inner_.unwatch(socket, unwatched);
  }
  void close(SocketId socket) noexcept override;
  [[nodiscard]] Detached detach(SocketId socket) noexcept override;
  [[nodiscard]] std::expected<SocketId, NetworkError> attach(Detached connection) override;
  [[nodiscard]] std::size_t wait(std::span<Ready> events,
                                 std::optional<std::chrono::nanoseconds> timeout) noexcept override;

 private:
  // A connection whose header is not complete, or that is refused and not closed yet.
  struct Waiting {
    std::string header{};      // the bytes of it that have come
    std::string_view wrong{};  // empty: no error so far
  };

  // The event for the caller; nothing: it concerned the header only.
  [[nodiscard]] std::optional<Ready> translate(const Ready& ready) noexcept;
  [[nodiscard]] std::optional<Ready> accept(const Ready& ready) noexcept;
  [[nodiscard]] std::optional<Ready> advance(const Ready& ready, Waiting& waiting) noexcept;
  // Reads what has come. The event for the caller; nothing: more is needed.
  [[nodiscard]] std::optional<Ready::Kind> read_header(SocketId socket, Waiting& waiting);
  void refuse(SocketId socket, Waiting& waiting, std::string_view why) noexcept;

  std::unordered_map<SocketId, AllowList> listeners_;  // the proxies that each trusts
  std::unordered_map<SocketId, Waiting> waiting_;
  std::unordered_map<SocketId, std::string> announced_;  // peer names
  std::vector<SocketId> refused_;     // and not closed yet: reported again in each wait()
  std::uint64_t memory_refused_ = 0;  // connections for which there was no memory
};

// ProxyPart::make_proxied_network().
[[nodiscard]] std::unique_ptr<Network> make_proxied_network(Network& inner);

}  // namespace nexusfix::transport
