// A spinning event loop with few connections: they are asked for their bytes themselves, which
// saves each message the system call that would say which of them has some. Row rtt/spin shows it.
#include <algorithm>
#include <array>

#include "engine/connection/connections.hpp"
#include "engine/connection/inbound.hpp"
#include "engine/loop/loop_context.hpp"

namespace nexusfix::engine {
namespace {

// With more of them, asking the network for all at once costs less than asking each.
constexpr std::size_t kAskedMax = 4;
// Questions in a turn, all connections together: what else a turn does is not put off for longer
// than these take, some microseconds.
constexpr std::size_t kQuestionsPerTurn = 8;
// However busy the connections are, the network is asked so often: for who connects, for room to
// send, and for the ends of connections that are not read.
constexpr unsigned kTurnsUnaskedMax = 16;

}  // namespace

// Whether bytes, or an end, came and were taken: then the network need not be asked in this turn.
bool Inbound::receive_directly() {
  if (connections_.table().empty() || connections_.table().size() > kAskedMax ||
      ++turns_unasked_ > kTurnsUnaskedMax) {
    turns_unasked_ = 0;
    return false;
  }
  std::array<Connection*, kAskedMax> asked{};
  std::size_t count = 0;
  for (const auto& [socket, connection] : connections_.table()) {
    const bool is_read = connection->established && connection->pause.until == kNever;
    if (is_read) asked[count++] = connection.get();
  }
  const std::size_t questions = count == 0 ? 0 : std::max(count, kQuestionsPerTurn);
  for (std::size_t i = 0; i < questions; ++i) {
    // Another one is the first each time: none that always has bytes keeps the others waiting.
    next_asked_ = next_asked_ + 1 < count ? next_asked_ + 1 : 0;
    Connection& connection = *asked[next_asked_];
    const transport::IoResult result =
        loop_.network->receive(connection.socket, std::span{receive_buffer_});
    if (result.status == transport::IoStatus::WouldBlock) continue;
    loop_.time.update();
    if (!loop_.with_memory([&] { on_receive_result(connection, result); }))
      connections_.abort(connection);
    return true;
  }
  turns_unasked_ = 0;
  return false;
}

}  // namespace nexusfix::engine
