// Connections through proxies: which header is believed, and no byte after it is ever read.
#include "proxy/proxied_network.hpp"

#include <array>
#include <cerrno>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include <nexusfix/transport/network.hpp>

#include "support/network/fake_network.hpp"
#include "unit/transport/loopback.hpp"

namespace nexusfix::transport {
namespace {

using namespace std::string_literals;

const std::string kLine = "PROXY TCP4 192.0.2.7 10.0.0.1 40112 5001\r\n";
const std::string kBinary =
    "\r\n\r\n\0\r\nQUIT\n\x21\x11\x00\x13\xC0\x00\x02\x07\x0A\x00\x00\x01\x9C\xB0\x13\x89"
    "\x03\x00\x04\x01\x02\x03\x04"s;
const std::string kLocal = "\r\n\r\n\0\r\nQUIT\n\x20\x00\x00\x00"s;

AllowList only(std::string_view range) {
  AllowList list;
  list.allow(*AllowList::Range::parse(range));
  return list;
}

class ProxiedNetworkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Endpoint endpoint{"", 0};
    endpoint.trusted_proxies = only("10.0.0.9/32");
    port_ = proxied_->local_port(proxied_->listen(endpoint).value());
  }
  void TearDown() override { proxied_.reset(); }

  // The acceptor's socket for a connection from that network.
  SocketId accept_from(FakeNetwork& proxy) {
    near_ = proxy.connect({"venue", port_}).value();
    static_cast<void>(wait(proxy));
    const auto ready = wait(*proxied_);
    EXPECT_EQ(ready.at(0).kind, Ready::Kind::Accepted);
    return ready.at(0).accepted;
  }
  SocketId accept() { return accept_from(proxy_); }

  static std::vector<Ready> wait(Network& network) {
    std::vector<Ready> events(8);
    events.resize(network.wait(events, std::nullopt));
    return events;
  }
  IoResult receive(SocketId socket, std::string* bytes = nullptr) {
    std::array<char, 64> buffer{};
    const IoResult result = proxied_->receive(socket, buffer);
    if (bytes != nullptr) bytes->append(buffer.data(), result.bytes);
    return result;
  }
  void expect_refused(SocketId socket, const std::string& why) {
    for (int turn = 0; turn < 2; ++turn) {  // Reported again until it is closed.
      const auto ready = wait(*proxied_);
      ASSERT_FALSE(ready.empty()) << why;
      EXPECT_EQ(ready[0].kind, Ready::Kind::Readable);
      EXPECT_EQ(ready[0].socket, socket);
    }
    const IoResult result = receive(socket);
    EXPECT_EQ(result.status, IoResult::Status::Failed);
    EXPECT_EQ(result.error_number, EPROTO);
    EXPECT_NE(proxied_->last_error(socket).find(why), std::string::npos)
        << proxied_->last_error(socket);
    proxied_->close(socket);
    EXPECT_TRUE(wait(*proxied_).empty());
    EXPECT_EQ(venue_.open_sockets(), 1U);  // the listener
  }

  FakeInternet internet_;
  FakeNetwork venue_{internet_, "10.0.0.1"};
  FakeNetwork proxy_{internet_, "10.0.0.9"};
  FakeNetwork untrusted_{internet_, "10.0.0.8"};
  std::unique_ptr<Network> proxied_ = make_proxied_network(venue_);
  std::uint16_t port_ = 0;
  SocketId near_ = 0;  // of the proxy
};

TEST_F(ProxiedNetworkTest, header_in_any_pieces_names_the_peer_and_what_follows_is_untouched) {
  for (const std::string& header : {kLine, kBinary}) {
    const std::string all = header + "8=FIX.4.4";
    for (std::size_t cut = 0; cut < all.size(); ++cut) {
      const SocketId socket = accept();
      static_cast<void>(proxy_.send(near_, std::string_view{all}.substr(0, cut)));
      if (cut < header.size()) {
        EXPECT_TRUE(wait(*proxied_).empty());
        EXPECT_EQ(receive(socket).status, IoResult::Status::WouldBlock);
        EXPECT_TRUE(proxied_->peer_name(socket).starts_with("10.0.0.9:"));
        static_cast<void>(proxy_.send(near_, std::string_view{all}.substr(cut)));
      }
      const auto ready = wait(*proxied_);
      ASSERT_EQ(ready.size(), 1U) << "cut at " << cut;
      EXPECT_EQ(ready[0].kind, Ready::Kind::Announced);
      EXPECT_EQ(proxied_->peer_name(socket), "192.0.2.7:40112");
      EXPECT_TRUE(proxied_->protection(socket).starts_with("by way of 10.0.0.9:"));
      if (cut >= header.size()) {
        static_cast<void>(proxy_.send(near_, std::string_view{all}.substr(cut)));
      }
      ASSERT_EQ(wait(*proxied_).at(0).kind, Ready::Kind::Readable);
      std::string bytes;
      while (receive(socket, &bytes).status == IoResult::Status::Ok) {
      }
      EXPECT_EQ(bytes, "8=FIX.4.4") << "cut at " << cut;
      proxied_->close(socket);
      EXPECT_EQ(proxied_->peer_name(socket), "");
      proxy_.close(near_);
    }
  }
}

TEST_F(ProxiedNetworkTest, header_comes_one_byte_at_a_time) {
  internet_.limits.receive_bytes_max = 1;
  const SocketId socket = accept();
  static_cast<void>(proxy_.send(near_, kBinary));
  ASSERT_EQ(wait(*proxied_).at(0).kind, Ready::Kind::Announced);
  EXPECT_EQ(proxied_->peer_name(socket), "192.0.2.7:40112");
}

TEST_F(ProxiedNetworkTest, local_connection_of_the_proxy_keeps_its_address) {
  for (const std::string& header : {kLocal, "PROXY UNKNOWN\r\n"s}) {
    const SocketId socket = accept();
    static_cast<void>(proxy_.send(near_, header));
    ASSERT_EQ(wait(*proxied_).at(0).kind, Ready::Kind::Announced);
    EXPECT_TRUE(proxied_->peer_name(socket).starts_with("10.0.0.9:"));
    EXPECT_EQ(proxied_->protection(socket), "");
    proxied_->close(socket);
  }
}

TEST_F(ProxiedNetworkTest, client_that_is_no_trusted_proxy_is_refused_whatever_it_sends) {
  const SocketId socket = accept_from(untrusted_);
  static_cast<void>(untrusted_.send(near_, kLine));
  expect_refused(socket, "it is not one of the port's proxies");
  EXPECT_EQ(proxied_->peer_name(socket), "");
}

TEST_F(ProxiedNetworkTest, connection_without_a_header_is_refused) {
  const SocketId socket = accept();
  static_cast<void>(proxy_.send(near_, "8=FIX.4.4"s));
  expect_refused(socket, "no PROXY header");
}

TEST_F(ProxiedNetworkTest, wrong_header_is_refused) {
  const SocketId socket = accept();
  static_cast<void>(proxy_.send(near_, "PROXY TCP4 192.0.2.7 10.0.0.1 40112\r\n"s));
  expect_refused(socket, "a PROXY line that is not TCP4 or TCP6");
}

TEST_F(ProxiedNetworkTest, connection_that_ends_within_its_header_is_refused) {
  const SocketId socket = accept();
  static_cast<void>(proxy_.send(near_, kBinary.substr(0, kBinary.size() - 1)));
  EXPECT_TRUE(wait(*proxied_).empty());
  proxy_.close(near_);
  expect_refused(socket, "it ended within its PROXY header");
}

TEST_F(ProxiedNetworkTest, proxy_that_connects_and_closes_is_no_error) {
  const SocketId socket = accept();
  proxy_.close(near_);
  ASSERT_EQ(wait(*proxied_).at(0).kind, Ready::Kind::Readable);
  EXPECT_EQ(receive(socket).status, IoResult::Status::Closed);
}

TEST_F(ProxiedNetworkTest, failure_after_the_header_names_both) {
  const SocketId socket = accept();
  static_cast<void>(proxy_.send(near_, kLine));
  ASSERT_EQ(wait(*proxied_).at(0).kind, Ready::Kind::Announced);
  venue_.break_connection(socket, ECONNRESET);
  EXPECT_EQ(receive(socket).status, IoResult::Status::Failed);
  EXPECT_NE(proxied_->last_error(socket).find("192.0.2.7:40112 by way of 10.0.0.9:"),
            std::string::npos)
      << proxied_->last_error(socket);
}

TEST_F(ProxiedNetworkTest, listener_without_proxies_accepts_no_header) {
  const SocketId listener = proxied_->listen({"", 0}).value();
  port_ = proxied_->local_port(listener);
  const SocketId socket = accept();
  static_cast<void>(proxy_.send(near_, kLine));
  ASSERT_EQ(wait(*proxied_).at(0).kind, Ready::Kind::Readable);
  std::string bytes;
  static_cast<void>(receive(socket, &bytes));
  EXPECT_EQ(bytes, kLine);
  EXPECT_TRUE(proxied_->peer_name(socket).starts_with("10.0.0.9:"));
}

class ProxiedLoopback : public Loopback {};

TEST_F(ProxiedLoopback, announced_name_moves_with_a_connection_to_another_network) {
  Endpoint endpoint{"127.0.0.1", 0};
  endpoint.trusted_proxies = only("127.0.0.1");
  EXPECT_EQ(network_->listen(endpoint).error().error_number, EPROTONOSUPPORT);
  const auto proxied = make_proxied_network(*network_);
  const SocketId listener = proxied->listen(endpoint).value();
  const PlainPeer peer{proxied->local_port(listener)};
  peer.send(kLine + "8=FIX");
  SocketId socket = 0;
  for (bool is_announced = false; !is_announced;) {
    const std::size_t count = proxied->wait(events_, kPatience);
    ASSERT_GT(count, 0U);
    for (const Ready& ready : std::span{events_}.first(count)) {
      if (ready.kind == Ready::Kind::Accepted) {
        socket = ready.accepted;
        EXPECT_EQ(proxied->detach(socket).descriptor, -1);  // Its source address is not known yet.
      }
      is_announced = is_announced || ready.kind == Ready::Kind::Announced;
    }
  }
  auto other_inner = EpollNetwork::make(resolve_blocking).value();
  const auto other = make_proxied_network(*other_inner);
  const SocketId moved = other->attach(proxied->detach(socket)).value();
  EXPECT_EQ(other->peer_name(moved), "192.0.2.7:40112");
  std::array<char, 64> buffer{};
  EXPECT_EQ(other->receive(moved, buffer).bytes, 5U);
}

}  // namespace
}  // namespace nexusfix::transport
