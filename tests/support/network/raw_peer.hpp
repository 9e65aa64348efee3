// A counterparty at the level of bytes: a TCP connection that sends exactly what a test gives it.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/transport/network.hpp>
#include <nexusfix/wire/frame.hpp>

namespace nexusfix::testing {

class RawPeer {
 public:
  // from: an address of this machine to connect from; empty: any.
  explicit RawPeer(std::uint16_t port, const std::string& from = {}) : network_{make_network()} {
    transport::Endpoint acceptor{"127.0.0.1", port};
    acceptor.options.source_host = from;
    const auto socket = network_->connect(acceptor);
    if (!socket) throw std::runtime_error{socket.error().text};
    socket_ = *socket;
  }

  // Sent after the connection is established: all of it, in any number of pieces.
  void send(std::string_view bytes) { unsent_ += bytes; }
  void close() {
    network_->close(socket_);
    closed_ = true;
  }

  // A paused counterparty does not read.
  void pause(bool on) { paused_ = on; }

  // Moves bytes without waiting.
  void poll() {
    if (closed_) return;
    std::array<transport::Ready, 8> ready;
    const std::size_t count = network_->wait(ready, std::chrono::nanoseconds{0});
    for (std::size_t i = 0; i < count; ++i) {
      if (ready[i].kind == transport::Ready::Kind::Connected) connected_ = true;
      if (ready[i].kind == transport::Ready::Kind::Failed) closed_ = true;
      if (ready[i].kind == transport::Ready::Kind::Readable && !paused_) receive();
    }
    if (connected_ && !closed_ && !unsent_.empty()) {
      const transport::IoResult sent = network_->send(socket_, unsent_);
      if (sent.status == transport::IoResult::Status::Ok) unsent_.erase(0, sent.bytes);
    }
  }

  // Whole messages received so far, in order.
  [[nodiscard]] const std::vector<std::string>& messages() const noexcept { return messages_; }
  [[nodiscard]] bool closed() const noexcept { return closed_; }
  [[nodiscard]] bool all_sent() const noexcept { return unsent_.empty(); }

 private:
  static std::unique_ptr<transport::Network> make_network() {
    auto network = transport::make_epoll_network();
    if (!network) throw std::runtime_error{network.error().text};
    return std::move(*network);
  }

  void receive() {
    std::array<char, 65'536> buffer;
    const transport::IoResult result = network_->receive(socket_, buffer);
    if (result.status == transport::IoResult::Status::WouldBlock) return;
    if (result.status != transport::IoResult::Status::Ok) {
      close();
      return;
    }
    received_.append(buffer.data(), result.bytes);
    wire::Framer framer{received_};
    while (const auto frame = framer.next()) messages_.emplace_back(*frame);
    received_ = std::string{framer.rest()};
  }

  std::unique_ptr<transport::Network> network_;
  transport::SocketId socket_ = 0;
  bool connected_ = false;
  bool closed_ = false;
  bool paused_ = false;
  std::string unsent_;
  std::string received_;
  std::vector<std::string> messages_;
};

}  // namespace nexusfix::testing
