// A world with a venue, a gateway, a trader and an observer, and the checks at its end.
#pragma once

#include <cstdint>
#include <string>

#include <nexusfix/simulator.hpp>

#include "simulation/simulated_client.hpp"

namespace nexusfix::gateway {

struct GatewayWorldOptions {
  std::uint64_t seed = 1;
  simulator::FaultSet faults;
  bool is_in_order = true;  // the trader says in-order=1
  MessagePlace cursor{};    // that the trader begins with
  bool is_limited = false;  // OutboundMessages, with OutboundLimitRule=Refuse
  bool is_traced = false;   // to standard output
};

struct GatewayWorldResult {
  std::string violation{};  // empty: there is none
  std::uint64_t orders = 0;
  std::uint64_t starts = 0;  // of the two engines
  ClientCounts trader;
  ClientCounts observer;
};

// Runs one world to its end.
[[nodiscard]] GatewayWorldResult run_gateway_world(const GatewayWorldOptions& options);

// What a seed stands for: faults and limits by chance.
[[nodiscard]] GatewayWorldOptions gateway_world_of(std::uint64_t seed);

}  // namespace nexusfix::gateway
