// The tables of a log, and how an older version of them becomes the current one.
// docs/operations/postgresql.md shows them to operators, who may read them with SQL.
#pragma once

#include <cstdint>

#include "cluster/postgres/server/connection.hpp"

namespace nexusfix::store::postgres {

inline constexpr int kSchemaVersion = 8;

// Takes the log's advisory lock for the session of this connection, and waits at most lock_wait.
// Locked: the text names the owner.
[[nodiscard]] StoreResult<void> lock_log(Connection& connection, const PostgresOptions& options);

// lock_log() without waiting: false: another process has the lock.
[[nodiscard]] StoreResult<bool> try_lock_log(Connection& connection,
                                             const PostgresOptions& options);

// The version of the schema; 0: there is none. Corrupt: a later program has written it.
[[nodiscard]] StoreResult<int> read_version(Connection& connection, const PostgresOptions& options);

// Creates the schema, or upgrades an older one, one transaction a version; this connection uses it
// from then on. The caller has the lock.
[[nodiscard]] StoreResult<void> migrate(Connection& connection, const PostgresOptions& options);

// A server's error as the store's caller gets it.
[[nodiscard]] StoreError store_error(const PostgresOptions& options, const ServerError& error,
                                     StoreErrorCode code = StoreErrorCode::Server);

}  // namespace nexusfix::store::postgres
