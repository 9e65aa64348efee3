#include "engine/statistics/session_state.hpp"

namespace nexusfix::engine {
namespace {

[[nodiscard]] SessionState session_state_of(const SessionEntry& entry) noexcept {
  switch (entry.machine.state()) {
    case session::State::LoggedOn:
      return SessionState::LoggedOn;
    case session::State::LogoutSent:
      return SessionState::LoggingOut;
    case session::State::AwaitingLogon:
    case session::State::LogonSent:
    case session::State::LogonReceived:
      return SessionState::LoggingOn;
    case session::State::Disconnected:
      break;
  }
  // What an operator has done says more than what it was done for.
  if (entry.timetable.is_disabled() && entry.connection() == nullptr) return SessionState::Disabled;
  if (entry.acceptor.halt.accepts_only_reset() || entry.connect_policy.is_halted()) {
    return SessionState::Halted;
  }
  if (entry.connection() != nullptr && entry.connection()->is_connecting()) {
    return SessionState::Connecting;
  }
  if (is_initiator(entry) && !entry.connect_policy.wants_connection()) {
    return SessionState::LoggedOut;
  }
  if (!entry.timetable.may_log_on()) return SessionState::OutOfSchedule;
  return is_initiator(entry) ? SessionState::Waiting : SessionState::Listening;
}

}  // namespace

bool is_initiator(const SessionEntry& entry) noexcept {
  return entry.settings().session.role == session::Role::Initiator;
}

bool is_gone(const SessionEntry& entry) noexcept {
  return entry.membership.is_out() && entry.connection() == nullptr;
}

// A halted initiator is expected, too: it waits for an operator. An acceptor cannot know whether
// its counterparty wants to log on.
PublishedState state_of(const SessionEntry& entry) noexcept {
  const ConnectPolicy& policy = entry.connect_policy;
  return {.state = session_state_of(entry),
          .is_expected = is_initiator(entry) && entry.timetable.may_log_on() &&
                         (policy.wants_connection() || policy.is_halted())};
}

void publish_state(SessionEntry& entry, WallTime now) noexcept {
  entry.counters->set_state(state_of(entry), now);
  entry.counters->is_gone.set(is_gone(entry));
}

}  // namespace nexusfix::engine
