// A spinning event loop with few connections receives from each of them directly. That saves, for
// each message, the system call that reports which of them has bytes. Row rtt/spin shows it.
#include <algorithm>
#include <array>

#include "engine/connection/connections.hpp"
#include "engine/connection/inbound.hpp"
#include "engine/loop/loop_context.hpp"

namespace nexusfix::engine {
namespace {

// With more connections, one wait() for all of them costs less than a receive() on each.
constexpr std::size_t kAskedMax = 4;
// The receive() calls of a turn, for all connections together. They delay the rest of the turn by a
// few microseconds at most.
constexpr std::size_t kQuestionsPerTurn = 8;
// At most this number of turns passes without a wait(), however busy the connections are: it
// reports new connections, room to send, and the ends of connections that are not read.
constexpr unsigned kTurnsUnaskedMax = 16;

}  // namespace

// True: bytes or the end of a connection were processed, and this turn needs no wait().
bool Inbound::receive_directly() {
  if (connections_.table().empty() || connections_.table().size() > kAskedMax ||
      ++turns_unasked_ > kTurnsUnaskedMax) {
    turns_unasked_ = 0;
    return false;
  }
  std::array<Connection*, kAskedMax> asked{};
  std::size_t count = 0;
  for (const auto& [socket, connection] : connections_.table()) {
    const bool is_read = !connection->is_connecting() && !connection->is_paused();
    if (is_read) asked[count++] = connection.get();
  }
  const std::size_t questions = count == 0 ? 0 : std::max(count, kQuestionsPerTurn);
  for (std::size_t i = 0; i < questions; ++i) {
    // Each call begins with another connection, so that a busy one does not keep the others
    // waiting.
    next_asked_ = next_asked_ + 1 < count ? next_asked_ + 1 : 0;
    Connection& connection = *asked[next_asked_];
    const transport::IoResult result =
        loop_.network->receive(connection.socket_id(), receive_buffer_.span());
    if (result.status == transport::IoStatus::WouldBlock) continue;
    loop_.time.update();
    loop_.boundary.run(connection, [&] { on_receive_result(connection, result); });
    return true;
  }
  turns_unasked_ = 0;
  return false;
}

}  // namespace nexusfix::engine
