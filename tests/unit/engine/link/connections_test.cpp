// Connections without an EventLoop: what leaves, what waits, and how a connection ends.
#include "engine/link/connections.hpp"

#include <chrono>

#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

using namespace std::chrono_literals;

class ConnectionsComponent : public testing::FloorsTest {
 protected:
  ConnectionsComponent() { extra = "SlowConsumerTimeout=20\nMaxQueuedBytes=100000"; }

  // Bytes that wait for the record at this position.
  void queue(Connection& connection, std::string_view bytes, store::LogPosition record = 0) {
    connection.outbound().push(bytes);
    connection.wait_for(record);
    io().connections.mark_unsent(connection);
  }
};

TEST_F(ConnectionsComponent, bytes_leave_when_their_record_is_durable_and_not_before) {
  open();
  const auto [connection, peer] = bind(entry());
  queue(*connection, "an order", 8);
  io().connections.send_unsent(7);
  EXPECT_EQ(received_by(peer), "");
  EXPECT_TRUE(io().connections.has_unsent());
  io().connections.send_unsent(8);
  EXPECT_EQ(received_by(peer), "an order");
  EXPECT_FALSE(io().connections.has_unsent());
}

TEST_F(ConnectionsComponent, each_of_several_connections_waits_for_its_own_record) {
  open();
  const auto [first, first_peer] = bind(entry(0));
  const auto [second, second_peer] = bind(entry(1));
  queue(*first, "late", 9);
  queue(*second, "early", 3);
  io().connections.send_unsent(5);
  EXPECT_EQ(received_by(first_peer), "");
  EXPECT_EQ(received_by(second_peer), "early");
  io().connections.send_unsent(9);
  EXPECT_EQ(received_by(first_peer), "late");
}

TEST_F(ConnectionsComponent, blocked_socket_gets_the_rest_when_it_is_writable) {
  open();
  const auto [connection, peer] = bind(entry());
  internet.limits.send_bytes_max = 0;
  queue(*connection, "an order");
  io().connections.send_unsent(0);
  EXPECT_TRUE(connection->is_blocked());
  EXPECT_EQ(connection->takes_by(), clock.now().mono + 20s) << "SlowConsumerTimeout";
  EXPECT_LE(loop().time.first_timer(), clock.now().mono + 20s);
  internet.limits.send_bytes_max = 3;
  connection->set_blocked(false);
  io().connections.mark_unsent(*connection);
  io().connections.send_unsent(0);
  EXPECT_EQ(received_by(peer), "an order");
  EXPECT_EQ(connection->takes_by(), kNever);
}

TEST_F(ConnectionsComponent, more_than_max_queued_bytes_end_a_slow_consumer) {
  open();
  const auto [connection, peer] = bind(entry());
  internet.limits.send_bytes_max = 0;
  queue(*connection, std::string(100'000, 'x'));
  io().connections.send_unsent(0);
  EXPECT_FALSE(connection->has_ended());
  queue(*connection, "x");
  io().connections.send_unsent(0);
  ASSERT_EQ(io().connections.next_ended(), connection);
  EXPECT_EQ(connection->end_event(), EventId::SlowConsumerQueueFull);
  EXPECT_EQ(connection->close_reason(), "slow consumer: 100001 bytes wait for it");
}

TEST_F(ConnectionsComponent, failed_send_ends_its_connection_and_no_other) {
  open();
  const auto [first, first_peer] = bind(entry(0));
  const auto [second, second_peer] = bind(entry(1));
  far.break_connection(first_peer, ECONNRESET);
  queue(*first, "lost");
  queue(*second, "kept");
  io().connections.send_unsent(0);
  EXPECT_EQ(received_by(second_peer), "kept");
  ASSERT_EQ(io().connections.next_ended(), first);
  EXPECT_EQ(first->end_event(), EventId::ConnectionLost);
  EXPECT_EQ(io().connections.next_ended(), nullptr);
}

TEST_F(ConnectionsComponent, bytes_whose_record_is_not_durable_wait_and_others_are_sent) {
  open();
  const auto [first, first_peer] = bind(entry(0));
  const auto [second, second_peer] = bind(entry(1));
  queue(*first, "durable", 8);
  queue(*second, "waits", 9);
  io().connections.send_unsent(8);
  EXPECT_EQ(received_by(first_peer), "durable");
  EXPECT_EQ(received_by(second_peer), "");
  EXPECT_TRUE(io().connections.has_unsent());
  io().connections.send_unsent(9);
  EXPECT_EQ(received_by(second_peer), "waits");
  EXPECT_FALSE(io().connections.has_unsent());
}

TEST_F(ConnectionsComponent, connection_ends_once_and_keeps_its_first_reason) {
  open();
  const auto [connection, peer] = bind(entry());
  io().connections.end(*connection, EventId::ConnectionLost, "it broke");
  io().connections.end(*connection, EventId::ConnectionClosed, "again");
  EXPECT_EQ(io().connections.next_ended(), connection);
  EXPECT_EQ(connection->end_event(), EventId::ConnectionLost);
  EXPECT_EQ(connection->close_reason(), "it broke");
  EXPECT_FALSE(io().connections.has_ended());
  queue(*connection, "no more");
  io().connections.send_unsent(0);
  EXPECT_EQ(received_by(peer), "") << "nothing is sent after the end";
}

TEST_F(ConnectionsComponent, connection_that_closes_soon_sends_its_last_bytes_first) {
  open();
  const auto [connection, peer] = bind(entry());
  queue(*connection, "a Logout", 4);
  io().connections.close_soon(*connection);
  EXPECT_EQ(connection->deadline(), clock.now().mono + 2s);
  io().connections.send_unsent(3);
  EXPECT_EQ(io().connections.next_ended(), nullptr) << "its record is not durable";
  io().connections.send_unsent(4);
  EXPECT_EQ(received_by(peer), "a Logout");
  EXPECT_EQ(io().connections.next_ended(), connection);
  EXPECT_EQ(connection->end_event(), EventId::ConnectionClosed);
}

TEST_F(ConnectionsComponent, refused_connection_is_reported_counted_and_closed) {
  open();
  const auto [connection, peer] = accept();
  const transport::SocketId socket = connection->socket_id();
  io().connections.refuse(*connection, EventId::NotFix, "this is HTTP");
  EXPECT_TRUE(log.has(EventId::NotFix, "this is HTTP")) << log.all();
  EXPECT_EQ(loop().stats.connections_refused.read(), 1U);
  EXPECT_EQ(io().connections.find(socket), nullptr);
  EXPECT_TRUE(connection->is_dead());
  EXPECT_TRUE(is_closed(peer));
  EXPECT_FALSE(io().connections.cut(*connection)) << "it has ended already";
  io().connections.destroy_closed();
}

TEST_F(ConnectionsComponent, stalled_store_ends_only_connections_whose_bytes_wait_for_it) {
  open();
  const auto [waiting, waiting_peer] = bind(entry(0));
  const auto [idle, idle_peer] = bind(entry(1));
  queue(*waiting, "an order", 9);
  idle->wait_for(9);
  io().connections.end_stalled(8);
  EXPECT_EQ(io().connections.next_ended(), waiting);
  EXPECT_EQ(io().connections.next_ended(), nullptr) << "nothing of it waits";
  EXPECT_TRUE(log.has(EventId::StoreStalled, "1 connections")) << log.all();
}

TEST_F(ConnectionsComponent, event_without_memory_closes_a_new_socket_and_aborts_a_session) {
  open();
  EXPECT_TRUE(far.connect({"10.0.0.1", kPort}).has_value());
  const auto events = events_of(network);
  ASSERT_EQ(events.size(), 1U);
  const std::size_t sockets = network.open_sockets();
  io().connections.abort(events.front());
  EXPECT_EQ(network.open_sockets(), sockets - 1);
  const auto [connection, peer] = bind(entry());
  io().connections.abort(*connection);
  EXPECT_TRUE(entry().abort.is_pending());
  EXPECT_TRUE(loop().work.has(Work::Aborted));
  EXPECT_FALSE(connection->is_dead()) << "it ends at the end of the turn";
}

TEST(ConnectionList, grows_and_leaves_out_dead_connections) {
  ConnectionList list;
  Connection dead{1, AcceptedFrom{}, kNever};
  Connection first{2, AcceptedFrom{}, kNever};
  Connection last{3, AcceptedFrom{}, kNever};
  for (Connection* const one : {&first, &dead, &last}) list.add(*one);
  dead.end();
  list.drop_dead();
  EXPECT_EQ(list.size(), 2U);
  EXPECT_EQ(&list.remove_last(), &last);
  EXPECT_EQ(&list.remove_last(), &first);
  EXPECT_TRUE(list.empty());
}

TEST(ConnectionList, keeps_those_that_were_added_after_the_first_ones) {
  ConnectionList list;
  Connection sent{1, AcceptedFrom{}, kNever};
  Connection waits{2, AcceptedFrom{}, kNever};
  Connection waits_too{3, AcceptedFrom{}, kNever};
  for (Connection* const one : {&sent, &waits, &waits_too}) list.add(*one);
  list.remove_first(1);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(&list[0], &waits);
  EXPECT_EQ(&list[1], &waits_too);
  list.remove_first(2);
  EXPECT_TRUE(list.empty());
}

}  // namespace
}  // namespace nexusfix::engine
