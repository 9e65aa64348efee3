// HTTP POST to one address, over TLS if it is https://. Boost.Beast speaks HTTP; its headers are
// only in the source.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nexusfix::stream {

struct HttpAddress {
  bool is_tls = false;
  std::string host;
  std::uint16_t port = 0;
  std::string path;  // with the query; at least "/"

  [[nodiscard]] bool is_loopback() const;
};
// "http://host:port/path" or "https://...". No user and no password: every user of the machine sees
// the command line. The error is one line.
[[nodiscard]] std::expected<HttpAddress, std::string> read_address(std::string_view url);

// Paths of files of PEM; empty: the authorities of the system, and no certificate.
struct TlsFiles {
  std::string authorities;
  std::string certificate;
  std::string key;
};

struct HttpAnswer {
  unsigned status = 0;
  std::string reason;                   // "Bad Request"; printable
  std::string body;                     // its begin; printable
  std::chrono::seconds retry_after{0};  // 0: not given; at most an hour
};

// One thread, but cancel() is for any.
class HttpClient {
 public:
  HttpClient(HttpAddress address, TlsFiles files);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  using Fields = std::vector<std::pair<std::string, std::string>>;
  // Waits for the answer, at most 30 s for each step. The connection is kept. An answer is whatever
  // has a status of 200 or more, also when its body is too long or cut. The error is one line.
  [[nodiscard]] std::expected<HttpAnswer, std::string> post(const Fields& fields,
                                                            const std::string& body);
  // GET. The body is at most 8 MiB, and as it came.
  [[nodiscard]] std::expected<HttpAnswer, std::string> get();
  // The request that waits ends with an error, and so does each later one.
  void cancel();

 private:
  class Link;
  std::unique_ptr<Link> link_;
};

}  // namespace nexusfix::stream
