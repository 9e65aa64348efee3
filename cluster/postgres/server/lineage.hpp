// Whether the log in the database is the one that this machine has recorded, and has all of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cluster/postgres/position_marker.hpp"
#include "cluster/postgres/server/connection.hpp"
#include "cluster/postgres/server/loss.hpp"

namespace nexusfix::store::postgres {

// loss_of() the log in the database. Corrupt: it is another log. timeline: of the server.
// own_claim: the name of a claim of this process. The caller has the lock, or waits for it.
[[nodiscard]] StoreResult<std::optional<Loss>> find_loss(Connection& connection,
                                                         const PostgresOptions& options,
                                                         const PositionMarker& marker,
                                                         std::uint32_t timeline,
                                                         const std::string& own_claim);

// The name of a claim, by which it can be found again.
[[nodiscard]] std::string new_claim_name();

}  // namespace nexusfix::store::postgres
