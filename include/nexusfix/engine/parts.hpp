// The optional parts of an engine. Each is a separate target: an application links only those that
// its configurations need.
#pragma once

#include <nexusfix/base/language.hpp>

namespace nexusfix::cluster {
struct ClusterPart;
}  // namespace nexusfix::cluster

namespace nexusfix::observe {
struct LogCompressionPart;
}  // namespace nexusfix::observe

namespace nexusfix::store {
struct PostgresPart;
}  // namespace nexusfix::store

namespace nexusfix::transport {
struct ProxyPart;
}  // namespace nexusfix::transport

namespace nexusfix::web {
struct WebPart;
}  // namespace nexusfix::web

namespace nexusfix::engine {

struct PasswordPart;

// Null: the program lacks the part. A configuration that needs it is refused, and the error names
// the key, the target to link and the line to write. Each part has static lifetime.
struct Parts {
  // UseTCPProxy, ProxyType: transport::proxy_part(), of nexusfix::proxy
  const transport::ProxyPart* proxy = nullptr;
  // PasswordFile: password_part(), of nexusfix::passwords
  const PasswordPart* passwords = nullptr;
  // Store=postgresql: store::postgres_part(), of nexusfix::postgres
  const store::PostgresPart* postgres = nullptr;
  // ClusterShard: cluster::cluster_part(), of nexusfix::cluster
  const cluster::ClusterPart* cluster = nullptr;
  // LogCompress: observe::log_compression_part(), of nexusfix::log_compression
  const observe::LogCompressionPart* log_compression = nullptr;
  // MetricsPort, ConsolePort, HttpAcceptPort: web::web_part(), of nexusfix::web. Without it,
  // HttpAcceptPort alone is a warning: the files of QuickFIX have it.
  const web::WebPart* web = nullptr;
};

}  // namespace nexusfix::engine
