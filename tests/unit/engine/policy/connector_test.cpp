// Connector without an EventLoop: how an initiator's connection begins.
#include <chrono>
#include <string>

#include "engine/policy/policy.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

using namespace std::chrono_literals;

class ConnectorComponent : public testing::FloorsTest {
 protected:
  ConnectorComponent() { sessions_text = session_text("EXCHANGE", kInitiator); }

  void connect() { Connector{loop(), io(), sessions()}.connect(entry()); }
  // The network has finished the connect().
  void on_connected() {
    for (const transport::Ready& ready : events_of(network)) {
      if (ready.kind != transport::Ready::Kind::Connected) continue;
      Connector{loop(), io(), sessions()}.on_connected(*io().connections.find(ready.socket));
    }
  }
};

TEST_F(ConnectorComponent, connection_is_the_sessions_until_the_connect_timeout) {
  extra = "SocketConnectTimeout=3";
  open();
  internet.swallow(kPort, true);
  connect();
  const Connection* const connection = entry().connection();
  ASSERT_NE(connection, nullptr);
  EXPECT_TRUE(connection->is_connecting());
  EXPECT_EQ(connection->deadline(), clock.now().mono + 3s);
  EXPECT_EQ(loop().timers.first_connection(), clock.now().mono + 3s);
  EXPECT_EQ(entry().connect_policy.state(), ConnectPolicy::State::Connected);
}

TEST_F(ConnectorComponent, logon_is_sent_when_it_is_connected) {
  open();
  const auto listener = far.listen({"", kPort});
  ASSERT_TRUE(listener.has_value());
  connect();
  const auto accepted = events_of(far);
  ASSERT_EQ(accepted.size(), 1U);
  EXPECT_EQ(sent_to(accepted.front().accepted), "") << "it is not connected yet";
  on_connected();
  EXPECT_TRUE(log.has(EventId::Connected, "connected to 10.0.0.2:5001")) << log.all();
  EXPECT_TRUE(sent_to(accepted.front().accepted).contains("|35=A|34=1|"));
  EXPECT_EQ(entry().machine.state(), session::State::LogonSent);
}

TEST_F(ConnectorComponent, session_that_is_being_aborted_sends_no_logon) {
  open();
  ASSERT_TRUE(far.listen({"", kPort}).has_value());
  connect();
  abort_session(loop(), entry());
  on_connected();
  EXPECT_EQ(entry().machine.state(), session::State::Disconnected);
  EXPECT_TRUE(entry().connection()->is_connecting());
}

TEST_F(ConnectorComponent, failed_attempt_is_counted_and_waits_for_the_interval) {
  open();
  internet.limits.has_descriptors = false;
  connect();
  EXPECT_EQ(entry().connection(), nullptr);
  EXPECT_EQ(entry().counters->connect_failures.read(), 1U);
  EXPECT_TRUE(
      log.has(EventId::ConnectFailed, "connect 10.0.0.2:5001: Too many open files (1 failure"))
      << log.all();
  EXPECT_EQ(entry().connect_policy.connect_at(), clock.now().mono + 5s);
  connect();
  EXPECT_TRUE(log.has(EventId::ConnectFailed, "(2 failures in a row")) << log.all();
}

}  // namespace
}  // namespace nexusfix::engine
