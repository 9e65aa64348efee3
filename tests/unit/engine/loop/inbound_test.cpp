// Inbound without an EventLoop: bytes become messages, however they are divided.
#include "engine/loop/inbound.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "engine/loop/direct_receive.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

using namespace std::chrono_literals;

class InboundComponent : public testing::FloorsTest {
 protected:
  void open_inbound() {
    open();
    inbound.emplace(loop(), floors());
  }
  void TearDown() override { inbound.reset(); }
  void send(transport::SocketId peer, std::string_view bytes) {
    ASSERT_EQ(far.send(peer, bytes).bytes, bytes.size());
  }
  [[nodiscard]] std::string logon() { return message(entry(), "A", 1, "98=0|108=30|"); }
  [[nodiscard]] std::string order(std::uint64_t msg_seq_num) {
    return message(entry(), "D", msg_seq_num, "11=" + std::to_string(msg_seq_num) + "|");
  }

  std::optional<Inbound> inbound;
};

TEST_F(InboundComponent, logon_in_two_pieces_divided_anywhere_is_one_logon) {
  open_inbound();
  const std::string whole = logon();
  for (std::size_t at = 1; at < whole.size(); ++at) {
    const auto [connection, peer] = accept();
    send(peer, std::string_view{whole}.substr(0, at));
    inbound->on_readable(*connection);
    EXPECT_EQ(connection->entry(), nullptr) << at;
    send(peer, std::string_view{whole}.substr(at));
    inbound->on_readable(*connection);
    ASSERT_EQ(connection->entry(), &entry()) << at << log.all();
    EXPECT_EQ(entry().machine.state(), session::State::LoggedOn) << at;
    sessions().disconnector.close(*connection);
    io().connections.destroy_closed();
    sessions().transactor.record().reset(entry().stored.key());
    sessions().transactor.append_record();
    entry().machine.set_sequence_numbers({.next_inbound = 1, .next_outbound = 1});
    entry().progress.set_next_inbound(1);
  }
}

TEST_F(InboundComponent, several_messages_of_one_receive_are_delivered_in_order) {
  open_inbound();
  const auto [connection, peer] = accept();
  send(peer, logon() + order(2) + order(3) + order(4).substr(0, 20));
  inbound->on_readable(*connection);
  EXPECT_EQ(venue.orders, (std::vector<std::string>{"2", "3"}));
  send(peer, order(4).substr(20));
  inbound->on_readable(*connection);
  EXPECT_EQ(venue.orders.size(), 3U);
}

TEST_F(InboundComponent, first_bytes_that_are_no_fix_or_no_logon_close_the_connection) {
  extra = "MaxLogonSize=256";
  open_inbound();
  struct Row {
    std::string bytes;
    EventId id;
  };
  for (const Row& row : {Row{"GET / HTTP/1.1\r\n\r\n", EventId::NotFix},
                         Row{order(1), EventId::FirstMessageNotLogon},
                         Row{message(entry(), "A", 1, "58=" + std::string(256, 'x') + "|"),
                             EventId::LogonTooLong}}) {
    log.clear();
    const auto [connection, peer] = accept();
    send(peer, row.bytes);
    inbound->on_readable(*connection);
    EXPECT_TRUE(connection->is_dead()) << row.bytes;
    EXPECT_TRUE(log.has(row.id)) << log.all();
    pass(1min);
  }
}

TEST_F(InboundComponent, message_above_the_throttle_waits_until_its_time) {
  extra = "ThrottleMessages=1\nThrottleInterval=2\nThrottleAction=Delay";
  open_inbound();
  const auto [connection, peer] = accept();
  send(peer, logon() + order(2) + order(3));
  inbound->on_readable(*connection);
  EXPECT_EQ(venue.orders, std::vector<std::string>{"2"});
  ASSERT_TRUE(connection->is_paused());
  EXPECT_EQ(connection->paused_until(), clock.now().mono + 2s);
  pass(2s);
  inbound->resume(*connection);
  EXPECT_EQ(venue.orders, (std::vector<std::string>{"2", "3"}));
  EXPECT_FALSE(connection->is_paused());
}

TEST_F(InboundComponent, end_of_a_connection_delivers_what_the_throttle_held_back) {
  extra = "ThrottleMessages=1\nThrottleInterval=2\nThrottleAction=Delay";
  open_inbound();
  const auto [connection, peer] = accept();
  send(peer, logon() + order(2) + order(3) + order(4));
  inbound->on_readable(*connection);
  far.close(peer);
  inbound->on_readable(*connection);
  EXPECT_EQ(venue.orders, (std::vector<std::string>{"2", "3", "4"}));
  EXPECT_TRUE(connection->is_dead());
  EXPECT_EQ(venue.logouts, 1);
}

TEST_F(InboundComponent, garbled_messages_are_ignored_until_there_are_too_many) {
  extra = "MaxAdminMessagesPerSecond=2";
  open_inbound();
  const auto [connection, peer] = accept();
  send(peer, logon());
  inbound->on_readable(*connection);
  std::string garbled = order(2);
  garbled[garbled.size() - 2] = garbled[garbled.size() - 2] == '0' ? '1' : '0';
  send(peer, garbled + order(2) + garbled);
  inbound->on_readable(*connection);
  EXPECT_EQ(venue.orders, std::vector<std::string>{"2"});
  EXPECT_EQ(entry().counters->garbled.read(), 2U);
  EXPECT_FALSE(connection->is_dead());
  send(peer, garbled);
  inbound->on_readable(*connection);
  EXPECT_TRUE(connection->is_dead());
  EXPECT_TRUE(log.has(EventId::GarbledFlood)) << log.all();
}

TEST_F(InboundComponent, spinning_loop_receives_directly_until_it_must_ask_the_network) {
  open_inbound();
  EXPECT_EQ(inbound->receive_directly(), Inbound::Direct::NeedsWait) << "there is no connection";
  const auto [connection, peer] = accept();
  EXPECT_EQ(inbound->only_connection(), connection);
  EXPECT_EQ(inbound->receive_directly(), Inbound::Direct::Nothing);
  send(peer, logon());
  EXPECT_EQ(inbound->receive_directly(), Inbound::Direct::Received);
  EXPECT_EQ(connection->entry(), &entry());
  std::size_t asked = 0;
  while (inbound->receive_directly() != Inbound::Direct::NeedsWait) ++asked;
  EXPECT_LE(asked, kReceivesUnaskedMax);
  for (std::size_t i = 0; i < kAskedMax; ++i) EXPECT_NE(accept().connection, nullptr);
  EXPECT_EQ(inbound->only_connection(), nullptr);
  EXPECT_EQ(inbound->receive_directly(), Inbound::Direct::NeedsWait) << "too many to ask each";
}

}  // namespace
}  // namespace nexusfix::engine
