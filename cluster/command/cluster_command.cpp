// nexusfix cluster: shows a cluster, and moves its shards.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <poll.h>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/store/postgres.hpp>

#include "base/api/printable_text.hpp"
#include "cluster/command/cluster_report.hpp"
#include "nexusfix/command.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kClusterCommand = "cluster";

struct ClusterOptions {
  std::string config;
  std::string shard;
  std::string node;
  std::uint64_t wait_seconds = 60;
  bool is_json = false;
  bool is_etcd_lost = false;
};

int fail_printable(std::string_view text) { return fail(kClusterCommand, printable(text)); }

int show(const config::ClusterSettings& settings, bool is_json) {
  const auto overview = cluster::read_cluster(settings);
  if (!overview) return fail_printable(overview.error());
  if (overview->id.empty()) {
    return fail_printable("etcd knows no cluster " + settings.name +
                          ": nexusfix cluster join makes one");
  }
  fmt::print("{}", is_json ? cluster_json(*overview) : cluster_table(*overview, settings.name));
  return kSuccess;
}

// Looks again and again. is_done: of an overview. False: the time is over.
template <class IsDone>
bool wait_until(const config::ClusterSettings& settings, std::uint64_t seconds, IsDone is_done) {
  constexpr int kBetweenLooksMillis = 200;
  SystemClock clock;
  const MonoTime end = clock.now().mono + std::chrono::seconds{seconds};
  for (;;) {
    const auto overview = cluster::read_cluster(settings);
    if (overview && is_done(*overview)) return true;
    if (clock.now().mono >= end) return false;
    static_cast<void>(::poll(nullptr, 0, kBetweenLooksMillis));
  }
}

int move(const config::ClusterSettings& settings, const ClusterOptions& options) {
  if (auto noted = cluster::move_shard(settings, options.shard, options.node); !noted) {
    return fail_printable(noted.error());
  }
  bool has_engine = true;
  const bool is_over =
      wait_until(settings, options.wait_seconds, [&](const cluster::ClusterOverview& overview) {
        has_engine = std::ranges::any_of(overview.engines, [&](const cluster::ClusterEngine& one) {
          return one.shard == options.shard && one.node == options.node && one.process != 0;
        });
        return !has_engine ||
               std::ranges::any_of(overview.shards, [&](const cluster::ClusterShard& one) {
                 return one.name == options.shard && one.owner == options.node;
               });
      });
  if (!has_engine) {
    return fail_printable(
        fmt::format("the engine of node {} has ended, and does not take shard {}: nexusfix cluster "
                    "status shows which node has it",
                    options.node, options.shard));
  }
  if (!is_over) {
    return fail_printable(fmt::format("shard {} is to go to node {}, and has not within {} s",
                                      options.shard, options.node, options.wait_seconds));
  }
  fmt::print("node {} has shard {}\n", options.node, options.shard);
  return kSuccess;
}

int drain(const config::ClusterSettings& settings, const ClusterOptions& options) {
  const std::string node = options.node.empty() ? settings.node : options.node;
  if (auto noted = cluster::drain_node(settings, node); !noted) {
    return fail_printable(noted.error());
  }
  std::string left;
  const bool is_drained =
      wait_until(settings, options.wait_seconds, [&](const cluster::ClusterOverview& overview) {
        left.clear();
        for (const cluster::ClusterShard& one : overview.shards) {
          if (one.owner == node) left += (left.empty() ? "" : ", ") + one.name;
        }
        return left.empty();
      });
  if (!is_drained) {
    return fail_printable(fmt::format(
        "node {} takes no shard any more, and still has {} after {} s: no other engine is ready "
        "for them",
        node, left, options.wait_seconds));
  }
  fmt::print("node {} has no shard, and takes none\n", node);
  return kSuccess;
}

int join(const config::Settings& settings, const ClusterOptions& options) {
  const auto if_lost =
      options.is_etcd_lost ? cluster::IfEtcdLost::Restore : cluster::IfEtcdLost::Refuse;
  const auto done = cluster::join_cluster(settings, *store::postgres_part(), if_lost);
  if (!done) return fail_printable(done.error());
  for (const std::string& line : *done) fmt::print("{}\n", printable(line));
  fmt::print("node {} may take shard {}\n", settings.cluster.node, settings.cluster.shard);
  return kSuccess;
}

int run_act(const ClusterOptions& options, const std::string& act) {
  PosixDisk disk;
  const auto settings = read_settings(disk, options.config);
  if (!settings) return fail(kClusterCommand, settings.error());
  if (settings->cluster.shard.empty()) {
    return fail_printable(options.config +
                          ": ClusterShard is missing: this engine is in no cluster");
  }
  if (act == "status") return show(settings->cluster, options.is_json);
  if (act == "move") return move(settings->cluster, options);
  if (act == "drain") return drain(settings->cluster, options);
  return join(*settings, options);
}

constexpr const char* kExitStatus =
    "\n\n"
    "Exit status:\n"
    "  0  it was done\n"
    "  1  it was not done; the text says why\n"
    "  2  the arguments are wrong";

CLI::App* add_act(CLI::App& app, const char* name, const char* purpose, const char* arguments,
                  ClusterOptions& options) {
  CLI::App* const act = app.add_subcommand(name, purpose);
  act->add_option("CONFIG", options.config, "the configuration file of an engine of the cluster")
      ->required();
  act->footer(std::string{"Example:\n  $ nexusfix cluster "} + name + " venue.cfg" + arguments +
              kExitStatus);
  return act;
}

void add_wait(CLI::App& act, ClusterOptions& options) {
  act.add_option("--wait", options.wait_seconds, "wait this long until it is done; 60 if not given")
      ->check(CLI::Range(0, 3'600))
      ->option_text("SECONDS");
}

}  // namespace

int run_cluster(Arguments arguments) {
  ClusterOptions options;
  CLI::App app{
      "Shows the engines of a cluster and which of them own its shards, and moves shards between "
      "nodes. It asks etcd, as the keys Cluster... of CONFIG name it.\n\n"
      "A shard that moves logs its sessions out, and goes on at the other node with the right "
      "sequence numbers.",
      "nexusfix cluster"};
  app.require_subcommand(1);
  CLI::App* const status =
      add_act(app, "status", "show shards, owners, fencing tokens and leases", "", options);
  status->add_flag("--json", options.is_json, "print JSON");
  CLI::App* const move = add_act(app, "move", "hand a shard over to a node that waits for it",
                                 " shard1 venue-b", options);
  move->add_option("SHARD", options.shard, "the shard")->required();
  move->add_option("NODE", options.node, "the node that is to have it")->required();
  add_wait(*move, options);
  CLI::App* const drain = add_act(
      app, "drain", "hand all shards of a node over; it takes none until join", "", options);
  drain->add_option("NODE", options.node, "the node; that of CONFIG if not given");
  add_wait(*drain, options);
  CLI::App* const join =
      add_act(app, "join", "let a node and its shard take part, or make the cluster", "", options);
  join->add_flag("--etcd-lost", options.is_etcd_lost,
                 "etcd has lost its data, or was restored: write them again");
  app.footer(
      "Examples:\n"
      "  $ nexusfix cluster status venue.cfg\n"
      "  $ nexusfix cluster move venue.cfg shard1 venue-b");
  if (const auto exit = parse_arguments(app, std::move(arguments))) return *exit;
  return run_act(options, app.get_subcommands().front()->get_name());
}

}  // namespace nexusfix::command
