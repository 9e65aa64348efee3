// What `nexusfix ctl status` prints of a running engine.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "control/api/running_engine.hpp"

namespace nexusfix::command {

// A table of at most 80 columns, with a line about the engine. A name that is too long for its
// column has a line of its own. now: times of today have no date.
[[nodiscard]] std::string engine_table(const engine::EngineStatus& engine, WallTime now);
// An operator has to look at the session: its Logons fail, or it waits for somebody.
[[nodiscard]] bool needs_attention(const engine::SessionStatistics& session);
// All that is known of one session, one line each.
[[nodiscard]] std::string session_details(const engine::SessionStatistics& session);
[[nodiscard]] std::string engine_json(const engine::EngineStatus& engine);

// The latencies of one session (its name) or of the engine's loops (empty), in microseconds.
[[nodiscard]] std::string latency_table(const std::vector<engine::LatencyRow>& rows,
                                        std::string_view session);
[[nodiscard]] std::string latency_json(const std::vector<engine::LatencyRow>& rows,
                                       std::string_view session);

// The session that a person means: by its name, by a CompID that only it has, or by a part of its
// name that only it has, in upper or lower case. The error names those that it may be.
[[nodiscard]] std::expected<const engine::SessionStatistics*, std::string> find_session(
    const engine::EngineStatus& engine, std::string_view name);

}  // namespace nexusfix::command
