// Serves the engine and the gateway's clients on one thread.
#pragma once

#include <span>

#include <nexusfix/engine.hpp>

#include "gateway/door/client_door.hpp"
#include "gateway/gateway.hpp"
#include "transport/api/service_notifier.hpp"

namespace nexusfix::gateway {

struct LoopOptions {
  bool spins = false;  // it never sleeps
  // Gets READY at the begin, and signs of life while both are served; null: there is no service
  // manager. The engine itself sends STOPPING (EngineOptions::notify_systemd).
  transport::ServiceNotifier* service = nullptr;
};

// Serves until the engine has ended, and ends the clients.
void serve_all(engine::Engine& engine, Gateway& gateway, std::span<ClientDoor* const> doors,
               const LoopOptions& options);

}  // namespace nexusfix::gateway
