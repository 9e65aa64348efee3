// The operating system's network, which counts its calls.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

#include <nexusfix/transport/network.hpp>

namespace nexusfix::testing {

struct NetworkCounts {
  std::atomic<std::uint64_t> waits{0};
  std::atomic<std::uint64_t> idle_waits{0};  // waits that may sleep, and found nothing
  std::atomic<std::uint64_t> receives{0};
  std::atomic<std::uint64_t> receives_of_bytes{0};
  std::atomic<std::uint64_t> sends{0};
};

class CountingNetwork final : public transport::Network {
 public:
  // counts: may be in memory that another process reads, too.
  explicit CountingNetwork(NetworkCounts& counts) : counts_{&counts} {}

  [[nodiscard]] std::expected<transport::SocketId, transport::NetworkError> listen(
      const transport::Endpoint& endpoint) override {
    return network_->listen(endpoint);
  }
  [[nodiscard]] std::expected<transport::SocketId, transport::NetworkError> connect(
      const transport::Endpoint& endpoint) override {
    return network_->connect(endpoint);
  }
  [[nodiscard]] std::uint16_t local_port(transport::SocketId socket) const override {
    return network_->local_port(socket);
  }
  [[nodiscard]] std::string peer_name(transport::SocketId socket) const override {
    return network_->peer_name(socket);
  }
  [[nodiscard]] std::string last_error(transport::SocketId socket) const override {
    return network_->last_error(socket);
  }
  [[nodiscard]] std::uint64_t connections_refused() const noexcept override {
    return network_->connections_refused();
  }
  [[nodiscard]] transport::IoResult receive(transport::SocketId socket,
                                            std::span<char> buffer) noexcept override {
    counts_->receives.fetch_add(1, std::memory_order_relaxed);
    const transport::IoResult result = network_->receive(socket, buffer);
    if (result.bytes > 0) counts_->receives_of_bytes.fetch_add(1, std::memory_order_relaxed);
    return result;
  }
  [[nodiscard]] transport::IoResult send(transport::SocketId socket,
                                         std::span<const char> bytes) noexcept override {
    counts_->sends.fetch_add(1, std::memory_order_relaxed);
    return network_->send(socket, bytes);
  }
  void pause(transport::SocketId socket, bool paused) noexcept override {
    network_->pause(socket, paused);
  }
  void unwatch(transport::SocketId socket, bool unwatched) noexcept override {
    network_->unwatch(socket, unwatched);
    if (unwatched) {
      unwatched_.insert(socket);
    } else {
      unwatched_.erase(socket);
    }
  }
  // The number of connections that are unwatched now.
  [[nodiscard]] std::size_t unwatched() const noexcept { return unwatched_.size(); }
  void close(transport::SocketId socket) noexcept override {
    network_->close(socket);
    unwatched_.erase(socket);
  }
  [[nodiscard]] std::size_t wait(
      std::span<transport::Ready> events,
      std::optional<std::chrono::nanoseconds> timeout) noexcept override {
    counts_->waits.fetch_add(1, std::memory_order_relaxed);
    const std::size_t count = network_->wait(events, timeout);
    const bool may_sleep = timeout != std::chrono::nanoseconds{0};
    if (count == 0 && may_sleep) counts_->idle_waits.fetch_add(1, std::memory_order_relaxed);
    return count;
  }
  void expect_wake() noexcept override { network_->expect_wake(); }
  void wake() noexcept override { network_->wake(); }
  [[nodiscard]] int descriptor() const noexcept override { return network_->descriptor(); }

 private:
  NetworkCounts* counts_;
  std::set<transport::SocketId> unwatched_;
  std::unique_ptr<transport::Network> network_ = std::move(*transport::make_epoll_network());
};

}  // namespace nexusfix::testing
