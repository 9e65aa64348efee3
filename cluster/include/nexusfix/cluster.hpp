// A cluster: several nodes share the sessions of a site, in shards, and take them over from one
// another. etcd decides which node has a shard, and the owner epoch of the shard's log in
// PostgreSQL makes it safe. Link nexusfix::cluster. docs/operations/cluster.md
//
//   engine::EngineOptions options;
//   options.parts.postgres = store::postgres_part();
//   options.parts.cluster = cluster::cluster_part();
#pragma once

#include <nexusfix/store/postgres.hpp>

namespace nexusfix::cluster {

struct ClusterPart;
// The part for ClusterShard: EngineOptions::parts. Never null; static lifetime.
[[nodiscard]] const ClusterPart* cluster_part() noexcept;

}  // namespace nexusfix::cluster
