// Records to a stream of NATS JetStream.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include <nexusfix/base/disk.hpp>

#include "http/http_client.hpp"
#include "stream/broker.hpp"

namespace nexusfix::stream {

struct NatsSettings {
  std::string servers;  // "nats://host:4222,tls://host2:4222"
  std::string subject;
  std::string credentials;  // path of a file of `nsc`; empty: none
  std::string token_file;   // path; empty: none
  http::TlsFiles tls;
  Disk* disk = nullptr;  // reads the token before each connection; outlives the result
};
// By cnats. Only in a program that was built with NEXUSFIX_NATS. The error is one line: a setting
// that cnats does not take.
[[nodiscard]] std::expected<std::unique_ptr<Broker>, std::string> open_nats(
    const NatsSettings& settings);

}  // namespace nexusfix::stream
