// The floor of sessions: which there are, and what an event does to one. It knows the bytes below
// it, and not who may log on or what a reload changes.
#pragma once

#include "engine/link/io.hpp"
#include "engine/session/control/session_control.hpp"
#include "engine/session/disconnector.hpp"
#include "engine/session/held_messages.hpp"
#include "engine/session/out_of_order_queue.hpp"
#include "engine/session/registry/dynamic_sessions.hpp"
#include "engine/session/registry/session_registry.hpp"
#include "engine/session/registry/session_templates.hpp"
#include "engine/session/sending/outbox.hpp"
#include "engine/session/sending/resend_server.hpp"
#include "engine/session/session_actions.hpp"
#include "engine/session/transactor.hpp"

namespace nexusfix::engine {

struct Sessions {
  Sessions(LoopContext& loop, Io& io)
      : registry{loop, io.commit},
        templates{loop},
        dynamic{loop, io, *this},
        held{loop, io.buffers},
        transactor{loop, io, *this},
        actions{loop, io, *this},
        outbox{loop, io, *this},
        resends{loop, io, *this},
        out_of_order{loop, transactor},
        disconnector{loop, io, *this},
        control{loop, io, *this} {}

  SessionRegistry registry;
  SessionTemplates templates;
  DynamicSessions dynamic;
  HeldMessages held;
  Transactor transactor;
  SessionActions actions;
  Outbox outbox;
  ResendServer resends;
  OutOfOrderQueue out_of_order;
  Disconnector disconnector;
  SessionControl control;
};

}  // namespace nexusfix::engine
