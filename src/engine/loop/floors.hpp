// All floors of an event loop. A component knows its own floor and those below it.
#pragma once

#include "engine/directory/directory.hpp"
#include "engine/link/io.hpp"
#include "engine/policy/connector.hpp"
#include "engine/policy/logon_admission.hpp"
#include "engine/session/sessions.hpp"

namespace nexusfix::engine {

// The floor of decisions: who may log on, and when an initiator connects.
struct Policy {
  Policy(LoopContext& loop, Io& io, Sessions& sessions) noexcept
      : admission{loop, io, sessions}, connector{loop, io, sessions} {}

  LogonAdmission admission;
  Connector connector;
};

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
