// Counterparties that are logged on and keep the session layer busy: each answer has a number and a
// place in the store.
#include <string>

#include "engine/control/session_control.hpp"
#include "engine/loop/loop_context.hpp"

namespace nexusfix::engine {
namespace {

// Those of a resend are as many as the gaps that it fills.
constexpr std::string_view kSequenceReset = "4";

}  // namespace

// In front of what the message brings about, so that its answer is the last one.
void SessionControl::note_administrative(SessionEntry& entry, const wire::MessageView& message) {
  if (!session::is_administrative(message.msg_type()) || message.msg_type() == kSequenceReset) {
    return;
  }
  const std::uint32_t count_max = entry.settings.limits.admin_messages_per_second_max;
  if (entry.connection->rates.administrative.allow(loop_.now().mono, count_max)) return;
  disconnect_flooder(
      entry, "more than " + std::to_string(count_max) + " administrative messages within a second");
}

void SessionControl::note_reject(SessionEntry& entry) {
  if (entry.connection == nullptr) return;
  const std::uint32_t count_max = entry.settings.limits.rejects_per_second_max;
  if (entry.connection->rates.rejects.allow(loop_.now().mono, count_max)) return;
  disconnect_flooder(entry, "more than " + std::to_string(count_max) +
                                " messages had to be rejected within a second");
}

// Once the actions of this event are taken: a Logout that says why, and behind it the end. Whoever
// floods is not waited for. The line is not among those that a storm of others may take the place
// of: there is one for each connection.
void SessionControl::disconnect_flooder(SessionEntry& entry, const std::string& why) {
  if (entry.machine.state() != session::State::LoggedOn ||
      entry.commands.has(SessionCommands::Kind::Disconnect)) {
    return;
  }
  loop_.report.session(EventId::MessageFlood, entry, "disconnecting: " + why);
  entry.commands.add(SessionCommands::Kind::LogOut, why);
  entry.commands.add(SessionCommands::Kind::Disconnect, why);
}

}  // namespace nexusfix::engine
