// Whether the log in the database is the replica of a journal, which an earlier version made, and
// what it may lack of that.
#pragma once

#include <cstdint>
#include <string>

#include "cluster/postgres/server/connection.hpp"
#include "cluster/postgres/server/servers.hpp"

namespace nexusfix::store::postgres {

struct ReplicaState {
  bool is_replica = false;
  std::string mode;                 // of the last owner of the journal: "strict" or "available"
  std::uint64_t numbers_ahead = 0;  // that each session may have used, and the log lacks
  bool lacks_more = false;          // the log may lack more than these
  std::uint64_t first_number = 1;   // of a session that the log does not have
  std::uint64_t owner_first_epoch = 0;
  LogPosition position = 0;
  std::string owner;  // "process 4711 on host venue-1, since ..."
};

// The connection uses the schema, of the newest version.
[[nodiscard]] ServerResult<ReplicaState> read_replica_state(Connection& connection);

// What changes after the claim, while a thread writes on the owner's connection: on a connection of
// its own. NXF01: the log has another owner.
struct ReplicaChange {
  std::uint64_t owner_first_epoch = 0;
  std::uint64_t numbers_ahead = 0;
  std::uint64_t first_number = 1;  // it rises to this, and does not fall
};
// Records that the log lacks no more than these numbers. stop: as in Servers::connect().
[[nodiscard]] ServerResult<void> record_replica(Servers& servers, const PostgresOptions& options,
                                                int stop, const ReplicaChange& change);

}  // namespace nexusfix::store::postgres
