#include <string_view>

#include "config/api/preflight.hpp"

namespace nexusfix::config {
namespace {

struct PartText {
  std::string_view name;
  std::string_view target;
  std::string_view header;
  std::string_view line;
};

constexpr PartText kProxy{"proxies", "proxy", "proxy",
                          "proxy = nexusfix::transport::proxy_part();"};
constexpr PartText kPasswords{"the password service", "passwords", "passwords",
                              "passwords = nexusfix::engine::password_part();"};
constexpr PartText kLogCompression{"the compression of logs", "log_compression", "observe/logs",
                                   "log_compression = nexusfix::observe::log_compression_part();"};
constexpr PartText kPostgres{"the PostgreSQL store", "postgres", "store/postgres",
                             "postgres = nexusfix::store::postgres_part();"};
constexpr PartText kCluster{"the cluster", "cluster", "cluster",
                            "cluster = nexusfix::cluster::cluster_part();"};
constexpr PartText kWeb{"the web console and metrics", "web", "web",
                        "web = nexusfix::web::web_part();"};

std::string text_of(std::string_view key, const PartText& part) {
  std::string text{key};
  for (const std::string_view piece :
       {std::string_view{": this program was built without "}, part.name,
        std::string_view{". Link nexusfix::"}, part.target,
        std::string_view{", include <nexusfix/"}, part.header,
        std::string_view{".hpp>, and open the engine with EngineOptions that have: options.parts."},
        part.line}) {
    text += piece;
  }
  return text;
}

}  // namespace

std::vector<MissingPart> missing_parts(const SessionSettings& settings,
                                       const engine::Parts& parts) {
  std::vector<MissingPart> missing;
  if (parts.proxy == nullptr && settings.accept && settings.accept->trusted_proxies) {
    missing.push_back({settings.proxy_line, text_of("UseTCPProxy", kProxy)});
  }
  if (parts.proxy == nullptr && !settings.connect.empty() && settings.connect.front().proxy) {
    missing.push_back({settings.proxy_line, text_of("ProxyType", kProxy)});
  }
  if (parts.passwords == nullptr && !settings.credentials.password_file.empty()) {
    missing.push_back(
        {settings.credentials.password_file_line, text_of("PasswordFile", kPasswords)});
  }
  if (parts.log_compression == nullptr && settings.log.files.is_compressed) {
    missing.push_back({settings.log.compress_line, text_of("LogCompress", kLogCompression)});
  }
  return missing;
}

std::vector<MissingPart> missing_web_part(const WebSettings& web) {
  std::vector<MissingPart> missing;
  if (web.metrics_port) missing.push_back({web.metrics_line, text_of("MetricsPort", kWeb)});
  if (web.console_port && web.console_port != web.http_accept_port) {
    missing.push_back({web.console_line, text_of("ConsolePort", kWeb)});
  }
  return missing;
}

std::string missing_cluster_text() { return text_of("ClusterShard", kCluster); }
std::string missing_postgres_text() { return text_of("Store=postgresql", kPostgres); }

}  // namespace nexusfix::config
