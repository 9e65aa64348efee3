#include "engine/session/control/floods.hpp"

#include <string>

#include <nexusfix/wire/field.hpp>

#include "engine/ground/statistics/session_state.hpp"

namespace nexusfix::engine {
namespace {

// After the actions of this event, sends a Logout with the reason, and disconnects without waiting
// for the counterparty's Logout. The event is not rate-limited, because there is only one for each
// connection.
void disconnect_flooder(LoopContext& loop, SessionEntry& entry, const std::string& why) {
  if (entry.machine.state() != session::State::LoggedOn ||
      entry.commands.has(SessionCommands::Kind::Disconnect)) {
    return;
  }
  loop.report.session(EventId::MessageFlood, entry, "disconnecting: " + why);
  entry.commands.add(SessionCommands::Kind::LogOut, why);
  entry.commands.add(SessionCommands::Kind::Disconnect, why);
}

}  // namespace

// SequenceReset is not counted: a resend contains one for each gap that it fills.
void count_administrative(LoopContext& loop, SessionEntry& entry, const wire::MessageView& message,
                          PackedMsgType msg_type) {
  if (loop.round_trips.is_waiting() && msg_type == kPackedHeartbeat) [[unlikely]] {
    loop.round_trips.on_heartbeat(entry, message[tag::TestReqID].value_or(""), loop.now().mono);
  }
  if (msg_type == kPackedSequenceReset) return;
  const std::uint32_t count_max = entry.settings().limits.admin_messages_per_second_max;
  if (entry.connection()->rates().administrative.allow(loop.now().mono, count_max)) [[likely]]
    return;
  disconnect_flooder(
      loop, entry,
      "more than " + std::to_string(count_max) + " administrative messages within a second");
}

void count_reject(LoopContext& loop, SessionEntry& entry) {
  if (entry.connection() == nullptr) return;
  const std::uint32_t count_max = entry.settings().limits.rejects_per_second_max;
  if (entry.connection()->rates().rejects.allow(loop.now().mono, count_max)) return;
  disconnect_flooder(
      loop, entry,
      "more than " + std::to_string(count_max) + " messages had to be rejected within a second");
}

}  // namespace nexusfix::engine
