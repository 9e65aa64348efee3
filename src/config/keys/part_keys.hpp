// The keys of the web console and of the metrics, for the part nexusfix::web.
#pragma once

#include "config/keys/key_row.hpp"

namespace nexusfix::config::keys {

using enum TakesEffect;

inline constexpr ValueRule kHostNames =
    read_by<read_host_names>("list", "host names or addresses, such as desk.example.com,10.0.0.5,");

inline constexpr KeyRow kWeb[] = {
    {"MetricsPort", NextStart, port(0), sets<&WebSettings::metrics_port>, "", "9464",
     "the port of /metrics (Prometheus), /healthz and /readyz; 0: any free port"},
    {"MetricsHost", NextStart, kAddress, sets<&WebSettings::metrics_host>, "127.0.0.1", "10.0.0.5",
     "the address of this machine on which MetricsPort listens"},
    {"ConsolePort", NextStart, port(0), sets<&WebSettings::console_port>, "", "8080",
     "the port of the web console; 0: any free port"},
    {"HttpAcceptPort", NextStart, port(0), sets<&WebSettings::http_accept_port>, "", "9911",
     "the port of a read-only web console; 0: none"},
    {"ConsoleHost", NextStart, kAddress, sets<&WebSettings::console_host>, "127.0.0.1", "::1",
     "the address of this machine on which the web console listens; others than 127.0.0.1 and ::1 "
     "need ConsoleCertificateFile"},
    {"ConsoleNames", NextStart, kHostNames, sets<&WebSettings::console_names, read_host_names>, "",
     "desk.example.com", "the names by which browsers reach the web console, besides its address"},
    {"ConsoleActs", NextStart, kYesOrNo, sets<&WebSettings::allows_acts>, "N", "Y",
     "Y: operators may log sessions out, reset and set them in the web console; N: it only shows"},
    {"ConsoleCertificateFile", NextStart, path("the path of a file"),
     sets<&WebSettings::certificate_file>, "", "console.pem",
     "the certificate of the web console, PEM or PKCS#12: it then speaks HTTPS only"},
    {"ConsoleCertificateKeyFile", NextStart, path("the path of a file"),
     sets<&WebSettings::certificate_key_file>, "", "console.key",
     "the private key of ConsoleCertificateFile, if it is in a file of its own"},
    {"ConsoleAuthoritiesFile", NextStart, path("the path of a file"),
     sets<&WebSettings::authorities_file>, "", "desk-ca.pem",
     "the authorities of operators' certificates: browsers must show one, and no token is asked "
     "for"},
};

// The keys of a cluster, for the part nexusfix::cluster. All sessions share one shard.

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
