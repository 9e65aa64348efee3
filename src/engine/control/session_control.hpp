// Commands to a session: of the application, the operator, the schedule and the limits.
#pragma once

#include <chrono>
#include <expected>
#include <string>
#include <string_view>

#include <nexusfix/base/time.hpp>
#include <nexusfix/session/version.hpp>
#include <nexusfix/wire/parser.hpp>

#include "engine/loop/loop_context.hpp"
#include "engine/sessions/session_entry.hpp"

namespace nexusfix::engine {

class CommitGate;
class Connections;
class Outbox;
class Transactor;

class SessionControl {
 public:
  SessionControl(LoopContext& loop, CommitGate& commit, Connections& connections,
                 Transactor& transactor, Outbox& outbox) noexcept
      : loop_{loop},
        commit_{commit},
        connections_{connections},
        transactor_{transactor},
        outbox_{outbox} {}

  void log_on(SessionEntry& entry);
  void disconnect(SessionEntry& entry, std::string_view why);
  void reset(SessionEntry& entry, std::string_view text);
  [[nodiscard]] std::expected<void, std::string> set_next_numbers(SessionEntry& entry,
                                                                  session::Numbers numbers,
                                                                  std::string_view reason);
  void log_out(SessionEntry& entry, std::string_view text);
  // One side has lost sequence numbers: the session waits for an operator.
  static void halt(SessionEntry& entry) noexcept;
  // The sequence numbers are 1 again.
  void on_reset(SessionEntry& entry);
  void disconnect_now(SessionEntry& entry, std::string_view why);
  void follow_schedule(SessionEntry& entry);
  void open_for_logons(SessionEntry& entry);
  void note_received(SessionEntry& entry, const wire::MessageView& message) {
    if (session::is_administrative(message.msg_type())) [[unlikely]]
      note_administrative(entry, message);
  }
  void note_reject(SessionEntry& entry);

 private:
  void note_administrative(SessionEntry& entry, const wire::MessageView& message);
  [[nodiscard]] bool may_connect(const SessionEntry& entry) const noexcept;
  [[nodiscard]] std::expected<void, std::string> record_next_numbers(SessionEntry& entry,
                                                                     session::Numbers numbers,
                                                                     std::string_view reason);
  void end_halt(SessionEntry& entry);
  void end_session(SessionEntry& entry, std::chrono::sys_seconds ended_at);
  void close_for_logons(SessionEntry& entry);
  void disconnect_flooder(SessionEntry& entry, const std::string& why);

  LoopContext& loop_;
  CommitGate& commit_;
  Connections& connections_;
  Transactor& transactor_;
  Outbox& outbox_;
};

}  // namespace nexusfix::engine
