// Gives sessions the validators that their configuration asks for.
#pragma once

#include <expected>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine/settings.hpp>

namespace nexusfix::engine {

// Sessions of one dictionary and the same rules share one validator. Returns the dictionaries' own
// warnings; fails at the first file that cannot be read, is no dictionary, or is that of another
// version than its session speaks.
[[nodiscard]] std::expected<std::vector<SettingsError>, SettingsError> make_validators(
    Settings& settings, Disk& disk);

}  // namespace nexusfix::engine
