// Logout from either side, and every other way in which a session ends.
#include "session/inbound.hpp"

namespace nexusfix::session {

void StateMachine::on_logout_command(std::string_view text, Now now) noexcept {
  begin_event(now);
  leave(text, DisconnectReason::Operator);
}

void StateMachine::on_session_end(std::string_view text, Now now) noexcept {
  begin_event(now);
  if (!is_connected_) return reset_numbers();
  resets_at_end_ = true;
  leave(text, DisconnectReason::SessionTimeOver);
}

// Ends the session from this side. Before it is logged on there is nothing to say Logout to.
void StateMachine::leave(std::string_view text, DisconnectReason before_logon) noexcept {
  switch (state_) {
    case State::Disconnected:
    case State::LogoutSent:
      return;
    case State::AwaitingLogon:
    case State::LogonSent:
    case State::LogonReceived:
      return end_session(before_logon);
    case State::LoggedOn:
      return log_out(text);
  }
}

// TC 12, 13: answered whatever its number is, because a gap in front of it can be closed after the
// next Logon; the side that asked for the Logout waits for the answer, the other one disconnects.
void StateMachine::on_logout(const Inbound& in,
                             const std::optional<Objection>& objection) noexcept {
  notice(NoticeCode::LogoutReceived, in.message[tag::Text].value_or(std::string_view{}));
  note_session_status(in.message);
  if (objection) {
    reject(in, *objection);
  } else if (in.msg_seq_num == numbers_.next_inbound) {
    advance_to(in.msg_seq_num + 1);
  }
  if (!objection) show_administrative();
  if (state_ == State::LoggedOn) push({.step = Step::TransmitLogout});
  push({.step = Step::LoggedOut});
  state_ = State::Disconnected;
  end_session(DisconnectReason::LogoutComplete);
  // Last: at the Disconnect the owner transmits what waits for the end of a resend, our Logout
  // perhaps, and at the Reset it forgets that.
  if (config_.reset.on_logout) reset_numbers();
}

// Said once: what goes wrong after our Logout only waits for the answer or the timeout.
void StateMachine::log_out(std::string_view text) noexcept {
  if (state_ != State::LoggedOn) return;
  push({.step = Step::TransmitLogout, .text = text});
  state_ = State::LogoutSent;
  deadline_ = now_.mono + config_.logon.logout_timeout;
}

void StateMachine::log_out_and_disconnect(std::string_view text, DisconnectReason reason) noexcept {
  if (state_ != State::LogoutSent) push({.step = Step::TransmitLogout, .text = text});
  end_session(reason);
}

void StateMachine::end_session(DisconnectReason reason) noexcept {
  if (state_ == State::LoggedOn || state_ == State::LogoutSent) push({.step = Step::LoggedOut});
  state_ = State::Disconnected;
  forget_connection();
  push({.step = Step::Disconnect, .code = static_cast<std::uint8_t>(reason)});
}

}  // namespace nexusfix::session
