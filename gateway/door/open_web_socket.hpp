// The port for clients by WebSocket, if this program has it.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include <nexusfix/base/disk.hpp>

#include "config/api/settings.hpp"
#include "gateway/door/client_door.hpp"
#include "gateway/rights/client_file.hpp"

namespace nexusfix::gateway {

// Listens. The dictionaries of the settings name the fields of messages in JSON. The error is one
// line: the port is in use, a file of TLS has a fault, or this program was built without it.
[[nodiscard]] std::expected<std::unique_ptr<ClientDoor>, std::string> open_web_socket(
    const WebSocketSettings& web, const config::Settings& settings, Disk& disk);

}  // namespace nexusfix::gateway
