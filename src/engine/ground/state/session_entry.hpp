// The engine's state of one session, with its state machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine/session.hpp>
#include <nexusfix/session/state_machine.hpp>
#include <nexusfix/store/store.hpp>

#include "engine/ground/connection/connection.hpp"
#include "engine/ground/report/second_limit.hpp"
#include "engine/ground/settings/settings_names.hpp"
#include "engine/ground/state/connect_policy.hpp"
#include "engine/ground/state/disconnection_notice.hpp"
#include "engine/ground/state/failed_logons.hpp"
#include "engine/ground/state/membership.hpp"
#include "engine/ground/state/resend_state.hpp"
#include "engine/ground/state/session_commands.hpp"
#include "engine/ground/state/session_queues.hpp"
#include "engine/ground/state/session_timers.hpp"
#include "engine/ground/state/throttle.hpp"
#include "engine/ground/state/timetable.hpp"
#include "engine/ground/statistics/session_counters.hpp"
#include "engine/ground/timer_queue.hpp"

namespace nexusfix::engine {

class LoopContext;

// Where the session is in an event, and what the store has of its inbound messages.
class EventProgress {
 public:
  EventProgress(std::uint64_t next_inbound, bool keeps_received) noexcept
      : next_inbound_{next_inbound}, keeps_received_{keeps_received} {}

  // Its actions are being performed.
  [[nodiscard]] bool is_acting() const noexcept { return is_acting_; }
  // The numbers were reset or set by hand, or are those of a session on trial: the Transactor has
  // nothing to record up to this one.
  void set_next_inbound(std::uint64_t number) noexcept {
    next_inbound_ = number;
    left_ = 0;
  }
  // JournalInbound, which a reload may change.
  void keep_received(bool keeps) noexcept { keeps_received_ = keeps; }
  [[nodiscard]] bool keeps_received() const noexcept { return keeps_received_; }

 private:
  friend class Transactor;

  std::uint64_t next_inbound_;  // the store's
  bool is_acting_ = false;
  bool keeps_received_;  // the store gets each received message with the progress
  // The counterparty has received our Logon, and has asked for what it missed before.
  bool is_settled_ = false;
  std::uint64_t left_ = 0;  // the last MessagesLeft of the store; 0: none since the start
  std::string held_logon_;  // a Logon that waits for its decision, as the store will have it
};

struct OutboundRules {
  explicit OutboundRules(const SessionSettings& settings);

  bool has_sub_ids;       // in the header of each of our messages
  bool keeps_masked_out;  // the store gets no message with one of LogMaskedTags
};

// The counterparty knows sequence numbers that the store does not know, or the reverse: every Logon
// without ResetSeqNumFlag is refused until an operator has set the numbers. An initiator's halt is
// a state of its ConnectPolicy.
class AcceptorHalt {
 public:
  [[nodiscard]] bool accepts_only_reset() const noexcept { return accepts_only_reset_; }
  void begin() noexcept { accepts_only_reset_ = true; }
  void end() noexcept { accepts_only_reset_ = false; }

 private:
  bool accepts_only_reset_ = false;
};

class AcceptorSide {
 public:
  // The listener of its counterparty.
  [[nodiscard]] std::size_t listener() const noexcept { return listener_; }
  void listen_at(std::size_t listener) noexcept { listener_ = listener; }

  AcceptorHalt halt;

 private:
  std::size_t listener_ = 0;
};

// NewPassword (925) of a Logon: the answer to it waits until its password is changed.
class PendingPasswordChange {
 public:
  void begin(std::uint64_t logon_id, LogonAnswer answer) noexcept {
    answer_ = std::move(answer);
    logon_id_ = logon_id;
  }
  [[nodiscard]] LogonAnswer take_answer() noexcept { return *std::exchange(answer_, std::nullopt); }
  [[nodiscard]] std::uint64_t logon_id() const noexcept { return logon_id_; }

 private:
  std::optional<LogonAnswer> answer_;
  std::uint64_t logon_id_ = 0;
};

struct Logons {
  PendingPasswordChange password_change;
  FailedLogons failed;
};

// The session is disconnected at the end of the turn, and is inactive until then.
class PendingAbort {
 public:
  [[nodiscard]] bool is_pending() const noexcept { return is_pending_; }
  // why: empty if there was no memory.
  void begin(std::string why) noexcept {
    is_pending_ = true;
    if (!why.empty()) reason_ = std::move(why);
  }
  [[nodiscard]] bool take() noexcept { return std::exchange(is_pending_, false); }
  // Empty: there was no memory.
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
  void clear_reason() noexcept { reason_.clear(); }

 private:
  bool is_pending_ = false;
  std::string reason_;
};

struct SessionLimits {
  Throttle throttle;    // received messages
  SecondLimit notices;  // for lines of the event log
};

// Its timer is due at the session's earliest deadline, or before.
class SessionEntry : public TimerOwner {
 public:
  SessionEntry(LoopContext& loop, SessionSettings session_settings, session::Numbers numbers);
  ~SessionEntry();
  // The state machine's configuration points into the entry.
  SessionEntry(const SessionEntry&) = delete;
  SessionEntry& operator=(const SessionEntry&) = delete;

  [[nodiscard]] wire::FrameScanner frame_scanner() const;

  [[nodiscard]] const SessionSettings& settings() const noexcept { return settings_; }
  // From a reload, or for the next Logon. The present id stays: the program may hold views of it.
  // Without memory it throws, and the settings are as before.
  void change_settings(SessionSettings settings);
  [[nodiscard]] const OutboundRules& outbound() const noexcept { return outbound_; }

  // Null: none.
  [[nodiscard]] Connection* connection() const noexcept { return connection_; }
  // Only the connection calls these: when the session is bound to it, and when it ends.
  void connect(Connection& connection) noexcept;
  void disconnect(const Connection& connection) noexcept;

  // Each component has its own data. The members that an event uses come first.
  session::StateMachine machine;
  EventProgress progress;

 private:
  Connection* connection_ = nullptr;
  OutboundRules outbound_;
  SessionSettings settings_;

 public:
  Registration stored;
  SessionLimits limits;
  const std::shared_ptr<SessionCounters> counters;  // never null; readers may outlive the entry
  SessionCommands commands;
  ResendState resend;
  OutOfOrderMessages out_of_order;
  DisconnectionNotice disconnection;

  const std::string name;
  LoopContext& loop;
  Session session;
  QueuedUntilLogon until_logon;
  Logons logons;
  PendingAbort abort;
  Timetable timetable;
  Membership membership;
  ConnectPolicy connect_policy;  // initiator
  AcceptorSide acceptor;
  FileState file;
  SessionTimers timers;  // of the application
};

// The session is disconnected at the end of the turn; until then it neither receives nor sends.
// why: empty if there was no memory.
void abort_session(LoopContext& loop, SessionEntry& entry, std::string why = {}) noexcept;

// The state machine's configuration: the session's settings, and the needs of the application's
// callbacks.
[[nodiscard]] session::SessionConfig session_config_of(const LoopContext& loop,
                                                       const SessionSettings& settings,
                                                       SessionEntry& entry);

// The last step before the answer to a Logon that breaks no rule and that the application accepts.
// True: the answer waits until the password is changed.
[[nodiscard]] bool begin_password_change(LoopContext& loop, SessionEntry& entry,
                                         LogonAnswer& answer);

}  // namespace nexusfix::engine
