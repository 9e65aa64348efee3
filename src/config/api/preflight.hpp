// Checks of the files, folders, CPUs and addresses that a configuration names. They are slow, and
// create nothing.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/settings.hpp>

#include "config/api/settings.hpp"

namespace nexusfix::config {

// The checks that Engine::open() makes before it creates anything: dictionaries are readable,
// folders are writable, CPUs exist, and the program has the parts that the sessions need. The value
// holds warnings about dictionaries; the error holds every error.
[[nodiscard]] std::expected<std::vector<SettingsError>, SettingsErrors> preflight(
    const Settings& settings, Disk& disk, const engine::Parts& parts = {});

// Listen addresses that this machine does not have, and host names without an address. Asks the
// resolver, and blocks until it answers. Opens no port, so an engine may run with this file.
[[nodiscard]] SettingsErrors missing_addresses(const Settings& settings);

// Our certificates and revocation lists that have expired or expire within 30 days. They do not
// prevent a start; a running engine logs them every day.
[[nodiscard]] std::vector<SettingsError> expiring_certificates(const Settings& settings, Disk& disk,
                                                               WallTime now);

// The checks of preflight() but those of the dictionaries.
[[nodiscard]] SettingsErrors check_machine(const Settings& settings, Disk& disk,
                                           const engine::Parts& parts);
// Warnings about folders of the journal and the logs that other users may read, with the remedy.
[[nodiscard]] std::vector<SettingsError> open_folders(const Settings& settings, Disk& disk);

// A part that a configuration needs and the program does not have.
struct MissingPart {
  std::size_t line = 0;  // of the key, or of the session
  std::string text;      // names the key, the target to link, and the line to write
};

// Empty: the program has every part that the session needs.
[[nodiscard]] std::vector<MissingPart> missing_parts(const SessionSettings& settings,
                                                     const engine::Parts& parts);
// The ports that need nexusfix::web. HttpAcceptPort alone is none of them: see Parts::web.
[[nodiscard]] std::vector<MissingPart> missing_web_part(const WebSettings& web);
// The text for Store=postgresql, which is a key of the engine.
[[nodiscard]] std::string missing_postgres_text();
// For ClusterShard.
[[nodiscard]] std::string missing_cluster_text();

}  // namespace nexusfix::config
