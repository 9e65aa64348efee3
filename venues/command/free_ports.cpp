#include "venues/command/free_ports.hpp"

#include <nexusfix/transport/network.hpp>

namespace nexusfix::venues {

std::expected<std::vector<std::uint16_t>, std::string> free_ports(const std::string& host,
                                                                  std::size_t count) {
  auto network = transport::make_epoll_network();
  if (!network) return std::unexpected{network.error().text};
  std::vector<std::uint16_t> ports;
  // All are open until the last one is known: so they differ.
  for (std::size_t i = 0; i < count; ++i) {
    const auto socket = (*network)->listen({.host = host});
    if (!socket) return std::unexpected{socket.error().text};
    ports.push_back((*network)->local_port(*socket));
  }
  return ports;
}

}  // namespace nexusfix::venues
