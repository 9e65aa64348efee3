// A spinning event loop with few connections receives from each of them directly. That saves, for
// each message, the system call that reports which of them has bytes. The network does not watch
// them meanwhile, which saves the kernel's work for that report. Row rtt/spin shows both.
//
// Inbound::receive_directly(), in each turn of a spinning loop, for the one source that calls it.
#pragma once

#include <cstddef>

#include "engine/ground/loop_context.hpp"
#include "engine/loop/floors.hpp"
#include "engine/loop/inbound.hpp"

namespace nexusfix::engine {

// With more connections, one wait() for all of them costs less than a receive() on each.
inline constexpr std::size_t kAskedMax = 4;
// After this number of receive() calls comes a wait(), however busy the connections are: it reports
// new connections, room to send, and the ends of connections that are not read. The rest of the
// loop's work that delays no message comes then, too. A call that finds bytes counts for several:
// their messages take longer than a call that finds nothing.
inline constexpr std::size_t kReceivesUnaskedMax = 64;
inline constexpr std::size_t kReceivedCounts = 4;

// The receive of one turn, from a connection that is open and not paused. The time of the turn is
// read after it, by the caller.
[[gnu::always_inline]] inline transport::IoResult Inbound::receive_from(Connection& connection) {
  ++receives_unasked_;
  return loop_.network->receive(connection.socket_id(), receive_buffer_.span());
}

// What a direct receive has found: bytes, or the end of the connection.
[[gnu::always_inline]] inline void Inbound::on_direct_result(Connection& connection,
                                                             const transport::IoResult& result) {
  receives_unasked_ += kReceivedCounts - 1;
  loop_.boundary.run(connection, [&] { on_receive_result(connection, result); });
}

[[gnu::always_inline]] inline bool Inbound::may_receive_unasked() const noexcept {
  return receives_unasked_ < kReceivesUnaskedMax;
}

// Null: there are several, or it must not be received from.
[[gnu::always_inline]] inline Connection* Inbound::only_connection() const noexcept {
  const ConnectionTable& table = floors_.io.connections.table();
  if (table.size() != 1) return nullptr;
  Connection* const connection = table.begin()->second.get();
  return connection->is_connecting() || connection->is_paused() ? nullptr : connection;
}

// One receive() for each connection, until one has bytes or has ended.
[[gnu::always_inline]] inline Inbound::Direct Inbound::receive_directly() {
  const ConnectionTable& table = floors_.io.connections.table();
  const std::size_t count = table.size();
  if (count == 0 || count > kAskedMax || !may_receive_unasked()) {
    receives_unasked_ = 0;
    return Direct::NeedsWait;
  }
  if (count != 1) return receive_from_one_of(count);
  Connection* const connection = only_connection();
  if (connection == nullptr) return Direct::NeedsWait;
  const transport::IoResult result = receive_from(*connection);
  loop_.update_time();
  if (result.status == transport::IoStatus::WouldBlock) [[likely]]
    return Direct::Nothing;
  on_direct_result(*connection, result);
  return Direct::Received;
}

}  // namespace nexusfix::engine
