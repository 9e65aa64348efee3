// The floors of an event loop below this one, for the tasks of other threads and for the loop.
#pragma once

#include "engine/directory/directory.hpp"
#include "engine/link/io.hpp"
#include "engine/policy/policy.hpp"
#include "engine/session/sessions.hpp"

namespace nexusfix::engine {

struct Floors {
  Floors(LoopContext& loop_context, CommitGate::FailureHandler on_failure)
      : loop{loop_context},
        io{loop, on_failure},
        sessions{loop, io},
        policy{loop, io, sessions},
        directory{loop, io, sessions} {}

  LoopContext& loop;
  Io io;
  Sessions sessions;
  Policy policy;
  Directory directory;
};

}  // namespace nexusfix::engine
