// Sends waiting bytes, and closes connections of slow consumers.
#include <span>
#include <string>

#include "engine/ground/loop_context.hpp"
#include "engine/link/connections.hpp"

namespace nexusfix::engine {

inline void Connections::record_sent(Connection& connection, SessionEntry& entry) noexcept {
  SessionCounters& counters = *entry.counters;
  const std::size_t unsent = connection.outbound().size();
  if (unsent == 0 && connection.timed_answer().is_queued()) [[unlikely]]
    loop_.latency.on_sent(connection.timed_answer(), counters);
  if (unsent != 0 || counters.unsent_bytes.read() != 0) [[unlikely]] {
    counters.on_unsent(unsent + entry.resend.queued().size(), loop_.now().wall);
  }
}

[[gnu::always_inline]] inline void Connections::send_waiting(Connection& connection) {
  while (!connection.outbound().empty()) {
    const transport::IoResult result =
        loop_.network->send(connection.socket_id(), connection.outbound().waiting());
    if (result.status == transport::IoStatus::Failed ||
        result.status == transport::IoStatus::Closed) {
      return end(connection, EventId::ConnectionLost,
                 loop_.network->last_error(connection.socket_id()));
    }
    if (result.status == transport::IoStatus::WouldBlock || result.bytes == 0) {
      block(connection);
      break;
    }
    connection.on_taken(result.bytes);
  }
  if (connection.entry() != nullptr) record_sent(connection, *connection.entry());
  if (connection.outbound().empty() && connection.is_draining()) {
    end(connection, EventId::ConnectionClosed, std::string{connection.close_reason()});
  } else if (connection.entry() != nullptr && connection.entry()->resend.is_in_progress() &&
             connection.outbound().size() <= loop_.shared.budget->replay_bytes_max()) {
    loop_.work.set(Work::Resends);  // There is room again for the resend.
  }
}

// Waits until the socket is writable. Without takes_by, a counterparty that sends but does not
// receive would stay connected for ever.
void Connections::block(Connection& connection) {
  connection.set_blocked(true);
  if (connection.takes_by() != kNever || connection.entry() == nullptr) return;
  connection.set_takes_by(loop_.now().mono +
                          connection.entry()->settings().limits.slow_consumer_timeout);
  loop_.arm(connection, connection.takes_by());
}

void Connections::check_backlog(Connection& connection) {
  if (connection.entry() == nullptr) return;
  const std::size_t waiting =
      connection.outbound().size() + connection.entry()->resend.queued().size();
  if (waiting >= connection.backlog().checked_from()) [[unlikely]]
    on_backlog(connection, waiting);
}

void Connections::on_backlog(Connection& connection, std::size_t waiting) {
  SessionEntry& entry = *connection.entry();
  Backlog& backlog = connection.backlog();
  const std::size_t queued_bytes_max = entry.settings().limits.queued_bytes_max;
  if (waiting > queued_bytes_max) {
    return end(connection, EventId::SlowConsumerQueueFull,
               "slow consumer: " + std::to_string(waiting) + " bytes wait for it");
  }
  if (waiting > Backlog::high(queued_bytes_max)) return backlog.begin();
  if (backlog.is_high()) {
    if (waiting > Backlog::low(queued_bytes_max)) return;
    backlog.end();
    loop_.arm(entry, loop_.now().mono);  // on_writable() is an event of its own.
  }
  backlog.check_above(Backlog::high(queued_bytes_max));
}

void Connections::send_or_keep(Connection& connection, store::LogPosition durable) {
  if (connection.is_dead()) return;  // It was closed in the meantime.
  connection.set_unsent(false);
  if (connection.has_ended()) [[unlikely]]
    return;
  if (loop_.work.has(Work::Aborted) && connection.entry() != nullptr &&
      connection.entry()->abort.is_pending()) [[unlikely]] {
    return;
  }
  const bool is_durable = connection.waits_for() <= durable;
  if (!is_durable) mark_unsent(connection);
  loop_.boundary.run(connection, [&] [[gnu::always_inline]] {
    if (is_durable && !connection.is_blocked()) send_waiting(connection);
    check_backlog(connection);
  });
}

void Connections::end_stalled(store::LogPosition durable) {
  std::size_t count = 0;
  for (const auto& [socket, connection] : table_) {
    if (connection->waits_for() <= durable || connection->outbound().empty()) continue;
    end(*connection, EventId::ConnectionClosedStoreStalled, "closed: the store is stalled");
    ++count;
  }
  if (count == 0) return;
  loop_.report.engine(EventId::StoreStalled, {"ALARM: the store does not answer; ", count,
                                              " connections whose bytes wait for it are closed"});
}

}  // namespace nexusfix::engine
