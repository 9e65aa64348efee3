// The keys of TLS, in the spelling of any engine.
#pragma once

#include <memory>

#include "config/api/settings.hpp"
#include "config/text/settings_section.hpp"

namespace nexusfix::config {

// How the session is protected; null: without TLS. A key that asks for TLS in a session without it
// is reported as an error.
[[nodiscard]] std::shared_ptr<const SessionTls> build_tls(const MergedSection& keys,
                                                          transport::TlsRole role,
                                                          SettingsReport& report);

// Reports an ignored section that asks for TLS: its author would rely on it.
void refuse_tls_of(const Section& ignored, SettingsReport& report);

// Reports sessions that listen on one port with different TLS or different proxies.
void check_shared_ports(const std::vector<SessionSettings>& sessions, SettingsReport& report);

}  // namespace nexusfix::config
