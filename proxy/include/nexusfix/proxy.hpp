// Connections by way of proxies, in both directions. A product beside the core: nexusfix::proxy.
//
//   nexusfix::EngineOptions options;
//   options.parts.proxy = nexusfix::transport::proxy_part();
#pragma once

#include <nexusfix/base/language.hpp>

namespace nexusfix::transport {

struct ProxyPart;

// The part for UseTCPProxy and ProxyType: EngineOptions::parts. Never null; static lifetime.
[[nodiscard]] const ProxyPart* proxy_part() noexcept;

}  // namespace nexusfix::transport
