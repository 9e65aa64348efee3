// Whether the log in the database is the one that this machine has recorded, and has all of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "store/postgres/position_marker.hpp"
#include "store/postgres/server/connection.hpp"

namespace nexusfix::store::postgres {

struct Loss {
  LogPosition left_at = 0;    // the log is another one from here on
  LogPosition confirmed = 0;  // and was confirmed up to here
  std::uint64_t numbers = 0;  // at most, used by each session in what was lost
  bool may_miss_sessions = false;

  // "the database has lost ...", for the event.
  [[nodiscard]] std::string what(const std::string& marker_path) const;
};

// Nothing: there is no loss. Corrupt: it is another log. The caller has the lock.
[[nodiscard]] StoreResult<std::optional<Loss>> find_loss(Connection& connection,
                                                         const PostgresOptions& options,
                                                         const PositionRecord& recorded,
                                                         const std::string& marker_path);

// The name of a claim, by which it can be found again.
[[nodiscard]] std::string new_claim_name();

}  // namespace nexusfix::store::postgres
