// Disconnects counterparties that flood the session layer: each answer to them uses a MsgSeqNum and
// room in the store.
#include <string>

#include <nexusfix/wire/session_tags.hpp>

#include "engine/control/session_control.hpp"
#include "engine/loop/loop_context.hpp"
#include "engine/statistics/administrative.hpp"

namespace nexusfix::engine {

// SequenceReset is not counted: a resend contains one for each gap that it fills.
void SessionControl::note_administrative(SessionEntry& entry, const wire::MessageView& message,
                                         PackedMsgType msg_type) {
  if (round_trips_.is_waiting() && msg_type == kPackedHeartbeat) [[unlikely]] {
    round_trips_.on_heartbeat(entry, message[tag::TestReqID].value_or(""), loop_.now().mono);
  }
  if (msg_type == kPackedSequenceReset) return;
  const std::uint32_t count_max = entry.settings().limits.admin_messages_per_second_max;
  if (entry.connection()->rates().administrative.allow(loop_.now().mono, count_max)) [[likely]]
    return;
  disconnect_flooder(
      entry, "more than " + std::to_string(count_max) + " administrative messages within a second");
}

void SessionControl::note_reject(SessionEntry& entry) {
  if (entry.connection() == nullptr) return;
  const std::uint32_t count_max = entry.settings().limits.rejects_per_second_max;
  if (entry.connection()->rates().rejects.allow(loop_.now().mono, count_max)) return;
  disconnect_flooder(entry, "more than " + std::to_string(count_max) +
                                " messages had to be rejected within a second");
}

// After the actions of this event, sends a Logout with the reason, and disconnects without waiting
// for the counterparty's Logout. The event is not rate-limited, because there is only one for each
// connection.
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
