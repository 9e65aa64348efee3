// What a StateMachine asks its caller to do, and the queue of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <variant>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/session/identity.hpp>
#include <nexusfix/wire/message_view.hpp>

// Why a received message is not processed. Not for applications.

namespace nexusfix::session::detail {

struct Objection {
  unsigned reason = 0;         // SessionRejectReason (373)
  std::string_view ref_tag{};  // RefTagID (371) as it is to be sent; empty: none
  bool ends_session = false;   // a Logout follows the Reject
  bool is_business = false;    // reason is a BusinessRejectReason (380)
  std::string_view text{};     // empty: the reason's own text
  std::string_view note{};     // for the log, in more words than the Reject has; empty: text
  std::string_view ref_id{};   // BusinessRejectRefID (379)
};

// Texts that are made for the event being handled; they live until the next one. Not for
// applications.

class EventTexts {
 public:
  static constexpr std::size_t kTextBytesMax = 160;

  struct Memory {
    std::array<char, kTextBytesMax> compared{};
    std::array<char, 10> ref_tag{};
    std::array<char, 3 * kTextBytesMax> noted{};  // each text has its own part of it
  };

  explicit EventTexts(Memory& memory) noexcept : memory_{&memory} {}

  void clear() noexcept { noted_size_ = 0; }

  // "what, expecting X but received Y". One an event.
  [[nodiscard]] std::string_view compared(std::string_view what, std::uint64_t expected,
                                          std::uint64_t received) noexcept;
  // RefTagID as it is sent. One an event.
  [[nodiscard]] std::string_view ref_tag(wire::Tag tag) noexcept;
  // The text and, in parentheses, the tag if there is one. An event may have several such texts.
  [[nodiscard]] std::string_view with_tag(std::string_view text, std::string_view ref_tag) noexcept;
  // For a tag that is not sent as RefTagID: cut, and ? for what is not printable.
  [[nodiscard]] std::string_view with_unreadable_tag(std::string_view text,
                                                     std::string_view tag_text) noexcept;
  // "SendingTime is 312 s before our clock".
  [[nodiscard]] std::string_view sending_time(WallTime sending_time, WallTime now) noexcept;
  // Both CompIDs of a message that are not those of the session.
  [[nodiscard]] std::string_view comp_ids(const wire::MessageView& message,
                                          const SessionId& id) noexcept;
  // What a Reject of the counterparty says, for a Notice.
  [[nodiscard]] std::string_view of_reject(const wire::MessageView& message) noexcept;

 private:
  // The parts, one after the other; empty: there is no room for them.
  [[nodiscard]] std::string_view joined(std::initializer_list<std::string_view> parts) noexcept;

  Memory* memory_;
  std::size_t noted_size_ = 0;
};

}  // namespace nexusfix::session::detail

namespace nexusfix::session {

// The owner's decision on a Logon.
struct LogonDecision {
  // How the session answers the Logon.
  enum class Kind : std::uint8_t {
    Accept,  // sends our Logon
    Refuse,  // sends a Logout with text, and closes the connection
  };
  Kind kind = Kind::Accept;  // the answer
  std::string_view text{};   // Refuse: Text (58); must live until next_action() returned nothing
  std::optional<std::uint32_t> session_status{};  // SessionStatus (1409) of the answer; FIXT only
};

// The owner does not admit a connection that has sent a Logon: a Logout, and the end of it.
struct LogonRefusal {
  std::string_view text{};  // Text (58); must live until next_action() returned nothing
  std::optional<std::uint32_t> session_status{};  // SessionStatus (1409) of the Logout; FIXT only
};

// What follows if the counterparty does not answer the TestRequest before a reset within the
// session.
enum class ResetFallback : std::uint8_t {
  KeepNumbers,  // nothing is reset
  LogOut,       // a Logout, and a reset when the connection has ended, as on_session_end() does
};

// The actions that a StateMachine returns. The owner (the engine, or a program that drives the
// machine itself) performs them in the order in which next_action() returns them.

// Send these bytes, and record that msg_seq_num is used. Administrative messages are never resent,
// so their MsgSeqNum is enough. A BusinessMessageReject is an application message: its bytes are
// stored for a resend.
struct Transmit {
  std::uint64_t msg_seq_num = 0;  // MsgSeqNum (34) of the message; at least 1
  std::string_view msg_type{};    // MsgType (35); static lifetime
  std::string_view bytes{};       // the whole message, in the scratch buffer of next_action()
  // true: store the bytes, not only the MsgSeqNum. A Logon within a session is stored, so that
  // StateMachine::resume_reset() can follow a restart: MsgType, MsgSeqNum and 141=Y are enough.
  bool is_resendable = false;
  std::uint64_t skips_to = 0;  // a gap fill: our next MsgSeqNum is this one; otherwise 0
};

// Send these bytes. They use no new MsgSeqNum: they are a resent message, or a gap fill in its
// place.
struct Retransmit {
  std::uint64_t msg_seq_num = 0;  // MsgSeqNum (34) of the message or of the gap fill
  std::string_view bytes{};       // the whole message, in the scratch buffer of next_action()
};

// Pass this application message to the application. Call on_delivered() before you call
// next_action() again.
struct Deliver {
  const wire::MessageView* message = nullptr;  // never null; the argument of on_message()
  std::uint64_t msg_seq_num = 0;               // MsgSeqNum (34) of the message
  bool poss_dup = false;                       // PossDupFlag (43) is Y
  bool poss_resend = false;                    // PossResend (97) is Y
};

// A valid administrative message of the counterparty whose turn has come: Logon, Logout, Reject,
// Heartbeat, TestRequest, ResendRequest or SequenceReset. It is only information, and comes before
// the actions that the message causes. A Logon that waits for a decision comes as Authenticate
// instead. Only with SessionConfig::shows_administrative.
struct Administrative {
  const wire::MessageView* message = nullptr;  // valid until next_action() has returned nothing
};

// Buffer a copy of this message, which came while earlier ones are missing. Pass it to on_message()
// when sequence_numbers().next_inbound reaches msg_seq_num, and discard it when next_inbound has
// passed it. Do not pass it in State::LogonReceived: the machine would return this action again.
// An owner that cannot buffer the message drops it, and calls on_out_of_order_lost() as described
// there: the session then requests the message again.
struct BufferOutOfOrder {
  std::uint64_t msg_seq_num = 0;  // above the expected MsgSeqNum
  std::string_view bytes{};       // the whole message; valid until next_action() returned nothing
};

// Discard the buffered messages with these MsgSeqNums, and do not pass them to on_message(). A
// SequenceReset of the counterparty has skipped them, so the session does not request them. Only if
// messages in this range may be buffered.
struct DiscardOutOfOrder {
  std::uint64_t begin = 0;  // the first MsgSeqNum
  std::uint64_t end = 0;    // the last MsgSeqNum, inclusive
};

// The counterparty requests these messages, by a valid ResendRequest or by the
// NextExpectedMsgSeqNum (789) of its Logon. Call on_resend_decision() before you call next_action()
// again. Only with ResendConfig::asks_before.
struct AskResend {
  std::uint64_t begin = 0;  // the first MsgSeqNum
  std::uint64_t end = 0;    // the last MsgSeqNum, inclusive; it has been sent
};

// Read the stored messages of this range in ascending order, and pass each to on_replay_message().
// Take the actions after each call. At the end call on_replay_done(). The owner may do this in
// slices, with other events between them.
struct Replay {
  std::uint64_t begin = 0;  // the first MsgSeqNum
  std::uint64_t end = 0;    // the last MsgSeqNum, inclusive
};

// Both sequence numbers are reset to 1, and a new epoch begins. Discard all buffered messages, and
// end a Replay. sequence_numbers().next_inbound may be 2 already, if the message that caused the
// reset is counted: record it again after the reset, because its earlier record belongs to the old
// epoch.
struct Reset {};

// Initiator: the counterparty has answered our Logon. Send the messages with Outlet::AfterLogon, as
// they are and in order, before any message with a new MsgSeqNum; but after a Replay in progress.
// If some of them were not queued, call send_heartbeat(): its MsgSeqNum shows the counterparty that
// messages are missing.
struct Release {};

// Acceptor: this Logon is valid, and waits for a decision. Call on_logon_decision() with this
// logon_id, at once or later. Only with LogonConfig::authenticates.
struct Authenticate {
  std::uint64_t logon_id = 0;                  // names this Logon; another Logon has another one
  const wire::MessageView* message = nullptr;  // valid until next_action() has returned nothing
};

// Both sides have exchanged Logons. Notify the application.
struct LoggedOn {};
// The session is no longer logged on. Notify the application. Follows each LoggedOn, once.
struct LoggedOut {
  // The counterparty closed the connection after our answer to its Logout. No Disconnect follows.
  bool is_complete = false;
};

// Close the connection after all bytes of earlier actions are sent. Then call on_disconnected().
struct Disconnect {
  DisconnectReason reason = DisconnectReason::Operator;  // for the log and for the reconnect policy
};

// What a Notice reports. Notice::expected and Notice::received are the expected MsgSeqNum and that
// of the message, unless the enumerator says otherwise.
enum class NoticeCode : std::uint8_t {
  MessageGarbled,          // bytes that are no valid message are ignored; both values are 0
  MessageRejected,         // a received message is rejected; the text has the reason. expected:
                           // RefTagID, 0: none; received: 0 if its MsgSeqNum cannot be read
  RejectReceived,          // or an unprocessed BusinessMessageReject. expected: its RefTagID, and
                           // received: its RefSeqNum; 0: it has none
  GapDetected,             // messages are missing
  GapClosed,               // expected, received: the first and the last MsgSeqNum that was missing
  ResendServed,            // expected, received: the first and the last MsgSeqNum of the range
  ResendLimited,           // expected: the first MsgSeqNum looked up; received: first requested
  SequenceResetReceived,   // without GapFillFlag; received: its NewSeqNo
  MsgSeqNumTooLow,         // without PossDupFlag
  CompIdWrong,             // SenderCompID or TargetCompID is not that of the session
  SendingTimeWrong,        // SendingTime is too far from our clock, or before OrigSendingTime
  BeginStringWrong,        // the text has the received BeginString; both values are 0
  LogonInvalid,            // a Logon breaks a rule; the text names it; both values are 0
  TestRequestSent,         // the counterparty was silent for too long; both values are 0
  TestRequestNotAnswered,  // no answer, and disconnects_on_silence is false; both values are 0
  LogoutReceived,          // the text is that of the Logout; both values are 0
  SequenceNumbersLost,    // the counterparty's Logout says that one side has lost sequence numbers,
                          // and what was sent does not contradict it; the text is that of the
                          // Logout. The values are those in it; 0: it has none
  LogoutTextUntrue,       // as above, and what was sent contradicts it
  ConnectionNotClosed,    // we answered a Logout, and we close the connection; both values are 0
  EndedWithinGap,         // the session ends while messages are missing. expected: the first one;
                          // received: the last one. The text says what becomes of them
  ResetNotAgreed,         // no answer to the TestRequests before our reset: both values are 0
  HeartBtIntDiffers,      // in the answer to our Logon. expected: that of our Logon
  MessageNotResendable,   // a stored message is damaged and gap-filled; received: its MsgSeqNum
  ResendNotAnswered,      // no answer to our ResendRequest; received: where the gap ends
  ResendIncomplete,       // the answer ended too early; received: where the gap ends
  GapFillBeyondRequest,   // expected: where the gap ended; received: NewSeqNo
  MessageInvalid,         // by the dictionary, but the configuration says to process it
  SessionStatusReceived,  // received: SessionStatus (1409) of a Logon or Logout; expected: 0
  ClockDiffers,           // our Logon is refused, and the refusal's SendingTime differs from our
                          // clock by a second or more. expected: our clock; received: SendingTime;
                          // both in milliseconds since 1970
};

// For the log: something that an operator may want to know. No action follows from it.
struct Notice {
  NoticeCode code = NoticeCode::MessageGarbled;  // what happened
  std::uint64_t expected = 0;                    // see NoticeCode; 0: no value
  std::uint64_t received = 0;                    // see NoticeCode; 0: no value
  std::string_view text{};                       // details, or empty; valid until the next event
  // MessageRejected: the message. Null: no Reject follows. Valid until next_action() has returned
  // nothing.
  const wire::MessageView* message = nullptr;
  unsigned reason = 0;       // SessionRejectReason (373), or 380 if is_business
  bool is_business = false;  // a BusinessMessageReject follows
};

// One action of a StateMachine.
using Action = std::variant<Transmit, Retransmit, Deliver, Administrative, BufferOutOfOrder,
                            DiscardOutOfOrder, AskResend, Replay, Reset, Release, Authenticate,
                            LoggedOn, LoggedOut, Disconnect, Notice>;

// The notice in words, for a log: "gap detected". Static lifetime.
[[nodiscard]] std::string_view to_string(NoticeCode code) noexcept;
// The meaning of a SessionStatus (1409) as FIX defines it, for a log. Static lifetime.
[[nodiscard]] std::string_view session_status_text(std::uint64_t status) noexcept;

}  // namespace nexusfix::session

// What an event leaves to be done, in its order. Not for applications.

namespace nexusfix::session::detail {

// next_action() makes an Action of a step, and only then assigns a MsgSeqNum to it, so that
// MsgSeqNums are in the order of transmission.
enum class Step : std::uint8_t {
  TransmitLogon,        // flag: with ResetSeqNumFlag, first: MsgSeqNum if repeated, second: status
  TransmitLogout,       // text, second: SessionStatus and 1; 0: none
  Authenticate,         // first: logon_id
  TransmitHeartbeat,    // text: TestReqID, flag: whether there is one
  TransmitTestRequest,  // text: TestReqID; empty: TEST
  TransmitGapFill,      // first: NewSeqNo
  TransmitResendRequest,  // first: BeginSeqNo, second: EndSeqNo, 0: everything
  TransmitReject,         // the objection to the message that is being handled
  RetransmitStored,       // the stored message that on_replay_message() was given
  RetransmitRest,         // the gap fill after the last stored message
  Deliver,                // first: MsgSeqNum, flag: PossDup, second: PossResend
  ShowAdministrative,
  BufferOutOfOrder,   // first: MsgSeqNum, text: bytes
  DiscardOutOfOrder,  // first, second: range
  ServeExpected,      // first: what the counterparty's Logon expects; the answer was sent last
  AskResend,          // first, second: range
  Replay,             // first, second: range
  Reset,
  Release,
  LoggedOn,
  LoggedOut,   // flag: both sides have sent a Logout, and the counterparty has disconnected
  Disconnect,  // code
  Notice,      // code, first: expected, second: received, text; flag: of the objection
};

struct Pending {
  Step step = Step::Notice;
  std::uint8_t code = 0;
  bool flag = false;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::string_view text{};
};

class ActionQueue {
 public:
  // No event leaves more than this; what grows with its input is drawn out by Replay instead.
  static constexpr std::size_t kPendingMax = 16;
  using Memory = std::array<Pending, kPendingMax>;

  explicit ActionQueue(Memory& memory) noexcept : pending_{memory.data()} {}

  [[nodiscard]] bool is_empty() const noexcept { return begin_ == end_; }
  [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }

  void push(const Pending& pending) noexcept;
  void notice(NoticeCode code, std::string_view text = {}, std::uint64_t expected = 0,
              std::uint64_t received = 0) noexcept;
  // text: what the counterparty's Reject or BusinessMessageReject says.
  void reject_received(const wire::MessageView& message, std::string_view text) noexcept;
  // The first one; the queue is not empty.
  [[nodiscard]] Pending pop() noexcept { return pending_[begin_++]; }
  // What was pushed after the first `waiting` ones comes before them.
  void move_to_front(std::size_t waiting) noexcept;
  void clear() noexcept { begin_ = end_ = 0; }

 private:
  Pending* pending_;  // kPendingMax of them
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace nexusfix::session::detail

namespace nexusfix::session {

// The memory that a state machine needs only until the actions of an event are taken. Machines may
// share one, if the actions of each event are taken before another machine gets an event: a thread
// with thousands of sessions needs one. Applications do not use its members.
struct EventMemory {
  detail::ActionQueue::Memory actions{};
  detail::EventTexts::Memory texts{};
};

}  // namespace nexusfix::session
