// The socket between a simulated gateway and one client, as the kernel has it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/door/client_link.hpp"
#include "gateway/protocol/frame.hpp"

namespace nexusfix::gateway {

// What is between the two processes. It outlives both.
struct SimulatedSocket {
  static constexpr std::size_t kRoom = 16U << 10U;  // in each direction

  std::string to_gateway;
  std::string to_client;
  bool is_closed_by_client = false;
  bool is_closed_by_gateway = false;
};

// The gateway's side: it ends with its process.
class SimulatedLink final : public ClientLink {
 public:
  explicit SimulatedLink(std::shared_ptr<SimulatedSocket> socket) : socket_{std::move(socket)} {}
  ~SimulatedLink() override { socket_->is_closed_by_gateway = true; }

  std::span<const char> read() override {
    received_.erase(0, std::exchange(read_, 0));
    received_ += std::exchange(socket_->to_gateway, {});
    const std::size_t size = frame_bytes(received_).value_or(0);
    if (size != 0 && size <= received_.size()) {
      read_ = size;
      return {received_.data(), size};
    }
    if (socket_->is_closed_by_client) fault_ = "the client has closed its connection";
    return {};
  }
  bool write(std::span<const char> frame) override {
    if (!unsent_.empty() && unsent_.size() + frame.size() > SimulatedSocket::kRoom) return false;
    unsent_.append(frame.data(), frame.size());
    return true;
  }
  void flush() override {
    const std::size_t used = std::min(socket_->to_client.size(), SimulatedSocket::kRoom);
    const std::size_t size = std::min(unsent_.size(), SimulatedSocket::kRoom - used);
    socket_->to_client.append(unsent_, 0, size);
    unsent_.erase(0, size);
  }
  bool has_unsent() const noexcept override { return !unsent_.empty(); }
  std::string_view fault() const noexcept override { return fault_; }
  bool is_protocol_fault() const noexcept override { return false; }
  int descriptor() const noexcept override { return -1; }

 private:
  std::shared_ptr<SimulatedSocket> socket_;
  std::string received_;
  std::size_t read_ = 0;  // of received_: the frame that read() has given
  std::string unsent_;
  std::string fault_;
};

}  // namespace nexusfix::gateway
