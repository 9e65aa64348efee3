// The floor of sessions: which there are, and what an event does to one. It knows the bytes below
// it, and not who may log on or what a reload changes.
#pragma once

#include "engine/control/session_control.hpp"
#include "engine/io/io.hpp"
#include "engine/registry/dynamic_sessions.hpp"
#include "engine/registry/session_registry.hpp"
#include "engine/registry/session_templates.hpp"
#include "engine/sending/outbox.hpp"
#include "engine/sending/resend_server.hpp"
#include "engine/sessions/disconnector.hpp"
#include "engine/sessions/held_messages.hpp"
#include "engine/sessions/out_of_order_queue.hpp"
#include "engine/sessions/session_actions.hpp"
#include "engine/sessions/transactor.hpp"

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
