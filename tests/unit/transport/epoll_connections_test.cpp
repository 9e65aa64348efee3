// How connections are made, and how they fail.
#include <cerrno>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <set>
#include <sys/resource.h>
#include <unistd.h>

#include "loopback.hpp"

namespace nexusfix::transport {
namespace {

using EpollConnect = Loopback;

TEST_F(EpollConnect, a_connection_is_accepted_and_both_ends_know_each_other) {
  const SocketId listener = listen();
  EXPECT_GT(network_->local_port(listener), 0);
  const Pair pair = connect_pair(listener);
  EXPECT_EQ(network_->peer_name(pair.near),
            "127.0.0.1:" + std::to_string(network_->local_port(listener)));
  EXPECT_EQ(network_->peer_name(pair.far),
            "127.0.0.1:" + std::to_string(network_->local_port(pair.near)));
  EXPECT_EQ(network_->last_error(pair.near), "");
}

TEST_F(EpollConnect, a_port_in_use_is_an_error_that_names_address_and_cause) {
  const std::uint16_t port = network_->local_port(listen());
  const auto second = network_->listen({"127.0.0.1", port});
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().text,
            "listen 127.0.0.1:" + std::to_string(port) + ": Address already in use");
  EXPECT_EQ(second.error().error_number, EADDRINUSE);
}

TEST_F(EpollConnect, a_port_in_use_on_one_address_refuses_every_address) {
  const std::uint16_t port = network_->local_port(listen());
  const auto second = network_->listen({"", port});
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().text, "listen *:" + std::to_string(port) + ": Address already in use");
}

TEST_F(EpollConnect, an_address_of_another_machine_cannot_be_listened_on) {
  const auto listener = network_->listen({"192.0.2.1", 5001});  // TEST-NET-1, RFC 5737
  ASSERT_FALSE(listener.has_value());
  EXPECT_EQ(listener.error().text, "listen 192.0.2.1:5001: Cannot assign requested address");
}

TEST_F(EpollConnect, a_refused_connection_fails_with_its_cause_until_it_is_closed) {
  const SocketId listener = listen();
  const std::uint16_t port = network_->local_port(listener);
  network_->close(listener);
  const auto socket = network_->connect({"127.0.0.1", port});
  ASSERT_TRUE(socket.has_value());
  await(Ready::Kind::Failed, *socket);
  await(Ready::Kind::Failed, *socket);  // level-triggered
  pollfd watched{network_->descriptor(), POLLIN, 0};
  EXPECT_EQ(::poll(&watched, 1, 0), 1);
  EXPECT_EQ(network_->last_error(*socket),
            "connect 127.0.0.1:" + std::to_string(port) + ": Connection refused");
  std::array<char, 8> buffer{};
  EXPECT_EQ(network_->receive(*socket, buffer).error_number, ECONNREFUSED);
  EXPECT_EQ(network_->send(*socket, buffer).error_number, ECONNREFUSED);
  network_->close(*socket);
  EXPECT_EQ(network_->last_error(*socket), "");
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(poll(std::chrono::nanoseconds{0}).empty());
}

TEST_F(EpollConnect, connect_to_localhost_tries_both_families) {
  if (!network_->listen({"::1", 0})) GTEST_SKIP() << "no IPv6 on this machine";
  const SocketId listener = listen("::1");
  const Pair pair = connect_pair(listener, "localhost");
  EXPECT_EQ(network_->peer_name(pair.near),
            "[::1]:" + std::to_string(network_->local_port(listener)));
  EXPECT_EQ(network_->send(pair.near, std::string_view{"abc"}).bytes, 3U);
  EXPECT_EQ(read(pair.far, 3), "abc");
}

TEST_F(EpollConnect, both_families_of_localhost_are_one_listener) {
  if (!network_->listen({"::1", 0})) GTEST_SKIP() << "no IPv6 on this machine";
  const SocketId listener = listen("localhost");
  for (const char* const host : {"127.0.0.1", "::1"}) {
    ASSERT_TRUE(network_->connect({host, network_->local_port(listener)}));
    EXPECT_EQ(await(Ready::Kind::Accepted, listener).socket, listener) << host;
  }
}

TEST_F(EpollConnect, source_address_of_another_family_is_an_error) {
  const SocketId listener = listen();
  const auto socket =
      network_->connect({"127.0.0.1", network_->local_port(listener), {.source_host = "::1"}});
  ASSERT_TRUE(socket);
  await(Ready::Kind::Failed, *socket);
  EXPECT_THAT(network_->last_error(*socket), ::testing::HasSubstr("Cannot assign requested"));
}

TEST_F(EpollConnect, source_port_of_an_earlier_connection_is_used_again) {
  const SocketId listener = listen();
  const std::uint16_t port = network_->local_port(listener);
  network_->close(listener);
  for (int i = 0; i < 2; ++i) {
    const auto socket =
        network_->connect({"127.0.0.1", network_->local_port(listen()), {.source_port = port}});
    ASSERT_TRUE(socket);
    await(Ready::Kind::Connected, *socket);
    EXPECT_EQ(network_->local_port(*socket), port);
    network_->close(*socket);
  }
}

TEST_F(EpollConnect, accepted_connection_has_the_options_and_keeps_its_peer_when_it_moves) {
  const Pair pair = connect_pair(listen());
  const std::string peer = network_->peer_name(pair.far);
  Detached detached = network_->detach(pair.far);
  int no_delay = 0;
  socklen_t size = sizeof no_delay;
  EXPECT_EQ(::getsockopt(detached.descriptor, IPPROTO_TCP, TCP_NODELAY, &no_delay, &size), 0);
  EXPECT_NE(no_delay, 0);
  const auto other = EpollNetwork::make(resolve_blocking).value();
  EXPECT_EQ(other->peer_name(other->attach(std::move(detached)).value()), peer);
}

TEST_F(EpollConnect, port_of_an_earlier_listener_is_used_again_unless_the_options_say_no) {
  const SocketId listener = listen();
  const std::uint16_t port = network_->local_port(listener);
  const Pair pair = connect_pair(listener);
  network_->close(pair.far);
  network_->close(pair.near);
  network_->close(listener);
  EXPECT_TRUE(network_->could_listen({"127.0.0.1", port}));
  const auto without = network_->could_listen({"127.0.0.1", port, {.reuse_address = false}});
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().error_number, EADDRINUSE);
}

TEST_F(EpollConnect, listen_on_localhost_binds_both_families_to_one_port) {
  if (!network_->listen({"::1", 0})) GTEST_SKIP() << "no IPv6 on this machine";
  for (const std::string host : {"localhost", "LOCALHOST"}) {
    const SocketId listener = listen(host);
    const std::string port = std::to_string(network_->local_port(listener));
    const Pair v4 = connect_pair(listener, "127.0.0.1");
    EXPECT_EQ(network_->peer_name(v4.near), "127.0.0.1:" + port);
    const Pair v6 = connect_pair(listener, "::1");
    EXPECT_EQ(network_->peer_name(v6.near), "[::1]:" + port);
    EXPECT_EQ(network_->send(v6.near, std::string_view{"abc"}).bytes, 3U);
    EXPECT_EQ(read(v6.far, 3), "abc");
    for (const char* taken : {"127.0.0.1", "::1", "localhost"}) {
      EXPECT_FALSE(network_->could_listen({taken, network_->local_port(listener)})) << taken;
    }
    const std::uint16_t number = network_->local_port(listener);
    network_->close(listener);
    for (const char* free : {"127.0.0.1", "::1", "localhost"}) {
      EXPECT_TRUE(network_->could_listen({free, number})) << free;
    }
  }
}

TEST_F(EpollConnect, listen_on_localhost_fails_if_one_family_is_in_use) {
  if (!network_->listen({"::1", 0})) GTEST_SKIP() << "no IPv6 on this machine";
  const std::uint16_t port = network_->local_port(listen("::1"));
  const auto listener = network_->listen({"localhost", port});
  ASSERT_FALSE(listener.has_value());
  EXPECT_EQ(listener.error().error_number, EADDRINUSE);
}

TEST_F(EpollConnect, ipv6_addresses_work) {
  if (!network_->listen({"::1", 0})) GTEST_SKIP() << "no IPv6 on this machine";
  const Pair pair = connect_pair(listen("::1"), "::1");
  EXPECT_EQ(network_->send(pair.near, std::string_view{"abc"}).bytes, 3U);
  EXPECT_EQ(read(pair.far, 3), "abc");
}

TEST_F(EpollConnect, an_empty_host_listens_on_every_address) {
  const SocketId listener = listen("");
  const Pair pair = connect_pair(listener, "127.0.0.1");
  EXPECT_EQ(network_->peer_name(pair.far).substr(0, 10), "127.0.0.1:");
  if (network_->listen({"::1", 0})) connect_pair(listener, "::1");
}

TEST_F(EpollConnect, a_host_and_a_port_are_needed) {
  EXPECT_EQ(network_->connect({"", 5001}).error().text,
            "connect *:5001: a host and a port are needed");
  EXPECT_FALSE(network_->connect({"127.0.0.1", 0}).has_value());
}

TEST_F(EpollConnect, many_connections_have_different_ids_and_none_is_used_twice) {
  const SocketId listener = listen();
  std::set<SocketId> ids{listener};
  for (int round = 0; round < 3; ++round) {
    std::vector<Pair> pairs;
    for (int i = 0; i < 100; ++i) {
      pairs.push_back(connect_pair(listener));
      EXPECT_TRUE(ids.insert(pairs.back().near).second);
      EXPECT_TRUE(ids.insert(pairs.back().far).second);
    }
    for (const Pair& pair : pairs) {
      const std::string text = std::to_string(pair.near);
      EXPECT_EQ(network_->send(pair.near, text).bytes, text.size());
    }
    for (const Pair& pair : pairs) {
      EXPECT_EQ(read(pair.far, std::to_string(pair.near).size()), std::to_string(pair.near));
      network_->close(pair.near);
      network_->close(pair.far);
    }
  }
  EXPECT_EQ(ids.size(), 601U);
}

TEST_F(EpollConnect, more_connections_than_events_come_with_later_waits) {
  const SocketId listener = listen();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(network_->connect({"127.0.0.1", network_->local_port(listener)}).has_value());
  }
  std::set<SocketId> accepted;
  std::array<Ready, 3> few{};
  while (accepted.size() < 20) {
    const std::size_t count = network_->wait(few, kPatience);
    ASSERT_GT(count, 0U);
    for (const Ready& ready : std::span{few}.first(count)) {
      if (ready.kind == Ready::Kind::Accepted) accepted.insert(ready.accepted);
    }
  }
}

// Lowers the limit to a number of further descriptors.
class NoDescriptors {
 public:
  explicit NoDescriptors(rlim_t left = 0) {
    ::getrlimit(RLIMIT_NOFILE, &saved_);
    const int lowest_free = ::dup(0);
    ::close(lowest_free);
    rlimit none = saved_;
    none.rlim_cur = static_cast<rlim_t>(lowest_free) + left;
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &saved_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit saved_{};
};

TEST_F(EpollConnect, out_of_descriptors_connections_are_refused_and_the_loop_does_not_spin) {
  const SocketId listener = listen();
  const auto near = network_->connect({"127.0.0.1", network_->local_port(listener)});
  ASSERT_TRUE(near.has_value());
  {
    const NoDescriptors none;
    while (network_->connections_refused() == 0) poll();
    EXPECT_TRUE(accepted_.empty());
    IoResult::Status last = IoResult::Status::Ok;
    EXPECT_EQ(read(*near, 1, &last), "");
    EXPECT_EQ(last, IoResult::Status::Closed);
    network_->close(*near);
    EXPECT_TRUE(poll(std::chrono::nanoseconds{0}).empty());
  }
  connect_pair(listener);  // accepts again
  EXPECT_EQ(network_->connections_refused(), 1U);
}

TEST_F(EpollConnect, last_descriptors_are_reserved_for_files) {
  const SocketId listener = listen();
  const PlainPeer client{network_->local_port(listener)};
  const NoDescriptors few{10};
  while (network_->connections_refused() == 0) poll();
  EXPECT_TRUE(accepted_.empty());
  const Descriptor file{::dup(0)};
  EXPECT_TRUE(file);
}

// A listener that waits for a descriptor, with a client in its queue.
class EpollRest : public Loopback {
 protected:
  void rest() {
    network_->drop_reserve();
    taken_ = Descriptor{::dup(0)};  // in place of the reserve, as by another thread
    none_.emplace();
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(poll(std::chrono::nanoseconds{0}).empty());
    EXPECT_EQ(network_->connections_refused(), 0U);
  }

  SocketId listener_ = listen();
  Pair old_ = connect_pair(listener_);
  PlainPeer waiting_{network_->local_port(listener_)};
  Descriptor taken_;
  std::optional<NoDescriptors> none_;
};

int g_accepts = 0;
template <int Error>
int accept_without_memory(int, sockaddr*, socklen_t*, int) {
  ++g_accepts;
  errno = Error;
  return -1;
}

class EpollMemory : public Loopback {
 protected:
  void expect_rest(EpollNetwork::Accept without_memory) {
    const SocketId listener = listen();
    const PlainPeer peer{network_->local_port(listener)};
    const SocketId gone = listen();
    const std::uint16_t nobodys_port = network_->local_port(gone);
    network_->close(gone);
    network_->accept_by(without_memory);
    g_accepts = 0;
    const auto begun = std::chrono::steady_clock::now();
    while (g_accepts == 0) poll();
    EXPECT_EQ(g_accepts, 1);
    // Changes of its own sockets do not make it try again.
    for (int i = 0; i < 100; ++i) {
      network_->close(network_->connect({"127.0.0.1", nobodys_port}).value());
      poll(std::chrono::nanoseconds::zero());
    }
    const auto rests = (std::chrono::steady_clock::now() - begun) / std::chrono::milliseconds{100};
    EXPECT_LE(g_accepts, 1 + rests);
    network_->accept_by(::accept4);
    while (accepted_.empty() && std::chrono::steady_clock::now() - begun < kPatience) poll();
    EXPECT_EQ(accepted_.size(), 1U);
    EXPECT_EQ(network_->connections_refused(), 0U);
  }
};

TEST_F(EpollMemory, listener_pauses_while_the_operating_system_has_no_memory_for_connections) {
  expect_rest(accept_without_memory<ENOMEM>);
}

TEST_F(EpollMemory, listener_pauses_while_the_operating_system_has_no_buffers) {
  expect_rest(accept_without_memory<ENOBUFS>);
}

TEST_F(EpollRest, without_a_reserve_the_listener_pauses_until_a_socket_is_closed) {
  rest();
  none_.reset();
  network_->close(old_.far);
  await(Ready::Kind::Accepted, listener_);
}

TEST_F(EpollRest, without_a_reserve_the_listener_pauses_until_another_thread_closes_a_file) {
  rest();
  taken_.reset();
  while (network_->connections_refused() == 0) poll();  // the reserve is back
  none_.reset();
  const PlainPeer next{network_->local_port(listener_)};
  await(Ready::Kind::Accepted, listener_);
}

TEST_F(EpollRest, while_the_listener_is_paused_a_wait_without_a_limit_ends) {
  rest();
  std::array<Ready, 3> few{};
  EXPECT_EQ(network_->wait(few, std::nullopt), 0U);
}

TEST_F(EpollRest, other_connections_are_read_while_the_listener_is_paused) {
  rest();
  ASSERT_EQ(network_->send(old_.near, std::string_view{"35=0"}).bytes, 4U);
  await(Ready::Kind::Readable, old_.far);
}

TEST_F(EpollConnect, closing_a_listener_ends_its_events) {
  const SocketId listener = listen();
  ASSERT_TRUE(network_->connect({"127.0.0.1", network_->local_port(listener)}).has_value());
  network_->close(listener);
  for (int i = 0; i < 3; ++i) {
    for (const Ready& ready : poll(std::chrono::nanoseconds{0})) {
      EXPECT_NE(ready.socket, listener);
    }
  }
  EXPECT_EQ(network_->local_port(listener), 0);
}

// Names, resolved by the test.
class EpollNames : public Loopback {
 protected:
  EpollNames()
      : Loopback{[](const Endpoint& endpoint) -> Resolution {
          if (endpoint.host == "nowhere") return std::unexpected{"Name or service not known"};
          if (endpoint.host == "empty") return std::vector<Address>{};
          Resolution refused_first = known_addresses({"127.0.0.2", endpoint.port});
          refused_first->push_back(known_addresses({"127.0.0.1", endpoint.port}).at(0));
          return refused_first;
        }} {}
};

TEST_F(EpollNames, every_address_of_a_name_is_tried) {
  const Pair pair = connect_pair(listen(), "fix.example.com");
  EXPECT_EQ(network_->peer_name(pair.near).substr(0, 10), "127.0.0.1:");
  network_->close(pair.far);  // Its end is no failure, although the first address refused.
  await(Ready::Kind::Readable, pair.near);
  IoResult::Status last = IoResult::Status::Ok;
  EXPECT_EQ(read(pair.near, 1, &last), "");
  EXPECT_EQ(last, IoResult::Status::Closed);
}

TEST_F(EpollNames, a_name_that_does_not_exist_fails_with_the_resolvers_text) {
  const auto socket = network_->connect({"nowhere", 5001});
  ASSERT_TRUE(socket.has_value());
  await(Ready::Kind::Failed, *socket);
  EXPECT_EQ(network_->last_error(*socket), "connect nowhere:5001: Name or service not known");
  const auto empty = network_->connect({"empty", 5001});
  await(Ready::Kind::Failed, *empty);
  EXPECT_EQ(network_->last_error(*empty), "connect empty:5001: the name has no address");
}

TEST_F(EpollNames, a_socket_closed_while_its_name_is_resolved_is_never_reported_again) {
  const auto socket = network_->connect({"nowhere", 5001});
  network_->close(*socket);
  const auto other = network_->connect({"nowhere", 5002});
  await(Ready::Kind::Failed, *other);
  EXPECT_EQ(network_->peer_name(*socket), "");
  for (const Ready& ready : poll(std::chrono::nanoseconds{0})) EXPECT_EQ(ready.socket, *other);
}

}  // namespace
}  // namespace nexusfix::transport
