// Serves the metrics (MetricsPort) and the web console (ConsolePort) of an engine on a thread of
// its own. Link nexusfix::web. docs/operations/console.md
//
//   engine::EngineOptions options;
//   options.parts.web = web::web_part();
#pragma once

#include <nexusfix/engine/operations/operations.hpp>

namespace nexusfix::web {

// The part for MetricsPort, ConsolePort and HttpAcceptPort: EngineOptions::parts. Never null;
// static lifetime.
[[nodiscard]] const WebPart* web_part() noexcept;

}  // namespace nexusfix::web
