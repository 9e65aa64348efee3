// Checks of the files, folders, CPUs and addresses that a configuration names. They are slow, and
// create nothing.
#pragma once

#include <expected>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/config/settings.hpp>
#include <nexusfix/engine/parts.hpp>

namespace nexusfix::engine {

// The checks that Engine::open() makes before it creates anything: dictionaries are readable,
// folders are writable, CPUs exist, and the program has the parts that the sessions need. The value
// holds warnings about dictionaries; the error holds every error.
[[nodiscard]] std::expected<std::vector<config::SettingsError>, config::SettingsErrors> preflight(
    const config::Settings& settings, Disk& disk, const Parts& parts = {});

// Listen addresses that this machine does not have, and host names without an address. Asks the
// resolver, and blocks until it answers. Opens no port, so an engine may run with this file.
[[nodiscard]] config::SettingsErrors missing_addresses(const config::Settings& settings);

// Our certificates and revocation lists that have expired or expire within 30 days. They do not
// prevent a start; a running engine logs them every day.
[[nodiscard]] std::vector<config::SettingsError> expiring_certificates(
    const config::Settings& settings, Disk& disk, WallTime now);

}  // namespace nexusfix::engine
