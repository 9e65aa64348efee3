// What a session does at the moment, as operators see it.
#pragma once

#include <nexusfix/base/clock.hpp>

#include "engine/ground/state/session_entry.hpp"
#include "session/api/state_machine.hpp"

namespace nexusfix::engine {

[[nodiscard]] bool is_initiator(const SessionEntry& entry) noexcept;
// Whether a reload has removed the session, and its connection has ended. It may come back.
[[nodiscard]] bool is_gone(const SessionEntry& entry) noexcept;

// SessionState::StoreFailed is a state of the loop: its reader knows it.
[[nodiscard]] PublishedState state_of(const SessionEntry& entry) noexcept;

// Writes the session's state to its figures. Called when it may have changed.
void publish_state(SessionEntry& entry, const Now& now) noexcept;

// Writes the session's sequence numbers and its state to its figures, after each event. While a
// session stays logged on, its state does not change.
inline void publish(SessionEntry& entry, const Now& now) noexcept {
  SessionCounters& counters = *entry.counters;
  const session::Numbers numbers = entry.machine.sequence_numbers();
  counters.in.next.set(numbers.next_inbound);
  counters.out.next.set(numbers.next_outbound);
  if (entry.machine.state() == session::State::LoggedOn &&
      counters.state.read().state == SessionState::LoggedOn) [[likely]] {
    return;
  }
  publish_state(entry, now);
}

}  // namespace nexusfix::engine
