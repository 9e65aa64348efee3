// HTTP to a member of etcd, over TLS if its address is https://, and what may be wrong with its
// settings when that fails.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "config/api/settings.hpp"
#include "http/http_client.hpp"

namespace nexusfix::cluster {

// One connection, which is kept, and requests with a time limit. One thread at a time.
class EtcdHttp {
 public:
  struct Request {
    std::string_view path;
    std::string_view token;  // of a user; empty: none
    const std::string& body;
  };

  explicit EtcdHttp(const config::ClusterSettings& settings) : settings_{settings} {}

  // To another member only after close(). The error is one line.
  [[nodiscard]] std::expected<http::Answer, std::string> post(const config::EtcdEndpoint& endpoint,
                                                              const Request& request);
  void close() { client_.reset(); }

 private:
  [[nodiscard]] std::string hint(const http::Error& error, bool is_tls) const;

  config::ClusterSettings settings_;
  std::optional<http::Client> client_;
  bool has_answered_ = false;
};

}  // namespace nexusfix::cluster
