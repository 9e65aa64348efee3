// The part of preflight() that costs nothing: all but the dictionaries, which a start reads
// anyway.
#pragma once

#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine/parts.hpp>

#include "engine/settings_names.hpp"

namespace nexusfix::engine {

[[nodiscard]] SettingsErrors check_machine(const Settings& settings, Disk& disk,
                                           const Parts& parts);
// Warnings of folders of the journal and the logs that others may look into, and what changes it.
[[nodiscard]] std::vector<SettingsError> open_folders(const Settings& settings, Disk& disk);

}  // namespace nexusfix::engine
