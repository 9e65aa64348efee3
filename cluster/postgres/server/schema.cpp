#include "cluster/postgres/server/schema.hpp"

#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "base/api/ascii.hpp"
#include "cluster/postgres/server/migrations.hpp"

namespace nexusfix::store::postgres {
namespace {

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

StoreResult<void> check_schema_name(const PostgresOptions& options) {
  if (is_schema_name(options.schema)) return {};
  return std::unexpected{StoreError{
      .code = StoreErrorCode::Server,
      .text = "PostgreSQL store: the schema's name has 1 to 63 small letters, digits and '_', "
              "begins with no digit and not with pg_"}};
}

// The process that has the lock: by the log, and by the server.
std::string owner_text(Connection& connection, const PostgresOptions& options) {
  std::string text;
  const std::string log = options.schema + ".log_state";
  if (auto owner = connection.run("SELECT owner, owned_since FROM " + log);
      owner && PQntuples(owner->get()) == 1) {
    text = std::string{text_at(*owner, 0)} + " since " + std::string{text_at(*owner, 1)};
  }
  const auto holder = connection.ask(
      "SELECT l.pid, coalesce(host(a.client_addr), 'the same machine') FROM pg_locks l "
      "LEFT JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory' AND l.granted AND "
      "l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND "
      "(l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('nexusfix log ' || $1, 0)",
      {options.schema});
  if (holder && PQntuples(holder->get()) > 0) {
    text += (text.empty() ? "" : ", ") + ("server process " + std::string{text_at(*holder, 0)}) +
            " connected from " + std::string{text_at(*holder, 1)};
  }
  return text.empty() ? "another process" : text;
}

ServerResult<int> found_version(Connection& connection, const PostgresOptions& options) {
  auto there =
      connection.ask("SELECT to_regclass($1) IS NOT NULL", {options.schema + ".schema_version"});
  if (!there) return std::unexpected{std::move(there.error())};
  if (text_at(*there, 0) != "t") return 0;
  auto found =
      connection.run("SELECT coalesce(max(version), 0) FROM " + options.schema + ".schema_version");
  if (!found) return std::unexpected{std::move(found.error())};
  const std::string_view text = text_at(*found, 0);
  int version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

ServerResult<void> create_schema(Connection& connection, const PostgresOptions& options) {
  auto there = connection.ask("SELECT to_regnamespace($1) IS NOT NULL", {options.schema});
  if (!there) return std::unexpected{std::move(there.error())};
  std::string statements;
  if (text_at(*there, 0) != "t") statements = "CREATE SCHEMA " + options.schema + ";";
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
  if (auto right = check_schema_name(options); !right) return right;
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

StoreResult<bool> try_lock_log(Connection& connection, const PostgresOptions& options) {
  if (auto right = check_schema_name(options); !right) {
    return std::unexpected{std::move(right.error())};
  }
  auto locked = connection.run("SELECT pg_try_advisory_lock(hashtextextended('nexusfix log ' || '" +
                               options.schema + "', 0))");
  if (!locked) return std::unexpected{store_error(options, locked.error())};
  return text_at(*locked, 0) == "t";
}

StoreResult<int> read_version(Connection& connection, const PostgresOptions& options) {
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
  return *version;
}

StoreResult<void> migrate(Connection& connection, const PostgresOptions& options) {
  auto version = read_version(connection, options);
  if (!version) return std::unexpected{std::move(version.error())};
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
  // Millions of messages take minutes.
  connection.set_answer_timeout(std::chrono::milliseconds{-1});
  for (int from = *version; from < kSchemaVersion; ++from) {
    const std::string step = "SET LOCAL statement_timeout = 0; " +
                             std::string{kMigrations[static_cast<std::size_t>(from)]} +
                             "INSERT INTO schema_version (version) VALUES (" +
                             std::to_string(from + 1) + ")";
    if (auto done = connection.run(step); !done) {
      return std::unexpected{
          store_error(options, {.text = "version " + std::to_string(from + 1) +
                                        " of the schema could not be made: " + done.error().text,
                                .state = {}})};
    }
  }
  connection.set_answer_timeout(options.answer_timeout);
  return {};
}

}  // namespace nexusfix::store::postgres
