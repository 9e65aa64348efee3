// The keys of proxies that initiators connect through.
#pragma once

#include <memory>
#include <string>

#include <nexusfix/transport/network.hpp>

#include "config/text/settings_section.hpp"

namespace nexusfix::config {

// Null: none is asked for, or not rightly, which is reported.
[[nodiscard]] std::shared_ptr<const transport::ConnectProxy> build_proxy(const MergedSection& keys,
                                                                         SettingsReport& report);

// An address of the counterparty that this proxy could not be told; name is its key's.
void check_target(const transport::ConnectProxy& proxy, const std::string& name, const Given& host,
                  SettingsReport& report);

// An acceptor's section must not ask for a proxy: whoever wrote it would believe to have it.
void refuse_proxy_of(const Section& section, SettingsReport& report);

}  // namespace nexusfix::config
