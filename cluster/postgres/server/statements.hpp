// The statements that are sent again and again, prepared once for each connection.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cluster/postgres/batch.hpp"
#include "cluster/postgres/server/connection.hpp"
#include "cluster/postgres/server/server_facts.hpp"

namespace nexusfix::store::postgres {

// For the connection that writes.
// The server ends its session, and releases the lock, when nothing comes for idle_timeout: from
// PostgreSQL 14 on.
[[nodiscard]] ServerResult<void> prepare_to_write(Connection& connection,
                                                  std::chrono::milliseconds idle_timeout);
// Queues a question that changes nothing, as a batch of its own. False: as of send_batch().
[[nodiscard]] bool send_sign_of_life(Connection& connection);
// Queues the question what the standby has acknowledged a millisecond later, as a batch of its own.
[[nodiscard]] bool send_ask_again(Connection& connection);

// Queues a batch as one transaction, which is applied whole or not at all. The log must belong to
// this owner epoch and end where the batch begins. False: the connection is lost. The answer has
// CommitSettings in its first row; with checks_after, an Acknowledgement after the COMMIT follows,
// as a transaction of its own: a wait for the standby also ends when its name is removed meanwhile,
// and there is none until the server's checkpointer has seen that the name is back.
[[nodiscard]] bool send_batch(Connection& connection, const Batch& batch, std::uint64_t owner_epoch,
                              bool checks_after);
// The settings of a row of either; nothing: it has none.
[[nodiscard]] std::optional<CommitSettings> commit_settings_of(const PGresult* row);

// The new owner of the log, for texts: "process 4711 on host venue-1".
[[nodiscard]] std::string this_process();
// The names of the sessions, by key.
[[nodiscard]] ServerResult<std::vector<std::string>> read_session_names(Connection& connection);

// A session on the server, which no other one resembles, also after a restart of the server.
struct Backend {
  std::string process{};  // its process ID
  std::string started{};
};

struct Claim {
  std::uint64_t owner_epoch = 0;
  LogPosition position = 0;
  Backend backend{};     // of the connection that claims
  std::string log_id{};  // of claim() alone
};
// Makes this process the log's owner, whichever process was it. The connection has the lock. name:
// finds the claim again. From then on the log is no replica of a journal.
[[nodiscard]] ServerResult<Claim> claim(Connection& connection, const std::string& name);
// claim() with a lease's fencing token, whichever process has the lock: that one is ended first.
// NXF01: a claim with a higher token was made; nothing is changed.
[[nodiscard]] ServerResult<Claim> claim_by_lease(Connection& connection,
                                                 const PostgresOptions& options,
                                                 const std::string& name, std::uint64_t token);
// The owner epoch of a fencing token's first claim; later ones of the same token are above it, and
// below that of the next token.
inline constexpr unsigned kClaimBits = 20;
[[nodiscard]] constexpr std::uint64_t epoch_of_token(std::uint64_t token) noexcept {
  return token << kClaimBits;
}
[[nodiscard]] constexpr std::uint64_t token_of_epoch(std::uint64_t epoch) noexcept {
  return epoch >> kClaimBits;
}
// For a process whose claim() returned first_epoch, on a new connection: ends its former session,
// which the server may still have, and with it what is under way there. The lock of another process
// remains. NXF01: the log has another owner.
[[nodiscard]] ServerResult<void> end_former_session(Connection& connection,
                                                    const PostgresOptions& options,
                                                    const Backend& former,
                                                    std::uint64_t first_epoch);
// This process claims the log again. The connection has the lock. The owner epoch rises above
// last_epoch, too, whatever the server has of former claims. NXF01: the log has another owner.
[[nodiscard]] ServerResult<Claim> claim_again(Connection& connection, std::uint64_t first_epoch,
                                              std::uint64_t last_epoch);

}  // namespace nexusfix::store::postgres
