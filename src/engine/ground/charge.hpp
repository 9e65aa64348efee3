// Counts the time of a step for its session or connection, while it is measured who costs the loop
// its time.
#pragma once

#include <string>

#include <nexusfix/transport/network.hpp>

#include "engine/ground/connection/connection.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/ground/state/session_entry.hpp"

namespace nexusfix::engine {

// The name of the session of a connection or, before its Logon, the address.
inline std::string who_is(const LoopContext& loop, const Connection& connection) {
  if (connection.entry() != nullptr) return connection.entry()->name;
  return std::string{transport::peer_address_of(loop.network->peer_name(connection.socket_id()))};
}

void measure(LoopContext& loop, const SessionEntry& entry, auto&& step) {
  loop.boundary.costs().measure({&entry, 0}, loop.time, [&] { return entry.name; }, step);
}

void measure(LoopContext& loop, const Connection& connection, auto&& step) {
  if (connection.entry() != nullptr) {
    return measure(loop, *connection.entry(), step);
  }
  loop.boundary.costs().measure(
      {nullptr, connection.socket_id()}, loop.time, [&] { return who_is(loop, connection); }, step);
}

// A step of this session in a turn.
void charge(LoopContext& loop, const SessionEntry& entry, auto&& step) {
  loop.boundary.costs().count({&entry, 0});
  if (loop.boundary.costs().is_measuring()) [[unlikely]]
    return measure(loop, entry, step);
  step();
}

}  // namespace nexusfix::engine
