// Runs worlds of the gateway by hand: gateway_worlds SEEDS [FIRST], or gateway_worlds trace SEED.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "simulation/gateway_world.hpp"

int main(int argc, char** argv) {
  using namespace nexusfix::gateway;
  if (argc < 2) return 2;
  const bool traces = argc == 3 && std::string_view{argv[1]} == "trace";
  const std::uint64_t count = traces ? 1 : std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t first = argc == 3 ? std::strtoull(argv[2], nullptr, 10) : 1;
  GatewayWorldResult sum;
  std::uint64_t failures = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    GatewayWorldOptions options = gateway_world_of(seed);
    options.is_traced = traces;
    const GatewayWorldResult result = run_gateway_world(options);
    sum.orders += result.orders;
    sum.starts += result.starts;
    sum.trader.attached += result.trader.attached + result.observer.attached;
    sum.trader.killed += result.trader.killed + result.observer.killed;
    sum.trader.too_slow += result.trader.too_slow + result.observer.too_slow;
    sum.trader.refused += result.trader.refused;
    sum.trader.from_journal += result.trader.from_journal + result.observer.from_journal;
    if (result.violation.empty()) continue;
    ++failures;
    std::printf("seed %lu, faults %s: %s\n", seed, to_string(options.faults).c_str(),
                result.violation.c_str());
    std::fflush(stdout);
  }
  std::printf(
      "%lu worlds, %lu failures; %lu orders, %lu starts; clients: %lu attached, %lu killed, "
      "%lu too slow, %lu refusals, %lu messages from the journal\n",
      count, failures, sum.orders, sum.starts, sum.trader.attached, sum.trader.killed,
      sum.trader.too_slow, sum.trader.refused, sum.trader.from_journal);
  return failures == 0 ? 0 : 1;
}
