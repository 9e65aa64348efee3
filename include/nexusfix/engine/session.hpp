// A session as an application sees it.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include <nexusfix/base/time.hpp>
#include <nexusfix/session/session_id.hpp>
#include <nexusfix/session/state_machine.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/typed.hpp>

namespace nexusfix::engine {

class Runtime;       // the engine's inside
struct SessionSlot;  // a session's place in it

enum class SendFailure : std::uint8_t {
  Encode,                 // a value cannot be sent: see encode
  WrongVersion,           // the typed message is of another FIX version than the session
  NotApplicationMessage,  // administrative messages are the session layer's to send
  StoreStopped,           // the store failed: nothing is accepted any more
  NotBegun,               // finish() without its begin(): see there
  TransactionTooLarge,    // this callback has sent more than 512 MiB
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
};

using SendResult = std::expected<Sent, SendError>;

// Lives as long as the engine. The engine's thread only.
class Session {
 public:
  Session(Runtime& runtime, SessionSlot& slot) noexcept : runtime_{&runtime}, slot_{&slot} {}

  [[nodiscard]] const session::SessionId& id() const noexcept;
  [[nodiscard]] std::string_view name() const noexcept;  // id().to_string(), made once
  [[nodiscard]] bool is_logged_on() const noexcept;
  [[nodiscard]] session::Numbers numbers() const noexcept;
  // The FIX version of application messages: BeginString, or FIX.5.0... on a FIXT session.
  [[nodiscard]] std::string_view application_version() const noexcept;
  // The wall time of the event being handled.
  [[nodiscard]] WallTime now() const noexcept;

  // A typed message: s.send<fix44::NewOrderSingle>(ClOrdID{"A1"}, Side::Buy, ...). A required field
  // that is left out does not compile. Fields go out in the order given. Not logged on: the message
  // is numbered and stored, and reaches the counterparty by resend after its next Logon, unless a
  // reset of the sequence numbers comes first (ResetOn... keys, or ResetSeqNumFlag from either
  // side): that ends the epoch in which its number means something.
  template <wire::TypedMessage Message, wire::TypedField... Fields>
  SendResult send(const Fields&... fields) {
    static_assert(wire::HasAll<typename Message::Required, Fields...>::value,
                  "a field that the dictionary requires in this message is missing");
    if (application_version() != std::string_view{Message::kBeginString}) {
      return std::unexpected{SendError{SendFailure::WrongVersion, {}}};
    }
    wire::Encoder encoder = begin(Message::kMsgType);
    wire::write_fields(encoder, fields...);
    return finish(encoder);
  }

  // Any message: begin(), field() as often as needed, finish(). One at a time in the whole engine,
  // and finished before the callback returns or poll() is called: otherwise finish() fails with
  // NotBegun, and no number is used.
  [[nodiscard]] wire::Encoder begin(std::string_view msg_type) noexcept;
  SendResult finish(wire::Encoder& encoder) noexcept;

  // Sends Logout and disconnects when it is answered, or after LogoutTimeout. An initiator does not
  // log on again by itself.
  void log_out(std::string_view text = {});
  // Initiator: connect and log on again after log_out().
  void log_on();

 private:
  Runtime* runtime_;
  SessionSlot* slot_;
};

}  // namespace nexusfix::engine
