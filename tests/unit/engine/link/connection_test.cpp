// How the engine makes connections, and which peers it accepts. The clock is manual.
#include <algorithm>

#include "unit/engine/support/initiator_fixture.hpp"

namespace nexusfix::testing {
namespace {

using namespace std::chrono_literals;

class ConnectionTest : public InitiatorTest {
 protected:
  // Runs turns until the trader's log has this number of connection attempts.
  bool tries(std::size_t times) {
    return turn_until([&] {
      return static_cast<std::size_t>(std::ranges::count_if(trader_log.lines, [](const auto& line) {
               return line.find("connect 127.0.0.1") != std::string::npos;
             })) >= times;
    });
  }
  void both_turn(int turns) {
    turn_until([&] { return turns-- == 0; });
  }
  [[nodiscard]] std::size_t connects() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(trader_log.lines, [](const std::string& line) {
          return line.find("connect 127.0.0.1") != std::string::npos;
        }));
  }
};

// A port on which no process listens.
std::uint16_t free_port() {
  const auto network = transport::make_epoll_network();
  const auto listener = (*network)->listen({"127.0.0.1", 0});
  return (*network)->local_port(*listener);
}

TEST_F(ConnectionTest, attempts_follow_the_intervals_of_the_list) {
  open();
  schedule = "NonStopSession=Y\nReconnectInterval=2;5";
  trader_jitter = 0;
  open_trader(free_port());
  ASSERT_TRUE(tries(1)) << trader_log.all();
  clock.advance(1900ms);
  both_turn(20);
  EXPECT_EQ(connects(), 1U);
  clock.advance(100ms);
  ASSERT_TRUE(tries(2));
  clock.advance(4900ms);
  both_turn(20);
  EXPECT_EQ(connects(), 2U);
  clock.advance(100ms);
  ASSERT_TRUE(tries(3));
  clock.advance(5s);
  ASSERT_TRUE(tries(4));
}

TEST_F(ConnectionTest, jitter_makes_an_interval_shorter_within_its_bounds) {
  open();
  schedule = "NonStopSession=Y\nReconnectInterval=1000";
  trader_jitter = 90;
  open_trader(free_port());
  for (std::size_t i = 1; i <= 5; ++i) {
    ASSERT_TRUE(tries(i));
    clock.advance(99s);
    both_turn(5);
    EXPECT_EQ(connects(), i);
    clock.advance(901s);
  }
}

TEST_F(ConnectionTest, priority_begins_with_the_first_address_after_a_lost_session) {
  open();
  const std::uint16_t closed_port = free_port();
  schedule =
      "NonStopSession=Y\nHostSelectionPolicy=PRIORITY\nSocketConnectHost1=127.0.0.1\n"
      "SocketConnectPort1=" +
      std::to_string(closed_port);
  open_trader(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return trader.logons == 1; })) << trader_log.all();
  acceptor->session(0).log_out();
  ASSERT_TRUE(turn_until([&] { return trader.logouts == 1; }));
  clock.advance(1s);
  ASSERT_TRUE(turn_until([&] { return trader.logons == 2; })) << trader_log.all();
  EXPECT_EQ(connects(), 0U) << trader_log.all();  // No connection was refused.
}

TEST_F(ConnectionTest, connection_uses_the_configured_source_address) {
  open();
  schedule = "NonStopSession=Y\nSocketConnectSourceHost=127.0.0.7";
  open_trader(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return trader.logons == 1; })) << trader_log.all();
  EXPECT_TRUE(log.has("connection from 127.0.0.7:")) << log.all();
}

TEST_F(ConnectionTest, source_address_of_another_machine_is_logged) {
  open();
  schedule = "NonStopSession=Y\nSocketConnectSourceHost=192.0.2.1";
  open_trader(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return trader_log.has("Cannot assign requested address"); }))
      << trader_log.all();
}

TEST_F(ConnectionTest, peer_that_is_not_allowed_is_closed_without_an_answer) {
  extra = "AllowedRemoteAddresses=127.0.0.7";
  open();
  RawPeer& peer = connect();
  peer.send(logon("TRADER", 1));
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_TRUE(peer.messages().empty());
  EXPECT_TRUE(log.has("closed: no session of this port is allowed from this address")) << log.all();
  EXPECT_EQ(acceptor->session(0).numbers(), (session::Numbers{1, 1}));
  schedule = "NonStopSession=Y\nSocketConnectSourceHost=127.0.0.7";
  open_trader(acceptor->accept_port());
  EXPECT_TRUE(turn_until([&] { return trader.logons == 1; })) << log.all();
}

TEST_F(ConnectionTest, each_session_allows_its_own_networks) {
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n"
      "AllowedRemoteAddresses=127.0.0.0/30\n"
      "[SESSION]\nBeginString=FIX.4.2\nSenderCompID=VENUE\nTargetCompID=OTHER\n"
      "AllowedRemoteAddresses=127.0.0.4/30, ::/0\n";
  open();
  log_on("TRADER");
  RawPeer& peer = connect();
  peer.send(logon("OTHER", 1));
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_TRUE(peer.messages().empty());
  EXPECT_TRUE(log.has("session FIX.4.2:VENUE->OTHER is not allowed from this address"));
}

TEST_F(ConnectionTest, session_of_another_listener_is_refused) {
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n"
      "[SESSION]\nBeginString=FIX.4.2\nSenderCompID=VENUE\nTargetCompID=OTHER\n"
      "SocketAcceptAddress=127.0.0.2\n";
  open();
  RawPeer& peer = connect();
  peer.send(logon("OTHER", 1));
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_TRUE(peer.messages().empty());
  log_on("TRADER");
}

TEST_F(ConnectionTest, counterparty_that_does_not_read_is_disconnected_at_its_limit) {
  extra = "MaxQueuedBytes=65536";
  open();
  static_cast<void>(log_on("TRADER"));
  // More bytes than the kernel's buffers hold.
  for (int i = 0; i < 40; ++i) EchoVenue::send_text(acceptor->session(0), 500'000);
  acceptor->poll(0ns);
  EXPECT_TRUE(log.has(observe::Severity::Warning, "slow consumer: ")) << log.all();
  expect_still_serving();
}

}  // namespace
}  // namespace nexusfix::testing
