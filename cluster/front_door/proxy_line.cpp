#include "cluster/front_door/proxy_line.hpp"

#include <fmt/format.h>

#include <nexusfix/transport/network.hpp>

namespace nexusfix::front_door {

std::string proxy_line(std::string_view peer_name, std::uint16_t port) {
  std::string_view address = transport::peer_address_of(peer_name);
  const std::size_t colon = peer_name.rfind(':');
  if (address.empty() || colon == peer_name.npos) return "PROXY UNKNOWN\r\n";
  const std::string_view peer_port = peer_name.substr(colon + 1);
  const bool is_v6 = address.contains(':');
  address = address.substr(0, address.find('%'));  // the interface of a link-local address
  return fmt::format("PROXY {} {} {} {} {}\r\n", is_v6 ? "TCP6" : "TCP4", address,
                     is_v6 ? "::" : "0.0.0.0", peer_port, port);
}

}  // namespace nexusfix::front_door
