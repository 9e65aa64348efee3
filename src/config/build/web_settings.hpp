// The keys of the web console and of the metrics.
#pragma once

#include <nexusfix/config/settings.hpp>

#include "config/build/shared_keys.hpp"
#include "config/text/settings_file.hpp"

namespace nexusfix::config {

// Completes what the keys have set, and reports those that contradict each other.
void build_web(WebSettings& web, const SharedKeys& keys, SettingsReport& report);

}  // namespace nexusfix::config
