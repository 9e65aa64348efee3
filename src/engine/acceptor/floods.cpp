// Counterparties that are logged on and keep the session layer busy: each answer has a number and a
// place in the store.
#include <string>

#include "engine/loop/runtime.hpp"

namespace nexusfix::engine {
namespace {

// Those of a resend are as many as the gaps that it fills.
constexpr std::string_view kSequenceReset = "4";

}  // namespace

// In front of what the message brings about, so that its answer is the last one.
void Runtime::note_administrative(SessionSlot& slot, const wire::MessageView& message) {
  if (!session::is_administrative(message.msg_type()) || message.msg_type() == kSequenceReset) {
    return;
  }
  const std::uint32_t count_max = slot.settings.limits.admin_messages_per_second_max;
  if (slot.connection->administrative.allow(now_.mono, count_max)) return;
  end_flood(slot,
            "more than " + std::to_string(count_max) + " administrative messages within a second");
}

void Runtime::note_reject(SessionSlot& slot) {
  if (slot.connection == nullptr) return;
  const std::uint32_t count_max = slot.settings.limits.rejects_per_second_max;
  if (slot.connection->rejects.allow(now_.mono, count_max)) return;
  end_flood(slot, "more than " + std::to_string(count_max) +
                      " messages had to be rejected within a second");
}

// Once the actions of this event are taken: a Logout that says why, and behind it the end. Whoever
// floods is not waited for. The line is not among those that a storm of others may take the place
// of: there is one for each connection.
void Runtime::end_flood(SessionSlot& slot, const std::string& why) {
  if (slot.machine.state() != session::State::LoggedOn ||
      slot.commands.has(SessionCommands::Kind::Disconnect)) {
    return;
  }
  report_.session(EventId::MessageFlood, slot, "disconnecting: " + why);
  slot.commands.add(SessionCommands::Kind::LogOut, why);
  slot.commands.add(SessionCommands::Kind::Disconnect, why);
}

}  // namespace nexusfix::engine
