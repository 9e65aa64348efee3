#include <utility>

#include <nexusfix/metrics.hpp>
#include <nexusfix/web.hpp>

#include "console/server/http_thread.hpp"

namespace nexusfix::web {

class MetricsPort::Server final : public Site {
 public:
  explicit Server(std::function<std::string()> metrics) : metrics_{std::move(metrics)} {}

  std::expected<void, std::string> open(const std::string& host, std::uint16_t port) {
    auto opened =
        http_.open({.host = std::string{transport::without_brackets(host)}, .port = port}, *this);
    if (!opened) return std::unexpected{opened.error()};
    port_ = *opened;
    http_.start();
    return {};
  }
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

  void answer(Request request, Reply reply) override {
    if (request.method == "POST") return reply.send(text_response(405, "GET or HEAD was expected"));
    if (request.path != "/metrics") return reply.send(text_response(404, "there is /metrics"));
    reply.send({.content_type = metrics::kContentType, .body = metrics_()});
  }

 private:
  std::function<std::string()> metrics_;
  std::uint16_t port_ = 0;
  HttpThread http_;  // ends before what it calls
};

MetricsPort::MetricsPort(std::unique_ptr<Server> server) noexcept : server_{std::move(server)} {}
MetricsPort::~MetricsPort() = default;

std::expected<std::unique_ptr<MetricsPort>, std::string> MetricsPort::open(
    const std::string& host, std::uint16_t port, std::function<std::string()> metrics) {
  auto server = std::make_unique<Server>(std::move(metrics));
  if (auto opened = server->open(host, port); !opened) return std::unexpected{opened.error()};
  return std::unique_ptr<MetricsPort>{new MetricsPort{std::move(server)}};
}

std::uint16_t MetricsPort::port() const noexcept { return server_->port(); }

}  // namespace nexusfix::web
