#include "config/build/shared_keys.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include <nexusfix/transport/network.hpp>

#include "config/build/store_settings.hpp"
#include "config/text/settings_values.hpp"

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

bool is_loopback(const std::string& host) {
  const auto address = transport::canonical_address(std::string{transport::without_brackets(host)});
  return address && (address->starts_with("127.") || *address == "::1");
}

// HttpAcceptPort opens the console of a configuration that does not know ConsolePort.
void read_http_accept_port(WebSettings& web, const SharedKeys& keys, SettingsReport& report) {
  const std::size_t line = keys.line_of("HttpAcceptPort");
  if (web.http_accept_port.value_or(0) == 0) return;
  if (web.console_port) {
    return report.warning(line, "HttpAcceptPort: not used with ConsolePort");
  }
  web.console_port = web.http_accept_port;
  web.console_line = line;
  if (!web.allows_acts) return;
  web.allows_acts = false;
  report.warning(keys.line_of("ConsoleActs"),
                 "ConsoleActs: not used with HttpAcceptPort, whose console only shows: ConsolePort "
                 "opens one for acts");
}

void report_without_console(const SharedKeys& keys, SettingsReport& report) {
  for (const Key key :
       {Key{"ConsoleHost"}, Key{"ConsoleNames"}, Key{"ConsoleActs"}, Key{"ConsoleCertificateFile"},
        Key{"ConsoleCertificateKeyFile"}, Key{"ConsoleAuthoritiesFile"}}) {
    const std::size_t line = keys.line_of(key);
    if (line != 0) {
      report.warning(line, std::string{key.name()} + ": not used without ConsolePort");
    }
  }
}

void check_console(const WebSettings& web, const SharedKeys& keys, SettingsReport& report) {
  const bool has_tls = !web.certificate_file.empty();
  if (!has_tls && !is_loopback(web.console_host)) {
    report.error(keys.line_of("ConsoleHost"),
                 "ConsoleHost=" + web.console_host +
                     ": a console that other machines reach needs ConsoleCertificateFile, or its "
                     "token is readable on the network");
  }
  for (const Key key : {Key{"ConsoleCertificateKeyFile"}, Key{"ConsoleAuthoritiesFile"}}) {
    const std::size_t line = keys.line_of(key);
    if (has_tls || line == 0) continue;
    report.error(line, std::string{key.name()} + ": needs ConsoleCertificateFile");
  }
}

}  // namespace

void SharedKeys::take(const MergedSection& session) {
  session.for_each_given([&](Key key, const Given& given) {
    const Shared sharing = key.row().sets.sharing;
    if (sharing == Shared::No) return;
    // An invalid FileStorePath is one as well: the folder is not missing in addition.
    if (sharing != Shared::Folder && !given.is_valid) return;
    const Given& first = first_.try_emplace(key, given).first->second;
    const bool is_same = sharing == Shared::Folder ? first.value == given.value
                                                   : equals_ignoring_case(first.value, given.value);
    if (!is_same) report_other(key, first, given);
  });
}

void SharedKeys::report_other(Key key, const Given& first, const Given& given) {
  const std::string name{key.name()};
  const std::string line = std::to_string(first.line);
  switch (key.row().sets.sharing) {
    case Shared::No:
      return;
    case Shared::Folder:
      return report_.warning(given.line, name + ": not used; one journal holds all sessions, in " +
                                             shown(first.value));
    case Shared::Logs:
      return report_.warning(given.line,
                             name + ": not used; all sessions share what line " + line + " says");
    case Shared::Store:
      return report_.error(
          given.line, name + ": differs from line " + line + ", but all sessions share one store");
    case Shared::Threads:
      return report_.error(given.line, name + ": differs from line " + line +
                                           ", but all sessions share the engine's threads");
    case Shared::Web:
      return report_.error(given.line, name + ": differs from line " + line +
                                           ", but all sessions share one console");
  }
}

const Given* SharedKeys::find(Key key) const {
  const auto found = first_.find(key);
  return found == first_.end() ? nullptr : &found->second;
}

std::size_t SharedKeys::line_of(Key key) const {
  const Given* const given = find(key);
  return given == nullptr ? 0 : given->line;
}
bool SharedKeys::says_no(Key key) const {
  const Given* const given = find(key);
  return given != nullptr && !is_yes(given->value);
}

void SharedKeys::set_all(Settings& settings) {
  // Store stands before the keys of the database.
  for (const auto& [key, given] : first_) {
    const bool has_database = settings.store == StoreKind::PostgreSQL;
    if (key.name().starts_with("PostgreSQLStore") && !has_database) {
      report_.warning(given.line, std::string{key.name()} + ": not used without Store=postgresql");
      continue;
    }
    if (const auto setter = key.row().sets.into<Settings>()) {
      setter(settings, given.value, key.row().rule);
    }
  }
}

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

void build_web(WebSettings& web, const SharedKeys& keys, SettingsReport& report) {
  web.metrics_line = keys.line_of("MetricsPort");
  web.console_line = keys.line_of("ConsolePort");
  read_http_accept_port(web, keys, report);
  if (const std::size_t line = keys.line_of("MetricsHost"); line != 0 && !web.metrics_port) {
    report.warning(line, "MetricsHost: not used without MetricsPort");
  }
  if (!web.console_port) return report_without_console(keys, report);
  check_console(web, keys, report);
  const bool is_shared = web.metrics_port == web.console_port && *web.console_port != 0 &&
                         web.metrics_host == web.console_host;
  if (!is_shared) return;
  report.error(web.metrics_line, "MetricsPort=" + std::to_string(*web.metrics_port) + ": line " +
                                     std::to_string(web.console_line) +
                                     " has the same port; two different ones were expected");
}

}  // namespace nexusfix::config
