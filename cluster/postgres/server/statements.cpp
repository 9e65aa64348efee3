#include "cluster/postgres/server/statements.hpp"

#include <array>
#include <charconv>
#include <climits>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <unistd.h>
#include <utility>

#include "cluster/postgres/server/schema.hpp"

namespace nexusfix::store::postgres {
namespace {

struct Prepared {
  const char* name;
  const char* statement;
};

// The columns of CommitSettings.
constexpr std::string_view kCommitSettings =
    "current_setting('synchronous_commit'), current_setting('synchronous_standby_names'), "
    "pg_conf_load_time()::text";

// The statement of a batch of messages and next numbers alone, as nearly all are: one statement
// costs the server half of what one a table costs. Raises the error of a batch that does not go on
// from the log's end, before other tables change: they depend on `moved`. also_sets: of log_state,
// beside the position.
std::string moved_clause(std::string_view also_sets) {
  return "WITH moved AS (UPDATE log_state SET position = $3::int8" + std::string{also_sets} +
         " WHERE CASE WHEN owner_epoch = $1::int8 AND position = $2::int8 THEN true "
         "ELSE refuse_append($1::int8, $2::int8) IS NULL END RETURNING position)";
}

// Lists of functions in a SELECT cost less than in a FROM. unnested: the sessions' keys, next
// inbound and outbound numbers.
std::string numbers_clause(std::string_view unnested) {
  return ", number AS (UPDATE sessions SET next_inbound = i, next_outbound = o FROM (SELECT " +
         std::string{unnested} + " FROM moved) AS u(k, i, o) WHERE session_key = k)";
}

std::string chunk_clause() {
  return " INSERT INTO chunks (position, session_keys, epochs, entries) "
         "SELECT $2::int8, $4::int4[], $5::int8[], $6::bytea FROM moved RETURNING " +
         std::string{kCommitSettings};
}

std::string append_statement() { return moved_clause({}) + chunk_clause(); }

// The statement with the rows that lag.
std::string catch_up_statement() {
  return moved_clause(", rows_position = $7::int8") +
         numbers_clause("unnest($8::int4[]), unnest($9::int8[]), unnest($10::int8[])") +
         ", place AS (INSERT INTO message_places SELECT unnest($11::int4[]), unnest($12::int8[]), "
         "unnest($13::int8[]), unnest($14::int8[]), unnest($15::int8[]) FROM moved)" +
         chunk_clause();
}

// The statement without a message, and without places.
std::string count_statement() {
  return moved_clause(", rows_position = $4::int8") +
         numbers_clause("unnest($5::int4[]), unnest($6::int8[]), unnest($7::int8[])") + " SELECT " +
         std::string{kCommitSettings} + " FROM moved";
}

// The last columns of "advance" are kCommitSettings, too.
constexpr std::array<Prepared, 10> kPrepared{{
    {"advance",
     "SELECT advance_log($1::int8, $2::int8, $3::int8), current_setting('synchronous_commit'), "
     "current_setting('synchronous_standby_names'), pg_conf_load_time()::text"},
    {"raised", "UPDATE log_state SET raised = raised + $1::int8"},
    {"rows", "UPDATE log_state SET rows_position = $1::int8"},
    {"open",
     "INSERT INTO sessions SELECT k, n, 1, 1, 1, c, false "
     "FROM unnest($1::int4[], $2::bytea[], $3::int8[]) AS u(k, n, c)"},
    {"rename",
     "UPDATE sessions SET name = n FROM unnest($1::int4[], $2::bytea[]) AS u(k, n) "
     "WHERE session_key = k"},
    {"keep",
     "INSERT INTO chunks (position, session_keys, epochs, entries) "
     "VALUES ($1::int8, $2::int4[], $3::int8[], $4::bytea)"},
    {"place",
     "INSERT INTO message_places "
     "SELECT * FROM unnest($1::int4[], $2::int8[], $3::int8[], $4::int8[], $5::int8[])"},
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

bool send_common(Connection& connection, const Batch& batch, std::uint64_t owner_epoch) {
  const Int8 epoch{owner_epoch};
  const Int8 begin{batch.begin()};
  const Int8 end{batch.end()};
  const Int8 rows_position{batch.rows_position()};
  std::array<std::string_view, 16> parameters{epoch.encoded(), begin.encoded(), end.encoded()};
  std::size_t count = 3;
  const auto add = [&](auto&&... more) { ((parameters[count++] = more), ...); };
  const bool has_messages = batch.has_chunk();
  const bool has_rows = batch.sessions().count() > 0 || !has_messages;
  if (has_messages) {
    const auto [keys, epochs] = batch.chunk_sessions().parameters();
    add(keys, epochs, batch.chunk());
  }
  if (has_rows) {
    const auto [session, of_epoch, inbound, outbound, created, unfinished] =
        batch.sessions().parameters();
    add(rows_position.encoded(), session, inbound, outbound);
  }
  if (has_rows && has_messages) {
    for (const std::string_view column : batch.places().parameters()) add(column);
  }
  const char* const name = !has_messages ? "count" : (has_rows ? "catch_up" : "append");
  return connection.send(name, std::span{parameters}.first(count));
}

// One statement a table. The first one refuses the batch of a former owner before others run.
bool send_tables(Connection& connection, const Batch& batch, std::uint64_t owner_epoch) {
  const Int8 epoch{owner_epoch};
  const Int8 begin{batch.begin()};
  const Int8 end{batch.end()};
  const Int8 rows_position{batch.rows_position()};
  const auto send_rows = [&connection](const char* statement, const auto& rows) {
    return rows.count() == 0 || connection.send(statement, rows.parameters());
  };
  const auto send_chunk = [&] {
    if (!batch.has_chunk()) return true;
    const auto [keys, epochs] = batch.chunk_sessions().parameters();
    return connection.send("keep", {begin.encoded(), keys, epochs, batch.chunk()});
  };
  return connection.send("advance", {epoch.encoded(), begin.encoded(), end.encoded()}) &&
         connection.send("rows", {rows_position.encoded()}) && send_rows("open", batch.opened()) &&
         send_rows("rename", batch.renamed()) && send_chunk() &&
         send_rows("place", batch.places()) && send_rows("number", batch.sessions()) &&
         send_rows("change", batch.changes()) && send_rows("lose", batch.lost()) &&
         (batch.raised() == 0 || connection.send("raised", {Int8{batch.raised()}.encoded()}));
}

// The columns of a Backend.
constexpr const char* kThisBackend =
    "pg_backend_pid(), (SELECT backend_start::text FROM pg_stat_activity "
    "WHERE pid = pg_backend_pid())";

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
  claim.backend.process = PQgetvalue(answer->get(), 0, 2);
  claim.backend.started = PQgetvalue(answer->get(), 0, 3);
  if (PQnfields(answer->get()) > 4) claim.log_id = PQgetvalue(answer->get(), 0, 4);
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

bool send_sign_of_life(Connection& connection) {
  return connection.send("settings", {}) && PQpipelineSync(connection.raw()) == 1;
}

bool send_ask_again(Connection& connection) {
  return connection.send("sleep", {}) && send_sign_of_life(connection);
}

// A service may lack the functions that show what a standby has acknowledged.
ServerResult<void> prepare_settings(Connection& connection) {
  auto done = connection.prepare("settings", kAcknowledged);
  if (done || !is_unavailable(done.error())) return done;
  return connection.prepare("settings", kNotAcknowledged);
}

ServerResult<void> prepare_to_write(Connection& connection,
                                    std::chrono::milliseconds idle_timeout) {
  constexpr int kFirstWithTimeout = 140'000;
  if (PQserverVersion(connection.raw()) >= kFirstWithTimeout) {
    auto set = connection.run("SET idle_session_timeout = " + std::to_string(idle_timeout.count()));
    if (!set) return std::unexpected{std::move(set.error())};
  }
  if (auto set = connection.run(kWriterSettings); !set) {
    return std::unexpected{std::move(set.error())};
  }
  const std::array<std::pair<const char*, std::string>, 3> common{{
      {"append", append_statement()},
      {"catch_up", catch_up_statement()},
      {"count", count_statement()},
  }};
  for (const auto& [name, statement] : common) {
    if (auto done = connection.prepare(name, statement.c_str()); !done) return done;
  }
  for (const Prepared& one : kPrepared) {
    if (auto done = connection.prepare(one.name, one.statement); !done) return done;
  }
  if (auto done = connection.prepare("sleep", "SELECT FROM pg_sleep(0.001)"); !done) return done;
  if (auto done = prepare_settings(connection); !done) return done;
  if (PQenterPipelineMode(connection.raw()) == 0) return std::unexpected{connection.lost()};
  return {};
}

bool send_batch(Connection& connection, const Batch& batch, std::uint64_t owner_epoch,
                bool checks_after) {
  // A batch without messages leaves no chunk, and seldom has a place.
  const bool is_one_statement = batch.is_common() && batch.raised() == 0 &&
                                (batch.has_chunk() || batch.places().count() == 0);
  const bool sent = (is_one_statement ? send_common(connection, batch, owner_epoch)
                                      : send_tables(connection, batch, owner_epoch)) &&
                    PQpipelineSync(connection.raw()) == 1;
  if (!checks_after) return sent;
  return sent && connection.send("settings", {}) && PQpipelineSync(connection.raw()) == 1;
}

std::optional<CommitSettings> commit_settings_of(const PGresult* row) {
  const int columns = PQnfields(row);
  if (columns < 3 || PQntuples(row) != 1) return std::nullopt;
  const auto text = [&](int column) {
    return std::string(PQgetvalue(row, 0, column),
                       static_cast<std::size_t>(PQgetlength(row, 0, column)));
  };
  return CommitSettings{.synchronous_commit = text(columns - 3),
                        .standby_names = text(columns - 2),
                        .loaded = text(columns - 1)};
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

ServerResult<std::vector<std::string>> read_session_names(Connection& connection) {
  auto rows =
      connection.run("SELECT encode(name, 'hex'), session_key FROM sessions ORDER BY session_key");
  if (!rows) return std::unexpected{std::move(rows.error())};
  std::vector<std::string> names;
  for (int row = 0; row < PQntuples(rows->get()); ++row) {
    const std::string_view hex = text_at(*rows, 0, row);
    std::string name(hex.size() / 2, '\0');
    for (std::size_t i = 0; i < name.size(); ++i) {
      unsigned byte = 0;
      std::from_chars(hex.data() + 2 * i, hex.data() + 2 * i + 2, byte, 16);
      name[i] = static_cast<char>(byte);
    }
    names.push_back(std::move(name));
  }
  return names;
}

ServerResult<Claim> claim(Connection& connection, const std::string& name) {
  const std::string statement =
      "WITH mine AS (UPDATE log_state SET owner_epoch = owner_epoch + 1, "
      "owner_first_epoch = owner_epoch + 1, owner = $1, owned_since = now(), source = NULL "
      "RETURNING owner_epoch, position, log_id), kept AS (INSERT INTO owners "
      "(first_epoch, claim, position, owner) SELECT owner_epoch, $2, position, $1 FROM mine) "
      "SELECT owner_epoch, position, " +
      std::string{kThisBackend} + ", log_id FROM mine";
  return read_claim(connection.ask(statement.c_str(), {this_process(), name}));
}

ServerResult<Claim> claim_by_lease(Connection& connection, const PostgresOptions& options,
                                   const std::string& name, std::uint64_t token) {
  // A former owner that is stopped in the middle of a transaction has a lock on the row.
  constexpr std::string_view kLockTimeout = "55P03";
  constexpr int kAttemptsMax = 10;
  const std::string epoch = std::to_string(epoch_of_token(token));
  for (int attempt = 1;; ++attempt) {
    auto may = connection.ask("SELECT FROM log_state WHERE owner_epoch < $1::int8", {epoch});
    if (!may) return std::unexpected{std::move(may.error())};
    if (PQntuples(may->get()) == 0) return std::unexpected{taken_over(connection)};
    auto ended = connection.ask(
        "SELECT pg_terminate_backend(l.pid) FROM pg_locks l WHERE l.locktype = 'advisory' AND "
        "l.granted AND l.pid <> pg_backend_pid() AND "
        "l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND "
        "(l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('nexusfix log ' || $1, 0)",
        {options.schema});
    if (!ended) return std::unexpected{std::move(ended.error())};
    if (auto set = connection.run("SET lock_timeout = '200ms'"); !set) {
      return std::unexpected{std::move(set.error())};
    }
    auto answer = connection.ask(
        ("WITH mine AS (UPDATE log_state SET owner_epoch = $3::int8, owner_first_epoch = $3::int8, "
         "owner = $1, owned_since = now(), source = NULL WHERE owner_epoch < $3::int8 "
         "RETURNING owner_epoch, position, log_id), kept AS (INSERT INTO owners "
         "(first_epoch, claim, position, owner) SELECT owner_epoch, $2, position, $1 FROM mine) "
         "SELECT owner_epoch, position, " +
         std::string{kThisBackend} + ", log_id FROM mine")
            .c_str(),
        {this_process(), name, epoch});
    if (!answer && answer.error().state == kLockTimeout && attempt < kAttemptsMax) continue;
    if (auto reset = connection.run("SET lock_timeout = 0"); !reset) {
      return std::unexpected{std::move(reset.error())};
    }
    if (answer && PQntuples(answer->get()) == 0) return std::unexpected{taken_over(connection)};
    return read_claim(std::move(answer));
  }
}

ServerResult<void> end_former_session(Connection& connection, const PostgresOptions& options,
                                      const Backend& former, std::uint64_t first_epoch) {
  if (auto seen = connection.run("SET search_path = " + options.schema); !seen) {
    return std::unexpected{std::move(seen.error())};
  }
  auto owned = connection.ask("SELECT FROM log_state WHERE owner_first_epoch = $1::int8",
                              {std::to_string(first_epoch)});
  if (!owned) return std::unexpected{std::move(owned.error())};
  if (PQntuples(owned->get()) == 0) return std::unexpected{taken_over(connection)};
  auto ended = connection.ask(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
      "WHERE pid = $1::int4 AND backend_start::text = $2",
      {former.process, former.started});
  if (!ended) return std::unexpected{std::move(ended.error())};
  return {};
}

ServerResult<Claim> claim_again(Connection& connection, std::uint64_t first_epoch,
                                std::uint64_t last_epoch) {
  const std::string statement =
      "UPDATE log_state SET owner_epoch = greatest(owner_epoch, $2::int8) + 1 "
      "WHERE owner_first_epoch = $1::int8 RETURNING owner_epoch, position, " +
      std::string{kThisBackend};
  auto answer =
      connection.ask(statement.c_str(), {std::to_string(first_epoch), std::to_string(last_epoch)});
  if (answer && PQntuples(answer->get()) == 0) return std::unexpected{taken_over(connection)};
  return read_claim(std::move(answer));
}

}  // namespace nexusfix::store::postgres
