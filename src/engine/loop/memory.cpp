// When there is no memory. An event that could not be carried out for want of it is taken back as
// if the process had ended in it: nothing of it is in the store, and the sessions that it touched
// lose their connections. The others go on, and so does the engine.
#include <algorithm>
#include <string>

#include "engine/loop/runtime.hpp"

namespace nexusfix::engine {

// It is cut at the end of the turn; nothing more is taken from its connection, or sent.
void Runtime::give_up(SessionSlot& slot) noexcept {
  slot.is_given_up = true;
  is_given_up_ = true;
  if (slot.connection != nullptr) slot.connection->closing = true;
}

// Within transact(). Whose numbers are not those of the store has a part in the event.
void Runtime::give_up_event(SessionSlot& slot) noexcept {
  transaction_.clear();
  sent_.clear();
  touched_.clear();
  touched_first_ = 0;
  phase_ = Phase::Event;
  deferred_.clear();
  for (const auto& owned : slots_) {
    SessionSlot& one = *owned;
    const session::Numbers numbers = stored_numbers(one);
    const bool has_part = &one == &slot || one.acting ||
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
    give_up(one);
  }
  for (Connection* connection : in_event_connections_) connection->in_event = false;
  in_event_connections_.clear();
}

// Outside of an event.
void Runtime::give_up(const transport::Ready& ready) noexcept {
  const bool is_new = ready.kind == transport::ReadyKind::Accepted;
  const transport::SocketId socket = is_new ? ready.accepted : ready.socket;
  Connection* const connection = connections_.find(socket);
  if (connection == nullptr) {
    if (!is_new) return;
    ++stats_.connections_refused;
    seams_.network->close(socket);
    return;
  }
  give_up(*connection);
}

void Runtime::give_up(Connection& connection) noexcept {
  if (connection.slot != nullptr) return give_up(*connection.slot);
  ++stats_.connections_refused;
  static_cast<void>(with_memory([&] { close(connection); }));
}

void Runtime::cut_given_up() {
  is_given_up_ = false;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    SessionSlot& slot = *slots_[i];
    if (!std::exchange(slot.is_given_up, false)) continue;
    const bool is_cut = with_memory([&] {
      constexpr std::string_view kNoMemory = "disconnected: there was no memory for what it needed";
      const bool is_of_limit = !slot.given_up_why.empty();
      const std::string why{is_of_limit ? std::string_view{slot.given_up_why} : kNoMemory};
      slot.given_up_why.clear();
      const EventId id = is_of_limit ? EventId::BufferLimitReached : EventId::SessionCutForMemory;
      if (slot.connection != nullptr) {
        close(*slot.connection, id, why);
      } else {
        report_.peer(id, slot, why);
        transact(slot, [this](session::StateMachine& machine) { machine.on_disconnected(now_); });
      }
      arm(slot, now_.mono);
    });
    if (!is_cut) give_up(slot);  // in the next turn
  }
}

// What ends a connection must not need memory.
void Runtime::reserve_for_connections() {
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
