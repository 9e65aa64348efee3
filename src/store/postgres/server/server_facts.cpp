#include "store/postgres/server/server_facts.hpp"

#include <charconv>
#include <utility>

namespace nexusfix::store::postgres {
namespace {

// The control file has the timeline of the last checkpoint, which a promotion does not wait for; a
// WAL file's name has the current one.
constexpr const char* kFacts =
    "SELECT pg_is_in_recovery(), current_setting('synchronous_commit'), "
    "current_setting('synchronous_standby_names'), "
    "(SELECT system_identifier FROM pg_control_system()), "
    "CASE WHEN pg_is_in_recovery() THEN '' "
    "ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END";
// A service that speaks PostgreSQL's protocol to its clients and has a storage of its own.
constexpr const char* kSettings =
    "SELECT pg_is_in_recovery(), current_setting('synchronous_commit'), "
    "current_setting('synchronous_standby_names'), '', ''";

// 42501 forbidden, 42883 no such function, 0A000 not supported.
bool is_unavailable(const ServerError& error) noexcept {
  return error.state == "42501" || error.state == "42883" || error.state == "0A000";
}

}  // namespace

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
                  .standby_names = std::string{text_at(*rows, 2)}};
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
  if (options.standby == StandbyPolicy::Available || is_enough) return {};
  return std::unexpected{
      ServerError{"a synchronous standby is required, and " + to_text(settings), kNoStandby}};
}

}  // namespace nexusfix::store::postgres
