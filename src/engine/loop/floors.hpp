// All floors of an event loop. A component knows its own floor and those below it.
#pragma once

#include "engine/directory/directory.hpp"
#include "engine/io/io.hpp"
#include "engine/policy/policy.hpp"
#include "engine/sessions/sessions.hpp"

namespace nexusfix::engine {

struct Floors {
  Floors(LoopContext& loop, CommitGate::FailureHandler on_failure)
      : io{loop, on_failure},
        sessions{loop, io},
        policy{loop, io, sessions},
        directory{loop, io, sessions} {}

  Io io;
  Sessions sessions;
  Policy policy;
  Directory directory;
};

}  // namespace nexusfix::engine
