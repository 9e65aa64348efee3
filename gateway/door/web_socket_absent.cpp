// A program without Boost.Beast.
#include "gateway/door/open_web_socket.hpp"

namespace nexusfix::gateway {

std::expected<std::unique_ptr<ClientDoor>, std::string> open_web_socket(const WebSocketSettings&,
                                                                        const config::Settings&,
                                                                        Disk&) {
  return std::unexpected{"WebSocketPort: this program was built without web support"};
}

}  // namespace nexusfix::gateway
