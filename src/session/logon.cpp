// Logon, in both roles and within a session, Logout from either side, and every other way in which
// a session ends.
#include <algorithm>

#include "session/api/state_machine.hpp"
#include "session/logon_check.hpp"

namespace nexusfix::session {

using detail::LogonFacts;
using detail::MsgKind;
using detail::Step;

namespace {

constexpr MonoTime::duration kClockDifferenceMin = std::chrono::seconds{1};
constexpr std::string_view kResetTest = "RESET";  // TestReqID (112)
// From our reset Logon to the TestRequest that an idle counterparty answers; at most half of
// LogonTimeout.
constexpr MonoTime::duration kResetAnswerWait = std::chrono::seconds{1};

MonoTime::duration reset_answer_wait(const SessionConfig& config) noexcept {
  return std::min(kResetAnswerWait, MonoTime::duration{config.logon.timeout} / 2);
}

// A SessionStatus as a Pending has it.
std::uint64_t to_second(std::optional<std::uint32_t> status) noexcept {
  return status ? std::uint64_t{*status} + 1 : 0;
}

std::string_view text_of(const wire::MessageView& message) noexcept {
  return message[tag::Text].value_or(std::string_view{});
}

}  // namespace

// TC 1S: any message that is no valid Logon closes the connection. To a first message that is no
// Logon an acceptor sends nothing (TC 1S e): an answer would use up a number of a session that the
// sender may have no part in. An invalid Logon (TC 1S d) is answered by a Logout that says why, as
// far as is_worth_an_answer(). TC 1B d, e: an initiator, which chose its counterparty and has used
// a number already, always says why.
void StateMachine::receive_before_logon(const wire::MessageView& message) noexcept {
  heartbeat_.record_received_before_logon(now_.mono);
  const wire::OptionalField<std::uint64_t> number = message.get<std::uint64_t>(tag::MsgSeqNum);
  const Inbound in{message, number.value_or(0)};
  const auto refuse = [this](std::string_view why, DisconnectReason reason, bool is_answered,
                             std::string_view note = {}) {
    actions_.notice(NoticeCode::LogonInvalid, note.empty() ? why : note);
    if (phase_.is(Phase::LogonSent) || is_answered) return log_out_and_disconnect(why, reason);
    end_session(reason);
  };
  if (in.kind != MsgKind::Logon) {
    const bool is_answer = in.kind == MsgKind::Logout || in.kind == MsgKind::Reject;
    if (phase_.is(Phase::LogonSent) && is_answer) return on_refusal_of_our_logon(in);
    return refuse("first message is not a Logon", DisconnectReason::FirstMessageNotLogon, false);
  }
  const bool has_number = number && *number >= 1 && *number <= kMsgSeqNumMax;
  const std::optional<Objection> objection = header_objection(in);
  const std::string_view wrong = !has_number ? "MsgSeqNum missing or malformed"
                                 : message.begin_string() != config_.id.begin_string
                                     ? "Incorrect BeginString"
                                     : find_logon_error(in, objection);
  if (wrong.empty()) return on_first_logon(in);
  refuse(wrong, DisconnectReason::LogonRefused,
         detail::is_worth_an_answer(in, objection, config_, header_.version()),
         objection ? objection->note : std::string_view{});
}

// The number of the refusal is used up, or we would ask for it later.
void StateMachine::on_refusal_of_our_logon(const Inbound& in) noexcept {
  const std::string_view text = text_of(in.message);
  show_administrative();
  record_session_status(in.message);
  compare_clocks(in.message);
  if (in.kind == MsgKind::Logout) {
    actions_.notice(NoticeCode::LogoutReceived, text);
  } else {
    actions_.reject_received(in.message, texts_.of_reject(in.message));
  }
  if (in.msg_seq_num == numbers_.next_inbound()) advance_to(in.msg_seq_num + 1);
  // To try again is no good if numbers are lost: each refusal has a number, so that the next ones
  // would come to agree some time, and what had the numbers in between would be lost.
  const bool is_lost = check_numbers_claim(text).kind == detail::NumbersClaim::Kind::Lost;
  end_session(is_lost ? DisconnectReason::MsgSeqNumTooLow : DisconnectReason::LogonRefused);
}

// Many counterparties refuse a Logon whose SendingTime or nonce is some seconds from their clock,
// and do not always say so.
void StateMachine::compare_clocks(const wire::MessageView& refusal) noexcept {
  const auto sent = refusal.get<WallTime>(tag::SendingTime);
  if (!sent || std::chrono::abs(now_.wall - *sent) < kClockDifferenceMin) return;
  const auto millis = [](WallTime time) {
    return static_cast<std::uint64_t>(
        std::chrono::floor<std::chrono::milliseconds>(time).time_since_epoch().count());
  };
  actions_.notice(NoticeCode::ClockDiffers, {}, millis(now_.wall), millis(*sent));
}

// The counterparty may say that it knows of higher numbers than we do, because our store is lost or
// an old copy, or the other way around. It may also be wrong.
detail::NumbersClaim StateMachine::check_numbers_claim(std::string_view text) noexcept {
  using Kind = detail::NumbersClaim::Kind;
  const bool has_next_expected = detail::exchanges_next_expected(config_, header_.version());
  const detail::NumbersClaim claim = detail::numbers_claim(
      text, {.first = logon_.first_sent(),
             .next_outbound = numbers_.next_outbound(),
             .next_expected = has_next_expected ? numbers_.next_inbound() : 0});
  if (claim.kind != Kind::None) {
    actions_.notice(
        claim.kind == Kind::Lost ? NoticeCode::SequenceNumbersLost : NoticeCode::LogoutTextUntrue,
        text, claim.expecting, claim.received);
  }
  return claim;
}

std::string_view StateMachine::find_logon_error(
    const Inbound& in, const std::optional<Objection>& objection) noexcept {
  return detail::logon_error(in, objection, config_, header_.version(), logon_.is_reset_sent(),
                             texts_);
}

void StateMachine::on_first_logon(const Inbound& in) noexcept {
  record_session_status(in.message);
  const LogonFacts logon = detail::facts_of(in, config_, header_.version());
  if (config_.role == Role::Initiator || !config_.logon.authenticates) {
    show_administrative();
    return admit(logon);
  }
  // Nothing of the session changes, not even by a reset, for a sender that is not known yet.
  phase_.enter(Phase::LogonReceived, now_.mono + config_.logon.authentication_timeout);
  actions_.push({.step = Step::Authenticate, .first = logon_.await_decision(logon)});
}

void StateMachine::on_logon_decision(std::uint64_t logon_id, const LogonDecision& decision,
                                     Now now) noexcept {
  begin_event(now);
  if (!phase_.is(Phase::LogonReceived) || !logon_.awaits(logon_id)) return;
  if (decision.kind == LogonDecision::Kind::Accept) {
    LogonFacts logon = logon_.undecided();
    logon.session_status = decision.session_status;
    return admit(logon);
  }
  // FIXT 1.1, Logon: refused by a Logout. The Logon's number is not used up, because its sender may
  // have no part in this session.
  actions_.push({.step = Step::TransmitLogout,
                 .second = to_second(decision.session_status),
                 .text = decision.text});
  end_session(DisconnectReason::NotAuthenticated);
}

// While a Logon waits for its decision the counterparty should wait, too. What it sends all the
// same comes out of order.
void StateMachine::receive_undecided(const wire::MessageView& message) noexcept {
  heartbeat_.record_received_before_logon(now_.mono);
  const wire::OptionalField<std::uint64_t> number = message.get<std::uint64_t>(tag::MsgSeqNum);
  const Inbound in{message, number.value_or(0)};
  if (in.kind == MsgKind::Logout) {
    actions_.notice(NoticeCode::LogoutReceived, text_of(message));
    return end_session(DisconnectReason::LogoutComplete);
  }
  if (in.kind == MsgKind::Logon) {
    actions_.notice(NoticeCode::LogonInvalid, "a second Logon before the first one was answered");
    return end_session(DisconnectReason::LogonRefused);
  }
  const bool is_too_high = in.msg_seq_num > logon_.undecided().msg_seq_num;
  if (!is_too_high || in.msg_seq_num > kMsgSeqNumMax) return;
  out_of_order_.record_buffered(in.msg_seq_num);
  actions_.push({.step = Step::BufferOutOfOrder, .first = in.msg_seq_num, .text = message.bytes()});
}

// The conditions of admit() for an acceptor.
bool StateMachine::would_admit() const noexcept {
  if (!phase_.is(Phase::LogonReceived)) return false;
  const LogonFacts& logon = logon_.undecided();
  if (logon.wants_reset || config_.reset.on_logon) return true;
  return logon.msg_seq_num >= numbers_.next_inbound() &&
         logon.next_expected.value_or(1) <= numbers_.next_outbound();
}

void StateMachine::admit(const LogonFacts& logon) noexcept {
  const bool is_acceptor = config_.role == Role::Acceptor;
  const bool answers_our_reset = !is_acceptor && logon_.is_reset_sent();
  LogonFacts admitted = logon;
  if (!answers_our_reset && (logon.wants_reset || (is_acceptor && config_.reset.on_logon))) {
    reset_sequence_numbers();
    admitted.next_expected.reset();  // there is nothing to resend
  }
  if (logon_.reset_within().is_unanswered) admitted.next_expected.reset();
  // An answer that asks for a reset by itself is answered, as any request for one is.
  const bool reset_is_unasked = !is_acceptor && logon.wants_reset && !answers_our_reset;
  logon_.set_reset_sent(false);
  if (logon.msg_seq_num < numbers_.next_inbound()) return refuse_too_low(logon.msg_seq_num);
  // What waits for the answer to our own Logon has not been sent.
  const std::uint64_t unsent = is_acceptor ? numbers_.next_outbound() : logon_.sent_seq_num() + 1;
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
    const bool imposes = config_.heartbeat.imposes_heart_bt_int;
    heartbeat_.set_interval(imposes ? config_.heartbeat.heart_bt_int : logon.heart_bt_int,
                            config_.heartbeat);
  }
  if (!is_acceptor && logon.heart_bt_int != heartbeat_.interval()) {
    actions_.notice(NoticeCode::HeartBtIntDiffers, {},
                    static_cast<std::uint64_t>(heartbeat_.interval().count()),
                    static_cast<std::uint64_t>(logon.heart_bt_int.count()));
  }
  set_counterparty_version(logon.appl_ver_id);
  const bool was_logged_on = phase_.is_logged_on();
  if (is_acceptor && logon_.reset_within().is_unanswered) {
    // Its number may be an old or a new one. After the answer to our Logon both sides agree.
    logon_.reset_within().next_inbound = logon.msg_seq_num + 1;
    push_reset_logon();
    return actions_.push({.step = Step::LoggedOn});
  }
  phase_.enter(Phase::LoggedOn);
  if (is_acceptor || reply_with_reset) {
    actions_.push({.step = Step::TransmitLogon,
                   .flag = reply_with_reset,
                   .second = to_second(logon.session_status)});
    logon_.set_reset_sent(reply_with_reset && !is_acceptor);
  }
  // All up to our Logon, which an initiator has sent before, and an acceptor still will, perhaps
  // after what the application sends at the sight of the counterparty's.
  if (logon.next_expected && is_acceptor) {
    actions_.push({.step = Step::ServeExpected, .first = *logon.next_expected});
  } else if (logon.next_expected && *logon.next_expected <= logon_.sent_seq_num()) {
    ask_or_serve({.begin = *logon.next_expected, .end = logon_.sent_seq_num()}, 0);
  }
  if (!is_acceptor && !was_logged_on) actions_.push({.step = Step::Release});
  if (logon_.reset_within().is_unanswered) on_reset_answered();
  if (logon.msg_seq_num == numbers_.next_inbound()) {
    advance_to(logon.msg_seq_num + 1);
  } else {
    static_cast<void>(out_of_order_.record_processed(logon.msg_seq_num, numbers_.next_inbound()));
    const detail::InboundGap::Evidence evidence{.received = logon.msg_seq_num,
                                                .gap_end = logon.msg_seq_num};
    if (logon.next_expected) {
      gap_.await(evidence, gap_position(), config_.gap, actions_);
    } else {
      gap_.request(evidence, gap_position(), config_.gap, actions_);
    }
  }
  if (!was_logged_on) actions_.push({.step = Step::LoggedOn});
}

void StateMachine::record_session_status(const wire::MessageView& message) noexcept {
  if (!header_.version().has_session_status) return;
  const wire::OptionalField<std::uint64_t> status = message.get<std::uint64_t>(tag::SessionStatus);
  if (!status) return;
  actions_.notice(NoticeCode::SessionStatusReceived, session_status_text(*status), 0, *status);
}

// FIX 4.4, Logon, NextExpectedMsgSeqNum: the counterparty has seen numbers that we have not sent.
// Our store is lost or an old copy, and nothing that we send now would be accepted.
void StateMachine::refuse_next_expected(std::uint64_t unsent,
                                        std::uint64_t next_expected) noexcept {
  const std::string_view text =
      texts_.compared("NextExpectedMsgSeqNum too high", unsent, next_expected);
  actions_.notice(NoticeCode::LogonInvalid, text);
  log_out_and_disconnect(text, DisconnectReason::MsgSeqNumTooLow);
}

// A Logon with ResetSeqNumFlag within a session: both sides start again at 1 ("SessionReset" of the
// acceptance scripts). If we have sent one ourselves, this is the answer to it.
void StateMachine::on_reset_logon(const Inbound& in,
                                  const std::optional<Objection>& objection) noexcept {
  const std::string_view wrong = find_logon_error(in, objection);
  if (!wrong.empty() || phase_.has_sent_logout()) {
    actions_.notice(NoticeCode::LogonInvalid, wrong);
    return log_out_and_disconnect(wrong, DisconnectReason::ProtocolViolation);
  }
  if (logon_.is_reset_sent()) {
    logon_.set_reset_sent(false);
    if (in.msg_seq_num == numbers_.next_inbound()) advance_to(in.msg_seq_num + 1);
    if (!phase_.is(Phase::ResetSent)) return;
    show_administrative();
    return on_reset_answered();
  }
  show_administrative();
  at_end_.resets = false;
  reset_sequence_numbers();
  accept_logon(detail::facts_of(in, config_, header_.version()), true);
  logon_.set_reset_sent(false);
}

// A reset within the session from our side.

// FIX 4.4 volume 2, "Logon", use of ResetSeqNumFlag: a TestRequest and its Heartbeat show that no
// message is missing. While one is, or while messages are resent, the question waits.
void StateMachine::ask_before_reset() noexcept {
  constexpr unsigned kTestsMax = 10;
  constexpr std::chrono::seconds kWait{1};
  const bool is_at_rest = !gap_.is_open() && !resend_.is_active();
  if (is_at_rest && logon_.reset_within().tests == kTestsMax) {
    actions_.notice(NoticeCode::ResetNotAgreed);
    phase_.enter(Phase::LoggedOn);
    if (logon_.reset_within().fallback == ResetFallback::LogOut)
      log_out("Sequence numbers are reset");
    return;
  }
  phase_.enter(Phase::ResetAsked, now_.mono + kWait);
  if (!is_at_rest) return;
  ++logon_.reset_within().tests;
  actions_.push({.step = Step::TransmitTestRequest, .text = kResetTest});
}

// The Logon and the reset are one event, so one record: after a crash both are there, or neither.
void StateMachine::on_heartbeat_received(const wire::MessageView& message) noexcept {
  if (!phase_.is(Phase::ResetAsked) || message[tag::TestReqID] != kResetTest) return;
  if (gap_.is_open() || resend_.is_active() || governor_.is_asking()) return;
  logon_.reset_within().next_inbound = numbers_.next_inbound();
  at_end_.resets = false;
  reset_sequence_numbers();
  logon_.reset_within().is_unanswered = true;
  push_reset_logon();
}

void StateMachine::push_reset_logon() noexcept {
  const bool is_repeated = !numbers_.is_resetting() && numbers_.next_outbound() > 1;
  logon_.set_reset_sent(true);
  actions_.push({.step = Step::TransmitLogon, .flag = true, .first = is_repeated ? 1U : 0U});
  if (phase_.is(Phase::LogonSent)) return;
  logon_.reset_within().tests = 0;
  phase_.enter(Phase::ResetSent, now_.mono + reset_answer_wait(config_));
}

// After a repeated Logon the counterparty may lack messages that followed the first one.
void StateMachine::on_reset_answered() noexcept {
  if (phase_.is(Phase::ResetSent)) {
    phase_.enter(Phase::LoggedOn);
    actions_.push({.step = Step::Release});
  }
  logon_.reset_within().is_unanswered = false;
  if (numbers_.next_outbound() > 2) actions_.push({.step = Step::TransmitHeartbeat});
}

// What a logged-on session waits for has not come. QuickFIX/J (2.3.2) as initiator resets at our
// Logon, and sends no Logon in answer: if it is idle, a TestRequest makes it send MsgSeqNum 1.
void StateMachine::on_wait_over() noexcept {
  if (phase_.is(Phase::LogoutWaits)) return log_out({});
  if (phase_.is(Phase::ResetAsked)) return ask_before_reset();
  if (logon_.reset_within().tests != 0) {
    return log_out_and_disconnect("Logon with ResetSeqNumFlag not answered",
                                  DisconnectReason::LogonTimeout);
  }
  ++logon_.reset_within().tests;
  actions_.push({.step = Step::TransmitTestRequest, .text = kResetTest});
  // The second wait, by phases that may follow each other.
  phase_.enter(Phase::LoggedOn);
  phase_.enter(Phase::ResetAsked);
  phase_.enter(Phase::ResetSent, now_.mono + config_.logon.timeout - reset_answer_wait(config_));
}

// Logout, and the end of a session.

// Ends the session from this side. Before it is logged on there is no counterparty to say Logout
// to.
void StateMachine::leave(std::string_view text, DisconnectReason before_logon) noexcept {
  switch (phase_.phase()) {
    case Phase::Disconnected:
    case Phase::Closing:
    case Phase::LogoutSent:
      return;
    case Phase::LogoutAnswered:
      return end_session(DisconnectReason::LogoutComplete);
    case Phase::AwaitingLogon:
    case Phase::LogonSent:
    case Phase::LogonReceived:
      return end_session(before_logon);
    case Phase::LoggedOn:
    case Phase::ResetAsked:
    case Phase::ResetSent:
    case Phase::LogoutWaits:
      return log_out(text);
  }
}

// TC 12, 13. The answer to our own Logout ends the session at once, whatever its number is (FIX
// Session Layer, "Message recovery"). A Logout that is the first one of the two is answered when
// the messages before it have come: at the end of the day there is no next Logon to ask after.
void StateMachine::on_logout(const Inbound& in,
                             const std::optional<Objection>& objection) noexcept {
  const std::string_view text = text_of(in.message);
  actions_.notice(NoticeCode::LogoutReceived, text);
  record_session_status(in.message);
  const bool is_lost = check_numbers_claim(text).kind == detail::NumbersClaim::Kind::Lost;
  const bool is_too_high = !objection && in.msg_seq_num > numbers_.next_inbound();
  if (objection) {
    reject(in, *objection);
  } else if (in.msg_seq_num == numbers_.next_inbound()) {
    advance_to(in.msg_seq_num + 1);
  }
  if (!objection) show_administrative();
  if (is_too_high) {
    at_end_.logout_seq_num = std::max(at_end_.logout_seq_num, in.msg_seq_num);
    out_of_order_.record_received(in.msg_seq_num);
    const bool awaits = config_.logon.logout_gap_timeout.count() != 0 && phase_.is_logged_on();
    if (awaits && !is_lost) return await_messages_before_logout(in.msg_seq_num);
  }
  if (phase_.is_logged_on()) return answer_logout({});
  complete_logout();
}

void StateMachine::await_messages_before_logout(std::uint64_t msg_seq_num) noexcept {
  if (!phase_.is(Phase::LogoutWaits)) {
    phase_.enter(Phase::LogoutWaits, now_.mono + config_.logon.logout_gap_timeout);
  }
  const bool is_counted = out_of_order_.record_processed(msg_seq_num, numbers_.next_inbound());
  gap_.request({.received = msg_seq_num, .gap_end = is_counted ? msg_seq_num : msg_seq_num + 1},
               gap_position(), config_.gap, actions_);
}

// Messages that were missing before the counterparty's Logout have come.
void StateMachine::continue_logout() noexcept {
  if (!phase_.is(Phase::LogoutWaits) || at_end_.logout_seq_num == 0) return;
  if (numbers_.next_inbound() > at_end_.logout_seq_num) return answer_logout({});
  phase_.enter(Phase::LogoutWaits, now_.mono + config_.logon.logout_gap_timeout);
}

// TC 13 b: then the counterparty disconnects, which asked for the end of the session.
void StateMachine::answer_logout(std::string_view text) noexcept {
  actions_.push({.step = Step::TransmitLogout, .text = text});
  at_end_.resets |= config_.reset.on_logout;
  if (config_.logon.logout_close_timeout.count() == 0) return complete_logout();
  phase_.enter(Phase::LogoutAnswered, now_.mono + config_.logon.logout_close_timeout);
}

void StateMachine::complete_logout() noexcept {
  end_session(DisconnectReason::LogoutComplete);
  // Last: at the Disconnect the owner transmits what waits for the end of a resend, our Logout
  // perhaps, and at the Reset it forgets that.
  if (!config_.reset.on_logout) return;
  at_end_.resets = false;
  reset_sequence_numbers();
}

// Said once: what goes wrong after our Logout only waits for the answer or the timeout.
void StateMachine::log_out(std::string_view text) noexcept {
  if (!phase_.is_logged_on()) return;
  if (phase_.is(Phase::LogoutWaits)) {
    if (at_end_.logout_seq_num != 0) return answer_logout(text);
    phase_.enter(Phase::LoggedOn);
  }
  actions_.push({.step = Step::TransmitLogout, .text = text});
  phase_.enter(Phase::LogoutSent, now_.mono + config_.logon.logout_timeout);
}

void StateMachine::log_out_and_disconnect(std::string_view text, DisconnectReason reason) noexcept {
  if (!phase_.has_sent_logout()) {
    actions_.push({.step = Step::TransmitLogout, .text = text});
  }
  end_session(reason);
}

void StateMachine::end_session(DisconnectReason reason) noexcept {
  if (phase_.has_logged_on()) {
    report_missing();
    actions_.push({.step = Step::LoggedOut});
  }
  close(reason);
}

// Each gap that was detected is closed or named here.
void StateMachine::report_missing() noexcept {
  const std::uint64_t next = numbers_.next_inbound();
  std::uint64_t last = out_of_order_.highest();
  if (gap_.is_open()) last = std::max(last, gap_.end() - 1);
  if (last == at_end_.logout_seq_num && last != 0) --last;
  if (last < next) return;
  const bool is_lost = config_.reset.on_disconnect || is_about_to_reset();
  actions_.notice(NoticeCode::EndedWithinGap,
                  is_lost ? "a reset follows, and they are lost"
                          : "they are requested after the next Logon, unless a reset comes first",
                  next, last);
}

void StateMachine::close(DisconnectReason reason) noexcept {
  phase_.enter(Phase::Closing);
  forget_connection();
  actions_.push({.step = Step::Disconnect, .code = static_cast<std::uint8_t>(reason)});
}

}  // namespace nexusfix::session
