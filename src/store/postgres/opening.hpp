// How a log is taken over when it is opened: found, compared with what this machine has noted,
// claimed, read.
#pragma once

#include <optional>
#include <string>

#include "store/postgres/position_note.hpp"
#include "store/postgres/server/connection.hpp"
#include "store/postgres/server/lineage.hpp"
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
};

// note: null where nothing is noted.
[[nodiscard]] StoreResult<Taken> take_log(PostgresOptions options, Servers& servers,
                                          const PositionNote* note);
// As they are in the database.
[[nodiscard]] StoreResult<SessionTable> load_sessions(Connection& connection,
                                                      const PostgresOptions& options);

}  // namespace nexusfix::store::postgres
