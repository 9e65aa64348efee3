// Ends a loop in order: at once, or after its work is done.
#include <algorithm>
#include <chrono>
#include <vector>

#include "engine/loop/event_loop.hpp"

namespace nexusfix::engine {

// A stop ends a drain that is under way.
void EventLoop::on_stop_requested() {
  const std::chrono::seconds drain_max = loop_.stop.drain_max();
  if (drain_max.count() == 0) return begin_stop();
  loop_.time.update();
  if (!floors_.io.commit.is_draining()) {
    state_.drain_by = loop_.now().mono + drain_max;
    begin_drain();
  }
  end_events();
  const std::size_t left = count_undrained();
  const bool is_done = left == 0 && floors_.io.commit.is_settled() && !tasks_.inbox().has_work();
  if (!is_done && !floors_.io.commit.has_failed() && loop_.now().mono < state_.drain_by) {
    return loop_.wake_at(state_.drain_by);
  }
  if (is_done) {
    loop_.report.engine(EventId::DrainEnded, "drained: all work is done, the engine stops");
  } else {
    loop_.report.engine(EventId::DrainEnded,
                        {"the time for the drain is over, the engine stops; sessions with "
                         "unfinished work: ",
                         static_cast<std::uint64_t>(left)});
  }
  begin_stop();
}

void EventLoop::begin_drain() {
  floors_.io.commit.begin_drain();
  floors_.directory.reloader.stop();
  floors_.io.listeners.close_all();
  for (const auto& owned : floors_.sessions.registry.entries()) {
    SessionEntry& entry = *owned;
    entry.connect_policy.log_out();  // A connection that ends is not opened again.
    if (entry.connection() == nullptr || !entry.connection()->is_connecting()) continue;
    floors_.sessions.disconnector.close(*entry.connection(), EventId::ConnectionClosedByStop,
                                        "draining");
  }
  close_unbound();
}

// The sessions whose counterparties must still get something.
std::size_t EventLoop::count_undrained() const noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(floors_.sessions.registry.entries(), [](const auto& one) {
        const bool is_queued = !one->until_logon.queued().waiting().empty() ||
                               (one->outbound_limit && !one->outbound_limit->waiting.empty());
        return one->connection() != nullptr && !one->connection()->is_dead() &&
               (one->resend.is_in_progress() || !one->connection()->outbound().waiting().empty() ||
                !one->resend.queued().waiting().empty() || is_queued);
      }));
}

void EventLoop::close_unbound() {
  std::vector<Connection*> unbound;
  for (const auto& [socket, connection] : floors_.io.connections.table()) {
    if (connection->entry() == nullptr) unbound.push_back(connection.get());
  }
  for (Connection* connection : unbound) floors_.io.connections.drop(*connection);
}

// LogoutTimeout bounds the wait for each counterparty's Logout. The last bytes of a connection have
// their own deadline.
void EventLoop::begin_stop() {
  loop_.time.update();
  loop_.work.begin_stop();
  if (loop_.service != nullptr) loop_.service->stopping();
  if (loop_.shared.directory) loop_.shared.directory->remove_loop(loop_.index);
  floors_.directory.reloader.stop();
  if (floors_.io.commit.stall_timeout().count() != 0)
    state_.stop_by = loop_.now().mono + 2 * floors_.io.commit.stall_timeout();
  floors_.io.listeners.close_all();
  for (const auto& owned : floors_.sessions.registry.entries()) {
    SessionEntry& entry = *owned;
    entry.connect_policy.log_out();
    if (entry.disconnection.is_pending()) {
      floors_.sessions.transactor.transact(
          entry, [&](session::StateMachine&) { entry.disconnection.make_due(); });
    }
    if (entry.connection() == nullptr) continue;
    if (!entry.connection()->is_connecting()) {
      floors_.sessions.control.log_out(entry, {});
    } else {
      floors_.sessions.disconnector.close(*entry.connection(), EventId::ConnectionClosedByStop,
                                          "stopping");
    }
  }
  close_unbound();
}

void EventLoop::end_event() noexcept {
  Transactor& transactor = floors_.sessions.transactor;
  if (transactor.is_idle()) transactor.record().clear();
}

}  // namespace nexusfix::engine
