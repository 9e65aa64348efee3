// The cheap part of preflight(): everything but the dictionaries, which a start reads anyway.
#pragma once

#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine/parts.hpp>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

[[nodiscard]] SettingsErrors check_machine(const Settings& settings, Disk& disk,
                                           const Parts& parts);
// Warnings about folders of the journal and the logs that other users may read, with the remedy.
[[nodiscard]] std::vector<SettingsError> open_folders(const Settings& settings, Disk& disk);

}  // namespace nexusfix::engine
