// The header with the address of a client, for the owner of its session.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nexusfix::front_door {

// The header of version 1 of the PROXY protocol (proxy-protocol.txt, section 2.1). peer_name: as of
// Network::peer_name(). port: that the client connected to. The address that it connected to is
// given as any address, because only its port is known.
[[nodiscard]] std::string proxy_line(std::string_view peer_name, std::uint16_t port);

}  // namespace nexusfix::front_door
