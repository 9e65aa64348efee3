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

// The journal is older than what the client knows, as after a restored backup: a person decides.
TEST(GatewayWorlds, a_cursor_above_the_journal_ends_the_connection) {
  constexpr MessagePlace kHandled{1, 7};
  const GatewayWorldResult result =
      run_gateway_world({.seed = 1, .faults = {}, .cursor = kHandled});
  EXPECT_TRUE(result.violation.starts_with("client-closed: 8: ")) << result.violation;
}

// Without in-order=1 a number below that of the Welcome may be a refused one.
TEST(GatewayWorlds, a_refusal_that_is_not_read_is_not_taken_for_an_acceptance) {
  unsigned lost = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    GatewayWorldOptions options{
        .seed = seed, .faults = {simulator::Fault::Kill}, .is_limited = true};
    const GatewayWorldResult in_order = run_gateway_world(options);
    EXPECT_EQ(in_order.violation, "") << "seed " << seed;
    options.is_in_order = false;
    lost += run_gateway_world(options).violation.starts_with("order-lost") ? 1 : 0;
  }
  EXPECT_GT(lost, 0U);
}

}  // namespace
}  // namespace nexusfix::gateway
