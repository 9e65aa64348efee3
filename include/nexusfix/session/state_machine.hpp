// The FIX session layer as a pure state machine: events go in, actions come out. It has no clock, no
// socket, no file, no thread and no log; time and bytes are arguments. The same object runs in
// production, in unit tests and in the simulator.
//
// Protocol of use: call one on_...() function, then take next_action() until it returns nothing,
// performing each action before taking the next; only then call the next on_...(). Exceptions to the
// rule, all explained below: on_delivered() follows a Deliver, begin_message() may be called at any
// time, on_replay_message() and on_replay_done() follow a Replay.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string_view>

#include <nexusfix/base/time.hpp>
#include <nexusfix/session/actions.hpp>
#include <nexusfix/session/config.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::session {

enum class State : std::uint8_t {
  Disconnected,
  AwaitingLogon,  // acceptor: connected, nothing received yet
  LogonSent,      // initiator: our Logon is not answered yet
  LoggedOn,
  LogoutSent,     // our Logout is not answered yet; messages are still processed
};

struct Numbers {
  std::uint64_t next_inbound = 1;   // NextTargetMsgSeqNum
  std::uint64_t next_outbound = 1;  // NextSenderMsgSeqNum
};

// What the application thinks of a delivered message.
struct Verdict {
  enum class Kind : std::uint8_t {
    Accept,
    RejectBusiness,     // BusinessMessageReject (j); a session Reject (3) before FIX 4.2
    RejectSession,      // Reject (3)
  };
  Kind kind = Kind::Accept;
  unsigned reason = 0;          // BusinessRejectReason (380) or SessionRejectReason (373)
  wire::Tag ref_tag = 0;        // 0: none
  std::string_view text;        // must live until next_action() returned nothing
};

enum class SendErrorCode : std::uint8_t { Encode, NotApplicationMessage };
struct SendError {
  SendErrorCode code = SendErrorCode::Encode;
  wire::EncodeError encode;
};

// An application message with its number. The bytes lie in the buffer given to begin_message().
struct Outbound {
  std::uint64_t msg_seq_num = 0;
  std::string_view bytes;
};

// One thread at a time. No function allocates, blocks or throws.
class StateMachine {
 public:
  // The numbers are what the store knows.
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
  void on_delivered(const Verdict& verdict, Now now) noexcept;
  // The operator's or the application's wish to end the session; text goes into Logout (58).
  void on_logout_command(std::string_view text, Now now) noexcept;

  // Serving a Replay: stored messages in ascending order, each as it was sent first.
  void on_replay_message(std::uint64_t msg_seq_num, std::string_view bytes, Now now) noexcept;
  void on_replay_done(Now now) noexcept;

  // The next thing to do. scratch (≥ kScratchBytes; for a Retransmit, the message's size more) must
  // live until the action's bytes have been used.
  static constexpr std::size_t kScratchBytes = 4096;
  [[nodiscard]] std::optional<Action> next_action(std::span<char> scratch) noexcept;

  // An application message: encode the body between the two calls. Takes a number only when
  // finish_message() succeeds. Allowed in every state: without a logged-on counterparty the message
  // is numbered and stored, and reaches it by resend after the next Logon.
  [[nodiscard]] wire::Encoder begin_message(std::span<char> buffer, std::string_view msg_type,
                                            Now now) noexcept;
  [[nodiscard]] std::expected<Outbound, SendError> finish_message(wire::Encoder& encoder) noexcept;
  // Gives back the numbers from next_outbound on: what was sent in a callback that failed, none of
  // which has been stored or transmitted.
  void rewind_outbound(std::uint64_t next_outbound) noexcept;

  [[nodiscard]] State state() const noexcept;
  [[nodiscard]] Numbers numbers() const noexcept;
  [[nodiscard]] const SessionConfig& config() const noexcept;
  // When on_time() must be called next; kNever if nothing is waited for.
  [[nodiscard]] MonoTime next_deadline() const noexcept;
};

}  // namespace nexusfix::session
