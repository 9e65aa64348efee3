// A cluster as a table, and as JSON.
#pragma once

#include <string>

#include "cluster/leases/cluster_orders.hpp"

namespace nexusfix::command {

[[nodiscard]] std::string cluster_table(const cluster::ClusterOverview& overview,
                                        const std::string& name);
[[nodiscard]] std::string cluster_json(const cluster::ClusterOverview& overview);

}  // namespace nexusfix::command
