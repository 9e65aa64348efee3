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
  bool was_seen_only = false;  // by an engine that waited, which cannot know what came after

  // "the database has lost ...", for the event.
  [[nodiscard]] std::string what(const std::string& marker_path) const;
};

// Numbers that an owner may have used after an engine that waits has looked last.
inline constexpr std::uint64_t kUnseenNumbers = 1'000'000;

// Nothing: there is no loss. Corrupt: it is another log. timeline: of the server. own_claim: the
// name of a claim of this process. The caller has the lock, or waits for it.
[[nodiscard]] StoreResult<std::optional<Loss>> find_loss(Connection& connection,
                                                         const PostgresOptions& options,
                                                         const PositionMarker& marker,
                                                         std::uint32_t timeline,
                                                         const std::string& own_claim);

// The name of a claim, by which it can be found again.
[[nodiscard]] std::string new_claim_name();

}  // namespace nexusfix::store::postgres
