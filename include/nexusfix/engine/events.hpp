// Events of a session, the callbacks that get them, and the answers of an application.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nexusfix/base/language.hpp>
#include <nexusfix/session/identity.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/message_view.hpp>

// A program that uses one of these includes its header, or <nexusfix/wire.hpp>.
namespace nexusfix::wire {
class Encoder;         // <nexusfix/wire/encoder.hpp>
class FieldEdits;      // <nexusfix/wire/edit.hpp>
struct MessageHeader;  // <nexusfix/wire/header_template.hpp>
}  // namespace nexusfix::wire

namespace nexusfix::engine {

class Session;
// A message that is not sent after all: session.hpp.
struct NotSentMessage;

// An application message that this side sent and the store still has. on_recovered() gets each of
// them in Engine::open(), in the order of their MsgSeqNums in each session, so that an application
// can rebuild its memory. Messages that retention removed are not delivered. The views are valid
// until the callback returns.
struct RecoveredMessage {
  std::string_view session;       // the session's name, as Session::name() returns it
  std::uint64_t msg_seq_num = 0;  // MsgSeqNum (34), from 1 on
  wire::MessageView message;      // the message as it was sent first
};

// A Logon that breaks no rule of the session layer and waits for an answer.
struct LogonRequest {
  std::uint64_t id = 0;  // for Session::answer_logon()
  // The Logon, with Username (553), Password (554) and so on. Valid until the callback returns.
  wire::MessageView message{};
};

// An acceptor's answer to a LogonRequest.
struct LogonAnswer {
  bool accepted = true;                           // false: a Logout, and the connection is closed
  std::string text{};                             // refused: Text (58) of the Logout
  std::optional<std::uint32_t> session_status{};  // SessionStatus (1409), on a FIXT session

  LogonAnswer() = default;  // accepts
  // Accepts the Logon.
  [[nodiscard]] static LogonAnswer accept() { return {}; }
  // Refuses it. reason: Text (58) of the Logout; status: SessionStatus (1409), on a FIXT session.
  [[nodiscard]] static LogonAnswer refuse(std::string reason,
                                          std::optional<std::uint32_t> status = {}) {
    LogonAnswer answer;
    answer.accepted = false;
    answer.text = std::move(reason);
    answer.session_status = status;
    return answer;
  }
  // Does not compile: a bool or a text does not say which answer it is. Implicit, so that this is
  // the only error.
  template <class Other>
    requires std::is_arithmetic_v<Other> || std::convertible_to<const Other&, std::string_view>
  explicit(false) LogonAnswer(const Other&) {
    static_assert(!std::same_as<Other, Other>,
                  "an answer is LogonAnswer::accept() or LogonAnswer::refuse(\"reason\")");
  }
};

// The counterparty requests these messages again, by a ResendRequest or by NextExpectedMsgSeqNum
// (789) of its Logon. All of them were sent before.
struct ResendRequest {
  std::uint64_t begin_seq_no = 0;  // the first MsgSeqNum, from 1 on
  std::uint64_t end_seq_no = 0;    // the last MsgSeqNum, inclusive: never 0 for "all"
};

// The application's answer to a ResendRequest.
class ResendAnswer {
 public:
  // The kinds of answers: Resend, GapFill, Reject, LogOut.
  using Kind = session::detail::ResendDecision::Kind;

  ResendAnswer() = default;  // resends all requested messages
  // Resends only the messages from this MsgSeqNum on; older ones are gap-filled.
  [[nodiscard]] static ResendAnswer from(std::uint64_t msg_seq_num) {
    return {Kind::Resend, msg_seq_num, {}};
  }
  // Resends no message: one gap fill.
  [[nodiscard]] static ResendAnswer gap_fill() { return {Kind::GapFill, 0, {}}; }
  // Sends a Reject with this text. The counterparty still has its gap, and may ask again. A request
  // by NextExpectedMsgSeqNum of a Logon cannot be rejected: the effect is then that of log_out().
  [[nodiscard]] static ResendAnswer reject(std::string text) {
    return {Kind::Reject, 0, std::move(text)};
  }
  // Sends a Logout with this text, resends nothing, and disconnects after the answer or after
  // LogoutTimeout.
  [[nodiscard]] static ResendAnswer log_out(std::string text) {
    return {Kind::LogOut, 0, std::move(text)};
  }

  // Which of the functions above has made it.
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  // The first MsgSeqNum that is resent. 0: the first one that was requested.
  [[nodiscard]] std::uint64_t first() const noexcept { return first_; }
  // Text (58) of the Reject or Logout; valid as long as this object.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  ResendAnswer(Kind kind, std::uint64_t first, std::string text)
      : kind_{kind}, first_{first}, text_{std::move(text)} {}
  Kind kind_ = Kind::Resend;
  std::uint64_t first_ = 0;
  std::string text_;
};

// A logged-on session was disconnected: the information for cancel-on-disconnect.
struct Disconnection {
  // Both sides have sent Logout. Otherwise the connection broke, or was closed for an error.
  bool is_orderly = false;
  // Why this side closed the connection. Empty: it broke, or the counterparty closed it.
  std::optional<session::DisconnectReason> reason{};
  std::string_view text{};  // the same, for people; valid until the callback returns
};

}  // namespace nexusfix::engine

template <>
inline constexpr bool nexusfix::kIsPrinted<nexusfix::session::DisconnectReason> = true;

// Our messages before and after they are sent, as an application sees them.

namespace nexusfix::engine {

// The answer of on_sending().
enum class SendDecision : std::uint8_t {
  Send,  // the message is sent, with its edits
  // A new message: it gets no MsgSeqNum, and send() fails with Vetoed. A resend: a gap fill is sent
  // in its place.
  Withhold,
};

// An application message before it is sent. It and its views live until on_sending() returns.
class OutgoingMessage {
 public:
  // For the engine, which passes it to on_sending(). message and edits must outlive it.
  OutgoingMessage(const wire::MessageView& message, wire::FieldEdits& edits,
                  std::uint64_t msg_seq_num, bool is_resend) noexcept
      : message_{message}, edits_{edits}, msg_seq_num_{msg_seq_num}, is_resend_{is_resend} {}

  // The encoded message, without the edits; of a resend, the message as it was sent first.
  [[nodiscard]] const wire::MessageView& view() const noexcept { return message_; }
  // The MsgSeqNum of a resend, or that of the new message.
  [[nodiscard]] std::uint64_t msg_seq_num() const noexcept { return msg_seq_num_; }
  // Whether the message was sent before and the counterparty requests it again.
  [[nodiscard]] bool is_resend() const noexcept { return is_resend_; }

  // Changes the message: wire::FieldEdits says how, and which fields cannot be changed. A new
  // message is stored with its changes; those of a resend apply to this resend only. FIX wants a
  // resent message to equal the first one (Session Layer, "Possible Duplicates"): change its header
  // only, unless the counterparty agrees to more, or withhold it and send it as a new message with
  // PossResend.
  [[nodiscard]] wire::FieldEdits& edit() noexcept { return edits_; }

 private:
  const wire::MessageView& message_;
  wire::FieldEdits& edits_;
  std::uint64_t msg_seq_num_;
  bool is_resend_;
};

// One of our messages that this event sends: it goes to the store, and then to the connection.
// Lives until on_sent() returns.
struct SentMessage {
  // Who made the message, and whether it was sent before.
  enum class Kind : std::uint8_t {
    Application,     // an application message with a new MsgSeqNum
    Administrative,  // a message of the session layer with a new MsgSeqNum
    Resend,          // a message with PossDupFlag, or the gap fill in place of messages
  };
  Kind kind = Kind::Application;  // application message, administrative message or resend
  std::uint64_t msg_seq_num = 0;  // MsgSeqNum (34); of a gap fill, the first one that it replaces
  std::string_view bytes{};       // the whole message, from BeginString (8) to CheckSum (10)
  // Whether the message goes to the connection. false: it is only stored, and a resend after the
  // next Logon sends it to the counterparty. If it was sent while our Logon waited for its answer,
  // on_sent() is called again with true when the answer comes. If the sequence numbers are reset
  // first, for example by that answer, the message is not sent.
  bool is_transmitted = true;
};

// An application's answer to a message of the counterparty.

namespace detail {

// A text of bounded length in the object itself: no allocation, and no lifetime to care for. A
// longer text is truncated.
template <std::size_t kBytesMax>
class HeldText {
 public:
  HeldText() noexcept {}  // an empty text
  // A copy of the first kBytesMax bytes of text.
  explicit HeldText(std::string_view text) noexcept { assign(text); }
  // Copies only the bytes that are used.
  HeldText(const HeldText& other) noexcept { assign(other.view()); }
  // Copies only the bytes that are used.
  HeldText& operator=(const HeldText& other) noexcept {
    if (this != &other) assign(other.view());
    return *this;
  }
  ~HeldText() = default;

  // The text. Valid until this object is assigned to or destroyed.
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }

 private:
  static_assert(kBytesMax <= UINT16_MAX);
  void assign(std::string_view text) noexcept {
    size_ = static_cast<std::uint16_t>(text.copy(bytes_.data(), kBytesMax));
  }
  std::uint16_t size_ = 0;
  std::array<char, kBytesMax> bytes_;
};

}  // namespace detail

// Accepts a message, or rejects it with a reason. Holds a copy of the texts. accept(),
// business_reject(), session_reject(), reject_for() and unsupported_message_type() make one.
class MessageReply {
 public:
  // The kinds of replies: Accept, RejectBusiness, RejectSession.
  using Kind = session::detail::DeliveryDecision::Kind;
  static constexpr std::size_t kTextBytesMax = 512;   // a longer text is truncated
  static constexpr std::size_t kRefIdBytesMax = 256;  // a longer ID is truncated

  // Accepts. Not defaulted: `{}` would then zero the unused bytes of the texts.
  MessageReply() noexcept {}
  // A reply with these values; copies the texts.
  MessageReply(Kind kind, unsigned reason, wire::Tag ref_tag, std::string_view text,
               std::string_view ref_id = {}) noexcept
      : kind_{kind}, reason_{reason}, ref_tag_{ref_tag}, text_{text}, ref_id_{ref_id} {}

  // Whether the engine accepts the message, or which reject it sends.
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  // Whether the reply sends no reject.
  [[nodiscard]] bool accepts() const noexcept { return kind_ == Kind::Accept; }
  // BusinessRejectReason (380) or SessionRejectReason (373), by kind().
  [[nodiscard]] unsigned reason() const noexcept { return reason_; }
  // RefTagID (371); 0: none.
  [[nodiscard]] wire::Tag ref_tag() const noexcept { return ref_tag_; }
  // Text (58); empty: the reason's own. Valid as long as this object.
  [[nodiscard]] std::string_view text() const noexcept { return text_.view(); }
  // BusinessRejectRefID (379); empty: none. Valid as long as this object.
  [[nodiscard]] std::string_view ref_id() const noexcept { return ref_id_.view(); }

 private:
  Kind kind_ = Kind::Accept;
  unsigned reason_ = 0;
  wire::Tag ref_tag_ = 0;
  detail::HeldText<kTextBytesMax> text_;
  detail::HeldText<kRefIdBytesMax> ref_id_;
};

// Accepts the message: the engine sends no reject.
[[nodiscard]] inline MessageReply accept() noexcept { return {}; }

// Answers with a BusinessMessageReject (j), before FIX 4.2 with a Reject (3). reason:
// BusinessRejectReason (380); ref_tag: RefTagID (371), 0: none; text: Text (58), empty: the
// reason's own; ref_id: BusinessRejectRefID (379), the rejected message's own ID (such as a
// ClOrdID), empty: none. The message counts as received. A text with SOH is replaced by the
// reason's own, and an ID with SOH is left out.
[[nodiscard]] MessageReply business_reject(unsigned reason, wire::Tag ref_tag,
                                           std::string_view text,
                                           std::string_view ref_id = {}) noexcept;
// A reject with a reason by its name: business_reject(session::BusinessRejectReason::Other, 0,
// text).
[[nodiscard]] inline MessageReply business_reject(session::BusinessRejectReason reason,
                                                  wire::Tag ref_tag, std::string_view text,
                                                  std::string_view ref_id = {}) noexcept {
  return business_reject(static_cast<unsigned>(reason), ref_tag, text, ref_id);
}
// Answers with a Reject (3). reason: SessionRejectReason (373); ref_tag and text as in
// business_reject(). The message counts as received.
[[nodiscard]] MessageReply session_reject(unsigned reason, wire::Tag ref_tag,
                                          std::string_view text) noexcept;
// A reject with a reason by its name: session::SessionRejectReason::ValueIncorrect.
[[nodiscard]] inline MessageReply session_reject(session::SessionRejectReason reason,
                                                 wire::Tag ref_tag,
                                                 std::string_view text) noexcept {
  return session_reject(static_cast<unsigned>(reason), ref_tag, text);
}
// A BusinessMessageReject with BusinessRejectReason 3, as the engine answers a message type that
// the application does not handle.
[[nodiscard]] MessageReply unsupported_message_type() noexcept;
// The Reject for a typed field that could not be read: SessionRejectReason (373) 1, 4, 5 or 6, with
// the field's tag as RefTagID (371).
[[nodiscard]] MessageReply reject_for(const wire::FieldError& error) noexcept;

// The engine's view of an application: plain functions, so that the engine is no template.
// make_callbacks() makes them; an application calls none of them. A callback that the application
// does not have is null: it is not called and costs nothing. The thread of the session's event loop
// calls them; on_recovered() runs on the thread that calls Engine::open().
struct Callbacks {
  void* application = nullptr;  // the first argument of every function; not owned
  // Both sides are logged on.
  void (*on_logon)(void*, Session&) = nullptr;
  // The session is no longer logged on, for any reason.
  void (*on_logout)(void*, Session&) = nullptr;
  // A valid application message, in the order of MsgSeqNum. Never null.
  MessageReply (*on_message)(void*, Session&, const wire::MessageView&) = nullptr;
  // A stored message, before any port is open.
  void (*on_recovered)(void*, const RecoveredMessage&) = nullptr;
  // Acceptor. No value: the answer comes later, by Session::answer_logon(). A null callback: every
  // Logon that breaks no rule is accepted.
  std::optional<LogonAnswer> (*on_logon_request)(void*, Session&, const LogonRequest&) = nullptr;
  // An administrative message that the session processes, except a Logon that on_logon_request()
  // received.
  void (*on_admin)(void*, Session&, const wire::MessageView&) = nullptr;
  // Before an application message is sent, the first time or again. A null callback: Send.
  SendDecision (*on_sending)(void*, Session&, OutgoingMessage&) = nullptr;
  // At the end of the event, for each of its sent messages of any type.
  void (*on_sent)(void*, Session&, const SentMessage&) = nullptr;
  // A message whose send() said Sent::is_queued is not sent.
  void (*on_not_sent)(void*, Session&, const NotSentMessage&) = nullptr;
  // The counterparty requests messages again. A null callback: resend as requested.
  ResendAnswer (*on_resend_request)(void*, Session&, const ResendRequest&) = nullptr;
  // After on_logout(), with the reason.
  void (*on_disconnect)(void*, Session&, const Disconnection&) = nullptr;
  // For each of our Logons, when its MsgSeqNum and time are known. A null callback: nothing is
  // added.
  void (*write_logon)(void*, Session&, wire::Encoder&, const wire::MessageHeader&) = nullptr;
  // Few bytes wait for the connection, after many did.
  void (*on_writable)(void*, Session&) = nullptr;
  // Calls the callback of a timer. A null callback: the engine calls it. For the simulator, where a
  // dead process runs no code.
  void (*run_timer)(void*, Session&, FunctionRef<void()>) = nullptr;
};

// The callbacks as virtual functions, for a program that comes from QuickFIX or chooses its
// application at run time. A class derives from it and overrides what it needs; `override` finds a
// misspelt name. A class that is `final` costs nothing for a callback that it does not override:
// the engine does not call it. Given as an Application& or a class that is not final, each callback
// is called. Then every Logon is shown to on_logon_request(), and an invalid one is not answered.
//
// Messages come as MessageView: wire::dispatch() makes typed ones. When each function is called,
// and what it may do: Callbacks, and docs/guide/application.md. Thread: as for Callbacks.
struct Application {
  Application() = default;
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;
  virtual ~Application() = default;

  // Both sides are logged on.
  virtual void on_logon(Session&) {}
  // The session is no longer logged on, for any reason.
  virtual void on_logout(Session&) {}
  // A valid application message, in the order of MsgSeqNum. Unless it is overridden, the answer is
  // a BusinessMessageReject "unsupported message type".
  virtual MessageReply on_message(Session&, const wire::MessageView&) {
    return unsupported_message_type();
  }
  // A stored message, before any port is open.
  virtual void on_recovered(const RecoveredMessage&) {}
  // Acceptor: a Logon arrives. No value: the answer comes later, by Session::answer_logon().
  virtual std::optional<LogonAnswer> on_logon_request(Session&, const LogonRequest&) {
    return LogonAnswer::accept();
  }
  // An administrative message that the session processes.
  virtual void on_admin(Session&, const wire::MessageView&) {}
  // Before an application message is sent, the first time or again.
  virtual SendDecision on_sending(Session&, OutgoingMessage&) { return SendDecision::Send; }
  // One of the session's messages, of any type, was sent.
  virtual void on_sent(Session&, const SentMessage&) {}
  // A message that waited for OutboundMessages is not sent.
  virtual void on_not_sent(Session&, const NotSentMessage&) {}
  // The counterparty requests messages again.
  virtual ResendAnswer on_resend_request(Session&, const ResendRequest&) { return {}; }
  // After on_logout(), with the reason.
  virtual void on_disconnect(Session&, const Disconnection&) {}
  // The engine writes one of its Logons: fields may be added.
  virtual void write_logon(Session&, wire::Encoder&, const wire::MessageHeader&) {}
  // Few bytes wait for the connection, after many did.
  virtual void on_writable(Session&) {}
};

}  // namespace nexusfix::engine
