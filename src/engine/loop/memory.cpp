// When there is no memory. An event that could not be carried out for want of it is taken back as
// if the process had ended in it: nothing of it is in the store, and the sessions that it touched
// lose their connections. The others go on, and so does the engine.
#include <algorithm>
#include <string>

#include "engine/loop/event_loop.hpp"

namespace nexusfix::engine {

// It is cut at the end of the turn; nothing more is taken from its connection, or sent.
void EventLoop::abort_session(SessionEntry& entry) noexcept {
  entry.is_aborted = true;
  has_aborted_ = true;
  if (entry.connection != nullptr) entry.connection->closing = true;
}

// Within transact(). Whose numbers are not those of the store has a part in the event.
void EventLoop::abort_event(SessionEntry& entry) noexcept {
  transaction_.clear();
  sent_.clear();
  undo_log_.clear();
  undo_log_first_ = 0;
  phase_ = Phase::Event;
  deferred_.clear();
  for (const auto& owned : entries_) {
    SessionEntry& one = *owned;
    const session::Numbers numbers = stored_numbers(one);
    const bool has_part = &one == &entry || one.acting ||
                          one.machine.sequence_numbers() != numbers ||
                          (one.connection != nullptr && one.connection->in_event);
    if (!has_part) continue;
    one.acting = false;
    one.inbound_recorded = numbers.next_inbound;
    one.machine.roll_back(numbers);
    // Its numbers may have been about to begin anew.
    one.session_ended_at = std::chrono::sys_seconds::min();
    one.schedule_until = WallTime::min();
    if (one.connection != nullptr) one.connection->outbound.clear();
    abort_session(one);
  }
  for (Connection* connection : in_event_connections_) connection->in_event = false;
  in_event_connections_.clear();
}

// Outside of an event.
void EventLoop::abort_ready(const transport::Ready& ready) noexcept {
  const bool is_new = ready.kind == transport::ReadyKind::Accepted;
  const transport::SocketId socket = is_new ? ready.accepted : ready.socket;
  Connection* const connection = connections_.find(socket);
  if (connection == nullptr) {
    if (!is_new) return;
    ++stats_.connections_refused;
    seams_.network->close(socket);
    return;
  }
  abort_connection(*connection);
}

void EventLoop::abort_connection(Connection& connection) noexcept {
  if (connection.entry != nullptr) return abort_session(*connection.entry);
  ++stats_.connections_refused;
  static_cast<void>(with_memory([&] { close(connection); }));
}

void EventLoop::end_aborted() {
  has_aborted_ = false;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    SessionEntry& entry = *entries_[i];
    if (!std::exchange(entry.is_aborted, false)) continue;
    const bool is_cut = with_memory([&] {
      constexpr std::string_view kNoMemory = "disconnected: there was no memory for what it needed";
      const bool is_of_limit = !entry.abort_reason.empty();
      const std::string why{is_of_limit ? std::string_view{entry.abort_reason} : kNoMemory};
      entry.abort_reason.clear();
      const EventId id = is_of_limit ? EventId::BufferLimitReached : EventId::SessionCutForMemory;
      if (entry.connection != nullptr) {
        close(*entry.connection, id, why);
      } else {
        report_.peer(id, entry, why);
        transact(entry, [this](session::StateMachine& machine) { machine.on_disconnected(now_); });
      }
      arm(entry, now_.mono);
    });
    if (!is_cut) abort_session(entry);  // in the next turn
  }
}

// What ends a connection must not need memory.
void EventLoop::reserve_for_connections() {
  const std::size_t count = connections_.size() + 1;
  connection_timers_.reserve(count);
  if (closed_.capacity() >= closed_.size() + count && unsent_.capacity() >= count &&
      sending_.capacity() >= count) {
    return;
  }
  closed_.reserve(closed_.size() + 2 * count);
  unsent_.reserve(2 * count);
  sending_.reserve(2 * count);
}

}  // namespace nexusfix::engine
