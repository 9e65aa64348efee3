// A network that records the times of received and sent bytes: the time of the engine between them
// under live conditions.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include <nexusfix/transport/network.hpp>

#include "bench/measure/timer.hpp"

namespace nexusfix::bench {

// The parts of the last round: the receive() that returned bytes, the time until the next send(),
// and that send(). Another thread reads them after it has received the answer.
struct LiveTicks {
  std::atomic<std::uint64_t> receive{0};
  std::atomic<std::uint64_t> inside{0};
  std::atomic<std::uint64_t> send{0};
};

class WatchedNetwork final : public transport::Network {
 public:
  explicit WatchedNetwork(std::unique_ptr<Network> inner) : inner_{std::move(inner)} {}

  [[nodiscard]] const LiveTicks& ticks() const noexcept { return ticks_; }

  transport::IoResult receive(transport::SocketId socket,
                              std::span<char> buffer) noexcept override {
    const std::uint64_t begin = read_ticks();
    const transport::IoResult result = inner_->receive(socket, buffer);
    if (result.status != transport::IoResult::Status::Ok) return result;
    received_at_ = read_ticks();
    is_answered_ = false;
    ticks_.receive.store(received_at_ - begin, std::memory_order_relaxed);
    return result;
  }
  transport::IoResult send(transport::SocketId socket,
                           std::span<const char> bytes) noexcept override {
    if (std::exchange(is_answered_, true)) return inner_->send(socket, bytes);
    const std::uint64_t begin = read_ticks();
    ticks_.inside.store(begin - received_at_, std::memory_order_relaxed);
    const transport::IoResult result = inner_->send(socket, bytes);
    ticks_.send.store(read_ticks() - begin, std::memory_order_relaxed);
    return result;
  }

  std::expected<transport::SocketId, transport::NetworkError> listen(
      const transport::Endpoint& endpoint) override {
    return inner_->listen(endpoint);
  }
  std::expected<transport::SocketId, transport::NetworkError> connect(
      const transport::Endpoint& endpoint) override {
    return inner_->connect(endpoint);
  }
  [[nodiscard]] std::uint16_t local_port(transport::SocketId socket) const override {
    return inner_->local_port(socket);
  }
  [[nodiscard]] std::string peer_name(transport::SocketId socket) const override {
    return inner_->peer_name(socket);
  }
  [[nodiscard]] std::string last_error(transport::SocketId socket) const override {
    return inner_->last_error(socket);
  }
  [[nodiscard]] std::uint64_t connections_refused() const noexcept override {
    return inner_->connections_refused();
  }
  void pause(transport::SocketId socket, bool paused) noexcept override {
    inner_->pause(socket, paused);
  }
  void unwatch(transport::SocketId socket, bool unwatched) noexcept override {
    inner_->unwatch(socket, unwatched);
  }
  void close(transport::SocketId socket) noexcept override { inner_->close(socket); }
  std::size_t wait(std::span<transport::Ready> events,
                   std::optional<std::chrono::nanoseconds> timeout) noexcept override {
    return inner_->wait(events, timeout);
  }
  void expect_wake() noexcept override { inner_->expect_wake(); }
  void wake() noexcept override { inner_->wake(); }
  [[nodiscard]] int descriptor() const noexcept override { return inner_->descriptor(); }

 private:
  std::unique_ptr<Network> inner_;
  std::uint64_t received_at_ = 0;
  bool is_answered_ = true;
  LiveTicks ticks_;
};

}  // namespace nexusfix::bench
