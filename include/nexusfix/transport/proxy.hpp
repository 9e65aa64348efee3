// Connections by way of proxies, in both directions. Link nexusfix::proxy.
//
//   engine::EngineOptions options;
//   options.parts.proxy = transport::proxy_part();
#pragma once

#include <memory>

#include <nexusfix/transport/network.hpp>

namespace nexusfix::transport {

// A network whose listeners with trusted proxies accept connections only from those proxies, over
// the inner network, which must outlive it. Everything else is passed on unchanged. TLS goes above
// it.
//
// Accepted is returned for such a connection at once, with the proxy's name; the caller limits its
// time. The connection gives no bytes until its PROXY protocol header, version 1 or 2, is complete;
// then Announced is returned, and no byte after the header has been read. If the header is
// malformed or missing, or the client is not a trusted proxy, receive() returns Failed with EPROTO
// and no other byte.
[[nodiscard]] std::unique_ptr<Network> make_proxied_network(Network& inner);

// A network that connects to endpoints with a proxy (Endpoint::proxy) through that proxy, over the
// inner network, which must outlive it. Everything else is passed on unchanged. TLS goes above it,
// and is with the endpoint, not with the proxy.
//
// The proxy resolves the name. With SOCKS 4 the name is resolved here, as connect() of the inner
// network does. Connected is returned when the proxy has made the connection, and no byte after its
// answer has been read. Any other answer is Failed, and last_error() has its text. The caller
// limits the time. An answer of a proxy has at most 8 KiB.
[[nodiscard]] std::unique_ptr<Network> make_tunnel_network(Network& inner);

// The two networks above, as an engine takes them.
struct ProxyPart {
  std::unique_ptr<Network> (*make_proxied_network)(Network& inner) = nullptr;  // UseTCPProxy
  std::unique_ptr<Network> (*make_tunnel_network)(Network& inner) = nullptr;   // ProxyType
};
// The part for UseTCPProxy and ProxyType: EngineOptions::parts. Never null; static lifetime.
[[nodiscard]] const ProxyPart* proxy_part() noexcept;

}  // namespace nexusfix::transport
