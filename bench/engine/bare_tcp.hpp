// A bare TCP connection over loopback: the limit for every engine that uses the kernel.
#pragma once

#include <arpa/inet.h>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "bench/measure/background.hpp"
#include "bench/messages/contestant.hpp"
#include "bench/subject.hpp"

namespace nexusfix::bench {

// Sets TCP_NODELAY. False: the socket does not accept it.
[[nodiscard]] inline bool send_at_once(int socket) {
  const int on = 1;
  return ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0;
}

// Both ends of a connection, with TCP_NODELAY.
struct SocketPair {
  int near_end = -1;
  int far_end = -1;

  SocketPair() {
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener, generic, size) != 0 || ::listen(listener, 1) != 0 ||
        ::getsockname(listener, generic, &size) != 0) {
      std::abort();
    }
    near_end = ::socket(AF_INET, SOCK_STREAM, 0);
    if (::connect(near_end, generic, size) != 0) std::abort();
    far_end = ::accept(listener, nullptr, nullptr);
    ::close(listener);
    if (!send_at_once(near_end) || !send_at_once(far_end)) std::abort();
  }
  SocketPair(const SocketPair&) = delete;
  SocketPair& operator=(const SocketPair&) = delete;
  ~SocketPair() {
    ::close(near_end);
    ::close(far_end);
  }
};

// One end by plain socket calls: receives and sends fixed numbers of bytes.
class BareEnd {
 public:
  BareEnd(int socket, WaitMode mode, std::size_t bytes_in, std::string out)
      : socket_{socket},
        flags_{mode == WaitMode::Spin ? MSG_DONTWAIT : 0},
        bytes_in_{bytes_in},
        out_{std::move(out)} {}

  void send() {
    const ssize_t sent = ::send(socket_, out_.data(), out_.size(), MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(out_.size())) std::abort();
  }
  // Whether a complete message has arrived. In the blocking mode, false means the end of the
  // stream.
  bool receive() {
    const ssize_t count = ::recv(socket_, in_.data(), in_.size(), flags_);
    if (count <= 0) return false;
    received_ += static_cast<std::size_t>(count);
    if (received_ < bytes_in_) return false;
    received_ -= bytes_in_;
    return true;
  }

 private:
  int socket_;
  int flags_;
  std::size_t bytes_in_;
  std::string out_;
  std::string in_ = std::string(65'536, '\0');
  std::size_t received_ = 0;
};

// Two ends. The far one works like a venue: it spins when measured, or blocks all the time.
template <class End>
class BarePair {
 public:
  BarePair(WaitMode mode, std::size_t order_bytes, std::size_t report_bytes)
      : near_{sockets_.near_end, mode, report_bytes, std::string(order_bytes, 'o')},
        far_{sockets_.far_end, mode, order_bytes, std::string(report_bytes, 'r')} {
    if (mode == WaitMode::Spin) {
      spinning_ = std::make_unique<BackgroundLoop<Turn>>(Turn{&far_});
    } else {
      const StartElsewhere elsewhere;
      blocking_ = std::thread{[this] {
        while (far_.receive()) far_.send();
      }};
    }
  }
  BarePair(const BarePair&) = delete;
  BarePair& operator=(const BarePair&) = delete;
  ~BarePair() {
    ::shutdown(sockets_.near_end, SHUT_RDWR);
    if (blocking_.joinable()) blocking_.join();
  }
  void resume() {
    if (spinning_ != nullptr) spinning_->resume();
  }
  void pause() {
    if (spinning_ != nullptr) spinning_->pause();
  }
  void round_trip() {
    near_.send();
    while (!near_.receive()) continue;
  }

 private:
  struct Turn {
    End* end;
    void operator()() const {
      if (end->receive()) end->send();
    }
  };

  SocketPair sockets_;
  End near_;
  End far_;
  std::unique_ptr<BackgroundLoop<Turn>> spinning_;
  std::thread blocking_;
};

template <class Pair>
struct BareRoundTrip {
  std::unique_ptr<Pair> pair;

  std::uint64_t operator()(std::size_t) {
    pair->round_trip();
    return 1;
  }
  void prepare() { pair->resume(); }
  void settle() { pair->pause(); }
  [[nodiscard]] CallLimits limits() const { return {}; }
};

// The other side runs only between prepare() and settle().
struct TwoSidedCheck {
  std::uint64_t expected;

  template <class Operation>
  std::string operator()(Operation& operation) const {
    operation.prepare();
    const std::uint64_t answer = operation(0);
    operation.settle();
    return answer == expected ? "" : fmt::format("{} came of {}", answer, expected);
  }
};

template <class Operation>
ContestantPtr two_sided(Operation operation, std::uint64_t expected) {
  return make_prepared_contestant(std::move(operation), 1, TwoSidedCheck{expected});
}

}  // namespace nexusfix::bench
