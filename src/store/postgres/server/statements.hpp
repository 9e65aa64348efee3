// What is asked of the server again and again, prepared once a connection.
#pragma once

#include <optional>
#include <string>

#include "store/postgres/batch.hpp"
#include "store/postgres/server/connection.hpp"
#include "store/postgres/server/server_facts.hpp"

namespace nexusfix::store::postgres {

// Of the connection that writes.
[[nodiscard]] ServerResult<void> prepare_to_write(Connection& connection);

// Queues a batch as one transaction: it is there whole, or not at all. The log must belong to this
// owner epoch and end where the batch begins. False: the connection is lost. The answer has
// CommitSettings in its first row; with checks_after those after the COMMIT follow, as a
// transaction of their own: a wait for the standby also ends when its name is taken out meanwhile.
[[nodiscard]] bool send_batch(Connection& connection, const Batch& batch, std::uint64_t owner_epoch,
                              bool checks_after);
// Of a row of either; nothing: it has none.
[[nodiscard]] std::optional<CommitSettings> commit_settings_of(const PGresult* row);

// Who has the log from now on, for people: "process 4711 on host venue-1".
[[nodiscard]] std::string this_process();

struct Claim {
  std::uint64_t owner_epoch = 0;
  LogPosition position = 0;
  std::string log_id{};  // of claim() alone
};
// Makes the log this process's, whichever process had it. name: by which the claim is found again.
[[nodiscard]] ServerResult<Claim> claim(Connection& connection, const std::string& name);
// The same for the process whose claim() gave this epoch, on a new connection; the server may still
// have the old one: it is ended first. NXF01: the log has another owner.
[[nodiscard]] ServerResult<Claim> claim_again(Connection& connection,
                                              const PostgresOptions& options,
                                              std::uint64_t first_epoch);

}  // namespace nexusfix::store::postgres
