// The mark of a log: to which cluster it belongs.
#pragma once

#include "cluster/postgres/server/connection.hpp"

namespace nexusfix::store::postgres {

// Compares the log's mark with that of options.lease, which is not null. The search path has the
// schema. NXF02: the log is another cluster's, or another shard, or the lease would give tokens
// below that of the log.
[[nodiscard]] ServerResult<void> check_mark(Connection& connection, const PostgresOptions& options);

}  // namespace nexusfix::store::postgres
