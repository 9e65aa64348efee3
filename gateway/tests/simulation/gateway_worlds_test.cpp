// Nothing is lost or repeated between a venue, a gateway and its clients, whatever is killed, slow
// or cut off: docs/guide/gateway.md, "Nothing lost, nothing twice".
#include <gtest/gtest.h>

#include "simulation/gateway_world.hpp"

namespace nexusfix::gateway {
namespace {

TEST(GatewayWorlds, each_order_is_once_at_the_venue_and_each_report_once_at_the_client) {
  constexpr std::uint64_t kWorlds = 42;
  GatewayWorldResult sum;
  for (std::uint64_t seed = 1; seed <= kWorlds; ++seed) {
    const GatewayWorldOptions options = gateway_world_of(seed);
    const GatewayWorldResult result = run_gateway_world(options);
    ASSERT_EQ(result.violation, "") << "seed " << seed << ", faults " << to_string(options.faults);
    sum.orders += result.orders;
    sum.starts += result.starts;
    for (const ClientCounts& one : {result.trader, result.observer}) {
      sum.trader.attached += one.attached;
      sum.trader.killed += one.killed;
      sum.trader.too_slow += one.too_slow;
      sum.trader.refused += one.refused;
      sum.trader.from_journal += one.from_journal;
    }
  }
  // The worlds had what they are for.
  EXPECT_GT(sum.orders, kWorlds * 100);
  EXPECT_GT(sum.starts, kWorlds * 4);
  EXPECT_GT(sum.trader.attached, kWorlds * 4);
  EXPECT_GT(sum.trader.killed, kWorlds);
  EXPECT_GT(sum.trader.too_slow, kWorlds);
  EXPECT_GT(sum.trader.refused, kWorlds);
  EXPECT_GT(sum.trader.from_journal, kWorlds * 10);
}

}  // namespace
}  // namespace nexusfix::gateway
