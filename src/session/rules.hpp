// What the sources of the state machine share: what every message in sequence passes, in its
// callers' code.
#pragma once

#include <nexusfix/base/assert.hpp>
#include <nexusfix/session/state_machine.hpp>

#include "session/inbound/inbound.hpp"

namespace nexusfix::session {

// Starts an event: everything of the one before it must have been done.
inline void StateMachine::begin_event(const Now& now) noexcept {
  NEXUSFIX_ASSERT(actions_.is_empty());
  NEXUSFIX_ASSERT(delivery_ != Delivery::Next);
  now_ = now;
  texts_.clear();
}

// Everything below next_inbound is used up. Here inbound numbers move forward.
inline void StateMachine::advance_to(std::uint64_t next_inbound) noexcept {
  if (next_inbound == out_of_order_.first_processed() || gap_.is_open()) [[unlikely]]
    return advance_out_of_order(next_inbound);
  numbers_.advance_inbound(next_inbound);
}

inline void StateMachine::show_administrative() noexcept {
  if (config_.shows_administrative) actions_.push({.step = detail::Step::ShowAdministrative});
}

}  // namespace nexusfix::session
