// The tables of a log, and how an older form of them becomes the present one. docs/store.md shows
// them to operators, who may read them with SQL of their own.
#pragma once

#include <cstdint>

#include "store/postgres/server/connection.hpp"

namespace nexusfix::store::postgres {

inline constexpr int kSchemaVersion = 3;

// Takes the log's advisory lock for the session of this connection, waiting as long as lock_wait;
// Locked names the owner.
[[nodiscard]] StoreResult<void> lock_log(Connection& connection, const PostgresOptions& options);

// Creates the schema, or brings an older one up to date, one transaction a version; and makes it
// the one that this connection sees. The caller has the lock.
[[nodiscard]] StoreResult<void> migrate(Connection& connection, const PostgresOptions& options);

// What the server said, as the store's caller gets it.
[[nodiscard]] StoreError store_error(const PostgresOptions& options, const ServerError& error,
                                     StoreErrorCode code = StoreErrorCode::Server);

}  // namespace nexusfix::store::postgres
