#include "transport/tcp/socket_calls.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

namespace nexusfix::transport {
namespace {

TEST(SocketCalls, errors_name_operation_place_and_cause) {
  EXPECT_EQ(explain("listen", "127.0.0.1:5001", EADDRINUSE),
            "listen 127.0.0.1:5001: Address already in use");
  errno = EMFILE;
  EXPECT_EQ(error_now("eventfd", "").text, "eventfd: Too many open files");
  errno = EMFILE;
  EXPECT_EQ(error_now("eventfd", "").error_number, EMFILE);
}

TEST(SocketCalls, a_connection_has_its_options) {
  const Descriptor socket{::socket(AF_INET, SOCK_STREAM, 0)};
  const SocketOptions options{.no_delay = false,
                              .keep_alive = false,
                              .send_buffer_bytes = 32'768,
                              .receive_buffer_bytes = 65'536,
                              .traffic_class = 16};
  size_buffers(socket.get(), AF_INET, options);
  tune(socket.get(), options);
  const auto option = [&](int level, int name) {
    int value = 0;
    socklen_t size = sizeof value;
    EXPECT_EQ(::getsockopt(socket.get(), level, name, &value, &size), 0);
    return value;
  };
  EXPECT_EQ(option(IPPROTO_TCP, TCP_NODELAY), 0);
  EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 0);
  EXPECT_EQ(option(IPPROTO_IP, IP_TOS), 16);
  // Linux doubles the requested size, for its own bookkeeping (socket(7)).
  EXPECT_EQ(option(SOL_SOCKET, SO_SNDBUF), 2 * 32'768);
  EXPECT_EQ(option(SOL_SOCKET, SO_RCVBUF), 2 * 65'536);
}

TEST(SocketCalls, traffic_class_of_an_ipv6_socket_is_set_for_both_families) {
  const Descriptor socket{::socket(AF_INET6, SOCK_STREAM, 0)};
  size_buffers(socket.get(), AF_INET6, {.traffic_class = 16});
  const auto option = [&](int level, int name) {
    int value = 0;
    socklen_t size = sizeof value;
    EXPECT_EQ(::getsockopt(socket.get(), level, name, &value, &size), 0);
    return value;
  };
  EXPECT_EQ(option(IPPROTO_IPV6, IPV6_TCLASS), 16);
  EXPECT_EQ(option(IPPROTO_IP, IP_TOS), 16);
}

TEST(SocketCalls, connections_send_small_messages_at_once_and_notice_a_vanished_peer) {
  const Descriptor socket{::socket(AF_INET, SOCK_STREAM, 0)};
  tune(socket.get(), {});
  const auto option = [&](int level, int name) {
    int value = 0;
    socklen_t size = sizeof value;
    EXPECT_EQ(::getsockopt(socket.get(), level, name, &value, &size), 0);
    return value;
  };
  EXPECT_NE(option(IPPROTO_TCP, TCP_NODELAY), 0);
  EXPECT_NE(option(SOL_SOCKET, SO_KEEPALIVE), 0);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_USER_TIMEOUT), 60'000);
  tune(socket.get(), {.user_timeout = std::chrono::seconds{90}});
  EXPECT_EQ(option(IPPROTO_TCP, TCP_USER_TIMEOUT), 90'000);
}

TEST(SocketCalls, a_pending_error_is_taken_once) {
  const Descriptor socket{::socket(AF_INET, SOCK_STREAM, 0)};
  EXPECT_EQ(consume_socket_error(socket.get()), 0);
  EXPECT_EQ(consume_socket_error(-1), EBADF);
  EXPECT_EQ(unacknowledged_bytes(-1), 0);
}

}  // namespace
}  // namespace nexusfix::transport
