// Acceptor without an EventLoop: which connections wait for a Logon, and for how long.
#include <chrono>

#include "engine/link/listeners.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

using namespace std::chrono_literals;

class AcceptorComponent : public testing::FloorsTest {
 protected:
  [[nodiscard]] const Listener& listener() { return io().listeners.all().front(); }
};

TEST_F(AcceptorComponent, connection_waits_for_its_logon_until_logon_timeout) {
  extra = "LogonTimeout=7\nMaxLogonSize=900";
  open();
  const Connection& connection = *accept().connection;
  EXPECT_EQ(connection.state(), LinkState::AwaitingLogon);
  EXPECT_EQ(connection.deadline(), clock.now().mono + 7s);
  EXPECT_EQ(loop().timers.first_connection(), clock.now().mono + 7s);
  EXPECT_EQ(connection.accepted().logon_bytes_max, 900U);
  EXPECT_EQ(listener().pending->size(), 1U);
}

TEST_F(AcceptorComponent, address_that_no_session_allows_is_refused) {
  extra = "AllowedRemoteAddresses=10.9.8.7";
  open();
  const auto [connection, peer] = accept();
  EXPECT_EQ(connection, nullptr);
  EXPECT_TRUE(is_closed(peer));
  EXPECT_TRUE(log.has(EventId::AddressRefused)) << log.all();
  EXPECT_EQ(loop().stats.connections_refused.read(), 1U);
  EXPECT_EQ(listener().pending->size(), 0U);
}

TEST_F(AcceptorComponent, address_with_its_share_of_pending_logons_gets_no_more) {
  extra = "MaxPendingLogons=4";
  open();
  EXPECT_NE(accept().connection, nullptr);
  EXPECT_NE(accept().connection, nullptr);
  const auto third = accept();
  EXPECT_EQ(third.connection, nullptr);
  EXPECT_TRUE(is_closed(third.peer));
  EXPECT_EQ(listener().pending->size(), 2U);
  io().acceptor.check_refused();
  EXPECT_TRUE(log.has(EventId::PendingLogonsOfAddressFull)) << log.all();
}

TEST_F(AcceptorComponent, bound_connection_leaves_its_place_to_another) {
  extra = "MaxPendingLogons=2";
  open();
  EXPECT_NE(bind(entry()).connection, nullptr);
  EXPECT_NE(accept().connection, nullptr);
}

TEST_F(AcceptorComponent, stopping_loop_accepts_nothing) {
  open();
  loop().work.begin_stop();
  const auto [connection, peer] = accept();
  EXPECT_EQ(connection, nullptr);
  EXPECT_TRUE(is_closed(peer));
}

}  // namespace
}  // namespace nexusfix::engine
