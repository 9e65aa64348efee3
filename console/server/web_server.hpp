// The part nexusfix::web: the ports, and what they serve.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "config/api/settings.hpp"
#include "console/server/http_thread.hpp"
#include "console/server/metrics_site.hpp"
#include "console/site/console_site.hpp"
#include "console/site/event_ring.hpp"
#include "control/api/operations.hpp"

namespace nexusfix::web {

class WebServer final : public engine::OperationsServer {
 public:
  [[nodiscard]] static std::expected<std::unique_ptr<WebServer>, std::string> open(
      const config::Settings& settings);
  ~WebServer() override;

  [[nodiscard]] std::expected<void, std::string> start(engine::Operations& engine) override;
  [[nodiscard]] observe::EventLog& events() noexcept override { return events_; }

 private:
  explicit WebServer(const config::Settings& settings);
  // Each returns its error, or an empty text.
  [[nodiscard]] std::string open_metrics();
  [[nodiscard]] std::string open_console();
  [[nodiscard]] std::string error_at(std::size_t line, const std::string& text) const;

  std::string file_;
  config::WebSettings settings_;
  SystemClock clock_;
  PosixDisk disk_;
  EventRing events_;
  MetricsSite metrics_;
  ConsoleSite console_;
  std::uint16_t metrics_port_ = 0;
  std::uint16_t console_port_ = 0;
  HttpThread metrics_http_;  // both end before what they call
  HttpThread console_http_;
};

}  // namespace nexusfix::web
