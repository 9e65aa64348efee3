// What the engine keeps of one session, beside its state machine.
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
#include <nexusfix/engine/session.hpp>
#include <nexusfix/engine/verdict.hpp>
#include <nexusfix/session/state_machine.hpp>
#include <nexusfix/store/store.hpp>

#include "engine/connection/connection.hpp"
#include "engine/loop/timer_queue.hpp"
#include "engine/report/second_limit.hpp"
#include "engine/sessions/connect_policy.hpp"
#include "engine/sessions/session_commands.hpp"
#include "engine/sessions/throttle.hpp"
#include "engine/settings_names.hpp"

namespace nexusfix::engine {

struct SessionServices;

// A resend under way: stored messages from next to end are still to be passed to the state machine.
struct ReplayCursor {
  std::uint64_t next = 0;
  std::uint64_t end = 0;
  std::uint64_t serial = 0;  // tells it from every other one
  // The slice that is read by a thread of the store, where reading may take long; null: none is.
  std::unique_ptr<store::Fetch> fetch{};
  std::uint64_t slice_end = 0;     // of it
  std::uint64_t messages_max = 0;  // of it may be sent: numbers without a message cost nothing
};

// A session of a template whose name the store does not know, before its first Logon is accepted.
// Nothing of it is stored or has a log of its own: anybody could fill both with names.
struct SessionTrial {
  session::Numbers numbers;  // as of its last event
  struct Received {
    WallTime at{};
    std::string bytes;  // a Logon, which may have a password
  };
  std::vector<Received> received;  // still to be logged
  std::string made;                // likewise: of which template
  ~SessionTrial();
};

struct SessionEntry {
  SessionEntry(const SessionServices& services, SessionSettings session_settings,
               session::Numbers numbers);
  // The machine's configuration points into the entry.
  SessionEntry(const SessionEntry&) = delete;
  SessionEntry& operator=(const SessionEntry&) = delete;

  void forget_queued_until_logon() noexcept {
    queued_until_logon.clear();
    left_to_resend = 0;
  }

  [[nodiscard]] wire::FrameScanner frame_scanner() const {
    return wire::FrameScanner{
        wire::FrameLimits{.message_bytes_max = settings.limits.message_bytes_max}};
  }

  SessionSettings settings;
  std::string name;
  std::size_t log = 0;                  // of EngineLogs
  store::SessionKey key = 0;            // none while it is on trial
  std::unique_ptr<SessionTrial> trial;  // null: it is in the store
  std::uint32_t handle_key = 0;         // of its SessionHandle
  const SessionServices& services;
  session::StateMachine machine;
  Session session;

  Connection* connection = nullptr;
  Timer timer;                         // not later than anything that it waits for
  std::size_t listener = 0;            // acceptor: where its counterparty connects
  bool has_sub_ids = false;            // in the header of each of our messages
  bool keeps_masked_out = false;       // of the store: messages with one of LogMaskedTags
  bool acting = false;                 // its actions are being taken
  std::uint64_t inbound_recorded = 1;  // the store's next_inbound

  std::map<std::uint64_t, std::string> out_of_order;  // messages that came too early, by MsgSeqNum
  BufferCharge out_of_order_bytes;
  std::uint64_t dropped_high = 0;  // the highest number for which there was no room; 0: none
  std::uint64_t discarded = 0;     // application messages, since the start
  bool arrived_undecided = false;  // what is held came after a Logon that is not decided on
  std::optional<ReplayCursor> replay;
  bool replay_done = false;  // all of it was passed on, and its last actions are being taken
  OutboundQueue queued_after_resend;  // numbered during a resend, sent after it
  OutboundQueue queued_until_logon;   // numbered after our Logon, which has no answer
  std::uint64_t left_to_resend = 0;   // of what came after that: it was too much
  SessionCommands commands;
  std::optional<LogonAnswer> accepted_answer;  // that waits for a password to be changed
  std::uint64_t accepted_answer_id = 0;
  Verdict verdict;                 // of the message that is being rejected
  std::string resend_answer_text;  // of the ResendRequest that is being refused
  Throttle throttle;               // of what comes in
  SecondLimit notices;             // lines of the event log
  MonoTime resend_window{};        // where the present second of resends began
  std::uint32_t window_resends = 0;
  MonoTime replay_at = MonoTime::min();  // when the resend under way may go on
  bool is_replaying = false;             // is in the list of those who send again
  bool is_aborted = false;               // cut at the end of the turn, and nothing is done for it
  std::string abort_reason;              // empty: there was no memory

  // The end of a logged-on state that on_disconnect() has not been told of.
  std::optional<Disconnection> disconnection;
  std::string disconnection_text;
  bool disconnection_is_fresh = false;  // of this event: the reason is still to come
  MonoTime disconnection_at = kNever;   // when it is reported; kNever: after the event's actions

  // The timetable's word, which holds from schedule_since until schedule_until.
  bool may_log_on = true;
  WallTime schedule_since = WallTime::max();
  WallTime schedule_until = WallTime::min();
  std::chrono::sys_seconds session_ended_at = std::chrono::sys_seconds::min();  // and was reset

  // The texts of the file whose values count, by TakesEffect; now is null: it stands in none.
  struct Texts {
    std::shared_ptr<const std::string> start;
    std::shared_ptr<const std::string> logon;
    std::shared_ptr<const std::string> now;
  };
  Texts texts;
  std::string configured_as;  // there: its own name, or that of its template
  PendingKeys pending;
  std::unique_ptr<SessionSettings> next_settings;  // from its next Logon on; null: as they are
  std::shared_ptr<const std::string> next_text;    // that they are of
  bool is_out = false;         // gone from the file: admits no client, and may come back
  bool is_dynamic = false;     // made of a template, for the client that logged on
  bool has_logged_on = false;  // since it was made
  bool is_leaving = false;     // is removed when its connection has ended
  // The counterparty knows sequence numbers that the store does not: an acceptor refuses a Logon
  // without ResetSeqNumFlag until an operator has set them.
  bool accepts_only_reset = false;
  ConnectPolicy connect_policy;  // initiator
};

// The state machine's configuration: the session's settings, and what the application's callbacks
// need.
[[nodiscard]] session::SessionConfig session_config_of(const SessionServices& services,
                                                       SessionEntry& entry);

}  // namespace nexusfix::engine
