// The engine's state of one session, with its state machine.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine/message_reply.hpp>
#include <nexusfix/engine/session.hpp>
#include <nexusfix/session/state_machine.hpp>
#include <nexusfix/store/store.hpp>

#include "engine/connection/connection.hpp"
#include "engine/control/connect_policy.hpp"
#include "engine/control/session_commands.hpp"
#include "engine/loop/timer_queue.hpp"
#include "engine/report/second_limit.hpp"
#include "engine/sessions/throttle.hpp"
#include "engine/settings_names.hpp"

namespace nexusfix::engine {

struct SessionServices;

// A resend in progress: stored messages from next to end still have to be passed to the state
// machine.
struct ReplayCursor {
  std::uint64_t next = 0;
  std::uint64_t end = 0;
  std::uint64_t serial = 0;  // unique among all resends
  // The slice that a thread of the store reads, where reading may take long; null: none.
  std::unique_ptr<store::Fetch> fetch{};
  std::uint64_t slice_end = 0;     // the slice's last MsgSeqNum
  std::uint64_t messages_max = 0;  // of the slice; MsgSeqNums without a message do not count
};

// A session of a template whose name the store does not know, before its first Logon is accepted.
// It is not stored and has no log of its own: otherwise any client could fill both with names.
struct SessionTrial {
  session::Numbers numbers;  // after its last event
  struct Received {
    WallTime at{};
    std::string bytes;  // a Logon, which may have a password
  };
  std::vector<Received> received;  // to be logged
  std::string made;                // the event's text, with the template; to be logged
  ~SessionTrial();
};

// Messages that came too early, by MsgSeqNum.
struct OutOfOrderMessages {
  std::map<std::uint64_t, std::string> messages;  // by MsgSeqNum
  BufferCharge bytes;
  std::uint64_t dropped_high = 0;  // the highest MsgSeqNum for which there was no room; 0: none
  std::uint64_t discarded = 0;     // application messages, since the start
  bool arrived_undecided = false;  // they came after a Logon that is not decided
};

// The resend that the counterparty has requested.
struct ResendState {
  std::optional<ReplayCursor> cursor;  // no value: no resend is in progress
  bool is_done = false;     // all messages are sent; the last actions are being performed
  bool is_listed = false;   // in the list of the resend server
  OutboundQueue queued;     // messages that got their MsgSeqNum during the resend
  std::string answer_text;  // for a ResendRequest that is refused
  // For MaxResendsPerSecond.
  SecondLimit sent;
  MonoTime resumes_at = MonoTime::min();
};

// Messages that got their MsgSeqNum after our Logon, which has no answer yet.
struct QueuedUntilLogon {
  OutboundQueue queued;
  std::uint64_t left_to_resend = 0;  // messages that did not fit: a resend will send them

  void clear() noexcept {
    queued.clear();
    left_to_resend = 0;
  }
};

// The answer to an accepted Logon, which waits until its password is changed.
struct PendingPasswordChange {
  std::optional<LogonAnswer> answer;
  std::uint64_t logon_id = 0;
};

// The session is disconnected at the end of the turn, and is inactive until then.
struct PendingAbort {
  bool is_pending = false;
  std::string reason;  // empty: there was no memory
};

// The end of a Logon that on_disconnect() has not reported yet.
struct DisconnectionNotice {
  std::optional<Disconnection> notice;
  std::string text;
  bool is_fresh = false;     // of this event: the reason follows
  MonoTime due_at = kNever;  // kNever: after the actions of the event
};

// The state of the schedule, valid from `since` until `until`.
struct Timetable {
  bool may_log_on = true;
  WallTime since = WallTime::max();
  WallTime until = WallTime::min();
  // The end for which it was reset.
  std::chrono::sys_seconds session_ended_at = std::chrono::sys_seconds::min();
};

// The texts of the file whose values are in effect, by TakesEffect. now is null: the session is in
// no file.
struct FileTexts {
  std::shared_ptr<const std::string> start;
  std::shared_ptr<const std::string> logon;
  std::shared_ptr<const std::string> now;
};

// The session and the configuration file.
struct FileState {
  FileTexts texts;
  std::string configured_as;  // its own name, or that of its template
  PendingKeys pending;
  std::unique_ptr<SessionSettings> next_settings;  // from its next Logon on; null: none
  std::shared_ptr<const std::string> next_text;    // the text of next_settings
};

struct Membership {
  bool is_out = false;         // not in the file: admits no client; may come back
  bool is_dynamic = false;     // made of a template, for the client that logged on
  bool is_leaving = false;     // destroyed when its connection has ended
  bool has_logged_on = false;  // since it was made
  // The counterparty knows sequence numbers that the store does not know: an acceptor refuses every
  // Logon without ResetSeqNumFlag until an operator has set the numbers.
  bool accepts_only_reset = false;
};

// The session's keys in the store, in the logs and of its handle.
struct Registration {
  store::SessionKey key = 0;            // not valid while the session is on trial
  std::unique_ptr<SessionTrial> trial;  // null: the session is stored
  std::uint32_t handle_key = 0;         // of its SessionHandle
  std::size_t log = 0;                  // of EngineLogs
};

struct OutboundRules {
  bool has_sub_ids = false;       // in the header of each of our messages
  bool keeps_masked_out = false;  // the store gets no message with one of LogMaskedTags
};

struct SessionLimits {
  Throttle throttle;    // received messages
  SecondLimit notices;  // for lines of the event log
};

struct SessionEntry {
  SessionEntry(const SessionServices& services, SessionSettings session_settings,
               session::Numbers numbers);
  // The state machine's configuration points into the entry.
  SessionEntry(const SessionEntry&) = delete;
  SessionEntry& operator=(const SessionEntry&) = delete;

  [[nodiscard]] wire::FrameScanner frame_scanner() const;

  // The members that its events use come first.
  session::StateMachine machine;
  Connection* connection = nullptr;
  std::uint64_t inbound_recorded = 1;  // the store's next_inbound
  bool acting = false;                 // its actions are being performed
  OutboundRules outbound;
  Registration stored;
  SessionLimits limits;
  SessionCommands commands;
  ResendState resend;
  OutOfOrderMessages out_of_order;
  DisconnectionNotice disconnection;
  Timer timer;         // due at the session's earliest deadline, or before
  MessageReply reply;  // on the message that is being rejected

  SessionSettings settings;
  std::string name;
  const SessionServices& services;
  Session session;
  QueuedUntilLogon until_logon;
  PendingPasswordChange password_change;
  PendingAbort abort;
  Timetable timetable;
  Membership membership;
  ConnectPolicy connect_policy;  // initiator
  std::size_t listener = 0;      // acceptor: the listener of its counterparty
  FileState file;
};

// The state machine's configuration: the session's settings, and the needs of the application's
// callbacks.
[[nodiscard]] session::SessionConfig session_config_of(const SessionServices& services,
                                                       const SessionSettings& settings,
                                                       SessionEntry& entry);

}  // namespace nexusfix::engine
