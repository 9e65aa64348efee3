// Disconnects counterparties that flood the session layer: each answer to them uses a MsgSeqNum and
// room in the store.
#pragma once

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

// An administrative message was received. Runs before it is processed, so that the answer to it is
// the last one of a counterparty that floods us.
void count_administrative(LoopContext& loop, SessionEntry& entry, const wire::MessageView& message,
                          PackedMsgType msg_type);
// A Reject was sent.
void count_reject(LoopContext& loop, SessionEntry& entry);

}  // namespace nexusfix::engine
