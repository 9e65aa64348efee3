// How a received message reaches its session, for the sources that pass one on.
#pragma once

#include <string_view>

#include "engine/ground/statistics/session_state.hpp"
#include "engine/session/inbound_messages.hpp"
#include "engine/session/sessions.hpp"

namespace nexusfix::engine {

[[gnu::always_inline]] inline bool InboundMessages::pass(Connection& connection,
                                                         SessionEntry& entry,
                                                         const wire::MessageView& message,
                                                         std::string_view frame) {
  // A session without a throttle, as most are, does not pay for the call.
  if (entry.limits.throttle.is_set() && must_wait(connection, entry, message)) [[unlikely]]
    return true;
  deliver(connection, entry, message, frame);
  return false;
}

[[gnu::always_inline]] inline void InboundMessages::deliver(Connection& connection,
                                                            SessionEntry& entry,
                                                            const wire::MessageView& message,
                                                            std::string_view frame) {
  // Both are read once, before the counters: one could be they, as far as a compiler knows.
  LoopContext& loop = loop_;
  const PackedMsgType msg_type = pack(message.msg_type());
  ++loop.stats.messages_in;
  loop.stats.bytes_in += frame.size();
  entry.counters->on_received(msg_type, frame.size(), loop.now().wall);
  if (is_noted(msg_type)) [[unlikely]] {
    count_received(message, msg_type, loop.now().mono, *entry.counters, loop.stats);
    if (msg_type != kPackedBusinessReject) count_administrative(loop, entry, message, msg_type);
  }
  if (connection.has_waited()) [[unlikely]]
    excuse_wait(connection, entry, message);
  if (loop.report.logs().is_open_for_messages() || entry.stored.is_on_trial()) [[unlikely]]
    sessions_.dynamic.log_received(entry, frame);
  sessions_.transactor.transact(entry, message, msg_type);
  sessions_.out_of_order.deliver_in_sequence(entry);
}

}  // namespace nexusfix::engine
