// /metrics, /healthz and /readyz.
#pragma once

#include "console/http/http_server.hpp"
#include "control/api/operations.hpp"

namespace nexusfix::web {

class MetricsSite final : public Site {
 public:
  // Before the first request. engine: not owned.
  void serve(engine::Operations& engine) noexcept { engine_ = &engine; }
  void answer(Request request, Reply reply) override { reply.send(respond(request)); }

 private:
  [[nodiscard]] Response respond(const Request& request) const;

  engine::Operations* engine_ = nullptr;
};

}  // namespace nexusfix::web
