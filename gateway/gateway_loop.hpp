// Serves the engine and the gateway's clients on one thread.
#pragma once

#include <nexusfix/engine.hpp>

#include "gateway/door/socket_door.hpp"
#include "gateway/gateway.hpp"

namespace nexusfix::gateway {

struct LoopOptions {
  bool spins = false;  // it never sleeps
};

// Serves until the engine has ended, and ends the clients.
void serve_all(engine::Engine& engine, Gateway& gateway, SocketDoor& door,
               const LoopOptions& options);

}  // namespace nexusfix::gateway
