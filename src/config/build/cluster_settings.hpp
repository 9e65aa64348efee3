// The cluster of an engine, after SharedKeys has set it.
#pragma once

#include <nexusfix/config/settings.hpp>

#include "config/build/shared_keys.hpp"

namespace nexusfix::config {

// After build_store(). An engine of a cluster waits as a standby.
void build_cluster(Settings& settings, const SharedKeys& keys, SettingsReport& report);

}  // namespace nexusfix::config
