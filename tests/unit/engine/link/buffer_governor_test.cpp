// BufferGovernor without an EventLoop: who loses its buffers when all together have too many bytes.
#include "engine/link/buffer_governor.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

using namespace std::chrono_literals;

class BufferGovernorComponent : public testing::FloorsTest {
 protected:
  static constexpr std::size_t kBytesMax = 100'000;

  BufferGovernorComponent() {
    dependencies.shared.budget = std::make_shared<BufferBudget>(kBytesMax);
  }

  [[nodiscard]] BufferBudget& budget() { return *loop().shared.budget; }
  [[nodiscard]] bool push(Connection& connection, std::size_t bytes) {
    return io().buffers.push(connection, connection.outbound(), std::string(bytes, 'x'));
  }
};

TEST_F(BufferGovernorComponent, largest_connection_makes_room_for_a_smaller_one) {
  open();
  Connection& large = *accept().connection;
  const auto small = accept();
  ASSERT_TRUE(io().buffers.carry(large, std::string(60'000, 'x')));
  EXPECT_TRUE(push(*small.connection, 50'000));
  EXPECT_TRUE(large.is_dead());
  EXPECT_TRUE(log.has(EventId::BufferLimitReached, "the most of all")) << log.all();
  EXPECT_EQ(small.connection->outbound().size(), 50'000U);
}

TEST_F(BufferGovernorComponent, no_more_connections_are_disconnected_than_room_is_needed_for) {
  dependencies.shared.budget = std::make_shared<BufferBudget>(8'000);
  open();
  std::vector<Connection*> waiting;
  for (int i = 0; i < 5; ++i) {
    waiting.push_back(accept().connection);
    ASSERT_TRUE(io().buffers.carry(*waiting.back(), std::string(1'500, 'x')));
  }
  EXPECT_TRUE(push(*bind(entry()).connection, 1'400));
  EXPECT_EQ(std::ranges::count_if(waiting, &Connection::is_dead), 1);
}

TEST_F(BufferGovernorComponent, connection_that_would_have_most_is_disconnected_itself) {
  open();
  Connection& other = *accept().connection;
  const auto greedy = accept();
  ASSERT_TRUE(io().buffers.carry(other, std::string(30'000, 'x')));
  EXPECT_FALSE(push(*greedy.connection, 80'000));
  EXPECT_TRUE(greedy.connection->is_dead());
  EXPECT_TRUE(is_closed(greedy.peer));
  EXPECT_FALSE(other.is_dead());
}

TEST_F(BufferGovernorComponent, session_is_aborted_with_the_reason_and_gets_no_more) {
  open();
  const auto [connection, peer] = bind(entry());
  EXPECT_FALSE(push(*connection, kBytesMax + 1));
  EXPECT_TRUE(entry().abort.is_pending());
  EXPECT_TRUE(entry().abort.reason().contains("(MaxBufferedBytes)")) << entry().abort.reason();
  EXPECT_FALSE(push(*connection, 10)) << "it is disconnected at the end of the turn";
  EXPECT_EQ(budget().used(), 0U);
}

TEST_F(BufferGovernorComponent, all_bytes_up_to_the_limit_fit) {
  open();
  const auto [connection, peer] = bind(entry());
  EXPECT_TRUE(push(*connection, kBytesMax));
  EXPECT_EQ(budget().used(), kBytesMax);
  EXPECT_FALSE(entry().abort.is_pending());
}

TEST_F(BufferGovernorComponent, empty_large_storage_is_released_at_most_once_a_second) {
  open();
  EXPECT_TRUE(io().buffers.check());
  const auto [connection, peer] = bind(entry());
  ASSERT_TRUE(push(*connection, 80'000));
  connection->outbound().take(80'000);
  pass(999ms);
  EXPECT_FALSE(io().buffers.check());
  EXPECT_EQ(budget().used(), 80'000U);
  pass(1ms);
  EXPECT_TRUE(io().buffers.check());
  EXPECT_EQ(budget().used(), 0U);
}

}  // namespace
}  // namespace nexusfix::engine
