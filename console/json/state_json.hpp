// The engine's statistics and events as JSON.
#pragma once

#include <span>
#include <string>

#include <nexusfix/statistics.hpp>

#include "console/site/event_ring.hpp"

namespace nexusfix::web {

// What the page shows at once: the engine, its loops and sessions, without histograms.
[[nodiscard]] std::string state_json(const engine::EngineStatistics& figures);
// The histograms of all loops, and of the session with this name; empty: of none. And that
// session's counts by MsgType and by reason.
[[nodiscard]] std::string figures_json(const engine::EngineStatistics& figures,
                                       std::string_view session);
[[nodiscard]] std::string events_json(std::span<const KeptEvent> events);

}  // namespace nexusfix::web
