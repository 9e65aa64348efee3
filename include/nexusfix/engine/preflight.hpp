// Checks of what a configuration names on this machine. Cold; each creates nothing.
#pragma once

#include <expected>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/config/settings.hpp>
#include <nexusfix/engine/parts.hpp>

namespace nexusfix::engine {

// The checks that Engine::open() makes before it creates anything: dictionaries are read, folders
// must be writable, CPUs must exist, and the program must have the parts that sessions need. The
// value holds warnings about dictionaries; the error holds every mistake.
[[nodiscard]] std::expected<std::vector<config::SettingsError>, config::SettingsErrors> preflight(
    const config::Settings& settings, Disk& disk, const Parts& parts = {});

// Listen addresses that this machine does not have, and host names without an address. Asks the
// resolver and blocks for as long as it takes. Opens no port, so an engine may run with this file.
[[nodiscard]] config::SettingsErrors missing_addresses(const config::Settings& settings);

// Own certificates and revocation lists that have expired or expire within 30 days. They do not
// prevent a start; a running engine logs the same every day.
[[nodiscard]] std::vector<config::SettingsError> expiring_certificates(
    const config::Settings& settings, Disk& disk, WallTime now);

}  // namespace nexusfix::engine
