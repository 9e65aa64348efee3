// The memory that a state machine needs only until the actions of an event are taken.
#pragma once

#include <nexusfix/session/machine/action_queue.hpp>
#include <nexusfix/session/machine/event_texts.hpp>

namespace nexusfix::session {

// Machines may share one, if the actions of each event are taken before another machine gets an
// event: a thread with thousands of sessions needs one. Applications do not use its members.
struct EventMemory {
  detail::ActionQueue::Memory actions{};
  detail::EventTexts::Memory texts{};
};

}  // namespace nexusfix::session
