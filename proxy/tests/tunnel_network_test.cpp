// Connections through proxies: Connected is not reported before the proxy has made them, and no
// byte of the target is lost.
#include "proxy/tunnel_network.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "support/network/fake_network.hpp"
#include "unit/transport/loopback.hpp"

namespace nexusfix::transport {
namespace {

using namespace std::string_literals;
using Protocol = ConnectProxy::Protocol;

const std::string kEstablished = "HTTP/1.1 200 Connection established\r\n\r\n";
const std::string kTunnelRequest =
    "CONNECT venue.example.com:5001 HTTP/1.1\r\nHost: venue.example.com:5001\r\n\r\n";

class TunnelNetworkTest : public ::testing::Test {
 protected:
  TunnelNetworkTest() { port_ = proxy_.local_port(proxy_.listen({"", 0}).value()); }

  Endpoint venue(Protocol protocol = Protocol::Http11) const {
    Endpoint endpoint{"venue.example.com", 5001};
    endpoint.proxy = std::make_shared<ConnectProxy>(ConnectProxy{protocol, "proxy", port_, "", ""});
    return endpoint;
  }
  SocketId connect(const Endpoint& endpoint) { return tunnel_.connect(endpoint).value(); }

  std::vector<Ready> turn() {
    std::vector<Ready> events(8);
    for (const Ready& ready : std::span{events}.first(proxy_.wait(events, std::nullopt))) {
      if (ready.kind == Ready::Kind::Accepted) far_ = ready.accepted;
    }
    std::fill(events.begin(), events.end(), Ready{});
    events.resize(tunnel_.wait(events, std::nullopt));
    return events;
  }
  // Connects, and waits until the proxy has the request.
  SocketId begin(const Endpoint& endpoint) {
    const SocketId socket = connect(endpoint);
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(turn().empty());
    return socket;
  }
  std::string heard() {
    std::string all;
    std::array<char, 512> buffer{};
    for (;;) {
      const IoResult result = proxy_.receive(far_, buffer);
      if (result.status != IoResult::Status::Ok) return all;
      all.append(buffer.data(), result.bytes);
    }
  }
  void say(std::string_view bytes) { static_cast<void>(proxy_.send(far_, bytes)); }
  std::string received(SocketId socket) {
    std::string all;
    std::array<char, 5> buffer{};
    for (;;) {
      const IoResult result = tunnel_.receive(socket, buffer);
      if (result.status != IoResult::Status::Ok) return all;
      all.append(buffer.data(), result.bytes);
    }
  }
  void expect_failed(SocketId socket, const std::string& why) {
    bool is_reported = false;
    for (int i = 0; i < 3; ++i) {  // Reported again until it is closed.
      for (const Ready& ready : turn()) {
        EXPECT_EQ(ready.kind, Ready::Kind::Failed);
        EXPECT_EQ(ready.socket, socket);
        is_reported = true;
      }
    }
    EXPECT_TRUE(is_reported) << why;
    EXPECT_EQ(tunnel_.last_error(socket), "connect venue.example.com:5001 by way of proxy:" +
                                              std::to_string(port_) + ": " + why);
    EXPECT_EQ(tunnel_.receive(socket, {}).status, IoResult::Status::Failed);
    tunnel_.close(socket);
    EXPECT_TRUE(turn().empty());
    EXPECT_EQ(near_.open_sockets(), 0U);
  }

  FakeInternet internet_;
  FakeNetwork proxy_{internet_, "proxy"};
  FakeNetwork near_{internet_, "10.0.0.9"};
  Resolution resolution_ = std::unexpected{"not resolved"};
  TunnelNetwork tunnel_{near_, [this](const Endpoint&) { return resolution_; }};
  std::uint16_t port_ = 0;
  SocketId far_ = 0;  // of the proxy
};

TEST_F(TunnelNetworkTest, connected_is_reported_after_the_answer_and_what_follows_is_untouched) {
  const std::string all = kEstablished + "8=FIX.4.4";
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    const SocketId socket = begin(venue());
    EXPECT_EQ(heard(), kTunnelRequest);
    EXPECT_EQ(tunnel_.send(socket, "8=FIX"s).status, IoResult::Status::WouldBlock);
    say(std::string_view{all}.substr(0, cut));
    if (cut < kEstablished.size()) {
      EXPECT_TRUE(turn().empty()) << cut;
      EXPECT_EQ(tunnel_.receive(socket, {}).status, IoResult::Status::WouldBlock);
      say(std::string_view{all}.substr(cut));
    }
    const auto ready = turn();
    ASSERT_EQ(ready.size(), 1U) << cut;
    EXPECT_EQ(ready[0].kind, Ready::Kind::Connected);
    if (cut >= kEstablished.size()) say(std::string_view{all}.substr(cut));
    const auto more = turn();
    ASSERT_FALSE(more.empty());
    EXPECT_EQ(more[0].kind, Ready::Kind::Readable);
    EXPECT_EQ(received(socket), "8=FIX.4.4");
    EXPECT_EQ(tunnel_.peer_name(socket), "venue.example.com:5001");
    EXPECT_TRUE(tunnel_.protection(socket).starts_with("by way of "));
    EXPECT_EQ(tunnel_.send(socket, "35=A"s).bytes, 4U);
    EXPECT_EQ(heard(), "35=A");
    tunnel_.close(socket);
    proxy_.close(far_);
  }
}

TEST_F(TunnelNetworkTest, request_and_answer_go_through_one_byte_at_a_time) {
  internet_.limits.receive_bytes_max = 1;
  internet_.limits.send_bytes_max = 1;
  for (const Protocol protocol : {Protocol::Http11, Protocol::Socks4a, Protocol::Socks5}) {
    const SocketId socket = connect(venue(protocol));
    bool is_connected = false;
    std::string asked;
    const std::string answer = protocol == Protocol::Http11    ? kEstablished
                               : protocol == Protocol::Socks4a ? "\0\x5A\1\1\1\1\1\1"s
                                                               : "\5\0\5\0\0\3\5proxy\1\1"s;
    std::size_t said = 0;
    for (int i = 0; i < 500 && !is_connected; ++i) {
      for (const Ready& ready : turn()) is_connected |= ready.kind == Ready::Kind::Connected;
      if (far_ == 0) continue;
      asked += heard();
      if (said < answer.size())
        said += proxy_.send(far_, std::string_view{answer}.substr(said)).bytes;
    }
    EXPECT_TRUE(is_connected);
    if (protocol == Protocol::Http11) {
      EXPECT_EQ(asked, kTunnelRequest);
    }
    tunnel_.close(socket);
    proxy_.close(far_);
    far_ = 0;
  }
}

TEST_F(TunnelNetworkTest, refusal_silence_and_rubbish_are_failures_with_the_proxys_text) {
  SocketId socket = begin(venue());
  say("HTTP/1.1 403 Forbidden\r\n\r\n<html>");
  expect_failed(socket, "it refuses: 403 Forbidden");
  socket = begin(venue(Protocol::Socks5));
  say("\x05\x00\x05\x02\x00\x01"s);
  expect_failed(socket, "it refuses: 2 (not allowed by its rules)");
  socket = begin(venue());
  proxy_.close(far_);
  expect_failed(socket, "it closed the connection without an answer");
  socket = begin(venue());
  say("HTTP/1.1 200");
  EXPECT_TRUE(turn().empty());
  proxy_.close(far_);
  expect_failed(socket, "it closed the connection in the middle of its answer");
  socket = begin(venue());
  say("8=FIX.4.4");
  expect_failed(socket, "its answer is not HTTP/1.0 or HTTP/1.1");
  socket = begin(venue());
  near_.break_connection(socket, ECONNRESET);
  static_cast<void>(turn());
  EXPECT_NE(tunnel_.last_error(socket).find("venue.example.com:5001 by way of proxy:"),
            std::string::npos)
      << tunnel_.last_error(socket);
}

TEST_F(TunnelNetworkTest, long_answer_is_read_in_several_turns_and_fails_at_the_limit) {
  const SocketId socket = begin(venue());
  say("HTTP/1.1 200 OK\r\nA: " + std::string(20'000, 'x'));
  int turns = 0;
  while (turn().empty() && turns < 100) ++turns;
  EXPECT_GE(turns, 7);
  expect_failed(socket, "its answer has more than 8,192 bytes");
}

TEST_F(TunnelNetworkTest, absent_proxy_is_named_with_its_target) {
  internet_.refuse(port_, ECONNREFUSED);
  const SocketId socket = connect(venue());
  expect_failed(socket, "Connection refused");
}

TEST_F(TunnelNetworkTest, socks_4_gets_the_ipv4_address_that_is_resolved_here) {
  resolution_ =
      std::vector{*literal_address({"2001:db8::1", 5001}), *literal_address({"10.1.2.3", 5001})};
  const SocketId socket = connect(venue(Protocol::Socks4));
  std::string asked;
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (asked.size() < 9 && std::chrono::steady_clock::now() < deadline) {
    EXPECT_TRUE(turn().empty());
    if (far_ != 0) asked += heard();
  }
  EXPECT_EQ(asked, "\x04\x01\x13\x89\x0A\x01\x02\x03\x00"s);
  say("\x00\x5A\x00\x00\x00\x00\x00\x00"s);
  ASSERT_EQ(turn().at(0).kind, Ready::Kind::Connected);
  EXPECT_EQ(tunnel_.peer_name(socket), "venue.example.com:5001");
}

TEST_F(TunnelNetworkTest, socks_4_answer_that_comes_before_the_request_is_not_lost) {
  resolution_ = std::vector{*literal_address({"10.1.2.3", 5001})};
  static_cast<void>(connect(venue(Protocol::Socks4)));
  std::vector<Ready> events;
  bool is_said = false;
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (events.empty() && std::chrono::steady_clock::now() < deadline) {
    events = turn();
    if (far_ != 0 && !std::exchange(is_said, true)) say("\x00\x5A\x00\x00\x00\x00\x00\x00"s);
  }
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].kind, Ready::Kind::Connected);
}

TEST_F(TunnelNetworkTest, proxy_that_sends_while_a_name_is_resolved_is_reported_once) {
  std::promise<void> gate;
  TunnelNetwork tunnel{near_, [opened = gate.get_future().share()](const Endpoint&) -> Resolution {
                         opened.wait();
                         return std::vector{*literal_address({"10.1.2.3", 5001})};
                       }};
  static_cast<void>(tunnel.connect(venue(Protocol::Socks4)).value());
  std::array<Ready, 8> events{};
  const auto wait = [&](Network& network) {
    return std::span{events}.first(network.wait(events, std::nullopt));
  };
  for (int i = 0; i < 4; ++i) {
    for (const Ready& ready : wait(proxy_)) {
      if (ready.kind == Ready::Kind::Accepted) far_ = ready.accepted;
    }
    EXPECT_TRUE(wait(tunnel).empty());
  }
  ASSERT_NE(far_, 0U);
  say("\x00\x5A\x00\x00\x00\x00\x00\x00"s);
  EXPECT_TRUE(wait(tunnel).empty());
  EXPECT_TRUE(wait(near_).empty()) << "it is reported once";
  gate.set_value();
  bool is_connected = false;
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!is_connected && std::chrono::steady_clock::now() < deadline) {
    for (const Ready& ready : wait(tunnel)) is_connected |= ready.kind == Ready::Kind::Connected;
  }
  EXPECT_TRUE(is_connected) << "its answer is read after the request";
  EXPECT_EQ(heard(), "\x04\x01\x13\x89\x0A\x01\x02\x03\x00"s);
}

TEST_F(TunnelNetworkTest, socks_4_fails_without_an_ipv4_address) {
  for (const auto& [resolution, why] :
       {std::pair{Resolution{std::vector{*literal_address({"2001:db8::1", 5001})}},
                  "its name has no IPv4 address, and SOCKS 4 supports no others"s},
        std::pair{Resolution{std::unexpected{"Name or service not known"}},
                  "its name: Name or service not known"s}}) {
    resolution_ = resolution;
    const SocketId socket = connect(venue(Protocol::Socks4));
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (turn().empty() && std::chrono::steady_clock::now() < deadline) {
    }
    expect_failed(socket, why);
    EXPECT_EQ(heard(), "");
  }
}

TEST_F(TunnelNetworkTest, target_name_is_resolved_by_the_proxy_only) {
  for (const Protocol protocol :
       {Protocol::Http10, Protocol::Http11, Protocol::Socks4a, Protocol::Socks5}) {
    TunnelNetwork tunnel{near_, [](const Endpoint&) -> Resolution {
                           ADD_FAILURE();
                           return std::unexpected{""};
                         }};
    const SocketId socket = tunnel.connect(venue(protocol)).value();
    std::array<Ready, 8> events{};
    for (int i = 0; i < 4; ++i) {
      for (const Ready& ready : std::span{events}.first(proxy_.wait(events, std::nullopt))) {
        if (ready.kind == Ready::Kind::Accepted) far_ = ready.accepted;
      }
      static_cast<void>(tunnel.wait(events, std::nullopt));
    }
    EXPECT_NE(heard(), "");
    tunnel.close(socket);
  }
}

TEST_F(TunnelNetworkTest,
       endpoint_that_a_proxy_cannot_connect_to_is_refused_before_anything_is_sent) {
  Endpoint endpoint = venue();
  endpoint.host = "venue\r\nX: y";
  EXPECT_EQ(tunnel_.connect(endpoint).error().error_number, EINVAL);
  endpoint = venue(Protocol::Socks4a);
  endpoint.host = "2001:db8::1";
  EXPECT_NE(tunnel_.connect(endpoint).error().text.find("SOCKS 4 has no IPv6"), std::string::npos);
  EXPECT_EQ(near_.open_sockets(), 0U);
}

TEST_F(TunnelNetworkTest, connections_without_a_proxy_are_passed_on) {
  const SocketId socket = connect({"proxy", port_});
  static_cast<void>(turn());
  EXPECT_TRUE(tunnel_.peer_name(socket).starts_with("proxy:"));
  EXPECT_EQ(tunnel_.protection(socket), "");
  tunnel_.close(socket);
  EXPECT_EQ(near_.open_sockets(), 0U);
}

class TunnelLoopback : public Loopback {};

TEST_F(TunnelLoopback, network_without_proxy_support_never_connects_directly) {
  Endpoint endpoint{"127.0.0.1", network_->local_port(listen())};
  endpoint.proxy = std::make_shared<ConnectProxy>(ConnectProxy{Protocol::Http11, "127.0.0.1", 1});
  EXPECT_EQ(network_->connect(endpoint).error().error_number, EPROTONOSUPPORT);
}

}  // namespace
}  // namespace nexusfix::transport
