#include "cluster/postgres/server/server_facts.hpp"

#include <charconv>
#include <chrono>
#include <utility>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::store::postgres {
namespace {

// The control file has the timeline of the last checkpoint, which a promotion does not wait for; a
// WAL file's name has the current one.
constexpr const char* kFacts =
    "SELECT pg_is_in_recovery(), current_setting('synchronous_commit'), "
    "current_setting('synchronous_standby_names'), "
    "(SELECT system_identifier FROM pg_control_system()), "
    "CASE WHEN pg_is_in_recovery() THEN '' "
    "ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END, pg_conf_load_time()";
// A service that speaks PostgreSQL's protocol to its clients and has a storage of its own.
constexpr const char* kSettings =
    "SELECT pg_is_in_recovery(), current_setting('synchronous_commit'), "
    "current_setting('synchronous_standby_names'), '', '', ''";
// How often an acknowledgement that is missing is queried.
constexpr std::chrono::milliseconds kAcknowledgedAgain{1};
// The columns of kAcknowledged.
enum AcknowledgementColumn {
  kAckEnd,
  kAckPosition,
  kAckVisible,
  kAckCommit,
  kAckNames,
  kAckLoaded,
  kAckCount
};

std::uint64_t whole_number(const PGresult* row, int column) {
  std::uint64_t number = 0;
  const char* const text = PQgetvalue(row, 0, column);
  std::from_chars(text, text + PQgetlength(row, 0, column), number);
  return number;
}

// The role cannot see what a standby has: a COMMIT that waited lies after all others.
ServerResult<bool> await_own_commit(Connection& connection, const PostgresOptions& options,
                                    Acknowledgement before) {
  constexpr int kAttemptsMax = 5;
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    auto written = connection.run("UPDATE log_state SET owner_epoch = owner_epoch");
    if (!written) return std::unexpected{std::move(written.error())};
    auto after = read_acknowledgement(connection);
    if (!after) return std::unexpected{std::move(after.error())};
    if (auto reach = check_reach(options, after->settings); !reach) {
      return std::unexpected{std::move(reach.error())};
    }
    if (after->settings.loaded == before.settings.loaded) return false;
    before = std::move(*after);
  }
  return std::unexpected{ServerError{
      "the server loads its configuration again and again, and whether a COMMIT waited for the "
      "synchronous standby is not known",
      kNotReplicated}};
}

}  // namespace

// A COMMIT waits for as many standbys as the names say: all that are "sync", or any number of those
// that are "quorum".
const char* const kAcknowledged =
    "WITH needed AS (SELECT coalesce(substring(current_setting('synchronous_standby_names') from "
    "'(?i)^[[:space:]]*(?:first|any)?[[:space:]]*([0-9]+)[[:space:]]*[(]')::int, 1) AS count), "
    "standby AS (SELECT sync_state, CASE current_setting('synchronous_commit') "
    "WHEN 'remote_write' THEN write_lsn ELSE flush_lsn END AS lsn "
    "FROM pg_stat_get_wal_senders()) "
    "SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::text, (coalesce("
    "(SELECT min(lsn) FROM standby WHERE sync_state = 'sync' "
    "HAVING count(*) >= (SELECT count FROM needed)), "
    "(SELECT lsn FROM standby WHERE sync_state = 'quorum' AND lsn IS NOT NULL ORDER BY lsn DESC "
    "OFFSET (SELECT count FROM needed) - 1 LIMIT 1), '0/0'::pg_lsn) - '0/0'::pg_lsn)::text, "
    "pg_has_role('pg_read_all_stats', 'USAGE')::text, current_setting('synchronous_commit'), "
    "current_setting('synchronous_standby_names'), pg_conf_load_time()::text";
const char* const kNotAcknowledged =
    "SELECT '0', '0', 'false', current_setting('synchronous_commit'), "
    "current_setting('synchronous_standby_names'), ''";

// 42501 forbidden, 42883 no such function, 42704 no such role, 0A000 not supported.
bool is_unavailable(const ServerError& error) noexcept {
  return error.state == "42501" || error.state == "42883" || error.state == "42704" ||
         error.state == "0A000";
}

std::optional<Acknowledgement> acknowledgement_of(const PGresult* row) {
  if (PQnfields(row) != kAckCount || PQntuples(row) != 1) return std::nullopt;
  const auto text = [&](int column) {
    return std::string(PQgetvalue(row, 0, column),
                       static_cast<std::size_t>(PQgetlength(row, 0, column)));
  };
  return Acknowledgement{.is_visible = text(kAckVisible) == "true",
                         .end = whole_number(row, kAckEnd),
                         .acknowledged = whole_number(row, kAckPosition),
                         .settings = {.synchronous_commit = text(kAckCommit),
                                      .standby_names = text(kAckNames),
                                      .loaded = text(kAckLoaded)}};
}

ServerResult<Acknowledgement> read_acknowledgement(Connection& connection) {
  auto rows = connection.run(kAcknowledged);
  if (!rows && is_unavailable(rows.error())) rows = connection.run(kNotAcknowledged);
  if (!rows) return std::unexpected{std::move(rows.error())};
  auto found = acknowledgement_of(rows->get());
  if (!found) {
    return std::unexpected{ServerError{"the server does not report its settings", kElsewhere}};
  }
  return std::move(*found);
}

ServerResult<bool> await_standby(Connection& connection, const PostgresOptions& options) {
  if (options.standby != StandbyPolicy::Strict) return true;
  SystemClock clock;
  const MonoTime limit = clock.now().mono + options.answer_timeout;
  std::optional<std::uint64_t> wanted;
  for (;;) {
    auto found = read_acknowledgement(connection);
    if (!found) return std::unexpected{std::move(found.error())};
    if (auto reach = check_reach(options, found->settings); !reach) {
      return std::unexpected{std::move(reach.error())};
    }
    if (!found->is_visible) return await_own_commit(connection, options, std::move(*found));
    if (!wanted) wanted = found->end;
    if (found->acknowledged >= *wanted) return true;
    if (clock.now().mono >= limit) return std::unexpected{not_acknowledged(options)};
    static_cast<void>(wait_for(-1, 0, kAcknowledgedAgain, -1));
  }
}

ServerError not_acknowledged(const PostgresOptions& options) {
  return {"the synchronous standby has not acknowledged a COMMIT within " +
              std::to_string(options.answer_timeout.count()) + " ms",
          kNotReplicated};
}

CommitReach reach_of(const CommitSettings& settings) noexcept {
  if (settings.synchronous_commit == "off") return CommitReach::Memory;
  const bool waits = settings.synchronous_commit != "local" && !settings.standby_names.empty();
  return waits ? CommitReach::Standby : CommitReach::Disk;
}

std::string to_text(const CommitSettings& settings) {
  std::string text = "a COMMIT is ";
  switch (reach_of(settings)) {
    case CommitReach::Memory:
      text += "in the memory of the server, which may lose it";
      break;
    case CommitReach::Disk:
      text += "on the disk of the server alone";
      break;
    case CommitReach::Standby:
      text += "on a standby, too";
      break;
  }
  return text + " (synchronous_commit=" + settings.synchronous_commit +
         ", synchronous_standby_names='" + one_line(settings.standby_names) + "')";
}

ServerResult<ServerFacts> read_facts(Connection& connection) {
  auto rows = connection.run(kFacts);
  if (!rows && is_unavailable(rows.error())) rows = connection.run(kSettings);
  if (!rows) return std::unexpected{std::move(rows.error())};
  if (PQntuples(rows->get()) != 1) {
    return std::unexpected{ServerError{"the server does not report its settings", kElsewhere}};
  }
  if (text_at(*rows, 0) == "t") {
    return std::unexpected{
        ServerError{"the server is a standby (in recovery), which takes no writes", "25006"}};
  }
  ServerFacts facts;
  facts.commit = {.synchronous_commit = std::string{text_at(*rows, 1)},
                  .standby_names = std::string{text_at(*rows, 2)},
                  .loaded = std::string{text_at(*rows, 5)}};
  facts.system_identifier = text_at(*rows, 3);
  const std::string_view timeline = text_at(*rows, 4);
  std::from_chars(timeline.data(), timeline.data() + timeline.size(), facts.timeline, 16);
  return facts;
}

ServerResult<void> check_same_cluster(const ServerFacts& before, const ServerFacts& now) {
  if (before.system_identifier.empty() || now.system_identifier.empty()) return {};
  if (before.system_identifier != now.system_identifier) {
    return std::unexpected{ServerError{"the server belongs to another cluster: system identifier " +
                                           now.system_identifier + " instead of " +
                                           before.system_identifier,
                                       kOtherServer}};
  }
  if (now.timeline < before.timeline) {
    return std::unexpected{
        ServerError{"the server is a former primary: timeline " + std::to_string(now.timeline) +
                        ", and the log has reached timeline " + std::to_string(before.timeline),
                    kFormerPrimary}};
  }
  return {};
}

ServerResult<void> check_reach(const PostgresOptions& options, const CommitSettings& settings) {
  const bool is_enough = reach_of(settings) == CommitReach::Standby;
  if (options.standby != StandbyPolicy::Strict || is_enough) return {};
  return std::unexpected{
      ServerError{"a synchronous standby is required, and " + to_text(settings), kNoStandby}};
}

}  // namespace nexusfix::store::postgres
