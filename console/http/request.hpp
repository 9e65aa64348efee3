// A complete HTTP request, and its answer.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::web {

struct Request {
  std::string method{};                                       // "GET", "HEAD" or "POST"
  std::string path{};                                         // without the query; percent-decoded
  std::vector<std::pair<std::string, std::string>> query{};   // percent-decoded
  std::vector<std::pair<std::string, std::string>> fields{};  // names in lower case
  std::string body{};
  std::string peer{};                     // "127.0.0.1:40112"
  std::vector<std::string> identities{};  // of the client's verified certificate

  // The first value of a query's name, or of a header field in lower case; empty: there is none.
  [[nodiscard]] std::string_view argument(std::string_view name) const noexcept;
  [[nodiscard]] std::string_view field(std::string_view name) const noexcept;
  // Whether the request has more than one such field.
  [[nodiscard]] bool repeats(std::string_view name) const noexcept;
};

// An answer that goes on: Server-Sent Events. The server's thread.
class Stream {
 public:
  virtual ~Stream() = default;
  // The next bytes of the body; null: nothing at the moment. Called once a tick, unless the client
  // has not read the bytes before: it misses what it was too slow for, and gets the newest.
  [[nodiscard]] virtual std::shared_ptr<const std::string> next(MonoTime now) = 0;
};

struct Response {
  unsigned status = 200;
  std::string_view content_type = "text/plain; charset=utf-8";  // static lifetime
  std::string body{};
  std::vector<std::pair<std::string_view, std::string>> fields{};
  std::unique_ptr<Stream> stream{};    // null: the body is the whole answer
  std::chrono::milliseconds delay{0};  // it is sent so much later, which slows its client down
};

// An answer of one line.
[[nodiscard]] Response text_response(unsigned status, std::string_view line);
[[nodiscard]] Response json_response(unsigned status, std::string body);

// The bytes before the body. body_bytes: of Content-Length; a stream has none, and ends with its
// connection.
[[nodiscard]] std::string response_head(const Response& response, bool keeps_alive);

}  // namespace nexusfix::web
