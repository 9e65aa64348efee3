#include "engine/link/frame_reader.hpp"

namespace nexusfix::engine {

// The network need not watch connections that each turn asks.
void FrameReader::unwatch_connections(bool spins) noexcept {
  const ConnectionTable& table = connections_.table();
  const bool asks_each = spins && table.size() <= kAskedMax;
  if (!asks_each && !has_unwatched_) return;
  for (const auto& [socket, connection] : table) {
    if (!connection->is_connecting()) loop_.network->unwatch(socket, asks_each);
  }
  has_unwatched_ = asks_each;
}

void FrameReader::refuse_no_fix(Connection& connection, wire::GarbledReason reason,
                                std::string_view bytes) {
  ++loop_.stats.garbled;
  loop_.report.logs().unknown(bytes, /*is_message=*/false, loop_.now().wall);
  connections_.refuse(connection, EventId::NotFix,
                      "what came first is no FIX message: " + std::string{to_string(reason)});
}

}  // namespace nexusfix::engine
