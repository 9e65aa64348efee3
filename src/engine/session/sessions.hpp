// The floor of sessions: which there are, and what an event does to one. It knows the bytes below
// it, and not who may log on or what a reload changes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine/events.hpp>
#include <nexusfix/wire/parser.hpp>

#include "engine/ground/loop_context.hpp"
#include "engine/link/io.hpp"
#include "engine/session/control/session_control.hpp"
#include "engine/session/inbound_messages.hpp"
#include "engine/session/registry/dynamic_sessions.hpp"
#include "engine/session/registry/session_registry.hpp"
#include "engine/session/sending/outbox.hpp"
#include "engine/session/sending/resend_server.hpp"
#include "engine/session/transactor.hpp"
#include "session/api/actions.hpp"

namespace nexusfix::engine {

struct Sessions;

// Closes connections: what the end of one means for its session. The event loop's thread only.
class Disconnector {
 public:
  Disconnector(LoopContext& loop, Io& io, Sessions& sessions) noexcept
      : loop_{loop}, io_{io}, sessions_{sessions} {}

  // Closes the connection at once. Its session gets the end of it, as an event of its own.
  void close(Connection& connection, EventId id, std::string_view why);
  void close(Connection& connection) { close(connection, {}, {}); }  // without an event
  // Disconnects the sessions that abort_session() has got.
  void end_aborted();

 private:
  void end_session(SessionEntry& entry, bool was_connecting, std::uint64_t lost);
  void report_end(const Connection& connection, SessionEntry& entry, EventId id,
                  std::string_view why);
  void count_end(const Connection& connection, SessionEntry& entry, bool was_connecting) noexcept;

  LoopContext& loop_;
  Io& io_;
  Sessions& sessions_;
};

// Performs the actions that a state machine returns.
class SessionActions {
 public:
  SessionActions(LoopContext& loop, Io& io, Sessions& sessions) noexcept
      : loop_{loop}, io_{io}, sessions_{sessions} {}

  void perform(SessionEntry& entry, const session::Action& action);
  // perform() for the most frequent one, if the machine has a delivery.
  void deliver(SessionEntry& entry) {
    const SessionSettings& settings = entry.settings();
    if (settings.throttle.action != ThrottleAction::Delay ||
        settings.inbound_delivery == InboundDelivery::AtMostOnce) [[unlikely]]
      return perform_own(entry, entry.machine.consume_delivery());
    deliver_now(entry, *entry.machine.consume_delivery().message);
  }
  void decide_logon(SessionEntry& entry);
  // A session whose Logon was decided, so that its held messages are due; null: there is none.
  [[nodiscard]] SessionEntry* next_decided() noexcept;
  void answer_logon(SessionEntry& entry, std::uint64_t logon_id, const LogonAnswer& answer);
  void notify_disconnection(SessionEntry& entry);
  // Both are events of their own, outside of a running one.
  void notify_writable(SessionEntry& entry);
  void run_timer(SessionEntry& entry, detail::TimerCallback& callback);
  void forget(SessionEntry& entry) noexcept;

 private:
  void perform_own(SessionEntry& entry, const session::Deliver& action);
  void perform_own(SessionEntry& entry, const session::Administrative& action);
  void perform_own(SessionEntry& entry, const session::Reset& action);
  void perform_own(SessionEntry& entry, const session::Authenticate& action);
  void perform_own(SessionEntry& entry, const session::LoggedOn& action);
  void perform_own(SessionEntry& entry, const session::LoggedOut& action);
  void perform_own(SessionEntry& entry, const session::Disconnect& action);
  void perform_own(SessionEntry& entry, const session::Notice& action);
  void deliver_now(SessionEntry& entry, const wire::MessageView& message);
  void reject(SessionEntry& entry, const MessageReply& reply);
  void record_disconnection(SessionEntry& entry);
  static void record_refusal(SessionEntry& entry, const session::Notice& notice);
  [[nodiscard]] std::string text_of(SessionEntry& entry, const session::Notice& notice);
  void halt_for_operator(SessionEntry& entry, const session::Notice& notice);

  LoopContext& loop_;
  Io& io_;
  Sessions& sessions_;

  std::vector<SessionEntry*> decided_;  // for next_decided()
  MessageReply reply_;  // on the message that is being rejected: the Reject is the next action
};

struct Sessions {
  Sessions(LoopContext& loop, Io& io)
      : registry{loop, io.commit},
        templates{loop},
        dynamic{loop, io, *this},
        held{loop, io.buffers},
        inbound{loop, *this},
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
  InboundMessages inbound;
  Transactor transactor;
  SessionActions actions;
  Outbox outbox;
  ResendServer resends;
  OutOfOrderQueue out_of_order;
  Disconnector disconnector;
  SessionControl control;
};

}  // namespace nexusfix::engine
