// A place at which clients connect.
#pragma once

#include <memory>
#include <string>

#include "gateway/door/client_link.hpp"

namespace nexusfix::gateway {

// A client that has connected and has said nothing yet.
struct AcceptedClient {
  std::unique_ptr<ClientLink> link;  // null: none has connected
  std::string peer;                  // who it is, for events
};

// The thread of the gateway's loop.
class ClientDoor {
 public:
  virtual ~ClientDoor() = default;

  // The next client that has connected. It does not block.
  [[nodiscard]] virtual AcceptedClient accept() = 0;
  // Where clients connect, for people: a path or a URL.
  [[nodiscard]] virtual std::string address() const = 0;
  // Readable when accept() has a client, or poll() something to do.
  [[nodiscard]] virtual int descriptor() const noexcept = 0;
  // Gives the links what has arrived, if they do not read it themselves. In each turn of the loop.
  virtual void poll() {}
};

}  // namespace nexusfix::gateway
