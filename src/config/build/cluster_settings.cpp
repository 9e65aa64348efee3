#include "config/build/cluster_settings.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include "config/build/store_settings.hpp"

namespace nexusfix::config {
namespace {

void report_without_shard(const SharedKeys& keys, SettingsReport& report) {
  for (const Key key :
       {Key{"ClusterNode"}, Key{"ClusterEtcd"}, Key{"ClusterEtcdAuthoritiesFile"},
        Key{"ClusterEtcdCertificateFile"}, Key{"ClusterEtcdKeyFile"}, Key{"ClusterEtcdUser"},
        Key{"ClusterEtcdPassword"}, Key{"ClusterName"}, Key{"ClusterLeaseSeconds"}}) {
    const std::size_t line = keys.line_of(key);
    if (line != 0)
      report.warning(line, std::string{key.name()} + ": not used without ClusterShard");
  }
}

// Half of a lease is left when a renewal ends that no member answered, so that it is not the last
// one.
void derive_times(ClusterSettings& cluster) {
  using std::chrono::milliseconds;
  const milliseconds lease = cluster.lease;
  const auto members =
      static_cast<milliseconds::rep>(std::max<std::size_t>(1, cluster.etcd.size()));
  cluster.renewal = std::min(lease / 5, milliseconds{1'000});
  cluster.request_timeout = std::min((lease / 2 - cluster.renewal) / members, milliseconds{10'000});
}

// One of two keys without the other.
void check_pair(const SharedKeys& keys, const Key& one, const Key& other, SettingsReport& report) {
  const std::size_t line = keys.line_of(one);
  if (line == 0 || keys.line_of(other) != 0) return;
  report.error(line, std::string{one.name()} + ": " + std::string{other.name()} + " is missing");
}

void check_access(const ClusterSettings& cluster, const SharedKeys& keys, SettingsReport& report) {
  const Key certificate{"ClusterEtcdCertificateFile"};
  const Key key{"ClusterEtcdKeyFile"};
  const Key user{"ClusterEtcdUser"};
  const Key password{"ClusterEtcdPassword"};
  check_pair(keys, certificate, key, report);
  check_pair(keys, key, certificate, report);
  check_pair(keys, user, password, report);
  check_pair(keys, password, user, report);
  const auto is_tls = [](const EtcdEndpoint& one) { return one.is_tls; };
  const bool has_tls = std::ranges::any_of(cluster.etcd, is_tls);
  const bool has_only_tls = std::ranges::all_of(cluster.etcd, is_tls);
  if (has_tls && !has_only_tls) {
    report.warning(keys.line_of("ClusterEtcd"),
                   "ClusterEtcd: an address without https:// is asked without TLS");
  }
  if (!has_tls) {
    for (const Key& one : {Key{"ClusterEtcdAuthoritiesFile"}, certificate, key}) {
      const std::size_t line = keys.line_of(one);
      if (line != 0) {
        report.error(line, std::string{one.name()} + ": ClusterEtcd has no address with https://");
      }
    }
  }
  if (const std::size_t line = keys.line_of(password); line != 0 && !has_only_tls) {
    report.warning(line,
                   "ClusterEtcdPassword: it is sent without TLS to an address of "
                   "ClusterEtcd without https://");
  }
}

}  // namespace

void build_cluster(Settings& settings, const SharedKeys& keys, SettingsReport& report) {
  ClusterSettings& cluster = settings.cluster;
  cluster.line = keys.line_of("ClusterShard");
  if (cluster.line == 0) return report_without_shard(keys, report);
  if (cluster.node.empty()) {
    report.error(cluster.line, "ClusterShard: ClusterNode is missing: the name of this machine");
  }
  if (cluster.etcd.empty()) {
    report.error(cluster.line, "ClusterShard: ClusterEtcd is missing: the addresses of etcd");
  }
  if (settings.store != StoreKind::PostgreSQL) {
    report.error(cluster.line,
                 "ClusterShard: a cluster keeps the log of a shard in PostgreSQL: Store=postgresql "
                 "was expected");
  }
  const Given* const if_owned = keys.find("PostgreSQLStoreIfOwned");
  if (if_owned != nullptr && settings.postgres.if_owned == store::IfOwned::Refuse) {
    report.error(if_owned->line,
                 "PostgreSQLStoreIfOwned=refuse: an engine of a cluster waits while another one "
                 "has its shard: wait was expected, or no such key");
  }
  settings.postgres.if_owned = store::IfOwned::Wait;
  require_standby(settings, keys);
  derive_times(cluster);
  check_access(cluster, keys, report);
}

}  // namespace nexusfix::config
