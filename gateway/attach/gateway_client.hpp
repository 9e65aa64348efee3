// A client of a gateway, by its Unix socket or by shared memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/attach/frame_socket.hpp"
#include "gateway/ring/client_ring.hpp"

namespace nexusfix::gateway {

struct AttachOptions {
  std::string socket_path;
  HelloText hello{};       // its ring_version is set by attach()
  bool by_memory = false;  // frames go by shared memory, otherwise by the socket
  std::chrono::nanoseconds timeout = std::chrono::seconds{10};
};

// Attached from attach() on, until the gateway or the client ends; then attach again, with cursors.
// One thread.
class GatewayClient {
 public:
  // Connects, says Hello, waits for the Welcome, and maps the shared memory if it is wanted. Blocks
  // for at most twice the timeout.
  [[nodiscard]] static std::expected<std::unique_ptr<GatewayClient>, AttachError> attach(
      const AttachOptions& options);
  // Says Closed with ClientEnds, if the gateway takes it, and closes the connection.
  ~GatewayClient();
  GatewayClient(const GatewayClient&) = delete;
  GatewayClient& operator=(const GatewayClient&) = delete;

  [[nodiscard]] const WelcomeText& welcome() const noexcept { return greeting_.welcome; }
  // The highest number that the gateway had accepted from this client when it attached.
  [[nodiscard]] std::uint64_t last_number() const noexcept { return greeting_.last_number; }

  // Does not block. A frame is in the gateway's journal only when its Accepted has come.
  [[nodiscard]] Sent send(const FrameHeader& header, std::string_view body);
  // The next frame, whose body is valid until the next call. Polls for spin, then sleeps; 0: does
  // not wait. A Closed of the gateway is a frame, too.
  [[nodiscard]] Received receive(Frame& to, std::chrono::nanoseconds timeout,
                                 std::chrono::nanoseconds spin = {});
  // For a loop of the caller: readable when receive() has something.
  [[nodiscard]] int descriptor() const noexcept { return socket_.descriptor(); }
  // To be called before descriptor() is waited for. True: receive() returns at once. False: it
  // would wait, and the descriptor becomes readable when it does so no more.
  [[nodiscard]] bool has_frame();
  // Something waits until the descriptor is writable; then call any function.
  [[nodiscard]] bool has_unsent() const noexcept { return !ring_ && socket_.has_unsent(); }
  // Null: frames go by the socket. For a caller that needs no more than frames.
  [[nodiscard]] ClientRing* ring() noexcept { return ring_.get(); }
  // Why the connection has ended, one line; empty: it has not.
  [[nodiscard]] const std::string& end() const noexcept { return end_; }

 private:
  explicit GatewayClient(FrameSocket socket) noexcept : socket_{std::move(socket)} {}
  [[nodiscard]] std::expected<void, AttachError> greet(const AttachOptions& options);
  [[nodiscard]] Received receive_by_ring(Frame& to, std::chrono::nanoseconds timeout,
                                         std::chrono::nanoseconds spin);
  [[nodiscard]] bool is_ring_over(std::chrono::nanoseconds waited);
  Received ended(std::string_view why);

  FrameSocket socket_;
  Greeting greeting_;
  std::unique_ptr<ClientRing> ring_;  // null: frames go by the socket
  unsigned empty_reads_ = 0;          // of the ring, since the socket was looked at
  bool sleeps_ = false;               // the gateway wakes this side by the socket
  std::string end_;
};

}  // namespace nexusfix::gateway
