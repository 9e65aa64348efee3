// Commands to a session: of the application, the operator, the schedule and the limits.
#pragma once

#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/session/identity.hpp>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

// The session is an initiator that the loop still serves.
[[nodiscard]] inline bool may_connect(const LoopContext& loop, const SessionEntry& entry) noexcept {
  return entry.settings().session.role == session::Role::Initiator && !loop.work.is_stopping() &&
         !loop.work.is_draining() && entry.membership.is_active();
}

// One side has lost sequence numbers: the session waits for an operator.
inline void halt(SessionEntry& entry) noexcept {
  entry.acceptor.halt.begin();
  entry.connect_policy.halt();
}

// The sequence numbers are 1 again.
inline void end_halt_by_reset(LoopContext& loop, SessionEntry& entry) {
  entry.acceptor.halt.end();
  if (entry.connect_policy.on_reset(may_connect(loop, entry), entry.connection() != nullptr,
                                    loop.now().mono)) {
    loop.arm(entry, entry.connect_policy.connect_at());
  }
}

struct Io;
struct Sessions;

// Text (58) of the Logout of a session that an operator has disabled.
inline constexpr std::string_view kDisabledText = "Session disabled by the operator";

class SessionControl {
 public:
  SessionControl(LoopContext& loop, Io& io, Sessions& sessions) noexcept
      : loop_{loop}, io_{io}, sessions_{sessions} {}

  void log_on(SessionEntry& entry);
  void disconnect(SessionEntry& entry, std::string_view why);
  void reset(SessionEntry& entry, std::string_view text);
  // Session::reset_in_session().
  [[nodiscard]] std::expected<void, std::string> reset_in_session(SessionEntry& entry);
  // ResetSeqNumAt.
  void reset_at_limit(SessionEntry& entry);
  [[nodiscard]] std::expected<void, std::string> set_next_numbers(SessionEntry& entry,
                                                                  session::Numbers numbers,
                                                                  std::string_view reason);
  void log_out(SessionEntry& entry, std::string_view text);
  // Acts of an operator. Only while the Transactor is idle.
  // The store has the text, beside sequence numbers that stay as they are.
  void record_act(SessionEntry& entry, std::string_view text);
  // An act on the whole engine: for each connected session; without any, for the first one.
  void record_act(std::string_view text, std::span<const std::unique_ptr<SessionEntry>> entries);
  // The session must be logged on. Returns the number of the TestRequest, for
  // LoopContext::round_trips.
  [[nodiscard]] std::uint64_t send_test_request(SessionEntry& entry);
  // Why send_gap_fill() must not be called. Empty: it may be.
  [[nodiscard]] static std::string gap_fill_refusal(const SessionEntry& entry,
                                                    std::uint64_t new_seq_no);
  void send_gap_fill(SessionEntry& entry, std::uint64_t new_seq_no);
  // Logs the session out, and allows no Logon until enable(). by: who, and why.
  void disable(SessionEntry& entry, std::string_view text, std::string by);
  void enable(SessionEntry& entry);

  void follow_schedule(SessionEntry& entry);
  void open_for_logons(SessionEntry& entry);

 private:
  // False: the session is not connecting. why: ends the text of the event.
  bool abort_connect(SessionEntry& entry, std::string_view why = {});
  [[nodiscard]] std::expected<void, std::string> record_next_numbers(SessionEntry& entry,
                                                                     session::Numbers numbers,
                                                                     std::string_view reason);
  void end_halt(SessionEntry& entry);
  void end_session(SessionEntry& entry, const session::ScheduleState& state);
  void close_for_logons(SessionEntry& entry);

  LoopContext& loop_;
  Io& io_;
  Sessions& sessions_;
};

}  // namespace nexusfix::engine
