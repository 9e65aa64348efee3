// Listeners without an EventLoop: which ports are open, for whom, and which errors name which key.
#include "engine/link/listeners.hpp"

#include <chrono>
#include <string>

#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

class ListenersComponent : public testing::FloorsTest {
 protected:
  [[nodiscard]] SessionSettings of(std::string_view keys) {
    return settings_of(session_text("TRADER", keys)).sessions.front();
  }
  [[nodiscard]] std::expected<std::size_t, EngineError> listen(std::string_view keys) {
    return io().listeners.listen_for(of(keys), "venue.cfg");
  }
};

TEST_F(ListenersComponent, sessions_of_a_port_share_it_with_the_widest_limits) {
  make_floors();
  EXPECT_EQ(io().listeners.accept_port(), 0U);
  EXPECT_EQ(listen("LogonTimeout=5\nMaxLogonSize=2000\nAllowedRemoteAddresses=10.0.0.7\n"), 0U);
  EXPECT_EQ(listen("LogonTimeout=9\nMaxLogonSize=1000\nAllowedRemoteAddresses=10.0.0.8\n"), 0U);
  EXPECT_EQ(listen("SocketAcceptPort=5002\n"), 1U);
  EXPECT_EQ(network.open_sockets(), 2U);
  EXPECT_EQ(io().listeners.accept_port(), kPort);
  const Listener& shared = io().listeners.all().front();
  EXPECT_EQ(shared.rules.logon_timeout, std::chrono::seconds{9});
  EXPECT_EQ(shared.rules.logon_bytes_max, 2000U);
  EXPECT_TRUE(io().listeners.is_address_allowed(shared, "10.0.0.7:1"));
  EXPECT_TRUE(io().listeners.is_address_allowed(shared, "10.0.0.8:1"));
  EXPECT_FALSE(io().listeners.is_address_allowed(shared, "10.0.0.9:1"));
}

TEST_F(ListenersComponent, error_names_the_key_and_the_line) {
  ASSERT_TRUE(far.listen({"", kPort}).has_value());
  make_floors();
  const auto refused = listen("");
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().text.starts_with("venue.cfg:6: SocketAcceptPort=5001: "))
      << refused.error().text;
}

TEST_F(ListenersComponent, proxies_of_a_port_do_not_differ_except_in_a_reload) {
  make_floors();
  ASSERT_TRUE(listen("").has_value());
  constexpr std::string_view kProxied = "UseTCPProxy=Y\nTrustedProxies=10.0.0.5\n";
  const auto refused = listen(kProxied);
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().text.contains("its UseTCPProxy differs")) << refused.error().text;
  const Listeners::ByFile by_file{io().listeners};
  EXPECT_TRUE(listen(kProxied).has_value());
}

TEST_F(ListenersComponent, unused_port_is_closed_unless_a_reload_keeps_it) {
  make_floors();
  ASSERT_EQ(listen(""), 0U);
  ASSERT_EQ(listen("SocketAcceptPort=5002\n"), 1U);
  ASSERT_EQ(listen("SocketAcceptPort=5003\n"), 2U);
  io().listeners.all()[2].keep();
  io().listeners.close_unused([](std::size_t listener) { return listener == 0; });
  EXPECT_TRUE(log.has(EventId::PortClosed, "port 5002 is closed")) << log.all();
  std::vector<transport::Endpoint> open_ports;
  io().listeners.append_accept_endpoints(open_ports);
  ASSERT_EQ(open_ports.size(), 2U);
  EXPECT_EQ(open_ports[0].port, kPort);
  EXPECT_EQ(open_ports[1].port, 5003U);
  EXPECT_EQ(listen("SocketAcceptPort=5002\n"), 1U) << "it is opened again";
  EXPECT_EQ(network.open_sockets(), 3U);
}

TEST_F(ListenersComponent, failed_reload_opens_a_displaced_port_again) {
  make_floors();
  ASSERT_EQ(listen("SocketAcceptAddress=0.0.0.0\n"), 0U);
  io().listeners.all()[0].set_leaving(true);
  ASSERT_EQ(listen(""), 1U) << "the old listener of the port is closed for it";
  EXPECT_EQ(io().listeners.all()[0].state, ListenerState::Displaced);
  io().listeners.close_unused([](std::size_t listener) { return listener == 0; });
  io().listeners.open_displaced();
  EXPECT_TRUE(io().listeners.all()[0].is_listening());
  EXPECT_EQ(network.open_sockets(), 1U);
}

}  // namespace
}  // namespace nexusfix::engine
