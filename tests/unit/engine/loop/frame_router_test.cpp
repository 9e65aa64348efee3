// Received bytes on their way through the floors without an EventLoop: a FrameReader divides them,
// and a FrameRouter passes the messages on.
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "engine/loop/event_loop.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

using namespace std::chrono_literals;

class FrameRouterComponent : public testing::FloorsTest {
 protected:
  void open_router() {
    open();
    router.emplace(floors());
  }
  void TearDown() override { router.reset(); }
  [[nodiscard]] FrameReader& reader() { return io().reader; }
  void send(transport::SocketId peer, std::string_view bytes) {
    ASSERT_EQ(far.send(peer, bytes).bytes, bytes.size());
  }
  [[nodiscard]] std::string logon() { return message(entry(), "A", 1, "98=0|108=30|"); }
  [[nodiscard]] std::string order(std::uint64_t msg_seq_num) {
    return message(entry(), "D", msg_seq_num, "11=" + std::to_string(msg_seq_num) + "|");
  }

  std::optional<FrameRouter> router;
};

TEST_F(FrameRouterComponent, logon_in_two_pieces_divided_anywhere_is_one_logon) {
  open_router();
  const std::string whole = logon();
  for (std::size_t at = 1; at < whole.size(); ++at) {
    const auto [connection, peer] = accept();
    send(peer, std::string_view{whole}.substr(0, at));
    reader().on_readable(*connection, *router);
    EXPECT_EQ(connection->entry(), nullptr) << at;
    send(peer, std::string_view{whole}.substr(at));
    reader().on_readable(*connection, *router);
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

TEST_F(FrameRouterComponent, several_messages_of_one_receive_are_delivered_in_order) {
  open_router();
  const auto [connection, peer] = accept();
  send(peer, logon() + order(2) + order(3) + order(4).substr(0, 20));
  reader().on_readable(*connection, *router);
  EXPECT_EQ(venue.orders, (std::vector<std::string>{"2", "3"}));
  send(peer, order(4).substr(20));
  reader().on_readable(*connection, *router);
  EXPECT_EQ(venue.orders.size(), 3U);
}

TEST_F(FrameRouterComponent, first_bytes_that_are_no_fix_or_no_logon_close_the_connection) {
  extra = "MaxLogonSize=256";
  open_router();
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
    reader().on_readable(*connection, *router);
    EXPECT_TRUE(connection->is_dead()) << row.bytes;
    EXPECT_TRUE(log.has(row.id)) << log.all();
    pass(1min);
  }
}

TEST_F(FrameRouterComponent, message_above_the_throttle_waits_until_its_time) {
  extra = "ThrottleMessages=1\nThrottleInterval=2\nThrottleAction=Delay";
  open_router();
  const auto [connection, peer] = accept();
  send(peer, logon() + order(2) + order(3));
  reader().on_readable(*connection, *router);
  EXPECT_EQ(venue.orders, std::vector<std::string>{"2"});
  ASSERT_TRUE(connection->is_paused());
  EXPECT_EQ(connection->paused_until(), clock.now().mono + 2s);
  pass(2s);
  reader().resume(*connection, *router);
  EXPECT_EQ(venue.orders, (std::vector<std::string>{"2", "3"}));
  EXPECT_FALSE(connection->is_paused());
}

TEST_F(FrameRouterComponent, end_of_a_connection_delivers_what_the_throttle_held_back) {
  extra = "ThrottleMessages=1\nThrottleInterval=2\nThrottleAction=Delay";
  open_router();
  const auto [connection, peer] = accept();
  send(peer, logon() + order(2) + order(3) + order(4));
  reader().on_readable(*connection, *router);
  far.close(peer);
  reader().on_readable(*connection, *router);
  EXPECT_EQ(venue.orders, (std::vector<std::string>{"2", "3", "4"}));
  EXPECT_TRUE(connection->is_dead());
  EXPECT_EQ(venue.logouts, 1);
}

TEST_F(FrameRouterComponent, garbled_messages_are_ignored_until_there_are_too_many) {
  extra = "MaxAdminMessagesPerSecond=2";
  open_router();
  const auto [connection, peer] = accept();
  send(peer, logon());
  reader().on_readable(*connection, *router);
  std::string garbled = order(2);
  garbled[garbled.size() - 2] = garbled[garbled.size() - 2] == '0' ? '1' : '0';
  send(peer, garbled + order(2) + garbled);
  reader().on_readable(*connection, *router);
  EXPECT_EQ(venue.orders, std::vector<std::string>{"2"});
  EXPECT_EQ(entry().counters->garbled.read(), 2U);
  EXPECT_FALSE(connection->is_dead());
  send(peer, garbled);
  reader().on_readable(*connection, *router);
  EXPECT_TRUE(connection->is_dead());
  EXPECT_TRUE(log.has(EventId::GarbledFlood)) << log.all();
}

TEST_F(FrameRouterComponent, spinning_loop_receives_directly_until_it_must_ask_the_network) {
  open_router();
  EXPECT_EQ(reader().receive_directly(*router), FrameReader::Direct::NeedsWait)
      << "there is no connection";
  const auto [connection, peer] = accept();
  EXPECT_EQ(reader().only_connection(), connection);
  EXPECT_EQ(reader().receive_directly(*router), FrameReader::Direct::Nothing);
  send(peer, logon());
  EXPECT_EQ(reader().receive_directly(*router), FrameReader::Direct::Received);
  EXPECT_EQ(connection->entry(), &entry());
  std::size_t asked = 0;
  while (reader().receive_directly(*router) != FrameReader::Direct::NeedsWait) ++asked;
  EXPECT_LE(asked, kReceivesUnaskedMax);
  for (std::size_t i = 0; i < kAskedMax; ++i) EXPECT_NE(accept().connection, nullptr);
  EXPECT_EQ(reader().only_connection(), nullptr);
  EXPECT_EQ(reader().receive_directly(*router), FrameReader::Direct::NeedsWait)
      << "too many to ask each";
}

}  // namespace
}  // namespace nexusfix::engine
