// The keys of proxies that initiators connect through.
#pragma once

#include <memory>
#include <string>

#include <nexusfix/transport/network.hpp>

#include "config/text/settings_section.hpp"

namespace nexusfix::config {

// Null: no proxy is asked for, or its keys are wrong, which is reported.
[[nodiscard]] std::shared_ptr<const transport::ConnectProxy> build_proxy(const MergedSection& keys,
                                                                         SettingsReport& report);

// Reports an address of the counterparty that this proxy's protocol cannot express; name is its
// key's.
void check_target(const transport::ConnectProxy& proxy, const std::string& name, const Given& host,
                  SettingsReport& report);

// Reports an acceptor's section that asks for a proxy: its author would rely on it.
void refuse_proxy_of(const Section& section, SettingsReport& report);

}  // namespace nexusfix::config
