// What operators ask of a cluster: its nodes and shards, and orders to move them.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "config/api/settings.hpp"
#include "store/api/postgres_part.hpp"

namespace nexusfix::cluster {

// An engine that runs on a node, for one shard; or a node whose engine refused to serve the shard,
// and has ended.
struct ClusterEngine {
  std::string node{};                  // its ClusterNode
  std::string shard{};                 // its ClusterShard
  std::string host{};                  // the name of the machine
  std::int64_t process = 0;            // its process ID; 0: it has ended
  WallTime since{};                    // when it was started
  std::chrono::seconds lease_left{0};  // until its lease ends, if it is not renewed
  bool is_owner = false;               // it has the shard
  bool is_ready = false;               // it waits, and could take the shard now
  bool is_drained = false;             // its node takes no shard
  // Why this node did not serve the shard when it had it last (Engine::refuse(), or the engine
  // could not open); empty: it did, or never had it.
  std::string refusal{};
  WallTime refused_at{};  // with a refusal
};

// A shard, and the node that has it.
struct ClusterShard {
  std::string name{};       // its ClusterShard
  std::string owner{};      // a node; empty: none
  std::uint64_t token = 0;  // the owner's fencing token; 0: there is no owner
  std::string wanted{};     // the node that is to have it; empty: any
};

// What etcd has of a cluster, at one moment.
struct ClusterOverview {
  std::string id{};  // the identity that the databases have, too; empty: etcd knows no such cluster
  std::vector<ClusterShard> shards{};    // by name
  std::vector<ClusterEngine> engines{};  // by shard and node
  std::vector<std::string> drained{};    // nodes; they may have no engine
};

// Each function asks etcd. It blocks for request_timeout of ClusterSettings for each member and
// request at most, and for as long to connect. The error names the cause; if an answer was lost,
// also that it is not known whether something was changed. Any thread.
[[nodiscard]] std::expected<ClusterOverview, std::string> read_cluster(
    const config::ClusterSettings& settings);
// The owner of the shard is to hand it over to this node, which must wait for it. Returns when it
// is noted.
[[nodiscard]] std::expected<void, std::string> move_shard(const config::ClusterSettings& settings,
                                                          const std::string& shard,
                                                          const std::string& node);
// The node is to hand over all of its shards, and to take none until end_drain() or join_cluster().
[[nodiscard]] std::expected<void, std::string> drain_node(const config::ClusterSettings& settings,
                                                          const std::string& node);
// The node of these settings takes shards again. The error: it is not drained.
[[nodiscard]] std::expected<void, std::string> end_drain(const config::ClusterSettings& settings);

// What join_cluster() does if etcd does not have what the database has.
enum class IfEtcdLost : std::uint8_t {
  Refuse,   // it may be another etcd
  Restore,  // writes it again: the operator knows that etcd has lost its data
};
// Makes the node of these settings a node that takes shards, and its shard one of the cluster: the
// identity of the cluster is written to etcd and to the log in the database, where it is missing.
// Returns what was done, a line each. The error: what does not fit; nothing was changed then.
[[nodiscard]] std::expected<std::vector<std::string>, std::string> join_cluster(
    const config::Settings& settings, const store::PostgresPart& postgres, IfEtcdLost if_lost);

}  // namespace nexusfix::cluster
