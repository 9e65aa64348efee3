// Logon, in both roles and within a session.
#include <algorithm>

#include <nexusfix/session/reject_reason.hpp>
#include <nexusfix/wire/application_version.hpp>

#include "session/inbound.hpp"

namespace nexusfix::session {
namespace {

// Of a value that is repeated in a text.
constexpr std::size_t kShownBytesMax = 20;

std::optional<std::chrono::seconds> heart_bt_int_of(const wire::MessageView& message) noexcept {
  const wire::FieldResult<std::int64_t> value = message.get<std::int64_t>(tag::HeartBtInt);
  if (!value || *value < 0 || *value > kHeartBtIntMax.count()) return std::nullopt;
  return std::chrono::seconds{*value};
}

// A SessionStatus as a Pending has it.
std::uint64_t to_second(std::optional<std::uint32_t> status) noexcept {
  return status ? std::uint64_t{*status} + 1 : 0;
}

}  // namespace

// TC 1S: whatever is not a valid Logon closes the connection. To a first message that is no Logon
// an acceptor sends nothing (TC 1S e): an answer would use up a number of a session that the sender
// may have no part in. An invalid Logon (TC 1S d) is answered by a Logout that says why, as far as
// is_worth_an_answer(). TC 1B d, e: an initiator, which chose whom to talk to and has used a number
// already, always says why.
void StateMachine::receive_before_logon(const wire::MessageView& message) noexcept {
  last_received_ = now_.mono;
  const wire::FieldResult<std::uint64_t> number = message.get<std::uint64_t>(tag::MsgSeqNum);
  const Inbound in{message, number.value_or(0)};
  const std::string_view text = message[tag::Text].value_or(std::string_view{});
  const auto refuse = [this](std::string_view why, DisconnectReason reason, bool is_answered) {
    notice(NoticeCode::LogonInvalid, why);
    if (state_ == State::LogonSent || is_answered) return log_out_and_disconnect(why, reason);
    end_session(reason);
  };
  if (in.kind != MsgKind::Logon) {
    const bool is_answer = in.kind == MsgKind::Logout || in.kind == MsgKind::Reject;
    if (state_ != State::LogonSent || !is_answer) {
      return refuse("first message is not a Logon", DisconnectReason::FirstMessageNotLogon, false);
    }
    // Our Logon is refused. The number of the refusal is used up, or we would ask for it later.
    const bool is_refusal = in.kind == MsgKind::Logout;
    show_administrative();
    note_session_status(message);
    if (is_refusal) {
      notice(NoticeCode::LogoutReceived, text);
    } else {
      notice(NoticeCode::RejectReceived, received_reject_text(message));
    }
    if (in.msg_seq_num == numbers_.next_inbound) advance_to(in.msg_seq_num + 1);
    // The counterparty knows of higher numbers than we do: our store is lost or an old copy. Or it
    // is the other way around. TC 2c has no field for it; engines say it in these words. To try
    // again is no good: each refusal has a number, so that the next ones would come to agree some
    // time, and what had the numbers in between would be lost.
    const bool is_hopeless = text.starts_with(std::string_view{"MsgSeqNum too low"}) ||
                             text.starts_with(std::string_view{"NextExpectedMsgSeqNum too high"});
    return end_session(is_hopeless ? DisconnectReason::MsgSeqNumTooLow
                                   : DisconnectReason::LogonRefused);
  }
  const bool has_number = number && *number >= 1 && *number <= kMsgSeqNumMax;
  const std::optional<Objection> objection = header_objection(in);
  const std::string_view wrong = !has_number ? "MsgSeqNum missing or malformed"
                                 : message.begin_string() != config_.id.begin_string
                                     ? "Incorrect BeginString"
                                     : logon_objection(in, objection);
  if (wrong.empty()) return on_first_logon(in);
  refuse(wrong, DisconnectReason::LogonRefused, is_worth_an_answer(in, objection));
}

// Not of one that says it is of another session (CompIDs, BeginString), of another time, because a
// Logon that was recorded can be sent again by anybody, or in no application version at all: to
// these QuickFIX and QuickFIX/J say nothing, and nor does the acceptor of their acceptance scripts
// (1c, 1d).
bool StateMachine::is_worth_an_answer(const Inbound& in,
                                      const std::optional<Objection>& objection) const noexcept {
  if (!config_.logon.answers_invalid) return false;
  if (in.message.begin_string() != config_.id.begin_string) return false;
  if (objection && objection->ends_session) return false;
  return !version_->has_default_appl_ver_id || in.message.has(tag::DefaultApplVerID);
}

void StateMachine::on_first_logon(const Inbound& in) noexcept {
  note_session_status(in.message);
  const LogonFacts logon = facts_of(in);
  if (config_.role == Role::Initiator || !config_.logon.authenticates) {
    show_administrative();
    return admit(logon);
  }
  // Nothing of the session changes, not even by a reset, for somebody who is not known yet.
  pending_logon_ = logon;
  state_ = State::LogonReceived;
  deadline_ = now_.mono + config_.logon.authentication_timeout;
  push({.step = Step::Authenticate, .first = ++logon_id_});
}

void StateMachine::on_logon_decision(std::uint64_t logon_id, const LogonDecision& decision,
                                     Now now) noexcept {
  begin_event(now);
  if (state_ != State::LogonReceived || logon_id != logon_id_) return;
  pending_logon_.session_status = decision.session_status;
  if (decision.kind == LogonDecision::Kind::Accept) return admit(pending_logon_);
  // FIXT 1.1, Logon: refused by a Logout. The Logon's number is not used up, because whoever sent
  // it may have no part in this session.
  push({.step = Step::TransmitLogout,
        .second = to_second(decision.session_status),
        .text = decision.text});
  end_session(DisconnectReason::NotAuthenticated);
}

// While a Logon waits for its decision the counterparty should wait, too. What it sends all the
// same comes too early.
void StateMachine::receive_undecided(const wire::MessageView& message) noexcept {
  last_received_ = now_.mono;
  const wire::FieldResult<std::uint64_t> number = message.get<std::uint64_t>(tag::MsgSeqNum);
  const Inbound in{message, number.value_or(0)};
  if (in.kind == MsgKind::Logout) {
    notice(NoticeCode::LogoutReceived, message[tag::Text].value_or(std::string_view{}));
    return end_session(DisconnectReason::LogoutComplete);
  }
  if (in.kind == MsgKind::Logon) {
    notice(NoticeCode::LogonInvalid, "a second Logon before the first one was answered");
    return end_session(DisconnectReason::LogonRefused);
  }
  const bool is_early = in.msg_seq_num > pending_logon_.msg_seq_num;
  const bool is_kept = config_.gap.out_of_order == OutOfOrder::Buffer;
  if (!is_early || !is_kept || in.msg_seq_num > kMsgSeqNumMax) return;
  held_high_ = std::max(held_high_, in.msg_seq_num);
  push({.step = Step::Hold, .first = in.msg_seq_num, .text = message.bytes()});
}

// The same conditions as admit() has for an acceptor.
bool StateMachine::would_admit() const noexcept {
  if (state_ != State::LogonReceived) return false;
  const LogonFacts& logon = pending_logon_;
  if (logon.wants_reset || config_.reset.on_logon) return true;
  return logon.msg_seq_num >= numbers_.next_inbound &&
         logon.next_expected.value_or(1) <= numbers_.next_outbound;
}

void StateMachine::admit(const LogonFacts& logon) noexcept {
  const bool is_acceptor = config_.role == Role::Acceptor;
  const bool answers_our_reset = !is_acceptor && reset_sent_;
  LogonFacts admitted = logon;
  if (!answers_our_reset && (logon.wants_reset || (is_acceptor && config_.reset.on_logon))) {
    reset_numbers();
    admitted.next_expected.reset();  // there is nothing to resend
  }
  // An answer that asks for a reset of its own accord is answered, as any request for one is.
  const bool reset_is_unasked = !is_acceptor && logon.wants_reset && !answers_our_reset;
  reset_sent_ = false;
  if (logon.msg_seq_num < numbers_.next_inbound) return refuse_too_low(logon.msg_seq_num);
  // What waits behind our own Logon has not been sent.
  const std::uint64_t unsent = is_acceptor ? numbers_.next_outbound : logon_sent_ + 1;
  if (admitted.next_expected && *admitted.next_expected > unsent) {
    return refuse_next_expected(unsent, *admitted.next_expected);
  }
  accept_logon(admitted, logon.wants_reset && (is_acceptor || reset_is_unasked));
}

// The Logon counts, even one that comes too early: it is answered first, the gap before it second
// (TC 1S, "valid Logon, MsgSeqNum too high").
void StateMachine::accept_logon(const LogonFacts& logon, bool reply_with_reset) noexcept {
  const bool is_acceptor = config_.role == Role::Acceptor;
  if (is_acceptor) {
    set_heart_bt_int(config_.heartbeat.imposes_heart_bt_int ? config_.heartbeat.heart_bt_int
                                                            : logon.heart_bt_int);
  }
  counterparty_appl_ver_id_ = logon.appl_ver_id;
  const bool was_logged_on = state_ == State::LoggedOn;
  state_ = State::LoggedOn;
  deadline_ = kNever;
  if (is_acceptor || reply_with_reset) {
    push({.step = Step::TransmitLogon,
          .flag = reply_with_reset,
          .second = to_second(logon.session_status)});
    reset_sent_ = reply_with_reset && !is_acceptor;
  }
  // All up to our Logon, which an initiator has sent before, and an acceptor still will, perhaps
  // behind what the application sends at the sight of the counterparty's.
  if (logon.next_expected && is_acceptor) {
    push({.step = Step::ServeExpected, .first = *logon.next_expected});
  } else if (logon.next_expected && *logon.next_expected <= logon_sent_) {
    ask_or_serve({.begin = *logon.next_expected, .end = logon_sent_}, 0);
  }
  if (!is_acceptor && !was_logged_on) push({.step = Step::Release});
  if (logon.msg_seq_num == numbers_.next_inbound) {
    advance_to(logon.msg_seq_num + 1);
  } else {
    static_cast<void>(note_early(logon.msg_seq_num));
    if (logon.next_expected) {
      await_resend(logon.msg_seq_num, logon.msg_seq_num);
    } else {
      request_resend(logon.msg_seq_num, logon.msg_seq_num);
    }
  }
  if (!was_logged_on) push({.step = Step::LoggedOn});
}

StateMachine::LogonFacts StateMachine::facts_of(const Inbound& in) const noexcept {
  LogonFacts facts;
  facts.msg_seq_num = in.msg_seq_num;
  facts.wants_reset = version_->has_reset_seq_num_flag && in.says_yes(tag::ResetSeqNumFlag);
  facts.heart_bt_int = heart_bt_int_of(in.message).value_or(config_.heartbeat.heart_bt_int);
  const wire::FieldResult<std::uint64_t> next =
      in.message.get<std::uint64_t>(tag::NextExpectedMsgSeqNum);
  if (sends_next_expected_ && next && !facts.wants_reset) facts.next_expected = *next;
  if (version_->has_default_appl_ver_id) {
    facts.appl_ver_id = wire::known_appl_ver_id(in.message[tag::DefaultApplVerID].value_or("9"));
  }
  return facts;
}

void StateMachine::note_session_status(const wire::MessageView& message) noexcept {
  if (!version_->has_session_status) return;
  const wire::FieldResult<std::uint64_t> status = message.get<std::uint64_t>(tag::SessionStatus);
  if (!status) return;
  notice(NoticeCode::SessionStatusReceived, session_status_text(*status), 0, *status);
}

// FIX 4.4, Logon, NextExpectedMsgSeqNum: the counterparty has seen numbers that we have not sent.
// Our store is lost or an old copy, and nothing that we send now would be taken.
void StateMachine::refuse_next_expected(std::uint64_t unsent,
                                        std::uint64_t next_expected) noexcept {
  const std::string_view text =
      compared_text("NextExpectedMsgSeqNum too high", unsent, next_expected);
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
  show_administrative();
  reset_numbers();
  accept_logon(facts_of(in), true);
  reset_sent_ = false;
}

// What a Logon is refused for, given what its header is objected to for; empty: it is valid. Lives
// until the next event.
std::string_view StateMachine::logon_objection(const Inbound& in,
                                               const std::optional<Objection>& objection) noexcept {
  if (objection) return noted_text(session_reject_text(objection->reason), objection->ref_tag);
  const wire::MessageView& message = in.message;
  if (message[tag::EncryptMethod] != "0") return "EncryptMethod is not 0";
  const std::optional<std::chrono::seconds> heart_bt_int = heart_bt_int_of(message);
  if (!heart_bt_int) return "HeartBtInt is not between 0 and 3600";
  if (config_.role == Role::Acceptor && (*heart_bt_int < config_.heartbeat.heart_bt_int_min ||
                                         *heart_bt_int > config_.heartbeat.heart_bt_int_max)) {
    return "HeartBtInt is not in the range that is accepted";
  }
  if (version_->has_reset_seq_num_flag) {
    const std::string_view flag = message[tag::ResetSeqNumFlag].value_or("N");
    if (flag != "Y" && flag != "N") return "ResetSeqNumFlag is neither Y nor N";
    if (flag == "Y" && in.msg_seq_num != 1) return "ResetSeqNumFlag with MsgSeqNum other than 1";
    if (flag == "Y" && !config_.reset.allows_reset_seq_num_flag && !reset_sent_) {
      return "ResetSeqNumFlag is not accepted";
    }
  }
  if (sends_next_expected_) {
    const auto next = message.get<std::uint64_t>(tag::NextExpectedMsgSeqNum);
    const bool is_missing = !next && next.error().code == wire::FieldErrorCode::Missing;
    if (!is_missing && (!next || *next == 0)) return "NextExpectedMsgSeqNum is no number";
  }
  if (version_->has_default_appl_ver_id) {
    const std::optional<std::string_view> version = message[tag::DefaultApplVerID];
    if (!version) return "DefaultApplVerID missing";
    if (!supports_version(*version)) {
      return noted_text("DefaultApplVerID is not supported", version->substr(0, kShownBytesMax));
    }
  }
  return {};
}

// The multiples are computed once, so that no floating point is in the way of a message.
void StateMachine::set_heart_bt_int(std::chrono::seconds interval) noexcept {
  const auto multiple = [interval](double factor) {
    const std::chrono::duration<double> product = factor * std::chrono::duration<double>{interval};
    return std::chrono::duration_cast<MonoTime::duration>(product);
  };
  heart_bt_int_seconds_ = interval;
  heart_bt_int_ = interval;
  test_request_after_ = multiple(1.0 + config_.heartbeat.test_request_delay);
  disconnect_after_ = multiple(config_.heartbeat.timeout - config_.heartbeat.test_request_delay);
}

}  // namespace nexusfix::session
