// What is asked of the server again and again, prepared once a connection.
#pragma once

#include "store/postgres/batch.hpp"
#include "store/postgres/connection.hpp"

namespace nexusfix::store::postgres {

// Of the connection that writes.
[[nodiscard]] ServerResult<void> prepare_to_write(Connection& connection);

// Queues a batch as one transaction: it is there whole, or not at all. The log must belong to this
// owner epoch and end where the batch begins. False: the connection is lost.
[[nodiscard]] bool send_batch(Connection& connection, const Batch& batch,
                              std::uint64_t owner_epoch);

// Who has the log from now on, for people: "process 4711 on host venue-1".
[[nodiscard]] std::string this_process();

struct Claim {
  std::uint64_t owner_epoch = 0;
  LogPosition position = 0;
};
// Makes the log this process's, whoever had it.
[[nodiscard]] ServerResult<Claim> claim(Connection& connection);
// The same for the process whose claim() gave this epoch, on a new connection; the server may still
// have the old one: it is ended first. NXF01: the log has another owner.
[[nodiscard]] ServerResult<Claim> claim_again(Connection& connection,
                                              const PostgresOptions& options,
                                              std::uint64_t first_epoch);

}  // namespace nexusfix::store::postgres
