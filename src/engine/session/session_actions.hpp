// Performs the actions that a state machine returns.
#pragma once

#include <string>
#include <vector>

#include <nexusfix/base/time.hpp>
#include <nexusfix/engine/callbacks/message_reply.hpp>
#include <nexusfix/session/actions.hpp>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

struct Io;
struct Sessions;

class SessionActions {
 public:
  SessionActions(LoopContext& loop, Io& io, Sessions& sessions) noexcept
      : loop_{loop}, io_{io}, sessions_{sessions} {}

  void perform(SessionEntry& entry, const session::Action& action);
  // perform() for the most frequent one.
  void deliver(SessionEntry& entry, const session::Deliver& action) { perform_own(entry, action); }
  void decide_logon(SessionEntry& entry);
  // A session whose Logon was decided, so that its held messages are due; null: there is none.
  [[nodiscard]] SessionEntry* next_decided() noexcept;
  void answer_logon(SessionEntry& entry, std::uint64_t logon_id, const LogonAnswer& answer);
  void notify_disconnection(SessionEntry& entry);
  // Both are events of their own, outside of a running one.
  void notify_writable(SessionEntry& entry);
  void run_timer(SessionEntry& entry, TimerCallback& callback);
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
  void note_disconnection(SessionEntry& entry);
  static void note_refusal(SessionEntry& entry, const session::Notice& notice);
  [[nodiscard]] std::string text_of(SessionEntry& entry, const session::Notice& notice);
  void halt_for_operator(SessionEntry& entry, const session::Notice& notice);

  LoopContext& loop_;
  Io& io_;
  Sessions& sessions_;

  std::vector<SessionEntry*> decided_;  // for next_decided()
  MessageReply reply_;  // on the message that is being rejected: the Reject is the next action
};

}  // namespace nexusfix::engine
