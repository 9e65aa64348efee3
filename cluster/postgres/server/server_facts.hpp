// Which server answers, and how far a COMMIT of this connection reaches there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/postgres/server/connection.hpp"

namespace nexusfix::store::postgres {

// What synchronous_commit and synchronous_standby_names mean for a COMMIT.
struct CommitSettings {
  std::string synchronous_commit;
  std::string standby_names;
  std::string loaded{};  // when the server loaded its configuration
  friend bool operator==(const CommitSettings& one, const CommitSettings& other) {
    return one.synchronous_commit == other.synchronous_commit &&
           one.standby_names == other.standby_names;
  }
};

// What the synchronous standby has acknowledged. Positions are those of the server's WAL, in bytes.
struct Acknowledgement {
  bool is_visible = false;         // the role may see it
  std::uint64_t end = 0;           // of the WAL; a COMMIT that was confirmed before lies before it
  std::uint64_t acknowledged = 0;  // 0: nothing, or not visible
  CommitSettings settings;
};
// Six columns: those of Acknowledgement as text. The standbys that count are those for which a
// COMMIT waits now, as many as synchronous_standby_names requires.
extern const char* const kAcknowledged;
// For a service that lacks these functions: nothing is visible.
extern const char* const kNotAcknowledged;
// Nothing: the row has other columns.
[[nodiscard]] std::optional<Acknowledgement> acknowledgement_of(const PGresult* row);
[[nodiscard]] ServerResult<Acknowledgement> read_acknowledgement(Connection& connection);

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
// StandbyPolicy::Strict: returns when the synchronous standby has acknowledged everything that was
// committed before. Where the role cannot see that, false is returned when a COMMIT of its own has
// waited while the settings stayed as they are. Not in pipeline mode.
[[nodiscard]] ServerResult<bool> await_standby(Connection& connection,
                                               const PostgresOptions& options);
[[nodiscard]] ServerError not_acknowledged(const PostgresOptions& options);
// Whether a statement failed because a service has no such function, or forbids it.
[[nodiscard]] bool is_unavailable(const ServerError& error) noexcept;

}  // namespace nexusfix::store::postgres
