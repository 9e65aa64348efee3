// A client on a Unix socket.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/door/client_link.hpp"

namespace nexusfix::gateway {

// Frames over a stream socket, in both directions.
class SocketLink final : public ClientLink {
 public:
  // Owns the socket, which does not block.
  explicit SocketLink(int socket) noexcept : socket_{socket} {}
  SocketLink(const SocketLink&) = delete;
  SocketLink& operator=(const SocketLink&) = delete;
  ~SocketLink() override;

  std::span<const char> read() override;
  bool write(std::span<const char> frame) override;
  void flush() override;
  bool has_unsent() const noexcept override { return sent_ != unsent_.size(); }
  std::string_view fault() const noexcept override { return fault_; }
  bool is_protocol_fault() const noexcept override { return is_protocol_fault_; }
  int descriptor() const noexcept override { return socket_; }
  bool has_ended() override;

 private:
  // The length of the frame at the beginning of what has arrived; 0: it is not whole.
  [[nodiscard]] std::size_t whole_frame();
  // False: nothing more has arrived.
  [[nodiscard]] bool receive();
  void fail(std::string fault, bool is_of_protocol);

  int socket_;
  std::vector<char> received_;
  std::size_t begin_ = 0;  // of the bytes that were not read
  std::size_t end_ = 0;
  std::vector<char> unsent_;
  std::size_t sent_ = 0;  // of unsent_
  std::string fault_;
  bool is_protocol_fault_ = false;
};

}  // namespace nexusfix::gateway
