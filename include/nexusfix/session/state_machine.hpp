// The FIX session layer as a pure state machine: events go in, actions come out. It has no clock,
// no socket, no file, no thread and no log; time and bytes are arguments. The same object runs in
// production, in unit tests and in the simulator.
//
// Protocol of use: call one on_...() function, then take next_action() until it returns nothing,
// performing each action before taking the next; only then call the next on_...(). Exceptions to
// the rule, all explained below: on_delivered() follows a Deliver, begin_message() may be called at
// any time, on_replay_message() and on_replay_done() follow a Replay, on_disconnected() may come
// between two actions and discards those that need a connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string_view>

#include <nexusfix/base/time.hpp>
#include <nexusfix/session/actions.hpp>
#include <nexusfix/session/config.hpp>
#include <nexusfix/session/machine/action_queue.hpp>
#include <nexusfix/session/machine/event_texts.hpp>
#include <nexusfix/session/machine/header_cache.hpp>
#include <nexusfix/session/machine/heartbeat_timers.hpp>
#include <nexusfix/session/machine/inbound_gap.hpp>
#include <nexusfix/session/machine/logon_exchange.hpp>
#include <nexusfix/session/machine/objection.hpp>
#include <nexusfix/session/machine/out_of_order.hpp>
#include <nexusfix/session/machine/outbound_header.hpp>
#include <nexusfix/session/machine/resend.hpp>
#include <nexusfix/session/machine/sequence_numbers.hpp>
#include <nexusfix/session/machine/session_phase.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::session {
namespace detail {
struct Inbound;  // a message and what was read of its header
}

// What the application decides about a delivered message.
struct DeliveryDecision {
  enum class Kind : std::uint8_t {
    Accept,
    RejectBusiness,  // BusinessMessageReject (j); a session Reject (3) before FIX 4.2
    RejectSession,   // Reject (3)
  };
  Kind kind = Kind::Accept;
  unsigned reason = 0;        // BusinessRejectReason (380) or SessionRejectReason (373)
  wire::Tag ref_tag = 0;      // 0: none
  std::string_view text{};    // this and ref_id must live until next_action() returned nothing
  std::string_view ref_id{};  // RejectBusiness: BusinessRejectRefID (379); empty: none
};

// What the owner decides about a resend.
struct ResendDecision {
  enum class Kind : std::uint8_t {
    Resend,   // from number `from` on; what is asked for before it is gap-filled
    GapFill,  // no message goes out again
    Reject,   // Reject with text; a resend that a Logon implies cannot be rejected: as LogOut
    LogOut,   // Logout with text
  };
  Kind kind = Kind::Resend;
  std::uint64_t from = 0;
  std::string_view text{};  // must live until next_action() returned nothing
};

// What the owner decides about a Logon.
struct LogonDecision {
  enum class Kind : std::uint8_t { Accept, Refuse };
  Kind kind = Kind::Accept;
  std::string_view text{};  // Refuse: of the Logout; must live until next_action() returned nothing
  std::optional<std::uint32_t> session_status{};  // 1409 of the answer, on a FIXT session
};

// Why finish_message() has no message. Not SendError: that is the application's, with more reasons.
enum class OutboundErrorCode : std::uint8_t { Encode, NotApplicationMessage };
struct OutboundError {
  OutboundErrorCode code = OutboundErrorCode::Encode;
  wire::EncodeError encode{};
};

// An application message with its number. The bytes lie in the buffer given to begin_message().
struct Outbound {
  std::uint64_t msg_seq_num = 0;
  std::string_view bytes{};
};

// One thread at a time. No function but the constructor allocates; none blocks or throws.
class StateMachine {
 public:
  // The numbers are what the store knows. validate(config) must be empty.
  StateMachine(SessionConfig config, Numbers numbers);

  // Events.
  void on_connected(Now now) noexcept;
  void on_disconnected(Now now) noexcept;
  // A frame that parsed. The view must stay valid until next_action() has returned nothing.
  void on_message(const wire::MessageView& message, Now now) noexcept;
  void on_garbled(wire::GarbledReason reason, Now now) noexcept;
  // At or after next_deadline(); earlier calls are harmless.
  void on_time(Now now) noexcept;
  // After a Deliver: the message's number is used up. Exactly once for each Deliver.
  void on_delivered(const DeliveryDecision& decision, Now now) noexcept;
  // After an Authenticate, at once or later. What is decided about an earlier Logon is ignored.
  void on_logon_decision(std::uint64_t logon_id, const LogonDecision& decision, Now now) noexcept;
  // After an AskResend, once for each.
  void on_resend_decision(const ResendDecision& decision, Now now) noexcept;
  // The buffer of messages out of order begins at first_buffered, after what is expected, or is
  // empty (0) because the owner could not buffer a message: what is missing before that is asked
  // for, unless it has been. If next_inbound has moved, what is due then comes first, and this call
  // again. Not needed for what is buffered where a ResendRequest asks for everything.
  void on_out_of_order_lost(std::uint64_t first_buffered, Now now) noexcept;
  // The session's time is over, by its schedule: Logout with text, and both numbers are 1 when the
  // connection has ended; at once if there is none.
  void on_session_end(std::string_view text, Now now) noexcept;
  // The operator's or the application's wish to end the session; text goes into Logout (58).
  void on_logout_command(std::string_view text, Now now) noexcept;

  // Serving a Replay: stored messages in ascending order, each as it was sent first. Those without
  // a stored message are left out, and become gap fills. bytes must live until next_action()
  // returned nothing. Calls for a Replay that has ended meanwhile (the connection broke, or a
  // Reset) are ignored.
  void on_replay_message(std::uint64_t msg_seq_num, std::string_view bytes, Now now) noexcept;
  void on_replay_done(Now now) noexcept;

  // The next thing to do. scratch (kScratchBytes; for a Retransmit, the message's size more) must
  // live until the action's bytes have been used.
  static constexpr std::size_t kScratchBytes = 4096;
  [[nodiscard]] std::optional<Action> next_action(std::span<char> scratch) noexcept {
    if (delivery_ == Delivery::Next) {
      delivery_ = Delivery::Awaited;
      return Deliver{.message = message_, .msg_seq_num = message_seq_num_};
    }
    if (actions_.is_empty()) return std::nullopt;
    return take_action(scratch);
  }

  // An application message: encode the body between the two calls. Takes a number only when
  // finish_message() succeeds. Allowed in every state: without a logged-on counterparty the message
  // is numbered and stored, and reaches it after the next Logon: outlet() says how, before
  // finish_message() is called. No next_action() between the two calls.
  [[nodiscard]] wire::Encoder begin_message(std::span<char> buffer, std::string_view msg_type,
                                            Now now) noexcept;
  [[nodiscard]] std::expected<Outbound, OutboundError> finish_message(
      wire::Encoder& encoder) noexcept {
    return finish_message(encoder.finish());
  }
  // The same for what the encoder's finish() has said.
  [[nodiscard]] std::expected<Outbound, OutboundError> finish_message(
      const std::expected<std::string_view, wire::EncodeError>& bytes) noexcept;
  // The numbers from next_outbound on are assigned again: a callback that failed has used them, and
  // none of its messages has been stored or transmitted. These put off no Heartbeat either.
  void rewind_outbound(std::uint64_t next_outbound) noexcept;

  // How a message that is numbered now reaches the counterparty. An acceptor's answer to the Logon
  // has a higher number than what a callback sends before it; an initiator's Logon has a lower one
  // than all that follows it.
  [[nodiscard]] Outlet outlet() const noexcept {
    const bool is_open = phase_.is(detail::Phase::LogonSent) || phase_.is(detail::Phase::LoggedOn);
    return is_open ? logon_.outlet() : Outlet::Resend;
  }
  // After a Release without all that was to be queued: the Heartbeat's number shows that there is
  // more to ask for. To be followed by next_action().
  void send_heartbeat() noexcept;

  // The owner lets received messages wait: their SendingTime may be old. Until the end of the
  // connection, or false.
  void set_delayed(bool is_delayed) noexcept { is_delayed_ = is_delayed; }
  // The owner could not do what an event asked for: the numbers are those that it has recorded.
  // on_disconnected() is to follow; nothing may come between.
  void roll_back(Numbers numbers) noexcept { numbers_.roll_back(numbers); }
  // Another configuration of the same identity, between two events. While connected what both sides
  // have agreed on must be as before: role, HeartBtInt, versions and fields of the header and the
  // Logon. validate(config) must be empty.
  void configure(SessionConfig config) noexcept;
  // The sequence numbers are known again: an operator has decided on the next ones, both ≥ 1.
  // Disconnected only. The other way in which they become known is a reset; see the action Reset.
  void set_sequence_numbers(Numbers numbers) noexcept;

  [[nodiscard]] State state() const noexcept { return phase_.state(); }
  [[nodiscard]] Numbers sequence_numbers() const noexcept { return numbers_.value(); }
  // After a Logout: with the end of this connection, or the answer, both numbers begin at 1 again;
  // or they do so within this event. A message that was sent now would be forgotten.
  [[nodiscard]] bool is_about_to_reset() const noexcept;
  // In LogonReceived: whether the Logon that waits would be admitted if it was accepted now. Else
  // its numbers contradict the session's, and on_logon_decision() refuses it all the same.
  [[nodiscard]] bool would_admit() const noexcept;
  [[nodiscard]] const SessionConfig& config() const noexcept;
  // FIXT: the DefaultApplVerID (1137) of the counterparty's last Logon, the version of its messages
  // that name none; ours until there was one. Empty on other sessions.
  [[nodiscard]] std::string_view counterparty_appl_ver_id() const noexcept;
  // When on_time() must be called next; kNever if nothing is waited for.
  [[nodiscard]] MonoTime next_deadline() const noexcept;

 private:
  using Inbound = detail::Inbound;
  using Objection = detail::Objection;
  using Pending = detail::Pending;
  using Phase = detail::Phase;
  using ResendRange = detail::ResendRange;
  using Scratch = std::span<char>;

  // Of message_.
  enum class Delivery : std::uint8_t {
    None,
    Next,     // it is in order and the next action delivers it; actions_ is empty
    Awaited,  // on_delivered() is awaited
  };
  // An application message between begin_message() and finish_message().
  struct Begun {
    std::uint64_t msg_seq_num = 0;
    bool is_administrative = false;
    MonoTime at{};
  };

  // Events and what they leave to be done (state_machine.cpp).
  void begin_event(const Now& now) noexcept;
  [[nodiscard]] std::optional<Action> take_action(Scratch scratch) noexcept;
  [[nodiscard]] std::optional<Action> perform(const Pending& pending, Scratch scratch) noexcept;
  template <class Body>
  [[nodiscard]] Transmit transmit(std::string_view msg_type, Scratch scratch, Body&& body) noexcept;
  [[nodiscard]] Action transmit_logon(const Pending& pending, Scratch scratch) noexcept;
  [[nodiscard]] Action transmit_logout(const Pending& pending, Scratch scratch) noexcept;
  [[nodiscard]] Action transmit_reject(Scratch scratch) noexcept;
  [[nodiscard]] std::optional<Action> retransmit_stored(Scratch scratch) noexcept;
  [[nodiscard]] std::optional<Action> retransmit_rest(Scratch scratch) noexcept;
  [[nodiscard]] Action gap_fill(std::uint64_t new_seq_no, Scratch scratch) noexcept;
  void on_heartbeat_time() noexcept;
  void finish_resend() noexcept;
  void forget_connection() noexcept;
  void forget_resends() noexcept;
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
  [[nodiscard]] bool is_valid(const wire::MessageView& message) const noexcept;
  void deliver_in_sequence() noexcept;
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
  void on_refused(const DeliveryDecision& decision) noexcept;
  void on_msg_seq_num_unreadable(const wire::MessageView& message) noexcept;
  void on_too_low(const Inbound& in) noexcept;
  void refuse_too_low(std::uint64_t msg_seq_num) noexcept;
  void on_too_high(const Inbound& in) noexcept;
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
  void note_session_status(const wire::MessageView& message) noexcept;
  void on_logout(const Inbound& in, const std::optional<Objection>& objection) noexcept;
  void leave(std::string_view text, DisconnectReason before_logon) noexcept;
  void log_out(std::string_view text) noexcept;
  void log_out_and_disconnect(std::string_view text, DisconnectReason reason) noexcept;
  void end_session(DisconnectReason reason) noexcept;
  void close(DisconnectReason reason) noexcept;

  SessionConfig config_;
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
  detail::InboundGap gap_;
  detail::OutOfOrderNumbers out_of_order_;
  detail::ResendGovernor governor_;
  detail::ResendProgress resend_;

  char counterparty_appl_ver_id_ = 0;  // 0: not a FIXT session
  bool is_delayed_ = false;            // what comes has waited at the owner's
  bool resets_at_end_ = false;         // the session's time is over
};

}  // namespace nexusfix::session
