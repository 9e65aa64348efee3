#include "store/postgres/server/schema.hpp"

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/base/ascii.hpp>

namespace nexusfix::store::postgres {
namespace {

// The bytes of names, messages and reasons are kept unchanged: a database's encoding may not have
// all of them. position: where the entry begins in the log; the same for all tables.
constexpr const char* kTables = R"sql(
CREATE TABLE log_state (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  position bigint NOT NULL DEFAULT 0,
  owner_epoch bigint NOT NULL DEFAULT 0,
  owner_first_epoch bigint NOT NULL DEFAULT 0,
  owner text NOT NULL DEFAULT '',
  owned_since timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 10);
INSERT INTO log_state DEFAULT VALUES;
CREATE TABLE sessions (
  session_key integer PRIMARY KEY,
  name bytea NOT NULL UNIQUE,
  epoch bigint NOT NULL,
  next_inbound bigint NOT NULL,
  next_outbound bigint NOT NULL,
  created_ns bigint NOT NULL,
  is_unfinished boolean NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE messages (
  session_key integer NOT NULL,
  epoch bigint NOT NULL,
  msg_seq_num bigint NOT NULL,
  position bigint NOT NULL UNIQUE,
  bytes bytea NOT NULL,
  PRIMARY KEY (session_key, epoch, msg_seq_num)
);
CREATE TABLE number_changes (
  position bigint PRIMARY KEY,
  session_key integer NOT NULL,
  changed_ns bigint NOT NULL,
  inbound_before bigint NOT NULL,
  outbound_before bigint NOT NULL,
  epoch_before bigint NOT NULL,
  inbound_after bigint NOT NULL,
  outbound_after bigint NOT NULL,
  epoch_after bigint NOT NULL,
  is_unfinished boolean NOT NULL,
  reason bytea NOT NULL
);
CREATE TABLE lost_numbers (
  position bigint PRIMARY KEY,
  session_key integer NOT NULL,
  epoch bigint NOT NULL,
  first_number bigint NOT NULL,
  last_number bigint NOT NULL
);
CREATE FUNCTION advance_log(my_epoch bigint, begins_at bigint, ends_at bigint) RETURNS void
LANGUAGE plpgsql AS $body$
DECLARE
  found_state log_state%ROWTYPE;
BEGIN
  UPDATE log_state SET position = ends_at
    WHERE owner_epoch = my_epoch AND position = begins_at;
  IF FOUND THEN
    RETURN;
  END IF;
  SELECT * INTO found_state FROM log_state;
  IF found_state.owner_epoch <> my_epoch THEN
    RAISE EXCEPTION 'the log was taken over by % (owner epoch % instead of %)',
      found_state.owner, found_state.owner_epoch, my_epoch USING ERRCODE = 'NXF01';
  END IF;
  RAISE EXCEPTION 'the log ends at % and not at %', found_state.position, begins_at
    USING ERRCODE = 'NXF02';
END
$body$;
)sql";

// Views for people: texts instead of bytes, a bar instead of SOH, times instead of nanoseconds.
constexpr const char* kViews = R"sql(
CREATE VIEW session_list AS
  SELECT session_key, encode(name, 'escape') AS name, epoch, next_inbound, next_outbound,
         to_timestamp(created_ns / 1000000000.0) AS created, is_unfinished
  FROM sessions;
CREATE VIEW message_list AS
  SELECT m.position, encode(s.name, 'escape') AS name, m.epoch, m.msg_seq_num,
         replace(encode(m.bytes, 'escape'), chr(1), '|') AS message
  FROM messages m JOIN sessions s USING (session_key);
CREATE VIEW number_change_list AS
  SELECT c.position, encode(s.name, 'escape') AS name,
         to_timestamp(c.changed_ns / 1000000000.0) AS changed,
         c.inbound_before, c.outbound_before, c.epoch_before,
         c.inbound_after, c.outbound_after, c.epoch_after, c.is_unfinished,
         encode(c.reason, 'escape') AS reason
  FROM number_changes c JOIN sessions s USING (session_key);
)sql";

// Which log it is, and which process has claimed it where: an owner finds out by it that the log
// went on without its own last records, however long it has become.
constexpr const char* kLineage = R"sql(
ALTER TABLE log_state ADD COLUMN log_id text NOT NULL
  DEFAULT md5(random()::text || clock_timestamp()::text || pg_backend_pid()::text);
CREATE TABLE owners (
  first_epoch bigint PRIMARY KEY,
  claim text NOT NULL UNIQUE,
  position bigint NOT NULL,
  owner text NOT NULL,
  owned_since timestamptz NOT NULL DEFAULT now()
);
)sql";

// From version index to index + 1.
constexpr std::array<const char*, kSchemaVersion> kMigrations{kTables, kViews, kLineage};

constexpr std::size_t kSchemaNameMax = 63;

bool is_schema_name(std::string_view name) noexcept {
  if (name.empty() || name.size() > kSchemaNameMax || name.starts_with("pg_")) return false;
  if (is_digit(name[0])) return false;
  for (const char byte : name) {
    const bool fits = is_lower(byte) || is_digit(byte) || byte == '_';
    if (!fits) return false;
  }
  return true;
}

std::string_view text_at(const Result& result, int row, int column) {
  return {PQgetvalue(result.get(), row, column),
          static_cast<std::size_t>(PQgetlength(result.get(), row, column))};
}

// The process that has the lock: by the log, and by the server.
std::string owner_text(Connection& connection, const PostgresOptions& options) {
  std::string text;
  const std::string log = options.schema + ".log_state";
  if (auto owner = connection.run("SELECT owner, owned_since FROM " + log);
      owner && PQntuples(owner->get()) == 1) {
    text = std::string{text_at(*owner, 0, 0)} + " since " + std::string{text_at(*owner, 0, 1)};
  }
  const auto holder = connection.ask(
      "SELECT l.pid, coalesce(host(a.client_addr), 'the same machine') FROM pg_locks l "
      "LEFT JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory' AND l.granted AND "
      "l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND "
      "(l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('nexusfix log ' || $1, 0)",
      {options.schema});
  if (holder && PQntuples(holder->get()) > 0) {
    text += (text.empty() ? "" : ", ") + ("server process " + std::string{text_at(*holder, 0, 0)}) +
            " connected from " + std::string{text_at(*holder, 0, 1)};
  }
  return text.empty() ? "another process" : text;
}

ServerResult<int> found_version(Connection& connection, const PostgresOptions& options) {
  auto there =
      connection.ask("SELECT to_regclass($1) IS NOT NULL", {options.schema + ".schema_version"});
  if (!there) return std::unexpected{std::move(there.error())};
  if (text_at(*there, 0, 0) != "t") return 0;
  auto found =
      connection.run("SELECT coalesce(max(version), 0) FROM " + options.schema + ".schema_version");
  if (!found) return std::unexpected{std::move(found.error())};
  const std::string_view text = text_at(*found, 0, 0);
  int version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

ServerResult<void> create_schema(Connection& connection, const PostgresOptions& options) {
  auto there = connection.ask("SELECT to_regnamespace($1) IS NOT NULL", {options.schema});
  if (!there) return std::unexpected{std::move(there.error())};
  std::string statements;
  if (text_at(*there, 0, 0) != "t") statements = "CREATE SCHEMA " + options.schema + ";";
  // An opening may have been interrupted between this and the first version.
  statements += "CREATE TABLE IF NOT EXISTS " + options.schema +
                ".schema_version (version integer PRIMARY KEY, "
                "applied_at timestamptz NOT NULL DEFAULT now());";
  if (auto made = connection.run(statements); !made) {
    return std::unexpected{std::move(made.error())};
  }
  return {};
}

}  // namespace

StoreError store_error(const PostgresOptions& options, const ServerError& error,
                       StoreErrorCode code) {
  return {.code = code, .text = "PostgreSQL store " + options.schema + ": " + error.text};
}

StoreResult<void> lock_log(Connection& connection, const PostgresOptions& options) {
  if (!is_schema_name(options.schema)) {
    return std::unexpected{StoreError{
        .code = StoreErrorCode::Server,
        .text = "PostgreSQL store: the schema's name has 1 to 63 small letters, digits and '_', "
                "begins with no digit and not with pg_"}};
  }
  const std::string wait = std::to_string(std::max<std::int64_t>(1, options.lock_wait.count()));
  auto locked =
      connection.run("SET lock_timeout = '" + wait +
                     "ms'; SELECT pg_advisory_lock(hashtextextended('nexusfix log ' || '" +
                     options.schema + "', 0))");
  if (!locked && locked.error().state == "55P03") {
    return std::unexpected{store_error(
        options, {.text = "the log is in use by " + owner_text(connection, options), .state = {}},
        StoreErrorCode::Locked)};
  }
  if (!locked) return std::unexpected{store_error(options, locked.error())};
  if (auto reset = connection.run("SET lock_timeout = 0"); !reset) {
    return std::unexpected{store_error(options, reset.error())};
  }
  return {};
}

StoreResult<void> migrate(Connection& connection, const PostgresOptions& options) {
  auto version = found_version(connection, options);
  if (!version) return std::unexpected{store_error(options, version.error())};
  if (*version > kSchemaVersion) {
    return std::unexpected{store_error(
        options,
        {.text = "the schema is of version " + std::to_string(*version) +
                 ", and this program knows versions up to " + std::to_string(kSchemaVersion) +
                 ": a later program has written it. Nothing was changed",
         .state = {}},
        StoreErrorCode::Corrupt)};
  }
  if (*version == 0 && options.if_no_log == IfNoLog::Refuse) {
    return std::unexpected{store_error(
        options, {.text = "there is no such log in the database; nothing was made", .state = {}},
        StoreErrorCode::Missing)};
  }
  if (*version == 0) {
    if (auto made = create_schema(connection, options); !made) {
      return std::unexpected{store_error(options, made.error())};
    }
  }
  if (auto seen = connection.run("SET search_path = " + options.schema); !seen) {
    return std::unexpected{store_error(options, seen.error())};
  }
  for (int from = *version; from < kSchemaVersion; ++from) {
    const std::string step = std::string{kMigrations[static_cast<std::size_t>(from)]} +
                             "INSERT INTO schema_version (version) VALUES (" +
                             std::to_string(from + 1) + ")";
    if (auto done = connection.run(step); !done) {
      return std::unexpected{
          store_error(options, {.text = "version " + std::to_string(from + 1) +
                                        " of the schema could not be made: " + done.error().text,
                                .state = {}})};
    }
  }
  return {};
}

}  // namespace nexusfix::store::postgres
