// The statements that are sent again and again, prepared once for each connection.
#pragma once

#include <optional>
#include <string>

#include "store/postgres/batch.hpp"
#include "store/postgres/server/connection.hpp"
#include "store/postgres/server/server_facts.hpp"

namespace nexusfix::store::postgres {

// For the connection that writes.
[[nodiscard]] ServerResult<void> prepare_to_write(Connection& connection);

// Queues a batch as one transaction, which is applied whole or not at all. The log must belong to
// this owner epoch and end where the batch begins. False: the connection is lost. The answer has
// CommitSettings in its first row; with checks_after, those after the COMMIT follow, as a
// transaction of their own: a wait for the standby also ends when its name is removed meanwhile.
[[nodiscard]] bool send_batch(Connection& connection, const Batch& batch, std::uint64_t owner_epoch,
                              bool checks_after);
// Of a row of either; nothing: it has none.
[[nodiscard]] std::optional<CommitSettings> commit_settings_of(const PGresult* row);

// The new owner of the log, for texts: "process 4711 on host venue-1".
[[nodiscard]] std::string this_process();

struct Claim {
  std::uint64_t owner_epoch = 0;
  LogPosition position = 0;
  std::string log_id{};  // of claim() alone
};
// Makes this process the log's owner, whichever process was it. name: finds the claim again.
[[nodiscard]] ServerResult<Claim> claim(Connection& connection, const std::string& name);
// The same for the process whose claim() returned this epoch, on a new connection. The server may
// still have the old one, which is ended first. NXF01: the log has another owner.
[[nodiscard]] ServerResult<Claim> claim_again(Connection& connection,
                                              const PostgresOptions& options,
                                              std::uint64_t first_epoch);

}  // namespace nexusfix::store::postgres
