// The floor of bytes: what comes from connections and leaves on them, and the store. It knows no
// session's rules.
#pragma once

#include "engine/link/buffer_governor.hpp"
#include "engine/link/commit/commit_gate.hpp"
#include "engine/link/connections.hpp"
#include "engine/link/frame_reader.hpp"
#include "engine/link/listeners.hpp"

namespace nexusfix::engine {

struct Io {
  Io(LoopContext& loop, CommitGate::FailureHandler on_failure)
      : recovery{loop},
        commit{loop, on_failure},
        connections{loop},
        buffers{loop, connections},
        reader{loop, connections, buffers},
        listeners{loop},
        acceptor{loop, connections, listeners} {}

  Recovery recovery;
  CommitGate commit;
  Connections connections;
  BufferGovernor buffers;
  FrameReader reader;
  Listeners listeners;
  Acceptor acceptor;
};

}  // namespace nexusfix::engine
