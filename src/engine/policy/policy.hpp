// The floor of decisions: who may log on, and when an initiator connects.
#pragma once

#include "engine/acceptor/logon_admission.hpp"
#include "engine/policy/connector.hpp"

namespace nexusfix::engine {

struct Policy {
  Policy(LoopContext& loop, Io& io, Sessions& sessions) noexcept
      : admission{loop, io, sessions}, connector{loop, io, sessions} {}

  LogonAdmission admission;
  Connector connector;
};

}  // namespace nexusfix::engine
