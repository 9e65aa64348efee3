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

// When the bytes came, for the figures and the callbacks.
[[gnu::noinline]] void FrameReader::stamp(Connection& connection) {
  using enum transport::ReceiveTimestamps;
  const auto [at, from] = loop_.network->receive_time(connection.socket_id());
  connection.set_received_at(from != None ? at : WallTime::min());
  loop_.latency.on_stamped(connection.received_at());
  SessionEntry* const entry = connection.entry();
  if (entry == nullptr) return;
  const transport::ReceiveTimestamps wanted = entry->receive_timestamps();
  if (from >= wanted || !connection.lacks_stamps()) return;
  loop_.report.peer(EventId::ReceiveTimestampsMissing, *entry,
                    from == Software
                        ? "ReceiveTimestamps=hardware: the network card gives no times, so that "
                          "the kernel's are used"
                        : "ReceiveTimestamps: the connection has no times of the kernel, so that "
                          "messages have come when the event loop reads them");
}

void FrameReader::refuse_no_fix(Connection& connection, wire::GarbledReason reason,
                                std::string_view bytes) {
  ++loop_.stats.garbled;
  loop_.report.logs().unknown(bytes, /*is_message=*/false, loop_.now().wall);
  connections_.refuse(connection, EventId::NotFix,
                      "what came first is no FIX message: " + std::string{to_string(reason)});
}

}  // namespace nexusfix::engine
