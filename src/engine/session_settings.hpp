// What one [SESSION] asks for.
#pragma once

#include <nexusfix/engine/settings.hpp>

#include "engine/schedule_settings.hpp"
#include "engine/settings_section.hpp"

namespace nexusfix::engine {

[[nodiscard]] SessionSettings build_session(const MergedSection& keys, SettingsReport& report,
                                            Calendars& calendars);

}  // namespace nexusfix::engine
