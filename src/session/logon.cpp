// Logon, in both roles and within a session.
#include <nexusfix/session/reject_reason.hpp>

#include "session/inbound.hpp"

namespace nexusfix::session {
namespace {

std::optional<std::chrono::seconds> heart_bt_int_of(const wire::MessageView& message) noexcept {
  const wire::FieldResult<std::int64_t> value = message.get<std::int64_t>(tag::HeartBtInt);
  if (!value || *value < 0 || *value > kHeartBtIntMax.count()) return std::nullopt;
  return std::chrono::seconds{*value};
}

}  // namespace

// TC 1S: whatever is not a valid Logon closes the connection, and nothing is sent: an answer would
// use up a number of a session that the sender may have no part in.
void StateMachine::receive_before_logon(const wire::MessageView& message) noexcept {
  last_received_ = now_.mono;
  const wire::FieldResult<std::uint64_t> number = message.get<std::uint64_t>(tag::MsgSeqNum);
  const Inbound in{message, number.value_or(0)};
  const std::string_view text = message[tag::Text].value_or(std::string_view{});
  if (in.kind != MsgKind::Logon) {
    const bool is_answer = in.kind == MsgKind::Logout || in.kind == MsgKind::Reject;
    if (state_ != State::LogonSent || !is_answer) {
      notice(NoticeCode::LogonInvalid, "first message is not a Logon");
      return end_session(DisconnectReason::FirstMessageNotLogon);
    }
    // Our Logon is refused. The number of the refusal is used up, or we would ask for it later.
    const bool is_refusal = in.kind == MsgKind::Logout;
    notice(is_refusal ? NoticeCode::LogoutReceived : NoticeCode::RejectReceived, text);
    if (in.msg_seq_num == numbers_.next_inbound) advance_to(in.msg_seq_num + 1);
    // The counterparty knows of higher numbers than we do: our store is lost or an old copy. TC 2c
    // has no field for it; engines say it in these words.
    const bool is_too_low = text.starts_with(std::string_view{"MsgSeqNum too low"});
    return end_session(is_too_low ? DisconnectReason::MsgSeqNumTooLow
                                  : DisconnectReason::LogonRefused);
  }
  const bool has_number = number && *number >= 1 && *number <= kMsgSeqNumMax;
  const std::string_view wrong = !has_number ? "MsgSeqNum missing or malformed"
                                 : message.begin_string() != config_.id.begin_string
                                     ? "Incorrect BeginString"
                                     : logon_objection(in, header_objection(in));
  if (!wrong.empty()) {
    notice(NoticeCode::LogonInvalid, wrong);
    return end_session(DisconnectReason::LogonRefused);
  }
  on_first_logon(in);
}

void StateMachine::on_first_logon(const Inbound& in) noexcept {
  const bool wants_reset = version_->has_reset_seq_num_flag && in.says_yes(tag::ResetSeqNumFlag);
  const bool is_acceptor = config_.role == Role::Acceptor;
  const bool answers_our_reset = !is_acceptor && reset_sent_;
  if (!answers_our_reset && (wants_reset || (is_acceptor && config_.reset_on_logon))) {
    reset_numbers();
  }
  // An answer that asks for a reset of its own accord is answered, as any request for one is.
  const bool reset_is_unasked = !is_acceptor && wants_reset && !answers_our_reset;
  reset_sent_ = false;
  if (in.msg_seq_num < numbers_.next_inbound) return refuse_too_low(in);
  const std::optional<std::uint64_t> next_expected = next_expected_of(in);
  if (next_expected && *next_expected > numbers_.next_outbound) {
    return refuse_next_expected(*next_expected);
  }
  accept_logon(in, wants_reset && (is_acceptor || reset_is_unasked));
}

// The Logon counts, even one that comes too early: it is answered first, the gap before it second
// (TC 1S, "valid Logon, MsgSeqNum too high").
void StateMachine::accept_logon(const Inbound& in, bool reply_with_reset) noexcept {
  const bool is_acceptor = config_.role == Role::Acceptor;
  if (is_acceptor) take_heart_bt_int(in.message);
  if (version_->has_default_appl_ver_id) {
    counterparty_appl_ver_id_ = in.message[tag::DefaultApplVerID].value_or("9").front();
  }
  const bool was_logged_on = state_ == State::LoggedOn;
  state_ = State::LoggedOn;
  deadline_ = kNever;
  // What we have sent, our answer included, if there is one.
  std::uint64_t last_sent = numbers_.next_outbound - 1;
  if (is_acceptor || reply_with_reset) {
    push({.step = Step::TransmitLogon, .flag = reply_with_reset});
    reset_sent_ = reply_with_reset && !is_acceptor;
    ++last_sent;
  }
  const std::optional<std::uint64_t> next_expected = next_expected_of(in);
  const std::uint64_t unseen = is_acceptor ? last_sent : last_sent + 1;
  if (next_expected && *next_expected < unseen) serve({*next_expected, last_sent});
  if (in.msg_seq_num == numbers_.next_inbound) {
    advance_to(in.msg_seq_num + 1);
  } else {
    early_logon_ = in.msg_seq_num;
    if (next_expected) {
      await_resend(in.msg_seq_num, in.msg_seq_num);
    } else {
      request_resend(in.msg_seq_num, in.msg_seq_num);
    }
  }
  if (!was_logged_on) push({.step = Step::LoggedOn});
}

// The number that the counterparty expects of us, if both sides say it. After a reset there is
// nothing to resend.
std::optional<std::uint64_t> StateMachine::next_expected_of(const Inbound& in) const noexcept {
  const bool has_reset = reset_is_pending_ || in.says_yes(tag::ResetSeqNumFlag);
  if (!sends_next_expected_ || has_reset) return std::nullopt;
  const wire::FieldResult<std::uint64_t> value =
      in.message.get<std::uint64_t>(tag::NextExpectedMsgSeqNum);
  return value ? std::optional{*value} : std::nullopt;
}

// FIX 4.4, Logon, NextExpectedMsgSeqNum: the counterparty has seen numbers that we have not sent.
// Our store is lost or an old copy, and nothing that we send now would be taken.
void StateMachine::refuse_next_expected(std::uint64_t next_expected) noexcept {
  const std::string_view text =
      compared_text("NextExpectedMsgSeqNum too high", numbers_.next_outbound, next_expected);
  notice(NoticeCode::LogonInvalid, text);
  log_out_and_disconnect(text, DisconnectReason::MsgSeqNumTooLow);
}

// A Logon with ResetSeqNumFlag within a session: both sides start again at 1 ("SessionReset" of the
// acceptance scripts). If we have sent one ourselves, this is the answer to it.
void StateMachine::on_reset_logon(const Inbound& in,
                                  const std::optional<Objection>& objection) noexcept {
  const std::string_view wrong = logon_objection(in, objection);
  if (!wrong.empty() || state_ == State::LogoutSent) {
    notice(NoticeCode::LogonInvalid, wrong);
    return log_out_and_disconnect(wrong, DisconnectReason::ProtocolViolation);
  }
  if (reset_sent_) {
    reset_sent_ = false;
    if (in.msg_seq_num == numbers_.next_inbound) advance_to(in.msg_seq_num + 1);
    return;
  }
  reset_numbers();
  accept_logon(in, true);
  reset_sent_ = false;
}

// What a Logon is refused for, given what its header is objected to for; empty: it is valid. Lives
// until the next event.
std::string_view StateMachine::logon_objection(const Inbound& in,
                                               const std::optional<Objection>& objection) noexcept {
  if (objection) return noted_text(session_reject_text(objection->reason), objection->ref_tag);
  const wire::MessageView& message = in.message;
  if (message[tag::EncryptMethod] != "0") return "EncryptMethod is not 0";
  if (!heart_bt_int_of(message)) return "HeartBtInt is not between 0 and 3600";
  if (version_->has_reset_seq_num_flag) {
    const std::string_view flag = message[tag::ResetSeqNumFlag].value_or("N");
    if (flag != "Y" && flag != "N") return "ResetSeqNumFlag is neither Y nor N";
    if (flag == "Y" && in.msg_seq_num != 1) return "ResetSeqNumFlag with MsgSeqNum other than 1";
  }
  if (sends_next_expected_) {
    const auto next = message.get<std::uint64_t>(tag::NextExpectedMsgSeqNum);
    const bool is_missing = !next && next.error().code == wire::FieldErrorCode::Missing;
    if (!is_missing && (!next || *next == 0)) return "NextExpectedMsgSeqNum is no number";
  }
  if (version_->has_default_appl_ver_id) {
    const std::optional<std::string_view> version = message[tag::DefaultApplVerID];
    if (!version) return "DefaultApplVerID missing";
    if (!supports_version(*version)) return "DefaultApplVerID is not supported";
  }
  return {};
}

void StateMachine::take_heart_bt_int(const wire::MessageView& message) noexcept {
  set_heart_bt_int(heart_bt_int_of(message).value_or(config_.heart_bt_int));
}

// The multiples are computed once, so that no floating point is in the way of a message.
void StateMachine::set_heart_bt_int(std::chrono::seconds interval) noexcept {
  const auto multiple = [interval](double factor) {
    const std::chrono::duration<double> product = factor * std::chrono::duration<double>{interval};
    return std::chrono::duration_cast<MonoTime::duration>(product);
  };
  heart_bt_int_seconds_ = interval;
  heart_bt_int_ = interval;
  test_request_after_ = multiple(1.0 + config_.test_request_delay);
  disconnect_after_ = multiple(config_.heartbeat_timeout - config_.test_request_delay);
}

}  // namespace nexusfix::session
