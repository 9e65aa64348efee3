// The states of one connection, and the transitions between them.
#pragma once

#include <cstdint>

namespace nexusfix::engine {

// A connection is in exactly one of these states. What several of them have in common is a property
// of the Connection: `blocked` is about its socket, a pause by the throttle is about reading (a
// draining connection may be paused, too), and a Logon is a matter of the session's state machine.
// AwaitingLogon includes the wait for a proxy's announcement: until then the network delivers none
// of the connection's bytes.
enum class LinkState : std::uint8_t {
  Connecting,        // our connect() has not finished; its session is known
  CheckingPassword,  // reading is paused: its Logon waits for the check of its password
  Deferred,          // reading is paused: its Logon waits, because the event loop is late
  AwaitingLogon,     // a listener accepted it: its first message names its session
  Bound,             // it has its session
  Migrating,         // its session is on another event loop, where it moves at once
  Draining,          // received bytes are ignored; it is closed when its last bytes have left
  Dead,              // it has no socket and no session; it is destroyed at the end of the turn
};

[[nodiscard]] constexpr bool can_become(LinkState from, LinkState to) noexcept {
  using enum LinkState;
  switch (from) {
    case Connecting:
      return to == Bound || to == Dead;
    case AwaitingLogon:
      return to == CheckingPassword || to == Deferred || to == Bound || to == Migrating ||
             to == Dead;
    case CheckingPassword:
    case Deferred:
      return to == AwaitingLogon || to == Dead;
    case Bound:
      return to == Draining || to == Dead;
    case Migrating:
    case Draining:
      return to == Dead;
    case Dead:
      return false;
  }
  return false;
}

}  // namespace nexusfix::engine
