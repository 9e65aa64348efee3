// HTTP to a member of etcd, over TLS if its address is https://. Boost.Beast speaks HTTP; its
// headers are only in the source.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include <nexusfix/settings.hpp>

namespace nexusfix::cluster {

// At most 300 printable bytes.
[[nodiscard]] std::string one_line(std::string text);

// One connection, which is kept, and requests with a time limit. One thread at a time.
class EtcdHttp {
 public:
  struct Request {
    std::string_view path;
    std::string_view token;  // of a user; empty: none
    const std::string& body;
  };
  struct Answer {
    unsigned status = 0;
    std::string body;
    std::string date;  // of the member's clock, as HTTP writes it; empty: not given
  };

  explicit EtcdHttp(const config::ClusterSettings& settings);
  ~EtcdHttp();
  EtcdHttp(const EtcdHttp&) = delete;
  EtcdHttp& operator=(const EtcdHttp&) = delete;

  // The error is one line.
  [[nodiscard]] std::expected<Answer, std::string> post(const config::EtcdEndpoint& endpoint,
                                                        const Request& request);
  void close();

 private:
  class Link;
  std::unique_ptr<Link> link_;
};

}  // namespace nexusfix::cluster
