// Connections of another network, some with TLS.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "transport/api/tls.hpp"
#include "transport/tls/tls_stream.hpp"

namespace nexusfix::transport {

class TlsNetwork final : public Network {
 public:
  explicit TlsNetwork(Network& inner);
  ~TlsNetwork() override;
  TlsNetwork(const TlsNetwork&) = delete;
  TlsNetwork& operator=(const TlsNetwork&) = delete;

  [[nodiscard]] std::expected<SocketId, NetworkError> listen(const Endpoint& endpoint) override;
  [[nodiscard]] std::expected<void, NetworkError> could_listen(const Endpoint& endpoint) override;
  void change_listener(SocketId listener, const Endpoint& endpoint) override;
  [[nodiscard]] std::expected<SocketId, NetworkError> connect(const Endpoint& endpoint) override;
  [[nodiscard]] std::uint16_t local_port(SocketId socket) const override;
  [[nodiscard]] std::string peer_name(SocketId socket) const override;
  [[nodiscard]] std::string last_error(SocketId socket) const override;
  [[nodiscard]] std::string protection(SocketId socket) const override;
  [[nodiscard]] std::vector<std::string> peer_identities(SocketId socket) const override;
  [[nodiscard]] std::uint64_t connections_refused() const noexcept override {
    return inner_.connections_refused() + refused_;
  }
  [[nodiscard]] IoResult receive(SocketId socket, std::span<char> buffer) noexcept override;
  [[nodiscard]] ReceiveTime receive_time(SocketId socket) const noexcept override {
    return inner_.receive_time(socket);
  }
  [[nodiscard]] IoResult send(SocketId socket, std::span<const char> bytes) noexcept override;
  void pause(SocketId socket, bool paused) noexcept override;
  void unwatch(SocketId socket, bool unwatched) noexcept override;
  void close(SocketId socket) noexcept override;
  [[nodiscard]] Detached detach(SocketId socket) noexcept override;
  [[nodiscard]] std::expected<SocketId, NetworkError> attach(Detached connection) override;
  [[nodiscard]] std::size_t wait(std::span<Ready> events,
                                 std::optional<std::chrono::nanoseconds> timeout) noexcept override;
  void expect_wake() noexcept override { inner_.expect_wake(); }
  void wake() noexcept override { inner_.wake(); }
  [[nodiscard]] int descriptor() const noexcept override { return inner_.descriptor(); }

 private:
  struct Entry {
    std::unique_ptr<TlsStream> stream;
    bool is_closing = false;  // by the user; the last bytes are not sent yet
    Source source = 0;        // accepted: the client, or the client that its proxy announced
  };

  [[nodiscard]] TlsStream* find(SocketId socket) const noexcept;  // null: plain, or closing
  [[nodiscard]] bool is_closing(SocketId socket) const noexcept;
  // Throws without memory; the inner network's connection is unchanged then.
  TlsStream& add(SocketId socket, std::unique_ptr<TlsStream> stream, Source source = 0);
  void finish(SocketId socket) noexcept;
  // Adds the stream to those to report, if it has an event that the inner network does not know of.
  void note(SocketId socket, TlsStream& stream) noexcept;
  [[nodiscard]] std::size_t report(std::span<Ready> events) noexcept;
  // The event for the caller; nothing: it concerned TLS only.
  [[nodiscard]] std::optional<Ready> translate(const Ready& ready) noexcept;
  [[nodiscard]] std::optional<Ready> accept(const Ready& ready) noexcept;
  [[nodiscard]] Ready move_to_announced(const Ready& ready, Entry& entry) const noexcept;
  [[nodiscard]] Source source_below(SocketId socket) const;
  [[nodiscard]] bool is_next_step(const Ready& ready) const noexcept;
  [[nodiscard]] std::size_t advance_handshakes(std::span<Ready> waiting,
                                               std::span<Ready> events) noexcept;
  [[nodiscard]] std::uint16_t& steps_of(SocketId socket) noexcept;
  [[nodiscard]] std::optional<Ready> advance(const Ready& ready, TlsStream& stream) noexcept;

  Network& inner_;
  std::unordered_map<SocketId, Entry> streams_;
  std::unordered_map<SocketId, std::shared_ptr<TlsContext>> listeners_;
  std::vector<SocketId> reporting_;  // has room for all streams
  std::vector<SocketId> closing_;    // the oldest first
  // Recent handshake steps by source; several sources may share a place.
  static constexpr std::size_t kPlaces = 1'024;
  std::array<std::uint16_t, kPlaces> steps_{};
  unsigned steps_counted_ = 0;
  std::uint64_t refused_ = 0;  // connections for which there was no memory
};

}  // namespace nexusfix::transport
