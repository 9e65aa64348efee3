// What operators ask and order: status, move, drain, join.
#include "cluster/leases/cluster_orders.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/cluster.hpp>

#include "cluster/leases/cluster_state.hpp"
#include "cluster/leases/etcd_client.hpp"
#include "cluster/leases/member.hpp"

namespace nexusfix::cluster {
namespace {

using config::ClusterSettings;

std::string new_id() {
  SystemRandom random;
  std::array<char, 16> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), random.next(), 16).ptr;
  return {digits.data(), end};
}

// etcd, and what it has of the cluster.
struct Found {
  explicit Found(const ClusterSettings& settings) : names{settings.name}, etcd{settings} {}

  std::expected<void, std::string> read() {
    const auto range = etcd.read(names.all());
    if (!range) return std::unexpected{range.error().text};
    state = read_state(*range, names);
    return {};
  }
  std::expected<void, std::string> write(const EtcdChange& change) {
    const auto changed = etcd.change(change);
    if (!changed) {
      return std::unexpected{
          changed.error().text +
          (changed.error().is_answered ? "" : ": it is not known whether it was done")};
    }
    if (!changed->is_done) {
      return std::unexpected{
          std::string{"another command has changed the cluster at the same time: "
                      "give this one again"}};
    }
    return {};
  }

  KeyNames names;
  EtcdClient etcd;
  ClusterState state{};
};

std::string unknown_cluster(const ClusterSettings& settings, const EtcdClient& etcd) {
  return "etcd (" + etcd.members() + ") knows no cluster " + settings.name +
         ": nexusfix cluster join makes one";
}

// What a log in the database and etcd say of each other; an error where they do not fit.
std::expected<void, std::string> compare(const Found& found,
                                         const std::optional<store::ClusterMark>& mark,
                                         const ClusterSettings& settings, IfEtcdLost if_lost) {
  const std::string& id = found.state.id;
  const ShardState shard = found.state.shard(settings.shard);
  if (mark && mark->shard != settings.shard) {
    return std::unexpected{"the log in the database is that of shard " + mark->shard +
                           ", and not of " + settings.shard +
                           ": correct ClusterShard or PostgreSQLStoreSchema"};
  }
  if (mark && !id.empty() && mark->cluster != id) {
    return std::unexpected{"the log in the database belongs to cluster " + mark->cluster +
                           ", and etcd has cluster " + id +
                           ": correct ClusterEtcd, ClusterName or PostgreSQLStoreHost"};
  }
  if (!mark && shard.base) {
    return std::unexpected{"shard " + settings.shard +
                           " has a log already, and this one in the database belongs to no "
                           "cluster: correct PostgreSQLStoreHost, PostgreSQLStoreDatabase or "
                           "PostgreSQLStoreSchema"};
  }
  const bool lacks_cluster = mark && id.empty();
  const bool lacks_shard = mark && mark->token > 0 && !shard.base;
  const bool is_old = mark && shard.base && *shard.base + found.state.revision < mark->token;
  if (if_lost == IfEtcdLost::Restore || !(lacks_cluster || lacks_shard || is_old)) return {};
  return std::unexpected{
      "etcd (" + found.etcd.members() + ") has old data: the log was claimed with fencing token " +
      std::to_string(mark->token) + ", and etcd " +
      (is_old ? "gives tokens from " + std::to_string(*shard.base + found.state.revision) + " on"
              : std::string{"does not know "} + (lacks_cluster ? "the cluster" : "the shard")) +
      ". Correct ClusterName or ClusterEtcd. Only if etcd has lost its data for good, add "
      "--etcd-lost"};
}

}  // namespace

const ClusterPart* cluster_part() noexcept {
  static constexpr ClusterPart kPart{.join = Member::join};
  return &kPart;
}

std::expected<ClusterOverview, std::string> read_cluster(const ClusterSettings& settings) {
  Found found{settings};
  if (auto read = found.read(); !read) return std::unexpected{std::move(read.error())};
  ClusterOverview overview{.id = found.state.id,
                           .drained = {found.state.drained.begin(), found.state.drained.end()}};
  for (const auto& [name, shard] : found.state.shards) {
    overview.shards.push_back({.name = name,
                               .owner = shard.owner ? shard.owner->node : std::string{},
                               .token = shard.token(),
                               .wanted = shard.wanted});
    for (const auto& [node, engine] : shard.engines()) {
      EtcdResult<std::chrono::seconds> left{0};
      if (engine.lease != 0) left = found.etcd.time_left(engine.lease);
      if (!left) return std::unexpected{left.error().text};
      overview.engines.push_back({.node = node,
                                  .shard = name,
                                  .host = engine.host,
                                  .process = engine.process,
                                  .since = engine.since,
                                  .lease_left = *left,
                                  .is_owner = shard.owner && shard.owner->lease == engine.lease,
                                  .is_ready = engine.is_ready,
                                  .is_drained = found.state.drained.contains(node),
                                  .refusal = engine.refusal,
                                  .refused_at = engine.refused_at});
    }
  }
  return overview;
}

std::expected<void, std::string> move_shard(const ClusterSettings& settings,
                                            const std::string& shard, const std::string& node) {
  Found found{settings};
  if (auto read = found.read(); !read) return read;
  if (found.state.id.empty()) return std::unexpected{unknown_cluster(settings, found.etcd)};
  const ShardState state = found.state.shard(shard);
  if (!state.base) return std::unexpected{"cluster " + settings.name + " has no shard " + shard};
  if (state.owner && state.owner->node == node) {
    return std::unexpected{"node " + node + " has shard " + shard + " already"};
  }
  const auto target = state.members.find(node);
  if (target == state.members.end()) {
    return std::unexpected{"no engine of node " + node + " waits for shard " + shard +
                           ": nothing was changed"};
  }
  if (found.state.drained.contains(node)) {
    return std::unexpected{"node " + node +
                           " is drained: nexusfix cluster join lets it take shards again"};
  }
  if (!target->second.is_ready) {
    return std::unexpected{"the engine of node " + node +
                           " is not ready to take the shard: it has no connection to the "
                           "database, or not the whole log yet. Nothing was changed"};
  }
  return found.write({.puts = {{found.names.wanted(shard), node}}});
}

std::expected<void, std::string> drain_node(const ClusterSettings& settings,
                                            const std::string& node) {
  Found found{settings};
  if (auto read = found.read(); !read) return read;
  if (found.state.id.empty()) return std::unexpected{unknown_cluster(settings, found.etcd)};
  const bool is_known = std::ranges::any_of(
      found.state.shards, [&](const auto& one) { return one.second.members.contains(node); });
  if (!is_known && !found.state.drained.contains(node)) {
    return std::unexpected{"no engine of node " + node + " runs: nothing was changed"};
  }
  return found.write({.puts = {{found.names.drained(node), "by an operator"}}});
}

std::expected<void, std::string> end_drain(const ClusterSettings& settings) {
  Found found{settings};
  if (auto read = found.read(); !read) return read;
  if (!found.state.drained.contains(settings.node)) {
    return std::unexpected{"node " + settings.node + " is not drained: nothing was changed"};
  }
  return found.write({.deletions = {found.names.drained(settings.node)}});
}

std::expected<std::vector<std::string>, std::string> join_cluster(
    const config::Settings& settings, const store::PostgresPart& postgres, IfEtcdLost if_lost) {
  const ClusterSettings& cluster = settings.cluster;
  std::vector<std::string> done;
  Found found{cluster};
  if (auto read = found.read(); !read) return std::unexpected{std::move(read.error())};
  const auto mark = postgres.find_mark(settings.postgres);
  if (!mark) return std::unexpected{mark.error().text};
  if (auto fits = compare(found, *mark, cluster, if_lost); !fits) {
    return std::unexpected{std::move(fits.error())};
  }
  std::string id = found.state.id;
  if (id.empty()) {
    id = *mark ? (*mark)->cluster : new_id();
    const std::string key = found.names.id();
    auto written = found.write({.conditions = {{.key = key}}, .puts = {{key, id}}});
    if (!written) return std::unexpected{std::move(written.error())};
    done.push_back("etcd: cluster " + cluster.name + " is made, with the identity " + id);
  }
  if (!*mark) {
    auto marked = postgres.mark(settings.postgres, {.cluster = id, .shard = cluster.shard});
    if (!marked) return std::unexpected{marked.error().text};
    done.push_back("database: the log in schema " + settings.postgres.schema +
                   " is that of shard " + cluster.shard);
  }
  const std::uint64_t claimed = *mark ? (*mark)->token : 0;
  const ShardState shard = found.state.shard(cluster.shard);
  if (!shard.base || *shard.base + found.state.revision < claimed) {
    auto written =
        found.write({.puts = {{found.names.base(cluster.shard), std::to_string(claimed)}}});
    if (!written) return std::unexpected{std::move(written.error())};
    done.push_back("etcd: shard " + cluster.shard + ", with fencing tokens above " +
                   std::to_string(claimed));
  }
  if (found.state.drained.contains(cluster.node)) {
    auto written = found.write({.deletions = {found.names.drained(cluster.node)}});
    if (!written) return std::unexpected{std::move(written.error())};
    done.push_back("etcd: node " + cluster.node + " takes shards again");
  }
  if (shard.refused.contains(cluster.node)) {
    auto written = found.write({.deletions = {found.names.refused(cluster.shard, cluster.node)}});
    if (!written) return std::unexpected{std::move(written.error())};
    done.push_back("etcd: the refusal of node " + cluster.node + " is removed");
  }
  const auto fault = postgres.standby_fault(settings.postgres);
  if (!fault) return std::unexpected{fault.error().text};
  if (*fault) {
    const bool is_strict = settings.postgres.standby == store::StandbyPolicy::Strict;
    done.push_back("warning: " + **fault +
                   (is_strict ? ". The engines of the shard do not open (PostgreSQLStoreStandby="
                                "strict) until that is corrected"
                              : ". A take-over may lose messages that were sent "
                                "(PostgreSQLStoreStandby=available)"));
  }
  return done;
}

}  // namespace nexusfix::cluster
