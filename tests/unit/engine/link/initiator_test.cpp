// An initiator and our own acceptor, both driven by this thread.
#include <algorithm>
#include <filesystem>

#include "unit/engine/support/initiator_fixture.hpp"

namespace nexusfix::testing {
namespace {

TEST_F(InitiatorTest, orders_sent_at_logon_are_answered_and_numbers_agree) {
  open();
  trader.orders_at_logon = 100;
  open_trader(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return trader.reports.size() == 100; })) << trader_log.all();
  EXPECT_TRUE(numbers_agree());
  EXPECT_EQ(trader.logons, 1);
}

TEST_F(InitiatorTest, run_ends_after_the_only_session_logged_out) {
  open();
  trader.orders_at_logon = 1;
  trader.log_out_after_report = true;
  open_trader(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return !running; })) << trader_log.all();
  EXPECT_EQ(trader.logouts, 1);
  EXPECT_EQ(venue.logouts, 1);
  EXPECT_TRUE(numbers_agree());
}

TEST_F(InitiatorTest, log_on_after_log_out_continues_the_numbers) {
  open();
  trader.orders_at_logon = 1;
  open_trader(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return trader.reports.size() == 1; }));
  initiator->session(0).log_out();
  ASSERT_TRUE(turn_until([&] { return !running; }));
  const auto before = initiator->session(0).numbers();
  initiator->session(0).log_on();
  ASSERT_TRUE(turn_until([&] { return trader.reports.size() == 2; })) << trader_log.all();
  EXPECT_EQ(initiator->session(0).numbers().next_outbound, before.next_outbound + 2);
  EXPECT_TRUE(numbers_agree());
}

TEST_F(InitiatorTest, stop_logs_out_and_does_not_connect_again) {
  open();
  open_trader(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return trader.logons == 1; }));
  initiator->stop();
  ASSERT_TRUE(turn_until([&] { return !running; })) << trader_log.all();
  clock.advance(std::chrono::seconds{2});
  EXPECT_FALSE(initiator->poll(std::chrono::nanoseconds{0}));
  turn_until([&, turns = 50]() mutable { return turns-- == 0; });
  EXPECT_EQ(trader.logons, 1);
  EXPECT_EQ(venue.logouts, 1);
}

TEST_F(InitiatorTest, initiator_that_lost_its_store_stops_and_logs_it) {
  // The acceptor's Logout has the text "MsgSeqNum too low": another connection would only use up
  // numbers.
  open();
  trader.orders_at_logon = 10;
  open_trader(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return trader.reports.size() == 10; }));
  initiator.reset();
  ASSERT_TRUE(run_until([&] { return venue.logouts == 1; }));
  std::filesystem::remove_all(trader_folder.path() + "/store");
  open_trader(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return !running; })) << trader_log.all();
  clock.advance(std::chrono::seconds{5});
  turn_until([&, turns = 50]() mutable { return turns-- == 0; });
  EXPECT_EQ(trader.logons, 1);
  EXPECT_TRUE(trader_log.has("not connecting again")) << trader_log.all();
}

TEST_F(InitiatorTest, stop_ends_connection_attempts) {
  open();
  const std::uint16_t port = acceptor->accept_port();
  acceptor.reset();
  open_trader(port);
  const auto refusals = [&] {
    return std::count_if(trader_log.lines.begin(), trader_log.lines.end(), [](const auto& line) {
      return line.find("refused") != std::string::npos;
    });
  };
  for (int turn = 0; turn < 5'000 && refusals() == 0; ++turn) {
    initiator->poll(std::chrono::milliseconds{1});
  }
  initiator->stop();
  int turns = 0;
  // The disk thread may still run.
  while (initiator->poll(std::chrono::milliseconds{1}) && turns < 5'000) ++turns;
  clock.advance(std::chrono::seconds{2});
  for (int turn = 0; turn < 50; ++turn) {
    EXPECT_FALSE(initiator->poll(std::chrono::nanoseconds{0}));
  }
  EXPECT_EQ(refusals(), 1);
}

TEST_F(InitiatorTest, absent_acceptor_is_tried_again_at_the_interval) {
  open();
  const std::uint16_t port = acceptor->accept_port();
  acceptor.reset();
  open_trader(port);
  for (int turn = 0; turn < 5'000 && !trader_log.has("refused"); ++turn) {
    initiator->poll(std::chrono::milliseconds{1});
  }
  EXPECT_TRUE(trader_log.has("refused")) << trader_log.all();
  const auto counted = initiator->statistics().sessions.front();
  EXPECT_EQ(counted.connect_failures, 1U);
  EXPECT_EQ(counted.disconnects, 0U);
  under_test(config(port), "venue.cfg").open(acceptor, venue);
  clock.advance(std::chrono::seconds{2});
  EXPECT_TRUE(turn_until([&] { return trader.logons == 1; })) << trader_log.all();
}

TEST_F(InitiatorTest, log_out_while_connecting_aborts_the_connection) {
  open();
  open_trader(acceptor->accept_port());
  initiator->poll(std::chrono::nanoseconds{0});  // Begins to connect.
  initiator->session(0).log_out();
  EXPECT_TRUE(trader_log.has(EventId::ConnectAborted)) << trader_log.all();
  ASSERT_TRUE(turn_until([&] { return !running; })) << trader_log.all();
  EXPECT_EQ(trader.logons, 0);
}

TEST_F(InitiatorTest, both_sides_agree_after_the_acceptor_died_in_mid_stream) {
  constexpr std::size_t kOrders = 5'000;  // more than one read takes
  open();
  trader.orders_at_logon = kOrders;
  open_trader(acceptor->accept_port());
  const std::uint16_t port = acceptor->accept_port();
  ASSERT_TRUE(turn_until([&] { return venue.orders.size() >= 1'000; }));
  ASSERT_LT(venue.orders.size(), kOrders);
  acceptor.reset();
  ASSERT_TRUE([&] {
    for (int turn = 0; turn < 5'000 && trader.logouts == 0; ++turn) {
      initiator->poll(std::chrono::milliseconds{1});
    }
    return trader.logouts == 1;
  }());
  trader.orders_at_logon = 0;
  under_test(config(port), "venue.cfg").open(acceptor, venue);
  turn_until([&, turns = 50]() mutable { return turns-- == 0; });
  EXPECT_EQ(trader.logons, 1) << "ReconnectInterval is not over yet";
  clock.advance(std::chrono::seconds{2});
  ASSERT_TRUE(turn_until([&] { return trader.reports.size() == kOrders && numbers_agree(); }))
      << trader_log.all() << log.all() << trader.reports.size();
  EXPECT_EQ(trader.logons, 2);
  EXPECT_EQ(venue.orders.size(), kOrders);
}

TEST_F(InitiatorTest, sent_messages_are_recovered_after_a_restart) {
  open();
  trader.orders_at_logon = 3;
  open_trader(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return trader.reports.size() == 3; }));
  initiator.reset();
  open_trader(acceptor->accept_port());
  EXPECT_EQ(trader.recovered, (std::vector<std::string>{"A0", "A1", "A2"}));
}

TEST_F(InitiatorTest, engine_serves_on_its_own_thread_until_stop) {
  open();
  acceptor->start();
  trader.orders_at_logon = 10;
  open_trader(acceptor->accept_port());
  for (int turn = 0; turn < 5'000 && trader.reports.size() < 10; ++turn) {
    initiator->poll(std::chrono::milliseconds{1});
  }
  EXPECT_EQ(trader.reports.size(), 10U);
  initiator->session(0).log_out();
  while (initiator->poll(std::chrono::milliseconds{1})) {
  }
  acceptor->stop();
  EXPECT_EQ(acceptor->join(), 0);
}

}  // namespace
}  // namespace nexusfix::testing
