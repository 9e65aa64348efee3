// Requests to one address by HTTP, over TLS if it is https://. Boost.Beast speaks HTTP; its headers
// are only in the source.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nexusfix::http {

struct Address {
  bool is_tls = false;
  std::string host;
  std::uint16_t port = 0;
  std::string path;  // with the query; at least "/"

  [[nodiscard]] bool is_loopback() const;
};
// "http://host:port/path" or "https://...". No user and no password: every user of the machine sees
// the command line. The error is one line.
[[nodiscard]] std::expected<Address, std::string> read_address(std::string_view url);

// Paths of files of PEM; empty: the authorities of the system, and no certificate. They are read
// again for each connection: certificates are renewed while a program runs.
struct TlsFiles {
  std::string authorities{};
  std::string certificate{};
  std::string key{};
};
// How errors name what the user has given. The texts outlive the client.
struct Names {
  std::string_view server = "the server";
  std::string_view authorities = "--ca";
  std::string_view certificate = "--certificate";
  std::string_view key = "--key";
};
struct Limits {
  std::chrono::milliseconds time{30'000};  // to connect, for TLS, and for a request with its answer
  std::size_t answer_bytes = 64U << 10U;   // of a body
};

struct Request {
  std::string_view path{};  // empty: that of the address
  std::vector<std::pair<std::string, std::string>> fields{};
  std::string_view body{};  // of a POST
};
enum class Body : std::uint8_t {
  Whole,  // an answer whose body is cut, or too long, is an error
  Begin,  // the status counts: of such a body there is what came, or nothing
};
// Status and fields are as they came: a server may send any bytes but line breaks.
struct Answer {
  unsigned status = 0;
  std::string reason{};                 // "Bad Request"
  std::string body{};                   // any bytes
  std::string date{};                   // of the server's clock; empty: not given
  std::chrono::seconds retry_after{0};  // 0: not given; at most an hour
};
struct Error {
  std::string text{};  // one line, printable
  bool is_timeout = false;
  // Connecting, with TLS, has failed; or it has succeeded, and the first request on it has failed.
  bool is_connect = false;
  bool is_first_request = false;
};
using Result = std::expected<Answer, Error>;

// At most 300 bytes, printable, without line breaks.
[[nodiscard]] std::string one_line(std::string_view text);

// One connection, which is kept. One thread at a time, but cancel() is for any.
class Client {
 public:
  Client(Address address, TlsFiles files, Limits limits = {}, Names names = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Waits for the answer: whatever has a status of 200 or more. The name of the host is looked up
  // without a time limit.
  [[nodiscard]] Result post(const Request& request, Body body);
  // The body of the request is not sent.
  [[nodiscard]] Result get(const Request& request, Body body);
  // The request that waits ends with an error, and so does each later one.
  void cancel();

 private:
  class Link;
  std::unique_ptr<Link> link_;
};

}  // namespace nexusfix::http
