// The session layer: the FIX rules by which two counterparties exchange numbered messages, over any
// number of connections, without losing a message or processing one twice.
//
// What it is: a pure state machine for one session, initiator or acceptor, with FIX 4.0 to 4.4 or
// FIXT 1.1, which carries FIX 5.0, 5.0SP1 and 5.0SP2. identity.hpp has the differences. Events go
// in: connected, a parsed message, the time, a command. Actions come out: transmit, deliver,
// buffer, replay, disconnect.
//
// What it is not: it has no clock, socket, file, thread or log. It does not frame or parse bytes,
// and stores no message. It has no dictionary: the validators of its configuration check required
// body fields and enumerations.
//
// Threads: one thread at a time may use a StateMachine. Two machines share nothing, except a
// ValidationMemory that their configurations name, and an EventMemory that they were given.
// Allocation: only in the constructor. No function throws or blocks.
//
//   session::StateMachine machine{{.id = {"FIX.4.4", "VENUE", "TRADER", ""}}, numbers_from_store};
//   std::array<char, session::StateMachine::kScratchBytes> scratch;
//   machine.on_message(*parser.parse(frame), now);
//   while (auto action = machine.next_action(scratch)) {
//     if (auto* transmit = std::get_if<session::Transmit>(&*action)) {
//       connection.send(transmit->bytes);
//     } else if (auto* deliver = std::get_if<session::Deliver>(&*action)) {
//       machine.on_delivered(application.on_message(*deliver->message), now);
//     }  // ... and the others: see actions.hpp
//   }
//   timer.set(machine.next_deadline());
//
// How to drive it: call one on_...() function. Then call next_action() until it returns nothing,
// and perform each action before the next call. Only then call the next on_...() function. The
// exceptions are explained below: on_delivered() follows a Deliver, on_resend_decision() follows an
// AskResend, on_replay_message() and on_replay_done() follow a Replay, begin_message() may be
// called at any time, and on_disconnected() may come between two actions.
// docs/internals/session-machine.md describes each step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/message_view.hpp>

#include "session/api/actions.hpp"
#include "session/api/config.hpp"
#include "session/api/connection_state.hpp"
#include "session/api/sequence.hpp"

namespace nexusfix::session {
namespace detail {
struct Inbound;  // a message and what was read of its header
struct NumbersClaim;
}  // namespace detail

// Why finish_message() has no message. engine::SendError is another type, with the errors of the
// application's send().
enum class OutboundErrorCode : std::uint8_t {
  Encode,                 // the message cannot be encoded: OutboundError::encode has the reason
  NotApplicationMessage,  // the MsgType is that of an administrative message
};
// The error of finish_message().
struct OutboundError {
  OutboundErrorCode code = OutboundErrorCode::Encode;  // the kind of error
  wire::EncodeError encode{};                          // for Encode: the error of the encoder
};

// An application message with its MsgSeqNum.
struct Outbound {
  std::uint64_t msg_seq_num = 0;  // MsgSeqNum (34)
  std::string_view bytes{};       // the whole message, in the buffer given to begin_message()
};

// The session layer of one session, on one connection after the other. One thread at a time may use
// it. Only the constructor allocates. No function blocks or throws. In each function, `now` is the
// time of the event.
class StateMachine {
 public:
  // numbers: the next MsgSeqNum of each direction, as the store has them. validate(config) must be
  // empty. memory: may be shared, see there, and must outlive this; null: its own. Allocates.
  StateMachine(SessionConfig config, Numbers numbers, EventMemory* memory = nullptr);

  // A connection is established: an initiator sends its Logon, an acceptor waits for one. Not while
  // there is another connection: call on_disconnected() for that one first.
  void on_connected(Now now) noexcept;
  // The connection has ended, by a Disconnect or by itself. May come between two actions. Actions
  // that need the connection are dropped; call next_action() for the others (LoggedOut, Reset).
  void on_disconnected(Now now) noexcept;
  // A message has arrived that the parser accepted. message and its bytes must stay valid until
  // next_action() has returned nothing.
  void on_message(const wire::MessageView& message, Now now) noexcept;
  // Bytes have arrived that are no valid message. The session ignores them. Before the Logon, and
  // if the end of the message is unknown, it closes the connection. FIX Session Layer, "Garbled
  // message processing".
  void on_garbled(wire::GarbledReason reason, Now now) noexcept;
  // The time of next_deadline() has come. Calls before it do nothing.
  void on_time(Now now) noexcept;
  // The application's answer to a Deliver, exactly once for each. The message counts as received
  // from now on.
  void on_delivered(const detail::DeliveryDecision& decision, Now now) noexcept;
  // on_delivered() of a message that is accepted, as nearly all are.
  void on_accepted(const Now& now) noexcept;
  // The owner's answer to an Authenticate, at once or later. A decision on an earlier Logon is
  // ignored.
  void on_logon_decision(std::uint64_t logon_id, const LogonDecision& decision, Now now) noexcept;
  // The owner's answer to an AskResend, exactly once for each.
  void on_resend_decision(const detail::ResendDecision& decision, Now now) noexcept;
  // The owner could not buffer a message, or has delivered all buffered messages that were due.
  // first_buffered: the lowest MsgSeqNum in the buffer, above the expected one; 0: it is empty.
  // highest_lost: that of the messages that were not buffered; 0: none from the expected one on.
  // The session requests the messages before first_buffered, unless a request for them is open or a
  // gap fill counts them. If next_inbound moves afterwards, deliver what is due, and call this
  // again. Not needed if ResendRequests ask for everything (GapConfig::closed_resend_requests).
  void on_out_of_order_lost(std::uint64_t first_buffered, std::uint64_t highest_lost,
                            Now now) noexcept;
  // The scheduled session is over. The session sends a Logout with text, and resets both sequence
  // numbers when the connection has ended; without a connection at once. text must stay valid until
  // next_action() has returned nothing.
  void on_session_end(std::string_view text, Now now) noexcept;
  // Both sequence numbers are to be reset to 1 without a disconnect (FIX 4.4 volume 2, "Logon", use
  // of ResetSeqNumFlag). The session sends a TestRequest. When its Heartbeat shows that nothing is
  // missing, it takes the actions Reset and Transmit of a Logon with 141=Y and MsgSeqNum 1, in one
  // event. Messages that the counterparty sent before its answer are still delivered. Ignored
  // unless the session is logged on and its version has ResetSeqNumFlag (FIX 4.1 on).
  void on_reset_command(ResetFallback fallback, Now now) noexcept;
  // After a restart: the store has our Logon of a reset within the session as message 1, and
  // nothing was received after it. The next Logon repeats it. Before the first on_connected().
  void resume_reset() noexcept { logon_.reset_within().is_unanswered = true; }
  // The operator or the application ends the session: a Logout with text (58). Before the session
  // is logged on, the connection is closed without one. text: as above.
  void on_logout_command(std::string_view text, Now now) noexcept;
  // The owner does not admit the connection that has sent a Logon: a Logout, and the end of the
  // connection. Only instead of on_message(), for the first message. Its text: as above.
  void on_logon_refused(const LogonRefusal& refusal, Now now) noexcept;
  // The operator asks whether the counterparty answers: a TestRequest with this TestReqID. Ignored
  // unless the session is logged on. test_req_id: as text above.
  void on_test_request_command(std::string_view test_req_id, Now now) noexcept;
  // The operator skips outbound MsgSeqNums that were never used: a SequenceReset-GapFill takes the
  // next one, and the message after it has new_seq_no. Ignored unless the session is logged on and
  // new_seq_no is above the next outbound MsgSeqNum.
  void on_gap_fill_command(std::uint64_t new_seq_no, Now now) noexcept;

  // A stored message of a Replay, with the bytes that were sent first. Call it in ascending order;
  // messages that are left out are gap-filled. bytes must stay valid until next_action() has
  // returned nothing. Ignored if the Replay has ended meanwhile, with the connection or by a Reset.
  void on_replay_message(std::uint64_t msg_seq_num, std::string_view bytes, Now now) noexcept;
  // The end of a Replay: the rest of its range is gap-filled. Ignored if it has ended meanwhile.
  void on_replay_done(Now now) noexcept;

  // The size of the scratch buffer of next_action(), at least, in bytes.
  static constexpr std::size_t kScratchBytes = 16'384;
  // Whether the next action is a Deliver of a message in sequence, as after most messages, which
  // consume_delivery() then takes without the other kinds of actions. next_action() takes it, too.
  [[nodiscard]] bool has_delivery() const noexcept { return delivery_ == Delivery::Next; }
  // Whether next_action() has one, beside a delivery.
  [[nodiscard]] bool has_queued() const noexcept { return !actions_.is_empty(); }
  // Only if has_delivery().
  [[nodiscard]] Deliver consume_delivery() noexcept {
    delivery_ = Delivery::Awaited;
    return {.message = message_, .msg_seq_num = message_seq_num_};
  }
  // The next action; unset: the event is complete. scratch must stay valid until the bytes of the
  // action have been used. It has kScratchBytes bytes or more; while a Replay is served, the size
  // of the stored message in addition.
  [[nodiscard]] std::optional<Action> next_action(std::span<char> scratch) noexcept {
    if (has_delivery()) return consume_delivery();
    if (actions_.is_empty()) return std::nullopt;
    return consume_action(scratch);
  }

  // The precision of SendingTime (52) in our messages.
  [[nodiscard]] wire::TimePrecision time_precision() const noexcept { return header_.precision(); }
  // Begins an application message in buffer. The encoder has written the header; encode the body,
  // then call finish_message(). Call neither next_action() nor an event between the two. Allowed in
  // every state: call outlet() before finish_message() to know how the message reaches the
  // counterparty. buffer must hold the whole message.
  [[nodiscard]] wire::Encoder begin_message(std::span<char> buffer, std::string_view msg_type,
                                            Now now) noexcept;
  // Ends the message that begin_message() began. It uses the next MsgSeqNum only if it succeeds.
  // Errors: see OutboundErrorCode.
  [[nodiscard]] std::expected<Outbound, OutboundError> finish_message(
      wire::Encoder& encoder) noexcept {
    return finish_message(encoder.finish());
  }
  // For a caller that has called the encoder's finish() itself. bytes: its result.
  [[nodiscard]] std::expected<Outbound, OutboundError> finish_message(
      const std::expected<std::string_view, wire::EncodeError>& bytes) noexcept;
  // Whether finish_on_wire() may end the message that begin_message() began: it is an application
  // message, and is sent at once.
  [[nodiscard]] bool goes_on_wire() const noexcept {
    return outlet() == Outlet::Wire && !begun_.is_administrative;
  }
  // For a message that was encoded. Returns its MsgSeqNum. Inlined: most messages of an application
  // end here.
  [[nodiscard, gnu::always_inline]] std::uint64_t finish_on_wire() noexcept;
  // Takes back the MsgSeqNums from next_outbound on, which a failed callback has used. None of
  // these messages may have been stored or transmitted. next_outbound: from 1 to the current value.
  void rewind_outbound(std::uint64_t next_outbound) noexcept;

  // How a message that gets its MsgSeqNum now reaches the counterparty. An acceptor's Logon may
  // have a higher MsgSeqNum than messages that a callback sends before it. An initiator's Logon
  // always has a lower one than the messages after it.
  [[nodiscard]] Outlet outlet() const noexcept {
    return phase_.is_open() ? logon_.outlet() : Outlet::Resend;
  }
  // Sends a Heartbeat. Call it after a Release if some messages were not queued: its MsgSeqNum
  // shows the counterparty that they are missing. Then call next_action(). Only in State::LoggedOn;
  // otherwise it does nothing.
  void send_heartbeat() noexcept;

  // true: the owner delays received messages, so their SendingTime may be old and is not checked
  // against max_latency. Ends with false, or with the connection.
  void set_delayed(bool is_delayed) noexcept { is_delayed_ = is_delayed; }
  // The owner could not perform the actions of an event: numbers are those that it has recorded.
  // Call on_disconnected() next, and nothing between.
  void roll_back(Numbers numbers) noexcept {
    if (numbers.next_inbound != 1) logon_.reset_within().is_unanswered = false;
    numbers_.roll_back(numbers);
    drop_actions();
  }
  // Replaces the configuration, between two events. config.id must be the same, and
  // validate(config) empty. While connected, what both sides have agreed on must not change: role,
  // HeartBtInt, versions, and the fields of the header and the Logon. Frees the memory of the old
  // one.
  void configure(SessionConfig config) noexcept;
  // Sets both sequence numbers, as an operator has decided. Both are at least 1. Only without a
  // connection, and after next_action() has returned nothing.
  void set_sequence_numbers(Numbers numbers) noexcept;

  // The state of the session.
  [[nodiscard]] State state() const noexcept { return phase_.state(); }
  // The next MsgSeqNum of each direction.
  [[nodiscard]] Numbers sequence_numbers() const noexcept { return numbers_.value(); }
  // Whether a reset of both sequence numbers is certain to follow: within this event, or at the end
  // of the Logout or disconnect in progress. A message that is sent now would be lost with it.
  [[nodiscard]] bool is_about_to_reset() const noexcept;
  // Whether both sides have sent a Logout, and the counterparty is to close the connection. If it
  // connects again instead, the owner closes the old connection itself.
  [[nodiscard]] bool is_to_be_closed() const noexcept {
    return phase_.is(detail::Phase::LogoutAnswered);
  }
  // In State::LogonReceived: whether the sequence numbers of the waiting Logon fit those of the
  // session. If not, on_logon_decision() refuses it even if the owner accepts it.
  [[nodiscard]] bool would_admit() const noexcept;
  // The configuration in use. Valid as long as this object; configure() changes it.
  [[nodiscard]] const SessionConfig& config() const noexcept;
  // FIXT: the DefaultApplVerID (1137) of the counterparty's last Logon; before it, our own. It is
  // the version of its messages that carry no ApplVerID (1128). Empty on other sessions. Valid
  // until the next event.
  [[nodiscard]] std::string_view counterparty_appl_ver_id() const noexcept;
  // The versions that this one and our own DefaultApplVerID name; on other sessions BeginString.
  // Valid as long as this object; a Logon and configure() change them.
  [[nodiscard]] const detail::ApplicationVersions& application_versions() const noexcept {
    return versions_;
  }
  // Whether a message that is only delivered can do no more to next_deadline() than postpone it.
  [[nodiscard]] bool is_steady() const noexcept {
    return !heartbeat_.awaits_answer() && !gap_.is_open();
  }
  // When on_time() must be called next, by the monotonic clock. kNever: no time is awaited. It may
  // change with each event.
  [[nodiscard]] MonoTime next_deadline() const noexcept;

 private:
  using Inbound = detail::Inbound;
  using Objection = detail::Objection;
  using Pending = detail::Pending;
  using Phase = detail::Phase;
  using ResendRange = detail::ResendRange;
  using Scratch = std::span<char>;

  // What happens to message_.
  enum class Delivery : std::uint8_t {
    None,
    Next,        // it is in order and the next action delivers it; actions_ is empty
    Awaited,     // on_delivered() is awaited
    AwaitedOld,  // the same for a message of the time before our reset
  };
  // An application message between begin_message() and finish_message().
  struct Begun {
    std::uint64_t msg_seq_num = 0;
    bool is_administrative = false;
    MonoTime at{};
  };

  // Events and what they leave to be done (state_machine.cpp).
  void begin_event(const Now& now) noexcept;
  [[nodiscard]] std::optional<Action> consume_action(Scratch scratch) noexcept;
  [[nodiscard]] std::optional<Action> perform(const Pending& pending, Scratch scratch) noexcept;
  [[nodiscard]] Notice notice_of(const Pending& pending) const noexcept;
  template <class Body>
  [[nodiscard]] Transmit transmit(std::string_view msg_type, Scratch scratch, Body&& body) noexcept;
  [[nodiscard]] Action transmit_logon(const Pending& pending, Scratch scratch) noexcept;
  [[nodiscard]] Action transmit_logout(const Pending& pending, Scratch scratch) noexcept;
  [[nodiscard]] Action transmit_gap_fill(std::uint64_t new_seq_no, Scratch scratch) noexcept;
  [[nodiscard]] Action transmit_reject(Scratch scratch) noexcept;
  [[nodiscard]] std::optional<Action> retransmit_stored(Scratch scratch) noexcept;
  [[nodiscard]] std::optional<Action> retransmit_rest(Scratch scratch) noexcept;
  [[nodiscard]] Action gap_fill(std::uint64_t new_seq_no, Scratch scratch) noexcept;
  void on_heartbeat_time() noexcept;
  void on_wait_over() noexcept;
  void finish_resend() noexcept;
  void drop_actions() noexcept;
  void forget_connection() noexcept;
  void forget_resends() noexcept;
  void begin_with_own_version() noexcept;
  void set_counterparty_version(char appl_ver_id) noexcept;
  void reset_sequence_numbers() noexcept;

  // Received messages (receive.cpp).
  [[nodiscard]] detail::HeaderCache::Position header_position() const noexcept {
    return {.next_inbound = numbers_.next_inbound(),
            .highest_out_of_order = out_of_order_.highest(),
            .now = now_.wall,
            .is_delayed = is_delayed_};
  }
  [[nodiscard]] detail::InboundGap::Position gap_position() const noexcept {
    return {.next_inbound = numbers_.next_inbound(), .now = now_.mono};
  }
  [[nodiscard]] bool is_in_sequence(const wire::MessageView& message) noexcept;
  [[nodiscard]] bool is_of_default_version(const wire::MessageView& message) const noexcept;
  [[nodiscard]] bool is_valid(const wire::MessageView& message) noexcept;
  [[nodiscard]] bool is_valid_after_header(const wire::MessageView& message) noexcept;
  [[nodiscard]] bool is_unseen_heartbeat(const wire::MessageView& message) const noexcept;
  void receive_administrative(const wire::MessageView& message) noexcept;
  void deliver_in_sequence() noexcept;
  void count_in_sequence() noexcept;
  void advance_to(std::uint64_t next_inbound) noexcept;
  void advance_out_of_order(std::uint64_t next_inbound) noexcept;
  void receive_outside_session(const wire::MessageView& message) noexcept;
  void receive(const wire::MessageView& message) noexcept;
  [[nodiscard]] std::optional<Objection> header_objection(const Inbound& in) noexcept;
  void receive_by_kind(const Inbound& in) noexcept;
  void receive_in_order(const Inbound& in, const std::optional<Objection>& objection) noexcept;
  void process(const Inbound& in) noexcept;
  void push_deliver(const Inbound& in) noexcept;
  void show_administrative() noexcept;
  void on_refused(const detail::DeliveryDecision& decision) noexcept;
  void on_old_delivered(const detail::DeliveryDecision& decision, const Now& now) noexcept;
  void receive_during_reset(const Inbound& in) noexcept;
  void on_msg_seq_num_unreadable(const wire::MessageView& message) noexcept;
  void on_too_low(const Inbound& in) noexcept;
  void refuse_too_low(std::uint64_t msg_seq_num) noexcept;
  void on_too_high(const Inbound& in) noexcept;
  void report_early_reject(const Inbound& in) noexcept;
  void on_test_request(const Inbound& in) noexcept;
  void on_resend_request(const Inbound& in, const std::optional<Objection>& objection) noexcept;
  void on_served_out_of_order(const Inbound& in) noexcept;
  void ask_or_serve(const ResendRange& range, std::uint64_t request_seq_num) noexcept;
  void serve_expected(std::uint64_t next_expected) noexcept;
  void on_sequence_reset(const Inbound& in, const std::optional<Objection>& objection) noexcept;
  void on_gap_fill(const Inbound& in) noexcept;
  [[nodiscard]] std::uint64_t without_buffered(std::uint64_t new_seq_no) noexcept;
  void skip_to(std::uint64_t new_seq_no) noexcept;
  void reject(const Inbound& in, const Objection& objection) noexcept;
  void reject_and_log_out(const Inbound& in, const Objection& objection) noexcept;
  void push_reject(const wire::MessageView& message, std::uint64_t msg_seq_num,
                   const Objection& objection) noexcept;

  // Logon and Logout (logon.cpp).
  void receive_before_logon(const wire::MessageView& message) noexcept;
  void on_refusal_of_our_logon(const Inbound& in) noexcept;
  [[nodiscard]] std::string_view find_logon_error(
      const Inbound& in, const std::optional<Objection>& objection) noexcept;
  void on_first_logon(const Inbound& in) noexcept;
  void admit(const detail::LogonFacts& logon) noexcept;
  void receive_undecided(const wire::MessageView& message) noexcept;
  void on_reset_logon(const Inbound& in, const std::optional<Objection>& objection) noexcept;
  void accept_logon(const detail::LogonFacts& logon, bool reply_with_reset) noexcept;
  void refuse_next_expected(std::uint64_t unsent, std::uint64_t next_expected) noexcept;
  void record_session_status(const wire::MessageView& message) noexcept;
  void ask_before_reset() noexcept;
  void on_heartbeat_received(const wire::MessageView& message) noexcept;
  void push_reset_logon() noexcept;
  void on_reset_answered() noexcept;
  void on_logout(const Inbound& in, const std::optional<Objection>& objection) noexcept;
  void compare_clocks(const wire::MessageView& refusal) noexcept;
  [[nodiscard]] detail::NumbersClaim check_numbers_claim(std::string_view text) noexcept;
  void await_messages_before_logout(std::uint64_t msg_seq_num) noexcept;
  void continue_logout() noexcept;
  void answer_logout(std::string_view text) noexcept;
  void complete_logout() noexcept;
  void report_missing() noexcept;
  void leave(std::string_view text, DisconnectReason before_logon) noexcept;
  void log_out(std::string_view text) noexcept;
  void log_out_and_disconnect(std::string_view text, DisconnectReason reason) noexcept;
  void end_session(DisconnectReason reason) noexcept;
  void close(DisconnectReason reason) noexcept;

  // What follows when the connection has ended.
  struct AtEnd {
    bool resets = false;               // the session's time is over, or a Reset was dropped
    bool has_logged_on = false;        // a LoggedOut was dropped
    std::uint64_t logout_seq_num = 0;  // of a Logout that came while messages were missing
  };

  SessionConfig config_;
  std::unique_ptr<EventMemory> own_memory_;  // null: the memory is shared
  detail::OutboundHeader header_;
  detail::SequenceNumbers numbers_;
  detail::SessionPhase phase_;
  Now now_{};  // of the event being handled
  detail::ActionQueue actions_;

  // The message being handled, the one that awaits the application's decision, or the one rejected.
  const wire::MessageView* message_ = nullptr;
  std::uint64_t message_seq_num_ = 0;
  Delivery delivery_ = Delivery::None;
  Objection objection_;
  detail::EventTexts texts_;

  detail::HeaderCache header_cache_;
  Begun begun_;
  detail::HeartbeatTimers heartbeat_;
  detail::LogonExchange logon_;
  detail::ApplicationVersions versions_;
  detail::InboundGap gap_;
  detail::OutOfOrderNumbers out_of_order_;
  detail::ResendGovernor governor_;
  detail::ResendProgress resend_;

  bool is_delayed_ = false;  // what comes has waited at the owner's
  AtEnd at_end_;
};

// On the path of each message.
[[gnu::always_inline]] inline wire::Encoder StateMachine::begin_message(std::span<char> buffer,
                                                                        std::string_view msg_type,
                                                                        Now now) noexcept {
  const std::uint64_t number = numbers_.next_outbound();
  begun_.msg_seq_num = number;
  begun_.is_administrative = is_administrative(msg_type);
  begun_.at = now.mono;
  return header_.begin(buffer, header_.fields(msg_type, number, now.wall), numbers_);
}

inline std::expected<Outbound, OutboundError> StateMachine::finish_message(
    const std::expected<std::string_view, wire::EncodeError>& bytes) noexcept {
  NEXUSFIX_ASSERT(begun_.msg_seq_num == numbers_.next_outbound());
  begun_.msg_seq_num = 0;
  if (begun_.is_administrative) [[unlikely]] {
    return std::unexpected{
        OutboundError{.code = OutboundErrorCode::NotApplicationMessage, .encode = {}}};
  }
  if (!bytes) [[unlikely]] {
    return std::unexpected{
        OutboundError{.code = OutboundErrorCode::Encode, .encode = bytes.error()}};
  }
  if (outlet() == Outlet::Wire) {
    heartbeat_.record_sent_application(now_.mono, begun_.at, numbers_.next_inbound());
  }
  return Outbound{.msg_seq_num = numbers_.consume_outbound(), .bytes = *bytes};
}

inline std::uint64_t StateMachine::finish_on_wire() noexcept {
  NEXUSFIX_ASSERT(begun_.msg_seq_num == numbers_.next_outbound());
  begun_.msg_seq_num = 0;
  heartbeat_.record_sent_application(now_.mono, begun_.at, numbers_.next_inbound());
  return numbers_.consume_outbound();
}

// Starts an event: everything of the one before it must have been done.
inline void StateMachine::begin_event(const Now& now) noexcept {
  NEXUSFIX_ASSERT(actions_.is_empty());
  NEXUSFIX_ASSERT(delivery_ != Delivery::Next);
  now_ = now;
  texts_.clear();
}

// Everything below next_inbound is used up. Here inbound numbers move forward.
inline void StateMachine::advance_to(std::uint64_t next_inbound) noexcept {
  if (next_inbound == out_of_order_.first_counted() || gap_.is_open()) [[unlikely]]
    return advance_out_of_order(next_inbound);
  numbers_.advance_inbound(next_inbound);
}

[[gnu::always_inline]] inline void StateMachine::on_accepted(const Now& now) noexcept {
  if (delivery_ != Delivery::Awaited) [[unlikely]]
    return on_old_delivered({}, now);
  delivery_ = Delivery::None;
  now_ = now;
  advance_to(message_seq_num_ + 1);
}

inline void StateMachine::show_administrative() noexcept {
  if (config_.shows_administrative) actions_.push({.step = detail::Step::ShowAdministrative});
}

inline MonoTime StateMachine::next_deadline() const noexcept {
  const MonoTime due = std::min(heartbeat_.deadline(config_.heartbeat), gap_.deadline());
  if (phase_.is(Phase::LoggedOn)) [[likely]]
    return due;
  return phase_.is_logged_on() ? std::min(due, phase_.deadline()) : phase_.deadline();
}

}  // namespace nexusfix::session
