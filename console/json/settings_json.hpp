// The configuration and the schedules as JSON.
#pragma once

#include <string_view>

#include <nexusfix/base/clock.hpp>

#include "config/api/explain_settings.hpp"
#include "console/json/json.hpp"

namespace nexusfix::web {

// The values of one session, each with its line. null: the file has no such session.
[[nodiscard]] Json configuration_json(const config::ExplainedSettings& explained,
                                      std::string_view session);
// When each session is open, from a day before now until a week after it.
[[nodiscard]] Json schedule_json(const config::Settings& settings, WallTime now);

}  // namespace nexusfix::web
