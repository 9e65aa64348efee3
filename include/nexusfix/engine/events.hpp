// Events of a session, and the answers of an application.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/session/state_machine.hpp>
#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::engine {

// An application message from the store, delivered before the engine starts. An application
// rebuilds its memory from these. Messages that retention removed are not delivered.
struct RecoveredMessage {
  std::string_view session;  // SessionId::to_string()
  std::uint64_t msg_seq_num = 0;
  wire::MessageView message;
};

// A Logon that breaks no rule of the session layer and waits for an answer.
struct LogonRequest {
  std::uint64_t id = 0;         // for Session::answer_logon()
  wire::MessageView message{};  // Username (553), Password (554), ...; until the callback returns
};

struct LogonAnswer {
  bool accepted = true;
  std::string text{};                             // refused: Text (58) of the Logout
  std::optional<std::uint32_t> session_status{};  // SessionStatus (1409), on a FIXT session
};

// The counterparty asks for these MsgSeqNums again: both inclusive, all of them sent before.
struct ResendRequest {
  std::uint64_t begin_seq_no = 0;
  std::uint64_t end_seq_no = 0;
};

// The application's answer to a ResendRequest.
class ResendAnswer {
 public:
  using Kind = session::ResendDecision::Kind;

  ResendAnswer() = default;  // resend as requested
  // Only the messages from this number on; older ones are gap-filled.
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
  [[nodiscard]] static ResendAnswer log_out(std::string text) {
    return {Kind::LogOut, 0, std::move(text)};
  }

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] std::uint64_t first() const noexcept { return first_; }
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
  std::string_view text{};  // for people; valid until the callback returns
};

}  // namespace nexusfix::engine
