// Serves the metrics (MetricsPort) and the web console (ConsolePort) of an engine on a thread of
// its own. Link nexusfix::web. docs/operations/console.md
//
//   engine::EngineOptions options;
//   options.parts.web = web::web_part();
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>

#include <nexusfix/base/language.hpp>

namespace nexusfix::web {

struct WebPart;
// The part for MetricsPort, ConsolePort and HttpAcceptPort: EngineOptions::parts. Never null;
// static lifetime.
[[nodiscard]] const WebPart* web_part() noexcept;

// Serves metrics at /metrics, for a program that runs no engine. It has a thread of its own.
class MetricsPort {
 public:
  // metrics: the text in the format of Prometheus; called on that thread, once for each request,
  // until the destructor returns. It must not block. port 0: any free port. The error: why there
  // is no port.
  [[nodiscard]] static std::expected<std::unique_ptr<MetricsPort>, std::string> open(
      const std::string& host, std::uint16_t port, std::function<std::string()> metrics);
  MetricsPort(const MetricsPort&) = delete;
  MetricsPort& operator=(const MetricsPort&) = delete;
  // Ends the thread.
  ~MetricsPort();
  // The port in use.
  [[nodiscard]] std::uint16_t port() const noexcept;

 private:
  class Server;
  explicit MetricsPort(std::unique_ptr<Server> server) noexcept;
  std::unique_ptr<Server> server_;
};

}  // namespace nexusfix::web
