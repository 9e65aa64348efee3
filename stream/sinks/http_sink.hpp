// Batches of lines to an HTTP server.
#pragma once

#include <memory>
#include <string>

#include <nexusfix/base/disk.hpp>

#include "http/http_client.hpp"
#include "stream/broker.hpp"
#include "stream/sinks/sinks.hpp"

namespace nexusfix::stream {

// The token of a file that others cannot read, without the blanks around it. The error is one line
// without the token.
[[nodiscard]] std::expected<std::string, std::string> read_token(Disk& disk,
                                                                 const std::string& path);

// The text with *** for each token in it: a server may repeat it in its answer.
[[nodiscard]] std::string without_token(std::string text, const std::string& token);

// What an answer means for the batch that was posted.
enum class Verdict : std::uint8_t {
  Taken,    // 2xx
  Smaller,  // 413: half of it, unless it is one line
  Later,    // 401, 403, 408, 425, 429, 5xx: again, after the back-off
  Refused,  // all others: the stream ends
};
[[nodiscard]] Verdict judge(unsigned status) noexcept;

enum class HttpBody : std::uint8_t {
  Lines,  // application/x-ndjson
  Spans,  // OrderSpans, as a request of OTLP/HTTP
};
struct HttpSettings {
  HttpBody body = HttpBody::Lines;
  http::Address address;
  http::TlsFiles tls;
  std::string token_file;  // path; empty: none
  Disk* disk = nullptr;    // reads it before each request; outlives the result
};
// One batch at a time, on a thread of its own.
[[nodiscard]] std::unique_ptr<Broker> open_http(const HttpSettings& settings,
                                                const LineOptions& options);

}  // namespace nexusfix::stream
