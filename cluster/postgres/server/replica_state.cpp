#include "cluster/postgres/server/replica_state.hpp"

#include <utility>

#include "cluster/postgres/server/server_facts.hpp"

namespace nexusfix::store::postgres {
ServerResult<ReplicaState> read_replica_state(Connection& connection) {
  auto rows = connection.run(
      "SELECT source, replica_mode, numbers_ahead, lacks_more, first_number, owner_first_epoch, "
      "position, owner || ', since ' || owned_since FROM log_state");
  if (!rows) return std::unexpected{std::move(rows.error())};
  if (PQntuples(rows->get()) != 1) {
    return std::unexpected{ServerError{"the log has no state", kElsewhere}};
  }
  ReplicaState state;
  state.is_replica = PQgetisnull(rows->get(), 0, 0) == 0;
  state.mode = text_at(*rows, 1);
  state.numbers_ahead = number_at<std::uint64_t>(*rows, 2);
  state.lacks_more = text_at(*rows, 3) == "t";
  state.first_number = number_at<std::uint64_t>(*rows, 4);
  state.owner_first_epoch = number_at<std::uint64_t>(*rows, 5);
  state.position = number_at<LogPosition>(*rows, 6);
  state.owner = text_at(*rows, 7);
  return state;
}

ServerResult<void> record_replica(Servers& servers, const PostgresOptions& options, int stop,
                                  const ReplicaChange& change) {
  auto made = servers.connect(stop, [&](Connection& one) -> ServerResult<void> {
    auto facts = read_facts(one);
    if (!facts) return std::unexpected{std::move(facts.error())};
    return check_reach(options, facts->commit);
  });
  if (!made) return std::unexpected{std::move(made.error())};
  if (auto seen = made->run("SET search_path = " + options.schema); !seen) {
    return std::unexpected{std::move(seen.error())};
  }
  auto done = made->ask(
      "UPDATE log_state SET numbers_ahead = $2::int8, lacks_more = false, "
      "first_number = greatest(first_number, $3::int8) WHERE owner_first_epoch = $1::int8 "
      "RETURNING 1",
      {std::to_string(change.owner_first_epoch), std::to_string(change.numbers_ahead),
       std::to_string(change.first_number)});
  if (!done) return std::unexpected{std::move(done.error())};
  if (auto cancelled = made->consume_not_replicated())
    return std::unexpected{std::move(*cancelled)};
  if (PQntuples(done->get()) == 0) {
    return std::unexpected{ServerError{"the log was taken over", kOwnedByAnother}};
  }
  return {};
}

}  // namespace nexusfix::store::postgres
