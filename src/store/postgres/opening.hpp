// How a log is taken over when it is opened: found, compared with the marker on this machine,
// claimed, read; and how a standby waits until it can be.
#pragma once

#include <optional>
#include <string>

#include "store/postgres/lagging_rows.hpp"
#include "store/postgres/position_marker.hpp"
#include "store/postgres/server/connection.hpp"
#include "store/postgres/server/lineage.hpp"
#include "store/postgres/server/replica_state.hpp"
#include "store/postgres/server/server_facts.hpp"
#include "store/postgres/server/servers.hpp"
#include "store/postgres/server/statements.hpp"
#include "store/state/session_table.hpp"

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
[[nodiscard]] StoreResult<Taken> take_log(PostgresOptions options, Servers& servers,
                                          PositionMarker* marker);
// The sessions as they are in the database, and what their rows lack of the log.
struct Loaded {
  SessionTable sessions{};
  LaggingRows lagging{};
};
[[nodiscard]] StoreResult<Loaded> load_sessions(Connection& connection,
                                                const PostgresOptions& options);

}  // namespace nexusfix::store::postgres
