// The keys of TLS, of whichever engine they are.
#pragma once

#include <optional>

#include <nexusfix/config/settings.hpp>

#include "config/text/settings_section.hpp"

namespace nexusfix::config {

// How the session is protected; nothing: nobody has asked for it. What asks for more than it gets
// is a mistake of the file.
[[nodiscard]] std::optional<SessionTls> build_tls(const MergedSection& keys,
                                                  transport::TlsRole role, SettingsReport& report);

// A section that is ignored must not ask for TLS: whoever wrote it would believe to have it.
void refuse_tls_of(const Section& ignored, SettingsReport& report);

// Sessions that listen on one port are protected alike, or none of them is as its section says.
void check_shared_ports(const std::vector<SessionSettings>& sessions, SettingsReport& report);

}  // namespace nexusfix::config
