#include "cluster/postgres/server/cluster_mark.hpp"

#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/open_postgres.hpp"
#include "cluster/postgres/server/schema.hpp"
#include "cluster/postgres/server/server_facts.hpp"
#include "cluster/postgres/server/servers.hpp"
#include "cluster/postgres/server/statements.hpp"

namespace nexusfix::store {
namespace postgres {
namespace {

constexpr std::string_view kUndefinedTable = "42P01";

std::string cell(const Result& rows, int column) {
  return {PQgetvalue(rows.get(), 0, column),
          static_cast<std::size_t>(PQgetlength(rows.get(), 0, column))};
}

// Nothing: the log has no mark.
ServerResult<std::optional<ClusterMark>> read_mark(Connection& connection,
                                                   const std::string& schema) {
  auto rows = connection.run("SELECT m.cluster, m.shard, s.owner_epoch FROM " + schema +
                             ".cluster_mark m, " + schema + ".log_state s");
  if (!rows && rows.error().state == kUndefinedTable) return std::nullopt;
  if (!rows) return std::unexpected{std::move(rows.error())};
  if (PQntuples(rows->get()) != 1) return std::nullopt;
  const std::string text = cell(*rows, 2);
  std::uint64_t epoch = 0;
  std::from_chars(text.data(), text.data() + text.size(), epoch);
  return ClusterMark{
      .cluster = cell(*rows, 0), .shard = cell(*rows, 1), .token = token_of_epoch(epoch)};
}

std::string other_mark_text(const ClusterMark& mark, const ClusterMark& wanted) {
  return "the log belongs to shard " + mark.shard + " of cluster " + mark.cluster +
         ", and not to shard " + wanted.shard + " of cluster " + wanted.cluster +
         ", as etcd has it. Correct PostgreSQLStoreSchema, PostgreSQLStoreDatabase, ClusterShard, "
         "ClusterName or ClusterEtcd. Nothing was changed";
}

bool is_same(const ClusterMark& one, const ClusterMark& other) {
  return one.cluster == other.cluster && one.shard == other.shard;
}

}  // namespace

ServerResult<void> check_mark(Connection& connection, const PostgresOptions& options) {
  const ClusterMark wanted = options.lease->mark();
  auto mark = read_mark(connection, options.schema);
  if (!mark) return std::unexpected{std::move(mark.error())};
  if (!*mark) {
    return std::unexpected{
        ServerError{"the log belongs to no cluster, and there may be none: run nexusfix cluster "
                    "join with this configuration file",
                    kElsewhere}};
  }
  if (is_same(**mark, wanted)) return {};
  return std::unexpected{ServerError{other_mark_text(**mark, wanted), kElsewhere}};
}

}  // namespace postgres

StoreResult<std::optional<std::string>> find_standby_fault(const PostgresOptions& options) {
  using namespace postgres;
  Servers servers{options};
  auto connection = servers.connect(-1, [](Connection& one) -> ServerResult<void> {
    auto facts = read_facts(one);  // of a primary
    if (!facts) return std::unexpected{std::move(facts.error())};
    return {};
  });
  if (!connection) return std::unexpected{store_error(options, connection.error())};
  auto found = read_acknowledgement(*connection);
  if (!found) return std::unexpected{store_error(options, found.error())};
  if (reach_of(found->settings) != CommitReach::Standby) {
    return "the database has no synchronous standby: " + to_text(found->settings);
  }
  if (!found->is_visible) {
    return "the role of the database may not see what the standby has: GRANT pg_read_all_stats to "
           "it";
  }
  if (found->acknowledged > 0) return std::nullopt;
  return "no standby that synchronous_standby_names names is connected: " +
         to_text(found->settings);
}

StoreResult<std::optional<ClusterMark>> find_cluster_mark(const PostgresOptions& options) {
  using namespace postgres;
  Servers servers{options};
  auto connection = servers.connect(-1, [](Connection&) -> ServerResult<void> { return {}; });
  if (!connection) return std::unexpected{store_error(options, connection.error())};
  // Checks the schema's name, too.
  if (auto version = read_version(*connection, options); !version) {
    return std::unexpected{std::move(version.error())};
  }
  auto mark = read_mark(*connection, options.schema);
  if (!mark) return std::unexpected{store_error(options, mark.error())};
  return *mark;
}

StoreResult<void> mark_for_cluster(const PostgresOptions& options, const ClusterMark& mark) {
  using namespace postgres;
  Servers servers{options};
  auto connection = servers.connect(-1, [](Connection&) -> ServerResult<void> { return {}; });
  if (!connection) return std::unexpected{store_error(options, connection.error())};
  if (auto locked = lock_log(*connection, options); !locked) return locked;
  if (auto made = migrate(*connection, options); !made) return made;
  auto found = read_mark(*connection, options.schema);
  if (!found) return std::unexpected{store_error(options, found.error())};
  if (*found && is_same(**found, mark)) return {};
  if (*found) {
    return std::unexpected{store_error(
        options, {.text = other_mark_text(**found, mark), .state = {}}, StoreErrorCode::Refused)};
  }
  auto made = connection->run(
      "CREATE TABLE IF NOT EXISTS cluster_mark (is_only boolean PRIMARY KEY DEFAULT true "
      "CHECK (is_only), cluster text NOT NULL, shard text NOT NULL)");
  if (!made) return std::unexpected{store_error(options, made.error())};
  auto written = connection->ask("INSERT INTO cluster_mark (cluster, shard) VALUES ($1, $2)",
                                 {mark.cluster, mark.shard});
  if (!written) return std::unexpected{store_error(options, written.error())};
  return {};
}

}  // namespace nexusfix::store
