// What a session asks its owner to do, in the order in which it is to be done.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::session {

// Send these bytes and remember that msg_seq_num is used up. Administrative messages are never
// resent, so the number is enough; a BusinessMessageReject is an application message, and its bytes
// are kept for a resend as well. The bytes lie in the scratch buffer given to next_action().
struct Transmit {
  std::uint64_t msg_seq_num = 0;
  std::string_view msg_type{};  // static lifetime
  std::string_view bytes{};
  bool is_resendable = false;  // true: store the bytes, not only the number
};

// Send these bytes; no number is used up: a resent message, or the gap fill in place of one.
struct Retransmit {
  std::uint64_t msg_seq_num = 0;
  std::string_view bytes{};
};

// Give this application message to the application, then call on_delivered().
struct Deliver {
  const wire::MessageView* message = nullptr;
  std::uint64_t msg_seq_num = 0;
  bool poss_dup = false;
  bool poss_resend = false;
};

// An administrative message of the counterparty that is obeyed, in its turn: Logon (but one that
// waits for a decision: see Authenticate), Logout, Reject, Heartbeat, TestRequest, ResendRequest,
// SequenceReset. For information, before what it leads to; the message lives until next_action()
// has returned nothing. Only with SessionConfig::shows_administrative.
struct Administrative {
  const wire::MessageView* message = nullptr;
};

// Buffer a copy of this message, which came while earlier ones are missing, and give it to
// on_message() again when sequence_numbers().next_inbound has reached msg_seq_num (drop it when it
// has gone past), but not while state() is LogonReceived: the same action would follow. If it
// cannot be buffered, drop it: it is asked for again.
struct BufferOutOfOrder {
  std::uint64_t msg_seq_num = 0;
  std::string_view bytes{};
};

// The counterparty's SequenceReset has led past these numbers (both inclusive): what is buffered of
// them must not be given to on_message(), and is not asked for. Only where something may be
// buffered.
struct DiscardOutOfOrder {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// The counterparty wants these numbers again (both inclusive, all of them sent), by a valid
// ResendRequest or by the NextExpectedMsgSeqNum of its Logon. on_resend_decision() must follow
// before the next action is taken. Only with ResendConfig::asks_before.
struct AskResend {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Read the stored messages begin to end (inclusive) and pass each to on_replay_message(), taking
// the actions in between; then on_replay_done(). It may be done in slices, other events in between.
struct Replay {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Both sequence numbers are 1 again, so they are known again, and a new reset epoch begins; forget
// what is buffered and replayed. sequence_numbers().next_inbound may already be 2, if the message
// that asked for the reset was counted: what was recorded of it before this action is void and has
// to be recorded again.
struct Reset {};

// Initiator: our Logon is answered. Send what is queued by Outlet::AfterLogon, as it is and in
// order, before anything else that has a number of its own; but after a Replay that is under way.
// If not all of it was queued, send_heartbeat() shows the counterparty what it misses.
struct Release {};

// Acceptor: this Logon breaks no rule, and waits for on_logon_decision() with this logon_id, now or
// later. The message lives until next_action() has returned nothing.
struct Authenticate {
  std::uint64_t logon_id = 0;
  const wire::MessageView* message = nullptr;
};

// Notify the application.
struct LoggedOn {};
struct LoggedOut {};

enum class DisconnectReason : std::uint8_t {
  LogonTimeout,      // no Logon within the time
  LogoutComplete,    // both sides have said Logout
  LogoutTimeout,     // our Logout was not answered
  HeartbeatTimeout,  // silence, and no answer to our TestRequest
  FirstMessageNotLogon,
  LogonRefused,      // the Logon breaks a rule; nothing is sent
  LogonNotSent,      // our Logon cannot be encoded
  NotAuthenticated,  // the owner's decision on the Logon
  LogonNotDecided,   // there was none within the time
  SessionTimeOver,   // the schedule's end, before the Logon was answered
  // One of the two sides has lost its sequence numbers. To connect again is of use when they are
  // known again: after set_sequence_numbers() or a Reset.
  MsgSeqNumTooLow,
  ProtocolViolation,  // see the notice before it
  StreamUnusable,     // the position within the stream is lost
  Operator,
};

// Close the connection when everything transmitted before has been sent.
struct Disconnect {
  DisconnectReason reason = DisconnectReason::Operator;
};

enum class NoticeCode : std::uint8_t {
  MessageGarbled,
  MessageRejected,  // we sent a Reject
  RejectReceived,
  GapDetected,  // expected, received
  GapClosed,
  ResendServed,
  ResendLimited,  // expected: the first number that is looked up; those before it are gap-filled
  SequenceResetReceived,
  MsgSeqNumTooLow,  // expected, received
  CompIdWrong,
  SendingTimeWrong,
  BeginStringWrong,
  LogonInvalid,
  TestRequestSent,
  TestRequestNotAnswered,  // and the configuration says not to disconnect
  LogoutReceived,
  MessageNotResendable,   // a stored message is damaged: a gap fill goes out in its place
  ResendNotAnswered,      // a gap is open, and nothing came in answer to our ResendRequest
  ResendIncomplete,       // expected: the answer ended here, received: what revealed the gap
  GapFillBeyondRequest,   // expected: where the gap ended, received: NewSeqNo
  MessageInvalid,         // by the dictionary, but the configuration says not to reject it
  SessionStatusReceived,  // received: SessionStatus (1409) of a Logon or Logout
};

// For the log. The text lives until the next event.
struct Notice {
  NoticeCode code = NoticeCode::MessageGarbled;
  std::uint64_t expected = 0;
  std::uint64_t received = 0;
  std::string_view text{};
};

using Action = std::variant<Transmit, Retransmit, Deliver, Administrative, BufferOutOfOrder,
                            DiscardOutOfOrder, AskResend, Replay, Reset, Release, Authenticate,
                            LoggedOn, LoggedOut, Disconnect, Notice>;

[[nodiscard]] std::string_view to_string(DisconnectReason reason) noexcept;
[[nodiscard]] std::string_view to_string(NoticeCode code) noexcept;
// What a SessionStatus (1409) means; static lifetime.
[[nodiscard]] std::string_view session_status_text(std::uint64_t status) noexcept;

}  // namespace nexusfix::session
