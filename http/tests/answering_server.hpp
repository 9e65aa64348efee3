// A server that answers one request with given bytes.
#pragma once

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace nexusfix::http {

// Accepts one connection, and answers its request with these bytes, as far as the client takes
// them.
class AnsweringServer {
 public:
  explicit AnsweringServer(std::string answer) : answer_{std::move(answer)} {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread{[this] { serve(); }};
  }
  ~AnsweringServer() {
    thread_.join();
    ::close(listener_);
  }
  AnsweringServer(const AnsweringServer&) = delete;
  AnsweringServer& operator=(const AnsweringServer&) = delete;
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

 private:
  void serve() {
    const int client = ::accept(listener_, nullptr, nullptr);
    std::array<char, 1'024> request;
    if (::recv(client, request.data(), request.size(), 0) > 0) {
      for (std::string_view rest{answer_}; !rest.empty();) {
        const ssize_t sent = ::send(client, rest.data(), rest.size(), MSG_NOSIGNAL);
        if (sent <= 0) break;
        rest.remove_prefix(static_cast<std::size_t>(sent));
      }
    }
    ::close(client);
  }

  std::string answer_;
  int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace nexusfix::http
