// A seeded world: two or three nodes, their database and lease service, and counterparties, under
// faults; afterwards all faults end, and everything must settle.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/simulator/simulated_network.hpp>

#include "cluster_peer.hpp"
#include "node/cluster_node.hpp"

namespace nexusfix::simulator::cluster {

// Faults of the cluster. Each one may strike in a world, or not.
enum class ClusterFault : std::uint8_t {
  Kill,                 // a node's process ends, at once or in its next turn
  LosePower,            // so does its machine, and its counterparties are not notified
  Freeze,               // a node does not run, and its clock goes on
  FreezeInAsking,       // likewise, right after a request to the lease service
  CutDatabase,          // a node and the database do not hear each other
  CutLease,             // a node and the lease service do not hear each other
  CutAll,               // both
  DropDatabase,         // a node's connection to the database breaks
  FailOver,             // the primary ends, and its standby is promoted
  FreezeDatabase,       // the server does not run, and then does all that was asked meanwhile
  StallDatabase,        // no COMMIT ends, because the synchronous standby is away
  StopLeases,           // the lease service has no leader
  Drift,                // a node's clocks run too fast or too slow
  StepClock,            // a node's wall clock is set forwards or back
  DropSession,          // a connection to a counterparty breaks
  SilenceSession,       // or falls silent
  HandOver,             // an operator moves the log to another node
  LoseOwnerAndPrimary,  // at once, while the standby of the database lacks what was confirmed last
};
inline constexpr std::size_t kClusterFaults = 18;

struct ClusterOptions {
  std::uint64_t seed = 1;
  Bug bug = Bug::None;
  std::size_t trace_lines = 0;
  std::FILE* trace_stream = nullptr;
};

struct ClusterOutcome {
  std::optional<Violation> violation;
  std::array<std::uint64_t, kClusterFaults> faults{};
  std::uint64_t deliveries = 0;
  std::uint64_t take_overs = 0;
  std::uint64_t lost_confirmations = 0;  // COMMITs that were made, and their client heard nothing
  WorldTime duration{};
  WorldTime settled_in{};    // from the end of the faults on
  std::uint64_t digest = 0;  // of all events: equal runs have equal digests
  std::string trace;
};

[[nodiscard]] ClusterOutcome run_cluster(const ClusterOptions& options);

}  // namespace nexusfix::simulator::cluster
