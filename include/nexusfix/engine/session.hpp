// A session as an application sees it.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/time.hpp>
#include <nexusfix/engine/events.hpp>
#include <nexusfix/session/session_id.hpp>
#include <nexusfix/session/state_machine.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/typed/dispatch.hpp>
#include <nexusfix/wire/typed/typed.hpp>
#include <nexusfix/wire/typed/typed_write.hpp>

namespace nexusfix::engine {

// Keys of the configuration that a reload found changed, and whose old values still count.
struct PendingKeys {
  std::vector<std::string> until_logon;  // the session's next one
  std::vector<std::string> until_start;  // of the program
  [[nodiscard]] bool empty() const noexcept { return until_logon.empty() && until_start.empty(); }
};

struct SessionEntry;     // a session's state in its event loop
struct SessionServices;  // what a Session uses of it

enum class SendFailure : std::uint8_t {
  Encode,                 // a value cannot be sent: see encode
  WrongVersion,           // the typed message is of another FIX version than the session
  NotApplicationMessage,  // administrative messages are the session layer's to send
  StoreStopped,           // the store failed: nothing is accepted any more
  StoreFull,              // the disk is full; what is left is for the session layer's messages
  NotBegun,               // finish() without its begin(): see there
  TransactionTooLarge,    // this callback has sent more than 512 MiB
  Vetoed,                 // on_sending() withheld it
  NotLoggedOn,            // SendWhileLoggedOut=N or a secret in it, and nobody is logged on
  WithinSending,          // on_sending(), on_sent() and write_logon() cannot send
  SessionEnding,          // its numbers begin anew in a moment, and it would be forgotten
  OutOfMemory,            // nothing was numbered, stored or sent
};

struct SendError {
  SendFailure failure = SendFailure::Encode;
  wire::EncodeError encode;
  [[nodiscard]] std::string what() const;
};

// What became of a message: its number. It is journaled with the callback it was sent from, and
// transmitted after that.
struct Sent {
  std::uint64_t msg_seq_num = 0;
  // false: nobody is logged on. It is stored, and goes out directly behind the answer to our Logon,
  // if that is under way, or else by resend after the next Logon; never, if a reset comes first.
  bool is_transmitted = true;
};

using SendResult = std::expected<Sent, SendError>;

template <class Message, class... Constants>
class PreparedMessage;

// Names a session for Mailbox::post(). Any thread may keep it, and use it when the session is gone.
struct SessionHandle {
  std::uint32_t loop = 0;
  std::uint32_t key = 0;
  friend bool operator==(const SessionHandle&, const SessionHandle&) = default;
};

// Lives as long as the engine, or until it is removed. The engine's thread only; other threads use
// a Mailbox.
class Session {
 public:
  Session(const SessionServices& services, SessionEntry& entry) noexcept
      : services_{&services}, entry_{&entry} {}

  [[nodiscard]] const session::SessionId& id() const noexcept;
  // What the configuration has for a key of the program's own (ApplicationKeys), in any case, with
  // or without "Application." in front; nothing: it is not given. A reload may change it.
  [[nodiscard]] std::optional<std::string> setting(std::string_view key) const;
  [[nodiscard]] const PendingKeys& pending_keys() const noexcept;
  [[nodiscard]] std::string_view name() const noexcept;  // id().to_string(), made once
  // Any thread.
  [[nodiscard]] SessionHandle handle() const noexcept;
  [[nodiscard]] bool is_logged_on() const noexcept;
  [[nodiscard]] session::Numbers numbers() const noexcept;
  // The FIX version of our application messages: BeginString, or that of DefaultApplVerID on a FIXT
  // session.
  [[nodiscard]] std::string_view application_version() const noexcept;
  // The same of the counterparty's messages that name none: what its last Logon said.
  [[nodiscard]] std::string_view counterparty_version() const noexcept;
  // The wall time of the event being handled.
  [[nodiscard]] WallTime now() const noexcept;

  // A typed message: s.send<fix44::NewOrderSingle>(ClOrdID{"A1"}, Side::Buy, ...). Each part is a
  // typed field, a std::optional of one, what another message's getter gave (order.account(), say),
  // or a repeating group made by group(). A required field that is left out does not compile, nor
  // one that the dictionary does not have in this message, unless its tag is user-defined (from
  // 5000). Parts go out in the order given, but those of the header, like SenderSubID, in front. On
  // a FIXT session a message of another FIX 5.0 version than the session's own is sent with its
  // ApplVerID (1128). Not logged on: the message is numbered and stored, and reaches the
  // counterparty directly behind the answer to our Logon, if that is under way, or else by resend
  // after the next Logon, unless a reset of the sequence numbers comes first (ResetOn... keys, or
  // ResetSeqNumFlag from either side): that ends the epoch in which its number means something.
  // With SendWhileLoggedOut=N it is refused instead.
  template <wire::TypedMessage Message, wire::MessagePart... Parts>
  SendResult send(const Parts&... parts) {
    wire::check_message_parts<Message, Parts...>();
    return send_typed<Message>([&](wire::Encoder& encoder) noexcept {
      wire::write_message_parts<Message>(encoder, parts...);
    });
  }

  // A typed message whose constant fields are rendered once, here; see PreparedMessage. Allocates.
  template <wire::TypedMessage Message, wire::MessagePart... Constants>
  [[nodiscard]] PreparedMessage<Message, Constants...> prepare(const Constants&... constants) {
    return {*this, wire::RenderedFields::of([&](wire::Encoder& encoder) {
              wire::write_message_parts<Message>(encoder, constants...);
            })};
  }

  // Any message: begin(), field() as often as needed, finish(). One at a time in the whole engine,
  // and finished before the callback returns or poll() is called: otherwise finish() fails with
  // NotBegun, and no number is used.
  [[nodiscard]] wire::Encoder begin(std::string_view msg_type) noexcept;
  SendResult finish(wire::Encoder& encoder) noexcept { return finish(encoder.finish()); }

  // Sends Logout and disconnects when it is answered, or after LogoutTimeout. An initiator does not
  // log on again by itself.
  void log_out(std::string_view text = {});
  // Acceptor: the answer to a LogonRequest that on_logon_request() put off. One that comes too
  // late, after its time (10 s) or its connection has ended, does nothing.
  void answer_logon(std::uint64_t id, const LogonAnswer& answer);
  // Ends the connection without a Logout, when the bytes that wait for it have left, 2 s at most.
  // An initiator connects again.
  void disconnect(std::string_view why);
  // Both numbers are 1 again, recorded in the store: at once if nobody is connected, otherwise
  // after a Logout with this text. Then an initiator logs on again, even if it was halted because
  // one side had lost sequence numbers. The counterparty has to do the same.
  void reset(std::string_view text);
  // Takes the session out of the engine: logs it out with this text, and when its connection has
  // ended, the Session is gone at the end of that turn of the event loop. on_logout() and
  // on_disconnect() are its last callbacks. What it has sent stays in the store, for the case that
  // a session of this name is added again.
  void remove(std::string_view text);
  // Initiator: connect and log on again after log_out().
  void log_on();
  // An operator's decision, both 1 to 2^62: without a connection (one that is being made is given
  // up, and made anew after ReconnectInterval), and not from within a callback. An initiator that
  // stopped because numbers were lost connects again. It is recorded in the store with its reason
  // (who, why), and in the log. A lower outbound number begins a new epoch: what was sent under
  // the old numbers is not resent any more. With a lower inbound number the counterparty's
  // messages from there on are delivered once more. An error says why nothing was changed. A begun
  // message can no longer be finished.
  [[nodiscard]] std::expected<void, std::string> set_next_numbers(session::Numbers numbers,
                                                                  std::string_view reason);

 private:
  template <class Message, class... Constants>
  friend class PreparedMessage;

  template <class Message, class Write>
  SendResult send_typed(Write&& write) {
    const bool is_own = application_version() == std::string_view{Message::kApplicationVersion};
    if (!is_own && std::string_view{Message::kBeginString} != id().begin_string) {
      return std::unexpected{SendError{SendFailure::WrongVersion, {}}};
    }
    // A copy, whose address nobody knows: so the compiler keeps its members in registers.
    const wire::Encoder begun = begin(Message::kMsgType);
    wire::Encoder encoder = begun;
    if (!is_own) {
      encoder.field<tag::ApplVerID>(wire::appl_ver_id(Message::kApplicationVersion));
    }
    write(encoder);
    return finish(encoder.finish());
  }
  SendResult finish(const std::expected<std::string_view, wire::EncodeError>& bytes) noexcept;

  const SessionServices* services_;
  SessionEntry* entry_;
};

// A message whose constant fields were rendered when it was prepared. Lives as long as its session
// may; the engine's thread only; sending allocates nothing.
//
//   auto ioc = s.prepare<fix44::NewOrderSingle>(Symbol{"AAPL"}, OrdType::Limit);
//   auto sent = ioc.send(ClOrdID{id}, Side::Buy, OrderQty{qty}, Price{price},
//   TransactTime{s.now()});
template <class Message, class... Constants>
class PreparedMessage {
 public:
  // As Session::send(): what is required must be here or among the constants, and nothing in both.
  // A constant that cannot be sent is an error of each message. The constants go out in front of
  // these fields, but behind those of the header.
  template <wire::MessagePart... Parts>
  SendResult send(const Parts&... parts) {
    wire::check_message_parts<Message, Constants..., Parts...>();
    return session_->template send_typed<Message>([&](wire::Encoder& encoder) noexcept {
      wire::write_header_parts<typename Message::Required>(encoder, parts...);
      encoder.fields(constants_);
      wire::write_body_parts<typename Message::Required>(encoder, parts...);
    });
  }

 private:
  friend class Session;
  PreparedMessage(Session& session, wire::RenderedFields constants)
      : session_{&session}, constants_{std::move(constants)} {}

  Session* session_;
  wire::RenderedFields constants_;
};

}  // namespace nexusfix::engine
