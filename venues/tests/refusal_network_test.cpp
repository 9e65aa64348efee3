// The ports of a simulated venue, from the choice until the engine listens.
#include "venues/simulate/refusal_network.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <utility>

namespace nexusfix::venues {
namespace {

class RefusalNetworkTest : public ::testing::Test {
 protected:
  std::unique_ptr<transport::Network> system_ = std::move(*transport::make_epoll_network());
  RefusalNetwork network_{*system_};
};

TEST_F(RefusalNetworkTest, no_other_program_takes_a_port_before_the_engine_listens) {
  const auto ports = network_.open_ports("127.0.0.1", 3);
  ASSERT_TRUE(ports) << ports.error();
  EXPECT_EQ(std::set(ports->begin(), ports->end()).size(), 3U);
  const auto others = transport::make_epoll_network();
  for (const std::uint16_t port : *ports) {
    const auto taken = (*others)->listen({.host = "127.0.0.1", .port = port});
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().error_number, EADDRINUSE);
    EXPECT_TRUE(network_.could_listen({.host = "127.0.0.1", .port = port}));
    const auto socket = network_.listen({.host = "127.0.0.1", .port = port});
    ASSERT_TRUE(socket) << socket.error().text;
    EXPECT_EQ(network_.local_port(*socket), port);
    EXPECT_FALSE(network_.listen({.host = "127.0.0.1", .port = port}));
  }
}

}  // namespace
}  // namespace nexusfix::venues
