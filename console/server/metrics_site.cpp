#include "console/server/metrics_site.hpp"

#include <nexusfix/metrics.hpp>

namespace nexusfix::web {
namespace {

Response health_response(const metrics::Health& health) {
  return {.status = health.is_ok() ? 200U : 503U, .body = health.text()};
}

}  // namespace

Response MetricsSite::respond(const Request& request) const {
  if (request.method == "POST") return text_response(405, "GET or HEAD was expected");
  if (request.path == "/metrics") {
    return {.content_type = metrics::kContentType,
            .body = metrics::to_prometheus(engine_->statistics())};
  }
  if (request.path == "/healthz") {
    return health_response(metrics::check_health(engine_->statistics()));
  }
  if (request.path == "/readyz") {
    return health_response(metrics::check_readiness(engine_->statistics()));
  }
  return text_response(404, "there are /metrics, /healthz and /readyz");
}

}  // namespace nexusfix::web
