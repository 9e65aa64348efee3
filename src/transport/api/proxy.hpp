// Connections by way of proxies, in both directions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <nexusfix/transport/network.hpp>

namespace nexusfix::transport {

// A proxy that connections are made through: HTTP CONNECT (RFC 9110, section 9.3.6) or SOCKS.
struct ConnectProxy {
  // What the proxy speaks.
  enum class Protocol : std::uint8_t {
    Http10,   // CONNECT of HTTP/1.0
    Http11,   // CONNECT of HTTP/1.1
    Socks4,   // SOCKS 4: IPv4 addresses only, so names are resolved here
    Socks4a,  // SOCKS 4A: IPv4 addresses and names
    Socks5,   // SOCKS 5: IPv4 and IPv6 addresses and names
  };
  Protocol protocol = Protocol::Http11;  // ProxyType and ProxyVersion
  std::string host{};                    // of the proxy: a name or an address
  std::uint16_t port = 0;                // of the proxy: 1 to 65535
  std::string user{};                    // empty: no user is sent
  std::string password{};                // of the user; SOCKS 4 has no password

  friend bool operator==(const ConnectProxy&, const ConnectProxy&) = default;
};

// Why a proxy cannot be used with these values; empty: it can. Static lifetime.
[[nodiscard]] std::string_view validate(const ConnectProxy& proxy);
// Why a proxy of this protocol cannot connect to this host; empty: it can. Static lifetime.
[[nodiscard]] std::string_view validate(ConnectProxy::Protocol protocol,
                                        const std::string& target_host);

// The networks that the product `proxy` gives an engine.
struct ProxyPart {
  // UseTCPProxy. A network whose listeners with trusted proxies accept connections only from those
  // proxies, over the inner network, which must outlive it. Everything else is passed on unchanged.
  // TLS goes above it.
  //
  // Accepted is returned for such a connection at once, with the proxy's name; the caller limits
  // its time. The connection gives no bytes until its PROXY protocol header, version 1 or 2, is
  // complete; then Announced is returned, and no byte after the header has been read. If the header
  // is malformed or missing, or the client is not a trusted proxy, receive() returns Failed with
  // EPROTO and no other byte.
  std::unique_ptr<Network> (*make_proxied_network)(Network& inner) = nullptr;

  // ProxyType. A network that connects to endpoints with a proxy (Endpoint::proxy) through that
  // proxy, over the inner network, which must outlive it. Everything else is passed on unchanged.
  // TLS goes above it, and is with the endpoint, not with the proxy.
  //
  // The proxy resolves the name. With SOCKS 4 the name is resolved here, as connect() of the inner
  // network does. Connected is returned when the proxy has made the connection, and no byte after
  // its answer has been read. Any other answer is Failed, and last_error() has its text. The caller
  // limits the time. An answer of a proxy has at most 8 KiB.
  std::unique_ptr<Network> (*make_tunnel_network)(Network& inner) = nullptr;
};

}  // namespace nexusfix::transport
