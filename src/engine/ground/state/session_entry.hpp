// The engine's state of one session, with its state machine.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine/session.hpp>
#include <nexusfix/store.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/header_template.hpp>

#include "base/api/timer_queue.hpp"
#include "control/api/counters.hpp"
#include "control/api/failed_logons.hpp"
#include "control/api/notice_limiter.hpp"
#include "engine/ground/connection/buffer_budget.hpp"
#include "engine/ground/connection/connection.hpp"
#include "engine/ground/settings/settings_names.hpp"
#include "engine/ground/state/connect_policy.hpp"
#include "engine/ground/state/membership.hpp"
#include "engine/ground/state/outbound_limit.hpp"
#include "engine/ground/state/throttle.hpp"
#include "session/api/state_machine.hpp"

namespace nexusfix::engine {

class LoopContext;
class SessionEntry;
struct Io;
struct Sessions;

// What a Session uses: the public class forwards each call to a component of these.
struct SessionServices {
  LoopContext& loop;
  Io& io;
  Sessions& sessions;
  // Lets the application write its fields into a Logon of this session.
  void (*write_logon)(SessionEntry& entry, wire::Encoder& encoder,
                      const wire::MessageHeader& header) noexcept;
};

// Commands to one session that wait until the actions of the running event are done: Logout,
// resets, disconnect, and the answer to a Logon.

// A command replaces an earlier one of its kind. The event loop's thread only.
class SessionCommands {
 public:
  // In the order in which they run, whatever the order of the calls.
  enum class Kind : std::uint8_t { LogOut, Reset, ResetInSession, Disconnect, AnswerLogon };

  // text: Text (58) of the Logout, or the reason of the disconnection.
  void add(Kind kind, std::string text) noexcept {
    texts_[index(kind)] = std::move(text);
    waiting_ |= bit(kind);
  }
  void answer_logon(std::uint64_t logon_id, LogonAnswer answer) noexcept {
    logon_id_ = logon_id;
    answer_ = std::move(answer);
    waiting_ |= bit(Kind::AnswerLogon);
  }

  [[nodiscard]] bool empty() const noexcept { return waiting_ == 0; }
  [[nodiscard]] bool has(Kind kind) const noexcept { return (waiting_ & bit(kind)) != 0; }
  // Removes and returns the first command. Must not be called if empty().
  [[nodiscard]] Kind take() noexcept {
    const auto kind = static_cast<Kind>(std::countr_zero(waiting_));
    waiting_ &= static_cast<std::uint8_t>(waiting_ - 1U);
    if (kind == Kind::AnswerLogon) {
      std::swap(answer_, taken_answer_);
    } else {
      std::swap(texts_[index(kind)], taken_text_);
    }
    return kind;
  }
  // The text of the command that was taken last; valid until the next take().
  [[nodiscard]] std::string_view text() const noexcept { return taken_text_; }
  [[nodiscard]] LogonAnswer& answer() noexcept { return taken_answer_; }
  [[nodiscard]] std::uint64_t logon_id() const noexcept { return logon_id_; }

 private:
  static constexpr std::size_t index(Kind kind) noexcept { return static_cast<std::size_t>(kind); }
  static constexpr std::uint8_t bit(Kind kind) noexcept {
    return static_cast<std::uint8_t>(1U << index(kind));
  }

  std::uint8_t waiting_ = 0;  // a bit for each kind
  std::array<std::string, 4> texts_;
  std::string taken_text_;
  std::uint64_t logon_id_ = 0;  // of the last answer
  LogonAnswer answer_;
  LogonAnswer taken_answer_;
};

// The resend that a counterparty has requested.

// A resend in progress: stored messages from next to end still have to be passed to the state
// machine.
struct ReplayCursor {
  std::uint64_t next = 0;
  std::uint64_t end = 0;
  std::uint64_t serial = 0;  // unique among all resends
  // The slice that a thread of the store reads, where reading may take long; null: none.
  std::unique_ptr<store::Store::Fetch> fetch{};
  std::uint64_t slice_end = 0;  // the slice's last MsgSeqNum
  // MsgSeqNums of the next slice: few where each has a message, many where few have one.
  std::uint64_t numbers_max = 0;
  std::uint64_t messages_max = 0;  // of the slice; MsgSeqNums without a message do not count
};

// Only the ResendServer begins and continues a resend; its session's other events may end it.
class ResendState {
 public:
  void count_in(BufferBudget& budget) noexcept { queued_.count_in(budget); }
  [[nodiscard]] bool is_in_progress() const noexcept { return cursor_.has_value(); }
  // MaxResendsPerSecond has paused it until then.
  [[nodiscard]] MonoTime resumes_at() const noexcept { return resumes_at_; }
  // Messages that got their MsgSeqNum during the resend.
  [[nodiscard]] OutboundQueue& queued() noexcept { return queued_; }
  [[nodiscard]] const OutboundQueue& queued() const noexcept { return queued_; }

  // The messages that are left are not sent. The counterparty asks for them again.
  void abort() noexcept { cursor_.reset(); }
  // All its messages are sent; end_if_done() is awaited.
  [[nodiscard]] bool is_done() const noexcept { return is_done_; }
  // Ends a resend whose messages are all sent. Call it when their actions are performed.
  [[nodiscard]] bool end_if_done() noexcept {
    if (!is_done_) return false;
    is_done_ = false;
    cursor_.reset();
    return true;
  }

 private:
  friend class ResendServer;

  std::optional<ReplayCursor> cursor_;  // no value: no resend is in progress
  bool is_done_ = false;    // all messages are sent; the last actions are being performed
  bool is_listed_ = false;  // in the list of the resend server
  OutboundQueue queued_;
  std::string answer_text_;  // for a ResendRequest that is refused
  // For MaxResendsPerSecond.
  SecondLimit sent_;
  MonoTime resumes_at_ = MonoTime::min();
};

// Messages that a session keeps: received ones that came too early, and sent ones that wait for the
// answer to its Logon.

// Messages that came too early. HeldMessages adds and discards them, OutOfOrderQueue delivers them.
class OutOfOrderMessages {
 public:
  void count_in(BufferBudget& budget) noexcept { bytes_.count_in(budget); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  // They came after a Logon that is not decided.
  [[nodiscard]] bool arrived_undecided() const noexcept { return arrived_undecided_; }
  void clear() noexcept {
    messages_.clear();
    bytes_ = 0;
    dropped_high_ = 0;
    arrived_undecided_ = false;
  }

 private:
  friend class HeldMessages;
  friend class OutOfOrderQueue;

  static constexpr std::size_t kOverheadBytes = 128;  // the estimated overhead of a message

  std::map<std::uint64_t, std::string> messages_;  // by MsgSeqNum
  BufferCharge bytes_;
  std::uint64_t dropped_high_ = 0;  // the highest MsgSeqNum for which there was no room; 0: none
  std::uint64_t discarded_ = 0;     // application messages, since the start
  bool arrived_undecided_ = false;
};

// Messages that got their MsgSeqNum after our Logon, which has no answer yet.
class QueuedUntilLogon {
 public:
  void count_in(BufferBudget& budget) noexcept { queued_.count_in(budget); }
  [[nodiscard]] OutboundQueue& queued() noexcept { return queued_; }
  [[nodiscard]] const OutboundQueue& queued() const noexcept { return queued_; }
  // The number of messages that did not fit: a resend will send them.
  [[nodiscard]] std::uint64_t left_to_resend() const noexcept { return left_to_resend_; }

  void leave_one_to_resend() noexcept { ++left_to_resend_; }
  void clear() noexcept {
    queued_.clear();
    left_to_resend_ = 0;
  }
  // Like clear(), and releases the storage.
  void release() noexcept {
    queued_.release();
    left_to_resend_ = 0;
  }
  // As it was with this number of bytes and of messages.
  void roll_back(std::size_t bytes, std::uint64_t left_to_resend) noexcept {
    queued_.shrink_to(bytes);
    left_to_resend_ = left_to_resend;
  }

 private:
  OutboundQueue queued_;
  std::uint64_t left_to_resend_ = 0;
};

// The timers that the application has set for one session.

// A session without timers costs one null pointer: its alarm in the event loop's TimerQueue, which
// every session has, also serves its timers. So no turn and no message looks at them.
// The timers are nodes of an ordered map by time and number: equal times run in the order in which
// they were set, and cancel() finds its timer. Nodes of past timers are used again, up to
// kSpareMax: an application that sets and cancels a timer for each order allocates nothing.
class SessionTimers {
 public:
  // At most this number of timers of one session run in a turn: messages must not wait for more.
  static constexpr std::size_t kDuePerTurn = 64;

  [[nodiscard]] bool empty() const noexcept {
    return !state_ || (state_->mono.empty() && state_->wall.empty());
  }
  // An empty handle: there are kTimersMax timers.
  [[nodiscard]] TimerHandle add(MonoTime due, const Now& now, std::uint32_t session,
                                detail::TimerCallback&& callback);
  [[nodiscard]] TimerHandle add(WallTime due, const Now& now, std::uint32_t session,
                                detail::TimerCallback&& callback);
  // False: there is no such timer.
  bool cancel(const TimerHandle& timer) noexcept;
  // Cancels all.
  void clear() noexcept { const auto cancelled = std::move(state_); }

  // When the earliest timer is due; a wall time is looked at each minute, because the wall clock
  // may be set. kNever: there is no timer.
  [[nodiscard]] MonoTime next(const Now& now) const noexcept;
  // The number of the timer that was set last.
  [[nodiscard]] std::uint64_t last_number() const noexcept { return state_ ? state_->last : 0; }
  // Removes the next due timer with a number up to this one, and returns its callback.
  [[nodiscard]] std::optional<detail::TimerCallback> remove_due(const Now& now,
                                                                std::uint64_t number_max);

 private:
  static constexpr std::size_t kSpareMax = 64;

  using Key = std::pair<std::chrono::nanoseconds, std::uint64_t>;  // due, and number
  using Timers = std::map<Key, detail::TimerCallback>;
  struct State {
    Timers mono;
    Timers wall;
    std::vector<Timers::node_type> spare;
    std::uint64_t last = 0;
  };

  [[nodiscard]] TimerHandle add(Timers State::* timers, const TimerHandle& timer,
                                detail::TimerCallback&& callback);
  void remove(Timers& timers, Timers::iterator timer) noexcept;

  std::unique_ptr<State> state_;  // null: no timer was ever set
};

// The state of a session's schedule. Valid from `since` until `until`. SessionControl computes it.
class ScheduleStatus {
 public:
  // The schedule is open, and no operator has disabled the session.
  [[nodiscard]] bool may_log_on() const noexcept { return is_open_ && !is_disabled_; }
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }
  [[nodiscard]] bool is_disabled() const noexcept { return is_disabled_; }
  // by: who, and why: "anna: fat finger"; nullopt: it is enabled.
  void set_disabled(std::optional<std::string> by) noexcept {
    is_disabled_ = by.has_value();
    disabled_by_ = std::move(by).value_or(std::string{});
  }
  [[nodiscard]] const std::string& disabled_by() const noexcept { return disabled_by_; }
  // The settings have changed: SessionControl::follow_schedule() computes it again.
  void expire() noexcept {
    since_ = WallTime::max();
    until_ = WallTime::min();
  }
  // The end of the session may have been undone: it is computed, and ended, again.
  void undo_end() noexcept {
    session_ended_at_ = std::chrono::sys_seconds::min();
    expire();
  }

 private:
  friend class SessionControl;

  bool is_open_ = true;
  bool is_disabled_ = false;
  std::string disabled_by_;
  WallTime since_ = WallTime::max();
  WallTime until_ = WallTime::min();
  // The end for which the sequence numbers were reset.
  std::chrono::sys_seconds session_ended_at_ = std::chrono::sys_seconds::min();
};

// The notice of a disconnection to the application. The end of a Logon that on_disconnect() has not
// reported yet.
class DisconnectionNotice {
 public:
  [[nodiscard]] bool is_pending() const noexcept { return notice_.has_value(); }
  // It is delivered after the actions of the event.
  [[nodiscard]] bool is_due() const noexcept { return notice_ && due_at_ == kNever; }
  // kNever: after the actions of the event.
  [[nodiscard]] MonoTime due_at() const noexcept { return due_at_; }

  // A Logon has ended; the reason follows in the same event.
  void begin(MonoTime due_at) noexcept {
    notice_ = Disconnection{};
    is_fresh_ = true;
    due_at_ = due_at;
  }
  // The session is back before the notice was due.
  void cancel() noexcept { notice_.reset(); }
  void make_due() noexcept { due_at_ = kNever; }
  void on_event_done() noexcept { is_fresh_ = false; }
  // The reason of a Logon's end in this event.
  void set_reason(session::DisconnectReason reason) {
    if (!notice_ || !is_fresh_) return;
    notice_->reason = reason;
    notice_->is_orderly = reason == session::DisconnectReason::LogoutComplete;
    text_ = to_string(reason);
  }
  // The connection is closed; the end of a Logon follows.
  void set_text(std::string_view why) {
    if (!notice_) text_ = why;
  }
  // The text is valid until the next change.
  [[nodiscard]] Disconnection take() {
    Disconnection taken = *std::exchange(notice_, std::nullopt);
    due_at_ = kNever;
    if (!taken.reason && text_.empty()) text_ = "the connection broke";
    taken.text = text_;
    return taken;
  }

 private:
  std::optional<Disconnection> notice_;
  std::string text_;
  bool is_fresh_ = false;  // of this event: the reason follows
  MonoTime due_at_ = kNever;
};

// Where the session is in an event, and what the store has of its inbound messages.
class EventProgress {
 public:
  EventProgress(std::uint64_t next_inbound, bool keeps_received) noexcept
      : next_inbound_{next_inbound} {
    keep_received(keeps_received);
  }

  // Its actions are being performed.
  [[nodiscard]] bool is_acting() const noexcept { return is_acting_; }
  // The numbers were reset or set by hand, or are those of a session on trial: the Transactor has
  // nothing to record up to this one.
  void set_next_inbound(std::uint64_t number) noexcept {
    next_inbound_ = number;
    left_ = 0;
  }
  // JournalInbound, which a reload may change.
  void keep_received(bool keeps) noexcept {
    keeps_received_ = keeps;
    takes_full_path_ = keeps || FullPathOnly::is_on();
  }
  [[nodiscard]] bool keeps_received() const noexcept { return keeps_received_; }

 private:
  friend class Transactor;

  std::uint64_t next_inbound_;  // the store's
  bool is_acting_ = false;
  bool takes_full_path_;
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
  // Neither, no OutboundMessages, and PersistMessages: one flag for each message that is sent.
  bool is_plain;
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
  [[nodiscard]] LogonAnswer consume_answer() noexcept {
    return *std::exchange(answer_, std::nullopt);
  }
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
  // Who says when its messages came.
  [[nodiscard]] transport::ReceiveTimestamps receive_timestamps() const noexcept;
  // From a reload, or for the next Logon. The present id stays: the program may hold views of it.
  // Without memory it throws, and the settings are as before.
  void change_settings(SessionSettings settings);
  [[nodiscard]] const OutboundRules& outbound() const noexcept { return outbound_; }

  // The figures have the messages that wait for OutboundMessages. There must be a limit.
  void publish_waiting() noexcept;

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
  std::unique_ptr<OutboundLimit> outbound_limit;  // null: there is no limit
  OutOfOrderMessages out_of_order;
  DisconnectionNotice disconnection;

  const std::string name;
  LoopContext& loop;
  Session session;
  QueuedUntilLogon until_logon;
  Logons logons;
  PendingAbort abort;
  ScheduleStatus schedule_status;
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
