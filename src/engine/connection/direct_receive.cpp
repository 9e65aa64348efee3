// A spinning event loop with few connections receives from each of them directly. That saves, for
// each message, the system call that reports which of them has bytes. Row rtt/spin shows it.
#include <cstddef>
#include <iterator>

#include "engine/connection/connections.hpp"
#include "engine/connection/inbound.hpp"
#include "engine/loop/loop_context.hpp"

namespace nexusfix::engine {
namespace {

// With more connections, one wait() for all of them costs less than a receive() on each.
constexpr std::size_t kAskedMax = 4;
// After this number of receive() calls comes a wait(), however busy the connections are: it reports
// new connections, room to send, and the ends of connections that are not read. The rest of the
// loop's work that delays no message comes then, too.
constexpr std::size_t kReceivesUnaskedMax = 16;

}  // namespace

// One receive() for each connection, until one has bytes or has ended.
Inbound::Direct Inbound::receive_directly() {
  const ConnectionTable& table = connections_.table();
  const std::size_t count = table.size();
  if (count == 0 || count > kAskedMax || receives_unasked_ >= kReceivesUnaskedMax) {
    receives_unasked_ = 0;
    return Direct::NeedsWait;
  }
  if (count != 1) return receive_from_one_of(count);
  Connection& connection = *table.begin()->second;
  if (connection.is_connecting() || connection.is_paused()) return Direct::NeedsWait;
  ++receives_unasked_;
  const transport::IoResult result =
      loop_.network->receive(connection.socket_id(), receive_buffer_.span());
  loop_.update_time();
  if (result.status == transport::IoStatus::WouldBlock) [[likely]]
    return Direct::Nothing;
  on_direct_result(connection, result);
  return Direct::Received;
}

void Inbound::on_direct_result(Connection& connection, transport::IoResult result) {
  loop_.boundary.run(connection, [&] { on_receive_result(connection, result); });
}

Inbound::Direct Inbound::receive_from_one_of(std::size_t count) {
  const ConnectionTable& table = connections_.table();
  // Each turn begins with another connection, so that a busy one does not keep the others waiting.
  first_asked_ = first_asked_ + 1 < count ? first_asked_ + 1 : 0;
  auto next = std::next(table.begin(), static_cast<std::ptrdiff_t>(first_asked_));
  const std::size_t before = receives_unasked_;
  for (std::size_t i = 0; i < count; ++i) {
    Connection& connection = *next->second;
    if (++next == table.end()) next = table.begin();
    if (connection.is_connecting() || connection.is_paused()) continue;
    ++receives_unasked_;
    const transport::IoResult result =
        loop_.network->receive(connection.socket_id(), receive_buffer_.span());
    if (result.status == transport::IoStatus::WouldBlock) [[likely]]
      continue;
    loop_.update_time();
    on_direct_result(connection, result);
    return Direct::Received;
  }
  if (receives_unasked_ == before) return Direct::NeedsWait;
  loop_.update_time();
  return Direct::Nothing;
}

}  // namespace nexusfix::engine
