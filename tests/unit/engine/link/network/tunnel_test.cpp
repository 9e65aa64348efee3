// Initiators that connect through a proxy (ProxyType): the hosts that they reach, and the events.
#include <algorithm>
#include <functional>

#include <nexusfix/proxy.hpp>

#include "little_proxy.hpp"
#include "unit/engine/support/initiator_fixture.hpp"

namespace nexusfix::testing {
namespace {

using namespace std::string_literals;

class TunnelTest : public InitiatorTest {
 protected:
  TunnelTest() { parts.proxy = transport::proxy_part(); }
  // keys: further keys of the session; the address of the proxy is set already.
  void open_tunnelled(const std::string& keys, const std::string& host = "venue.example.com") {
    initiator.reset();
    proxy.target_port = acceptor->accept_port();
    trader_under_test(acceptor->accept_port(), "SocketConnectHost=" + host +
                                                   "\nProxyHost=127.0.0.1\nProxyPort=" +
                                                   std::to_string(proxy.port()) + "\n" + keys)
        .open(initiator, trader);
  }
  bool proxy_until(const std::function<bool()>& condition) {
    return turn_until([&] {
      proxy.poll();
      return condition();
    });
  }
  [[nodiscard]] std::ptrdiff_t lines_with(std::string_view text) const {
    return std::count_if(trader_log.lines.begin(), trader_log.lines.end(),
                         [&](const std::string& line) { return line.contains(text); });
  }

  LittleProxy proxy;
};

TEST_F(TunnelTest, session_trades_through_each_kind_of_proxy) {
  open();
  trader.orders_at_logon = 100;
  const std::string port = std::to_string(acceptor->accept_port());
  std::size_t reports = 0;
  for (const auto& [keys, host] : std::vector<std::pair<std::string, std::string>>{
           {"ProxyType=http\n", "venue.example.com"},
           {"ProxyType=http\nProxyVersion=1.0\nProxyUser=me\nProxyPassword=it\n", "::1"},
           {"ProxyType=socks\nProxyVersion=4\nProxyUser=me\n", "127.0.0.1"},
           {"ProxyType=socks\nProxyVersion=4\n", "localhost"},
           {"ProxyType=socks\nProxyVersion=4a\n", "venue.example.com"},
           {"ProxyType=socks\n", "venue.example.com"},
           {"ProxyType=socks\nProxyUser=me\nProxyPassword=it\n", "2001:db8::1"}}) {
    open_tunnelled(keys, host);
    reports += 100;
    ASSERT_TRUE(proxy_until([&] { return trader.reports.size() == reports; }))
        << keys << trader_log.all();
    EXPECT_TRUE(numbers_agree());
    const std::string name = host.contains(':') ? "[" + host + "]" : host;
    EXPECT_TRUE(trader_log.has("connected to " + name + ":" + port +
                               ", by way of 127.0.0.1:" + std::to_string(proxy.port())))
        << trader_log.all();
    initiator->session(0).log_out();
    ASSERT_TRUE(proxy_until([&] { return !running; })) << trader_log.all();
  }
  EXPECT_TRUE(proxy.requests[0].starts_with("CONNECT venue.example.com:" + port + " HTTP/1.1\r\n"));
  EXPECT_TRUE(proxy.requests[4].ends_with("\0venue.example.com\0"s));
  EXPECT_TRUE(proxy.requests[5].contains("\x03\x11venue.example.com"));
}

TEST_F(TunnelTest, refusal_is_logged_with_its_status_and_retried_at_the_interval) {
  open();
  proxy.refusal = "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n";
  open_tunnelled("ProxyType=http\n");
  const std::string event = "connect venue.example.com:" + std::to_string(proxy.target_port) +
                            " by way of 127.0.0.1:" + std::to_string(proxy.port()) +
                            ": it refuses: 407 Proxy Authentication Required";
  ASSERT_TRUE(proxy_until([&] { return trader_log.has(event); })) << trader_log.all();
  proxy_until([&, turns = 50]() mutable { return turns-- == 0; });
  EXPECT_EQ(proxy.requests.size(), 1U) << "ReconnectInterval is not over yet";
  clock.advance(std::chrono::seconds{2});
  ASSERT_TRUE(proxy_until([&] { return lines_with(event) == 2; })) << trader_log.all();
  proxy.refusal.clear();
  clock.advance(std::chrono::seconds{2});
  EXPECT_TRUE(proxy_until([&] { return trader.logons == 1; })) << trader_log.all();
  EXPECT_EQ(initiator->session(0).numbers().next_outbound, 2U);
}

TEST_F(TunnelTest, next_address_is_tried_through_the_same_proxy) {
  open();
  proxy.refused_text = "venue.example.com";
  proxy.refusal = "\x05\x04"s;
  open_tunnelled("ProxyType=socks\nSocketConnectHost1=second.example.com\nSocketConnectPort1=" +
                 std::to_string(acceptor->accept_port()) + "\n");
  ASSERT_TRUE(proxy_until([&] { return trader_log.has("it refuses: 4 (host unreachable)"); }))
      << trader_log.all();
  clock.advance(std::chrono::seconds{2});
  ASSERT_TRUE(proxy_until([&] { return trader.logons == 1; })) << trader_log.all();
  EXPECT_TRUE(trader_log.has("connected to second.example.com:")) << trader_log.all();
}

TEST_F(TunnelTest, silent_proxy_ends_with_the_connect_timeout) {
  open();
  proxy.is_silent = true;
  open_tunnelled("ProxyType=http\nSocketConnectTimeout=3\n");
  ASSERT_TRUE(proxy_until([&] { return !proxy.requests.empty() && !proxy.requests[0].empty(); }));
  EXPECT_EQ(lines_with("timed out"), 0);
  clock.advance(std::chrono::seconds{4});
  ASSERT_TRUE(proxy_until([&] {
    return trader_log.has("connect timed out, by way of 127.0.0.1:" + std::to_string(proxy.port()));
  })) << trader_log.all();
  proxy.is_silent = false;
  clock.advance(std::chrono::seconds{2});
  EXPECT_TRUE(proxy_until([&] { return trader.logons == 1; })) << trader_log.all();
}

TEST_F(TunnelTest, unreachable_proxy_is_logged_with_both_names) {
  open();
  std::uint16_t closed_port = 0;
  {
    const LittleProxy gone;
    closed_port = gone.port();
  }
  open_tunnelled("ProxyType=http\nProxyPort=" + std::to_string(closed_port) + "\n");
  EXPECT_TRUE(proxy_until([&] {
    return trader_log.has(" by way of 127.0.0.1:" + std::to_string(closed_port) +
                          ": Connection refused");
  })) << trader_log.all();
}

TEST_F(TunnelTest, password_repeated_by_the_proxy_is_not_logged) {
  open();
  // The log must not have "me:TopSecret" in Base64 either.
  proxy.refusal = "HTTP/1.1 407 bad TopSecret, bWU6VG9wU2VjcmV0\r\n\r\n";
  open_tunnelled("ProxyType=http\nProxyUser=me\nProxyPassword=TopSecret\n");
  ASSERT_TRUE(proxy_until([&] { return trader_log.has("it refuses: 407"); })) << trader_log.all();
  EXPECT_TRUE(proxy.requests[0].contains("Basic bWU6VG9wU2VjcmV0\r\n"));
  EXPECT_EQ(lines_with("TopSecret") + lines_with("bWU6VG9w"), 0) << trader_log.all();
}

TEST_F(TunnelTest, sessions_with_a_proxy_are_added_only_if_some_were_there_at_the_start) {
  open();
  open_trader(acceptor->accept_port());
  turn(1);
  std::string text = trader_config(1) + "ProxyType=http\nProxyHost=a\nProxyPort=1\n";
  text.replace(text.find("TRADER"), 6, "LATE");
  auto settings = config::parse_settings(text, "more.cfg");
  ASSERT_TRUE(settings);
  const auto added = initiator->add_sessions(std::move(*settings));
  ASSERT_FALSE(added);
  EXPECT_TRUE(added.error().what().contains("ProxyType, in an engine that had none at its start"));
}

}  // namespace
}  // namespace nexusfix::testing
