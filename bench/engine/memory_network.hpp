// A network of one connection in memory, so that an engine is measured without a kernel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <nexusfix/transport/network.hpp>

namespace nexusfix::bench {

// For an acceptor: the first wait() delivers the connection. The engine receives the bytes of
// deliver(); sent() has the sent bytes.
class MemoryNetwork : public transport::Network {
 public:
  void deliver(std::string_view bytes) noexcept { waiting_ = bytes; }
  [[nodiscard]] const std::string& sent() const noexcept { return sent_; }
  [[nodiscard]] std::uint64_t sends() const noexcept { return sends_; }
  [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }

  std::expected<transport::SocketId, transport::NetworkError> listen(
      const transport::Endpoint&) override {
    return kListener;
  }
  std::expected<transport::SocketId, transport::NetworkError> connect(
      const transport::Endpoint&) override {
    return std::unexpected{transport::NetworkError{"this network has no connect()"}};
  }
  [[nodiscard]] std::uint16_t local_port(transport::SocketId) const override { return 1; }
  [[nodiscard]] std::string peer_name(transport::SocketId) const override { return "127.0.0.1:1"; }
  [[nodiscard]] std::string last_error(transport::SocketId) const override { return {}; }
  [[nodiscard]] std::uint64_t connections_refused() const noexcept override { return 0; }
  transport::IoResult receive(transport::SocketId, std::span<char> buffer) noexcept override {
    if (waiting_.empty()) return {transport::IoResult::Status::WouldBlock, 0, 0};
    const std::size_t count = std::min(buffer.size(), waiting_.size());
    std::memcpy(buffer.data(), waiting_.data(), count);
    waiting_.remove_prefix(count);
    return {transport::IoResult::Status::Ok, count, 0};
  }
  transport::IoResult send(transport::SocketId, std::span<const char> bytes) noexcept override {
    sent_.assign(bytes.data(), bytes.size());
    ++sends_;
    return {transport::IoResult::Status::Ok, bytes.size(), 0};
  }
  void pause(transport::SocketId, bool) noexcept override {}
  void close(transport::SocketId) noexcept override { is_closed_ = true; }
  std::size_t wait(std::span<transport::Ready> events,
                   std::optional<std::chrono::nanoseconds>) noexcept override {
    if (!is_accepted_) {
      is_accepted_ = true;
      events[0] = {transport::Ready::Kind::Accepted, kListener, kConnection};
      return 1;
    }
    if (waiting_.empty()) return 0;
    events[0] = {transport::Ready::Kind::Readable, kConnection, 0};
    return 1;
  }
  void wake() noexcept override {}
  [[nodiscard]] int descriptor() const noexcept override { return -1; }

 private:
  static constexpr transport::SocketId kListener = 1;
  static constexpr transport::SocketId kConnection = 2;
  std::string_view waiting_;
  std::string sent_;
  std::uint64_t sends_ = 0;
  bool is_accepted_ = false;
  bool is_closed_ = false;
};

}  // namespace nexusfix::bench
