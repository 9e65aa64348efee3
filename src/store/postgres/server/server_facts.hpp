// Which server answers, and how far a COMMIT of this connection reaches there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/postgres/server/connection.hpp"

namespace nexusfix::store::postgres {

// What synchronous_commit and synchronous_standby_names mean for a COMMIT.
struct CommitSettings {
  std::string synchronous_commit;
  std::string standby_names;
  friend bool operator==(const CommitSettings&, const CommitSettings&) = default;
};

// Where a COMMIT is when it is confirmed.
enum class CommitReach : std::uint8_t { Memory, Disk, Standby };
[[nodiscard]] CommitReach reach_of(const CommitSettings& settings) noexcept;
// "a COMMIT is on the disk of the server alone (synchronous_commit=on, ...)".
[[nodiscard]] std::string to_text(const CommitSettings& settings);

struct ServerFacts {
  std::string system_identifier;  // empty: not known
  std::uint32_t timeline = 0;     // 0: not known
  CommitSettings commit;
};

// Any role may query these. A server in recovery is refused (25006): it takes no writes, and may
// lack what was confirmed elsewhere.
[[nodiscard]] ServerResult<ServerFacts> read_facts(Connection& connection);

// Whether the log goes on where it was: on the same cluster, and not on a timeline that the cluster
// has left.
[[nodiscard]] ServerResult<void> check_same_cluster(const ServerFacts& before,
                                                    const ServerFacts& now);
// StandbyPolicy::Strict: whether a COMMIT waits for a standby.
[[nodiscard]] ServerResult<void> check_reach(const PostgresOptions& options,
                                             const CommitSettings& settings);

}  // namespace nexusfix::store::postgres
