#include "web/server/metrics_site.hpp"

namespace nexusfix::web {

Response MetricsSite::respond(const Request& request) const {
  if (request.method == "POST") return text_response(405, "GET or HEAD was expected");
  if (request.path == "/healthz") return text_response(200, "ok");
  return text_response(404, "there are /metrics, /healthz and /readyz");
}

}  // namespace nexusfix::web
