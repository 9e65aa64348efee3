#include "store/postgres/server/statements.hpp"

#include <array>
#include <charconv>
#include <climits>
#include <string>
#include <unistd.h>

#include "store/postgres/server/schema.hpp"

namespace nexusfix::store::postgres {
namespace {

struct Prepared {
  const char* name;
  const char* statement;
};

constexpr std::array<Prepared, 8> kPrepared{{
    // The last two columns of these two are CommitSettings.
    {"advance",
     "SELECT advance_log($1::int8, $2::int8, $3::int8), current_setting('synchronous_commit'), "
     "current_setting('synchronous_standby_names')"},
    {"settings",
     "SELECT current_setting('synchronous_commit'), current_setting('synchronous_standby_names')"},
    {"open",
     "INSERT INTO sessions SELECT k, n, 1, 1, 1, c, false "
     "FROM unnest($1::int4[], $2::bytea[], $3::int8[]) AS u(k, n, c)"},
    {"rename",
     "UPDATE sessions SET name = n FROM unnest($1::int4[], $2::bytea[]) AS u(k, n) "
     "WHERE session_key = k"},
    {"keep",
     "INSERT INTO messages (session_key, epoch, msg_seq_num, position, bytes) "
     "SELECT * FROM unnest($1::int4[], $2::int8[], $3::int8[], $4::int8[], $5::bytea[])"},
    {"number",
     "UPDATE sessions SET epoch = e, next_inbound = i, next_outbound = o, created_ns = c, "
     "is_unfinished = f FROM unnest($1::int4[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], "
     "$6::bool[]) AS u(k, e, i, o, c, f) WHERE session_key = k"},
    {"change",
     "INSERT INTO number_changes SELECT p, s, a, "
     "($4::int8[])[3 * n - 2], ($4::int8[])[3 * n - 1], ($4::int8[])[3 * n], "
     "($5::int8[])[3 * n - 2], ($5::int8[])[3 * n - 1], ($5::int8[])[3 * n], f, r "
     "FROM unnest($1::int8[], $2::int4[], $3::int8[], $6::bool[], $7::bytea[]) "
     "WITH ORDINALITY AS u(p, s, a, f, r, n)"},
    {"lose",
     "INSERT INTO lost_numbers (position, session_key, epoch, first_number, last_number) "
     "SELECT * FROM unnest($1::int8[], $2::int4[], $3::int8[], $4::int8[], $5::int8[])"},
}};

// One plan for all batches, by index however large the tables were when it was made. JIT
// compilation is off: the costs of forbidden plans would cause it (40 ms a batch).
constexpr const char* kWriterSettings =
    "SET plan_cache_mode = force_generic_plan; SET jit = off; SET enable_seqscan = off; "
    "SET enable_hashjoin = off; SET enable_mergejoin = off";

class Int8 {
 public:
  explicit Int8(std::uint64_t number) noexcept { store_big_endian(bytes_.data(), number); }
  [[nodiscard]] std::string_view encoded() const noexcept { return {bytes_.data(), bytes_.size()}; }

 private:
  std::array<char, 8> bytes_{};
};

ServerResult<Claim> read_claim(ServerResult<Result> answer) {
  if (!answer) return std::unexpected{std::move(answer.error())};
  if (PQntuples(answer->get()) != 1) {
    return std::unexpected{ServerError{"the log has no state", kElsewhere}};
  }
  Claim claim;
  const auto read = [&](int column, std::uint64_t& number) {
    const char* const text = PQgetvalue(answer->get(), 0, column);
    std::from_chars(text, text + PQgetlength(answer->get(), 0, column), number);
  };
  read(0, claim.owner_epoch);
  read(1, claim.position);
  if (PQnfields(answer->get()) > 2) claim.log_id = PQgetvalue(answer->get(), 0, 2);
  return claim;
}

ServerError taken_over(Connection& connection) {
  auto owner = connection.run("SELECT owner, owner_epoch, owned_since FROM log_state");
  if (!owner) return std::move(owner.error());
  if (PQntuples(owner->get()) != 1) return {"the log has no state", kElsewhere};
  return {"the log was taken over by " + std::string{PQgetvalue(owner->get(), 0, 0)} +
              " (owner epoch " + PQgetvalue(owner->get(), 0, 1) + ", since " +
              PQgetvalue(owner->get(), 0, 2) + ")",
          kOwnedByAnother};
}

}  // namespace

ServerResult<void> prepare_to_write(Connection& connection) {
  if (auto set = connection.run(kWriterSettings); !set) {
    return std::unexpected{std::move(set.error())};
  }
  for (const Prepared& one : kPrepared) {
    if (auto done = connection.prepare(one.name, one.statement); !done) return done;
  }
  if (PQenterPipelineMode(connection.raw()) == 0) return std::unexpected{connection.lost()};
  return {};
}

bool send_batch(Connection& connection, const Batch& batch, std::uint64_t owner_epoch,
                bool checks_after) {
  const Int8 epoch{owner_epoch};
  const Int8 begin{batch.begin()};
  const Int8 end{batch.end()};
  const auto send_rows = [&connection](const char* statement, const auto& rows) {
    return rows.count() == 0 || connection.send(statement, rows.parameters());
  };
  bool sent = connection.send("advance", {epoch.encoded(), begin.encoded(), end.encoded()}) &&
              send_rows("open", batch.opened()) && send_rows("rename", batch.renamed()) &&
              send_rows("keep", batch.kept()) && send_rows("number", batch.sessions()) &&
              send_rows("change", batch.changes()) && send_rows("lose", batch.lost());
  sent = sent && PQpipelineSync(connection.raw()) == 1;
  if (!checks_after) return sent;
  return sent && connection.send("settings", {}) && PQpipelineSync(connection.raw()) == 1;
}

std::optional<CommitSettings> commit_settings_of(const PGresult* row) {
  const int columns = PQnfields(row);
  if (columns < 2 || PQntuples(row) != 1) return std::nullopt;
  const auto text = [&](int column) {
    return std::string(PQgetvalue(row, 0, column),
                       static_cast<std::size_t>(PQgetlength(row, 0, column)));
  };
  return CommitSettings{.synchronous_commit = text(columns - 2),
                        .standby_names = text(columns - 1)};
}

std::string this_process() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::string name{host.data()};
  // The server takes texts of its own encoding only.
  for (char& byte : name) {
    if (byte < ' ' || byte > '~') byte = '?';
  }
  return "process " + std::to_string(::getpid()) + " on host " + name;
}

ServerResult<Claim> claim(Connection& connection, const std::string& name) {
  return read_claim(connection.ask(
      "WITH mine AS (UPDATE log_state SET owner_epoch = owner_epoch + 1, "
      "owner_first_epoch = owner_epoch + 1, owner = $1, owned_since = now() "
      "RETURNING owner_epoch, position, log_id), kept AS (INSERT INTO owners "
      "(first_epoch, claim, position, owner) SELECT owner_epoch, $2, position, $1 FROM mine) "
      "SELECT owner_epoch, position, log_id FROM mine",
      {this_process(), name}));
}

ServerResult<Claim> claim_again(Connection& connection, const PostgresOptions& options,
                                std::uint64_t first_epoch) {
  // What the old connection still has under way must come before this, or not at all; a server that
  // has not noticed the connection's end would let this wait for it.
  const std::string mine = std::to_string(first_epoch);
  const std::string wait = std::to_string(std::max<std::int64_t>(1, options.lock_wait.count()));
  if (auto ready = connection.run("SET search_path = " + options.schema + "; SET lock_timeout = '" +
                                  wait + "ms'");
      !ready) {
    return std::unexpected{std::move(ready.error())};
  }
  auto ended = connection.ask(
      "SELECT pg_terminate_backend(l.pid) FROM pg_locks l, log_state s WHERE "
      "s.owner_first_epoch = $1::int8 AND l.locktype = 'advisory' AND l.granted AND l.pid <> "
      "pg_backend_pid() AND "
      "l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND "
      "(l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('nexusfix log ' || $2, 0)",
      {mine, options.schema});
  if (!ended) return std::unexpected{std::move(ended.error())};
  auto answer = connection.ask(
      "UPDATE log_state SET owner_epoch = owner_epoch + 1 WHERE owner_first_epoch = $1::int8 "
      "RETURNING owner_epoch, position",
      {mine});
  if (answer && PQntuples(answer->get()) == 0) return std::unexpected{taken_over(connection)};
  return read_claim(std::move(answer));
}

}  // namespace nexusfix::store::postgres
