#include "engine/link/connections.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {
namespace {

// How long the last bytes (a Logout) may take to leave.
constexpr std::chrono::seconds kLastBytesTimeout{2};

}  // namespace

std::string Connections::protection_of(const Connection& connection) const {
  const std::string protection = loop_.network->protection(connection.socket_id());
  return protection.empty() ? protection : ", " + protection;
}

void Connections::refuse(Connection& connection, EventId id, std::string_view why) {
  ++loop_.stats.connections_refused;
  loop_.report.refused(id, connection.accepted().source,
                       loop_.network->peer_name(connection.socket_id()), why);
  drop(connection);
}

void ConnectionList::drop_dead() noexcept {
  const auto end = connections_.begin() + static_cast<std::ptrdiff_t>(count_);
  const auto kept = std::remove_if(connections_.begin(), end,
                                   [](const Connection* one) { return one->is_dead(); });
  count_ = static_cast<std::size_t>(kept - connections_.begin());
}

void Connections::destroy_all_closed() noexcept {
  unsent_.drop_dead();
  if (unsent_.empty()) loop_.work.clear(Work::Unsent);
  ended_.drop_dead();
  closed_.clear();
}

void Connections::abort(const transport::Ready& ready) noexcept {
  const bool is_new = ready.kind == transport::Ready::Kind::Accepted;
  const transport::SocketId socket = is_new ? ready.accepted : ready.socket;
  Connection* const connection = table_.find(socket);
  if (connection == nullptr) {
    if (!is_new) return;
    ++loop_.stats.connections_refused;
    if (socket != 0) loop_.network->close(socket);
    return;
  }
  abort(*connection);
}

void Connections::abort(Connection& connection) noexcept {
  if (connection.entry() != nullptr) return abort_session(loop_, *connection.entry());
  ++loop_.stats.connections_refused;
  drop(connection);
}

void Connections::reserve() {
  const std::size_t count = table_.size() + 1;
  loop_.timers.reserve_connections(count);
  if (closed_.capacity() < closed_.size() + count) closed_.reserve(closed_.size() + 2 * count);
  unsent_.reserve(2 * count);  // send_unsent() adds connections before it removes others
  ended_.reserve(count);
}

void Connections::close_soon(Connection& connection) {
  connection.begin_draining();
  connection.set_deadline(loop_.now().mono + kLastBytesTimeout);
  loop_.arm(connection, connection.deadline());
  mark_unsent(connection);
}

void Connections::end(Connection& connection, EventId id, std::string_view why) {
  if (connection.is_dead() || connection.has_ended()) return;
  connection.set_close_reason(why);
  connection.begin_draining();
  connection.end_with(id);
  ended_.add(connection);
  mark_unsent(connection);
}

Connection* Connections::next_ended() noexcept {
  while (!ended_.empty()) {
    Connection& connection = ended_.remove_last();
    if (!connection.is_dead()) return &connection;
  }
  return nullptr;
}

bool Connections::cut(Connection& connection) noexcept {
  std::unique_ptr<Connection> owned = table_.take(connection.socket_id());
  if (owned == nullptr) return false;
  connection.leave_pending();
  loop_.network->close(connection.socket_id());
  loop_.timers.disarm(connection);
  closed_.push_back(std::move(owned));
  return true;
}

void Connections::drop(Connection& connection) noexcept {
  if (cut(connection)) connection.end();
}

void Connections::retire(Connection& connection) noexcept {
  loop_.timers.disarm(connection);
  connection.leave_pending();
  closed_.push_back(table_.take(connection.socket_id()));
  connection.end();
}

void Connections::abandon_all() noexcept {
  for (const auto& [socket, connection] : table_) {
    loop_.network->close(socket);
    connection->end();
  }
  for (auto& [socket, connection] : table_.release_all()) closed_.push_back(std::move(connection));
}

inline void Connections::record_sent(Connection& connection, SessionEntry& entry) noexcept {
  SessionCounters& counters = *entry.counters;
  const std::size_t unsent = connection.outbound().size();
  if (unsent == 0 && connection.timed_answer().is_queued()) [[unlikely]]
    loop_.latency.on_sent(connection.timed_answer(), counters);
  if (unsent != 0 || counters.unsent_bytes.read() != 0) [[unlikely]] {
    counters.on_unsent(unsent + entry.resend.queued().size(), loop_.now().wall);
  }
}

// result: of the first send.
[[gnu::noinline]] void Connections::send_rest(Connection& connection,
                                              const transport::IoResult& first) {
  transport::IoResult result = first;
  while (result.status == transport::IoResult::Status::Ok && result.bytes != 0) {
    connection.on_taken(result.bytes);
    if (connection.outbound().empty()) return settle(connection);
    result = send(connection);
  }
  if (result.status == transport::IoResult::Status::Failed ||
      result.status == transport::IoResult::Status::Closed)
    return end(connection, EventId::ConnectionLost,
               loop_.network->last_error(connection.socket_id()));
  block(connection);
  settle(connection);
}

[[gnu::noinline]] void Connections::settle(Connection& connection) {
  if (connection.entry() != nullptr) record_sent(connection, *connection.entry());
  if (connection.outbound().empty() && connection.is_draining()) {
    end(connection, EventId::ConnectionClosed, std::string{connection.close_reason()});
  } else if (connection.entry() != nullptr && connection.entry()->resend.is_in_progress() &&
             connection.outbound().size() <= loop_.shared.budget->replay_bytes_max()) {
    loop_.work.set(Work::Resends);  // There is room again for the resend.
  }
}

// Whether nothing follows when the socket takes all bytes, as it mostly does. That of an aborted
// session is not bound.
[[gnu::always_inline]] inline bool Connections::is_plain(Connection& connection,
                                                         store::LogPosition durable) const {
  const SessionEntry* const entry = connection.entry();
  return connection.is_bound() && !connection.is_blocked() && connection.waits_for() <= durable &&
         !connection.outbound().empty() && !connection.timed_answer().is_queued() &&
         entry->counters->unsent_bytes.read() == 0 && !entry->resend.is_in_progress() &&
         entry->resend.queued().size() < connection.backlog().checked_from();
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
  if (!is_plain(connection, durable)) [[unlikely]]
    return examine_and_send(connection, durable);
  connection.set_unsent(false);
  const transport::IoResult result = send(connection);
  if (result.status == transport::IoResult::Status::Ok &&
      result.bytes == connection.outbound().size()) [[likely]]
    return connection.on_taken(result.bytes);
  send_more(connection, result);
}

[[gnu::noinline]] void Connections::send_more(Connection& connection,
                                              const transport::IoResult& result) {
  loop_.boundary.run(connection, [&] {
    send_rest(connection, result);
    check_backlog(connection);
  });
}

[[gnu::noinline]] void Connections::examine_and_send(Connection& connection,
                                                     store::LogPosition durable) {
  if (connection.is_dead()) return;  // It was closed in the meantime.
  connection.set_unsent(false);
  if (connection.has_ended()) [[unlikely]]
    return;
  if (loop_.work.has(Work::Aborted) && connection.entry() != nullptr &&
      connection.entry()->abort.is_pending()) [[unlikely]] {
    return;
  }
  const bool is_durable = connection.waits_for() <= durable;
  if (!is_durable) [[unlikely]]
    mark_unsent(connection);
  loop_.boundary.run(connection, [&] {
    if (!is_durable || connection.is_blocked()) return check_backlog(connection);
    connection.outbound().empty() ? settle(connection) : send_rest(connection, send(connection));
    check_backlog(connection);
  });
}

[[gnu::noinline]] void Connections::send_each(store::LogPosition durable) {
  const std::size_t count = unsent_.size();
  for (std::size_t i = 0; i != count; ++i) send_or_keep(unsent_[i], durable);
  unsent_.remove_first(count);
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
