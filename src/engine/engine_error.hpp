// The errors of a configuration as one EngineError.
#pragma once

#include <nexusfix/engine/engine.hpp>

#include "engine/settings_names.hpp"

namespace nexusfix::engine {

// All errors, one a line.
[[nodiscard]] EngineError to_error(const SettingsErrors& errors);

}  // namespace nexusfix::engine
