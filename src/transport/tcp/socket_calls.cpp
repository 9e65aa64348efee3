#include "transport/tcp/socket_calls.hpp"

#include <cerrno>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <system_error>

namespace nexusfix::transport {
namespace {

// Together they take as long as the least SocketOptions::user_timeout.
constexpr int kKeepAliveIdleSeconds = 30;
constexpr int kKeepAliveIntervalSeconds = 10;
constexpr int kKeepAliveProbes = 3;

}  // namespace

std::string explain(std::string_view operation, std::string_view where, int error_number) {
  std::string text{operation};
  if (!where.empty()) text.append(" ").append(where);
  return text.append(": ").append(std::generic_category().message(error_number));
}

NetworkError error_now(std::string_view operation, std::string_view where) {
  const int error_number = errno;
  return {explain(operation, where, error_number), error_number};
}

void size_buffers(int descriptor, int family, const SocketOptions& options) noexcept {
  if (options.send_buffer_bytes != 0) {
    set_option(descriptor, SOL_SOCKET, SO_SNDBUF, static_cast<int>(options.send_buffer_bytes));
  }
  if (options.receive_buffer_bytes != 0) {
    set_option(descriptor, SOL_SOCKET, SO_RCVBUF, static_cast<int>(options.receive_buffer_bytes));
  }
  if (options.traffic_class == 0) return;
  const int traffic_class = options.traffic_class;
  if (family == AF_INET6) {
    set_option(descriptor, IPPROTO_IPV6, IPV6_TCLASS, traffic_class);
  }
  set_option(descriptor, IPPROTO_IP, IP_TOS, traffic_class);  // IPv4 over an IPv6 socket, too
}

void tune(int descriptor, const SocketOptions& options) noexcept {
  set_option(descriptor, IPPROTO_TCP, TCP_NODELAY, options.no_delay ? 1 : 0);
  const auto user_timeout = std::chrono::milliseconds{options.user_timeout};
  set_option(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT,
             static_cast<unsigned>(user_timeout.count()));
  if (!options.keep_alive) return;
  set_option(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, kKeepAliveIdleSeconds);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, kKeepAliveIntervalSeconds);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPCNT, kKeepAliveProbes);
}

Descriptor open_reserve() noexcept { return Descriptor{::open("/dev/null", O_RDONLY | O_CLOEXEC)}; }

int unacknowledged_bytes(int descriptor) noexcept {
  int bytes = 0;
  return ::ioctl(descriptor, SIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

int consume_socket_error(int descriptor) noexcept {
  int error_number = 0;
  socklen_t size = sizeof error_number;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error_number, &size) != 0) return errno;
  return error_number;
}

}  // namespace nexusfix::transport
