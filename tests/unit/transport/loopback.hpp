// A network with both ends of its connections: no threads, loopback only.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <utility>
#include <vector>

#include "transport/tcp/epoll_network.hpp"

namespace nexusfix::transport {

inline constexpr std::chrono::seconds kPatience{20};

class Loopback : public ::testing::Test {
 protected:
  explicit Loopback(Lookup lookup = resolve_blocking)
      : network_{EpollNetwork::make(std::move(lookup)).value()} {}

  SocketId listen(const std::string& host = "127.0.0.1") {
    auto listener = network_->listen({host, 0});
    if (!listener) ADD_FAILURE() << listener.error().text;
    return listener.value_or(0);
  }

  // Waits until the socket has an event of that kind. Other events are level-triggered and come
  // again, except accepted connections, which are kept.
  Ready await(Ready::Kind kind, SocketId socket) {
    // Limited by time: a socket that failed before ends each wait() at once.
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < deadline) {
      const std::size_t count = network_->wait(events_, kPatience);
      Ready found{};
      for (const Ready& ready : std::span{events_}.first(count)) {
        if (ready.kind == Ready::Kind::Accepted) accepted_.push_back(ready.accepted);
        if (ready.kind == kind && ready.socket == socket) found = ready;
      }
      if (found.socket != 0) return found;
    }
    ADD_FAILURE() << "no such event";
    return {};
  }

  struct Pair {
    SocketId near = 0;  // connected
    SocketId far = 0;   // accepted
  };

  Pair connect_pair(SocketId listener, const std::string& host = "127.0.0.1") {
    auto near = network_->connect({host, network_->local_port(listener)});
    if (!near) {
      ADD_FAILURE() << near.error().text;
      return {};
    }
    await(Ready::Kind::Connected, *near);
    while (accepted_.empty()) poll();
    const SocketId far = accepted_.front();
    accepted_.erase(accepted_.begin());
    return {*near, far};
  }

  std::vector<Ready> poll(std::chrono::nanoseconds timeout = kPatience) {
    const std::size_t count = network_->wait(events_, timeout);
    for (const Ready& ready : std::span{events_}.first(count)) {
      if (ready.kind == Ready::Kind::Accepted) accepted_.push_back(ready.accepted);
    }
    return {events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(count)};
  }

  // Reads until size bytes, the end or an error have come.
  std::string read(SocketId socket, std::size_t size, IoResult::Status* last = nullptr) {
    std::string bytes;
    std::array<char, 65'536> buffer;
    while (bytes.size() < size) {
      const std::size_t room = std::min(buffer.size(), size - bytes.size());
      const IoResult result = network_->receive(socket, std::span{buffer}.first(room));
      if (last != nullptr) *last = result.status;
      if (result.status == IoResult::Status::WouldBlock) {
        await(Ready::Kind::Readable, socket);
      } else if (result.status == IoResult::Status::Ok) {
        bytes.append(buffer.data(), result.bytes);
      } else {
        break;
      }
    }
    return bytes;
  }

  std::unique_ptr<EpollNetwork> network_;
  std::array<Ready, 64> events_{};
  std::vector<SocketId> accepted_;
};

// A peer outside the network under test: a plain blocking socket.
class PlainPeer {
 public:
  explicit PlainPeer(std::uint16_t port) : descriptor_{::socket(AF_INET, SOCK_STREAM, 0)} {
    const Address address = known_addresses({"127.0.0.1", port}).at(0);
    EXPECT_EQ(::connect(descriptor_.get(), &address.generic, address.size), 0);
  }
  void send(std::string_view bytes) const {
    EXPECT_EQ(::send(descriptor_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  void reset() {
    const linger hard{1, 0};
    EXPECT_EQ(::setsockopt(descriptor_.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard), 0);
    descriptor_.reset();
  }

 private:
  Descriptor descriptor_;
};

}  // namespace nexusfix::transport
