// A bare TCP connection over loopback: what nobody who uses the kernel can be faster than.
#pragma once

#include <arpa/inet.h>
#include <cerrno>
#include <cstdlib>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace nexusfix::bench {

// Both ends, TCP_NODELAY.
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
    for (const int one : {near_end, far_end}) {
      const int on = 1;
      if (::setsockopt(one, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) std::abort();
    }
  }
  SocketPair(const SocketPair&) = delete;
  SocketPair& operator=(const SocketPair&) = delete;
  ~SocketPair() {
    ::close(near_end);
    ::close(far_end);
  }
};

// One end: so many bytes come, so many go.
struct BareEnd {
  int socket;
  int flags;  // MSG_DONTWAIT: of who spins
  std::size_t bytes_in;
  std::string out;
  std::string in = std::string(65'536, '\0');
  std::size_t received = 0;

  void send() {
    if (::send(socket, out.data(), out.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(out.size())) {
      std::abort();
    }
  }
  // Whether a whole message is there. A blocking one that returns false has met the end.
  bool receive() {
    const ssize_t count = ::recv(socket, in.data(), in.size(), flags);
    if (count <= 0) return false;
    received += static_cast<std::size_t>(count);
    if (received < bytes_in) return false;
    received -= bytes_in;
    return true;
  }
};

}  // namespace nexusfix::bench
