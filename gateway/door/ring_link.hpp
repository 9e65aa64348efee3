// A client in shared memory, which has attached by its Unix socket.
#pragma once

#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gateway/door/client_link.hpp"
#include "gateway/ring/gateway_ring.hpp"

namespace nexusfix::gateway {

// Frames over the rings. The socket stays: its end is the end of the client's process, and its
// bytes wake a side that sleeps.
class RingLink final : public ClientLink {
 public:
  // socket: the link by which the Hello came. The Welcome still goes by it.
  RingLink(std::unique_ptr<GatewayRing> ring, std::unique_ptr<ClientLink> socket) noexcept;
  RingLink(const RingLink&) = delete;
  RingLink& operator=(const RingLink&) = delete;

  // A loop that never sleeps looks at the socket once in some thousand calls.
  std::span<const char> read() override;
  bool write(std::span<const char> frame) override;
  void flush() override;
  bool has_unsent() const noexcept override { return socket_->has_unsent(); }
  std::string_view fault() const noexcept override { return fault_; }
  bool is_protocol_fault() const noexcept override { return is_protocol_fault_; }
  int descriptor() const noexcept override { return socket_->descriptor(); }
  bool begin_sleep() noexcept override;
  bool has_ended() override;
  bool waits_for_room_by_descriptor() const noexcept override { return false; }

 private:
  // Takes the bytes of the socket, which only wake, and sees its end.
  void look_at_socket();
  void fail(std::string_view fault, bool is_of_protocol);

  std::unique_ptr<GatewayRing> ring_;
  std::unique_ptr<ClientLink> socket_;
  int until_look_ = 0;
  bool has_written_ = false;  // since the last flush()
  bool sleeps_ = false;
  std::string socket_fault_;  // frames before it may still be in the ring
  std::string fault_;
  bool is_protocol_fault_ = false;
};

// Makes the memory for the client at this Unix socket, whose process is written into it.
[[nodiscard]] std::expected<std::unique_ptr<GatewayRing>, RingError> make_ring(
    RingFileOptions options, const ClientLink& socket);

}  // namespace nexusfix::gateway
