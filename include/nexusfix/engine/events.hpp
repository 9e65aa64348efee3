// Events of a session, and the answers of an application.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nexusfix/session/decisions.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/typed/field_text.hpp>

namespace nexusfix::engine {

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
  using Kind = session::ResendDecision::Kind;

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
