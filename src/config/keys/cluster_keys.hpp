// The keys of a cluster, for the part nexusfix::cluster. All sessions share one shard.
#pragma once

#include "config/keys/key_row.hpp"

namespace nexusfix::config::keys {

using enum TakesEffect;

inline constexpr ValueRule kClusterWord =
    read_by<read_cluster_word>("text", "1 to 63 letters, digits, '-', '_' and '.'");
inline constexpr ValueRule kEtcd = read_by<read_etcd_endpoints>(
    "list", "addresses of etcd, such as https://10.0.0.1:2379,https://10.0.0.2:2379,");

inline constexpr KeyRow kCluster[] = {
    {"ClusterShard", NextStart, kClusterWord, sets<&ClusterSettings::shard>, "", "shard1",
     "the shard that this engine serves or waits for, a name; none: the engine is in no cluster"},
    {"ClusterNode", NextStart, kClusterWord, sets<&ClusterSettings::node>, "", "venue-a",
     "the name of this machine in the cluster; engines of several shards share it"},
    {"ClusterEtcd", NextStart, kEtcd, sets<&ClusterSettings::etcd, read_etcd_endpoints>, "",
     "https://10.0.0.1:2379", "the addresses of the members of etcd; https: by TLS"},
    {"ClusterEtcdAuthoritiesFile", NextStart, kPath, sets<&ClusterSettings::etcd_authorities_file>,
     "", "/etc/nexusfix/etcd-ca.pem",
     "the authorities of etcd's certificate, a file of PEM; none: those of the system"},
    {"ClusterEtcdCertificateFile", NextStart, kPath, sets<&ClusterSettings::etcd_certificate_file>,
     "", "/etc/nexusfix/engine.pem",
     "our certificate for etcd, a file of PEM; none: etcd wants none"},
    {"ClusterEtcdKeyFile", NextStart, kPath, sets<&ClusterSettings::etcd_key_file>, "",
     "/etc/nexusfix/engine.key", "the key of ClusterEtcdCertificateFile, a file of PEM"},
    {"ClusterEtcdUser", NextStart, kShortText, sets<&ClusterSettings::etcd_user>, "", "engine",
     "the user of etcd; none: etcd has no users"},
    {"ClusterEtcdPassword", NextStart, secret(kShortText), sets<&ClusterSettings::etcd_password>,
     "", "change-me", "the password of ClusterEtcdUser"},
    {"ClusterName", NextStart, kClusterWord, sets<&ClusterSettings::name>, "nexusfix", "venues",
     "the name of the cluster in etcd"},
    {"ClusterLeaseSeconds", NextStart, seconds(2, 60),
     sets_in<std::chrono::seconds, &ClusterSettings::lease>, "5", "10",
     "seconds after which the lease of a silent engine ends, and another one takes its shard"},
};

}  // namespace nexusfix::config::keys
