// How a log is taken over when it is opened: found, compared with the marker on this machine,
// claimed, read; and how a standby waits until it can be.
#pragma once

#include <optional>
#include <string>

#include "cluster/postgres/lagging_rows.hpp"
#include "cluster/postgres/position_marker.hpp"
#include "cluster/postgres/server/connection.hpp"
#include "cluster/postgres/server/lineage.hpp"
#include "cluster/postgres/server/replica_state.hpp"
#include "cluster/postgres/server/server_facts.hpp"
#include "cluster/postgres/server/servers.hpp"
#include "cluster/postgres/server/statements.hpp"
#include "store/api/session_table.hpp"

namespace nexusfix::store::postgres {

// The log, locked and claimed by this process.
struct Taken {
  Connection connection;
  ServerFacts facts;
  Claim claim;
  std::string claim_name;
  std::optional<Loss> loss;
  ReplicaState replica;          // as it was before the claim
  bool sees_standby = true;      // StandbyPolicy::Strict: what the standby has acknowledged
  bool was_standby = false;      // it waited for another process
  LogPosition followed_end = 0;  // the standby's observer has got the messages before it
};

// marker: null where none is written. An engine that waits records what it sees.
[[nodiscard]] StoreResult<Taken> claim_log(PostgresOptions options, Servers& servers,
                                           PositionMarker* marker);
// The sessions as they are in the database, and what their rows lack of the log.
struct Loaded {
  SessionTable sessions{};
  LaggingRows lagging{};
};
[[nodiscard]] StoreResult<Loaded> load_sessions(Connection& connection,
                                                const PostgresOptions& options);

}  // namespace nexusfix::store::postgres
