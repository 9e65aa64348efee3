// A client of a gateway, by its Unix socket and shared memory.
#pragma once

#include <chrono>
#include <expected>
#include <memory>
#include <string>

#include "gateway/protocol/frame.hpp"
#include "gateway/protocol/greeting.hpp"
#include "gateway/ring/client_ring.hpp"

namespace nexusfix::gateway {

// Attached from attach() on. One thread.
//
//   auto client = RingClient::attach("/run/gateway.sock", {.name = "desk1", .token = token});
//   if (!client) return report(client.error());
//   (*client)->ring().send(frame);
class RingClient {
 public:
  // Connects, says Hello, waits for the Welcome, and maps the file that it names. Blocks for at
  // most timeout. The error is one line: what the gateway answered, or what failed.
  [[nodiscard]] static std::expected<std::unique_ptr<RingClient>, std::string> attach(
      const std::string& socket_path, HelloText hello,
      std::chrono::milliseconds timeout = std::chrono::seconds{10});
  // Closes the socket: the gateway sees that the client has ended.
  ~RingClient();
  RingClient(const RingClient&) = delete;
  RingClient& operator=(const RingClient&) = delete;

  [[nodiscard]] ClientRing& ring() noexcept { return *ring_; }
  [[nodiscard]] const WelcomeText& welcome() const noexcept { return welcome_; }
  // The highest number that the gateway has accepted from this client.
  [[nodiscard]] std::uint64_t last_number() const noexcept { return last_number_; }

 private:
  explicit RingClient(int socket) noexcept : socket_{socket} {}
  [[nodiscard]] std::expected<void, std::string> greet(const HelloText& hello);

  int socket_;
  WelcomeText welcome_;
  std::uint64_t last_number_ = 0;
  std::unique_ptr<ClientRing> ring_;
};

}  // namespace nexusfix::gateway
