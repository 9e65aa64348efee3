#include <nexusfix/proxy.hpp>

#include "proxy/proxied_network.hpp"
#include "proxy/tunnel_network.hpp"
#include "transport/api/proxy.hpp"

namespace nexusfix::transport {

const ProxyPart* proxy_part() noexcept {
  static constexpr ProxyPart kPart{.make_proxied_network = make_proxied_network,
                                   .make_tunnel_network = make_tunnel_network};
  return &kPart;
}

}  // namespace nexusfix::transport
