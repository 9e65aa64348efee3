// Connections are found by their sockets, for any socket ids.
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "engine/link/connections.hpp"

namespace nexusfix::engine {
namespace {

constexpr transport::SocketId kReuse = transport::SocketId{1} << 32U;  // another use of an index

std::unique_ptr<Connection> connection(transport::SocketId socket) {
  return std::make_unique<Connection>(socket, AcceptedFrom{}, kNever);
}

bool finds(const ConnectionTable& table, transport::SocketId socket) {
  const Connection* const found = table.find(socket);
  return found != nullptr && found->socket_id() == socket;
}

TEST(ConnectionTable, empty_table_finds_nothing) {
  LoopWork work;
  ConnectionTable table{work};
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_EQ(table.take(7), nullptr);
}

TEST(ConnectionTable, all_connections_are_found_while_the_table_grows) {
  LoopWork work;
  ConnectionTable table{work};
  for (transport::SocketId socket = 1; socket <= 1'000; ++socket) {
    table.add(connection(socket));
    for (transport::SocketId one = 1; one <= socket; one += 97) EXPECT_TRUE(finds(table, one));
    EXPECT_FALSE(finds(table, socket + 1));
  }
  EXPECT_EQ(table.size(), 1'000U);
}

TEST(ConnectionTable, ids_with_equal_low_bits_are_distinct) {
  LoopWork work;
  ConnectionTable table{work};
  const std::vector<transport::SocketId> alike{3, 3 + kReuse, 3 + 2 * kReuse, 3 + 1'024};
  for (const transport::SocketId socket : alike) table.add(connection(socket));
  for (const transport::SocketId socket : alike) EXPECT_TRUE(finds(table, socket)) << socket;
  EXPECT_EQ(table.find(3 + 4 * kReuse), nullptr);
}

TEST(ConnectionTable, removed_connection_is_gone_and_similar_ids_remain) {
  LoopWork work;
  ConnectionTable table{work};
  for (const transport::SocketId socket : {transport::SocketId{5}, 5 + kReuse, 5 + 2 * kReuse}) {
    table.add(connection(socket));
  }
  const auto taken = table.take(5 + 2 * kReuse);
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->socket_id(), 5 + 2 * kReuse);
  EXPECT_EQ(table.find(5 + 2 * kReuse), nullptr);
  EXPECT_TRUE(finds(table, 5));
  EXPECT_TRUE(finds(table, 5 + kReuse));
  EXPECT_NE(table.take(5), nullptr);
  EXPECT_TRUE(finds(table, 5 + kReuse));
  EXPECT_EQ(table.size(), 1U);
}

TEST(ConnectionTable, table_is_empty_after_take_all_and_accepts_others) {
  LoopWork work;
  ConnectionTable table{work};
  table.add(connection(1));
  table.add(connection(2));
  EXPECT_EQ(table.release_all().size(), 2U);
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.find(1), nullptr);
  table.add(connection(2));
  EXPECT_TRUE(finds(table, 2));
}

}  // namespace
}  // namespace nexusfix::engine
