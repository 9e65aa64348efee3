// The order of the checks on a received message, and what follows from its MsgSeqNum.
#include <charconv>
#include <cstring>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/session/reject_reason.hpp>

#include "session/inbound.hpp"

namespace nexusfix::session {

void StateMachine::receive(const wire::MessageView& message) noexcept {
  if (is_ordinary(message)) return deliver_in_order();
  if (message.begin_string() != config_.id.begin_string) {  // TC 2i
    notice(NoticeCode::BeginStringWrong, message.begin_string());
    return log_out("Incorrect BeginString");
  }
  const wire::FieldResult<std::uint64_t> number = message.get<std::uint64_t>(tag::MsgSeqNum);
  if (!number || *number > kMsgSeqNumMax) return on_msg_seq_num_unreadable(message);
  receive_by_kind(Inbound{message, *number});
}

// Four kinds of message are acted on whatever their number is. Everything else waits for its turn.
void StateMachine::receive_by_kind(const Inbound& in) noexcept {
  const std::optional<Objection> objection = header_objection(in);
  if (objection && objection->ends_session) return reject_and_log_out(in, *objection);
  if (in.kind != MsgKind::Logon) reset_sent_ = false;
  switch (in.kind) {
    case MsgKind::Logout:
      return on_logout(in, objection);
    case MsgKind::ResendRequest:
      return on_resend_request(in, objection);
    case MsgKind::SequenceReset:
      if (!in.says_yes(tag::GapFillFlag)) return on_sequence_reset(in, objection);
      break;
    case MsgKind::Logon:
      if (in.says_yes(tag::ResetSeqNumFlag) && !in.poss_dup && version_->has_reset_seq_num_flag) {
        return on_reset_logon(in, objection);
      }
      break;
    default:
      break;
  }
  receive_in_order(in, objection);
}

void StateMachine::receive_in_order(const Inbound& in,
                                    const std::optional<Objection>& objection) noexcept {
  if (gap_end_ != 0 && in.poss_dup) note_answer();
  if (in.msg_seq_num < numbers_.next_inbound) return on_too_low(in);
  if (in.msg_seq_num > numbers_.next_inbound) return on_too_high(in);
  if (objection) return reject(in, *objection);
  if (in.poss_dup) {
    if (const std::optional<Objection> found = poss_dup_objection(in)) {
      return found->ends_session ? reject_and_log_out(in, *found) : reject(in, *found);
    }
  }
  process(in);
}

// A message that is fit to be processed and whose turn it is.
void StateMachine::process(const Inbound& in) noexcept {
  if (in.kind != MsgKind::Application) show_administrative();
  switch (in.kind) {
    case MsgKind::TestRequest:
      return on_test_request(in);
    case MsgKind::SequenceReset:
      return on_gap_fill(in);
    case MsgKind::Reject:  // TC 7: no answer
      notice(NoticeCode::RejectReceived, received_reject_text(in.message));
      break;
    case MsgKind::Logon:
      // One without ResetSeqNumFlag has no meaning within a session. A resent one is an old one.
      if (!in.poss_dup) {
        return reject(in, {.reason = static_cast<unsigned>(SessionRejectReason::Other),
                           .text = "Logon while logged on"});
      }
      break;
    case MsgKind::Application:
      return push_deliver(in.msg_seq_num, in.poss_dup, in.says_yes(tag::PossResend));
    case MsgKind::Heartbeat:
    case MsgKind::ResendRequest:
    case MsgKind::Logout:
      break;
  }
  advance_to(in.msg_seq_num + 1);
}

void StateMachine::show_administrative() noexcept {
  if (config_.shows_administrative) push({.step = Step::ShowAdministrative});
}

void StateMachine::on_delivered(const Verdict& verdict, Now now) noexcept {
  NEXUSFIX_ASSERT(awaits_verdict_);
  awaits_verdict_ = false;
  now_ = now;
  if (verdict.kind == Verdict::Kind::Accept) [[likely]]
    return advance_to(message_seq_num_ + 1);
  on_refused(verdict);
}

void StateMachine::on_refused(const Verdict& verdict) noexcept {
  const Inbound in{*message_, message_seq_num_};
  Objection objection{.reason = verdict.reason,
                      .is_business = verdict.kind == Verdict::Kind::RejectBusiness,
                      .text = verdict.text,
                      .ref_id = verdict.ref_id};
  if (verdict.ref_tag != 0) objection.ref_tag = ref_tag_text(verdict.ref_tag);
  reject(in, objection);
}

// FIX Session Layer, "MsgSeqNum missing": a serious application error, Logout and disconnect. A
// number that cannot be read leaves us as blind as none.
void StateMachine::on_msg_seq_num_unreadable(const wire::MessageView& message) noexcept {
  const bool is_missing = !message.has(tag::MsgSeqNum) && !message.fault();
  log_out_and_disconnect(is_missing ? "MsgSeqNum missing" : "MsgSeqNum missing or malformed",
                         DisconnectReason::ProtocolViolation);
}

// TC 2c, 2e. Without PossDupFlag it is fatal: one of the two sides has lost count.
void StateMachine::on_too_low(const Inbound& in) noexcept {
  if (in.poss_dup) {
    const std::optional<Objection> objection = poss_dup_objection(in);
    if (!objection) return;  // processed already
    return objection->ends_session ? reject_and_log_out(in, *objection) : reject(in, *objection);
  }
  refuse_too_low(in.msg_seq_num);
}

void StateMachine::refuse_too_low(std::uint64_t msg_seq_num) noexcept {
  notice(NoticeCode::MsgSeqNumTooLow, {}, numbers_.next_inbound, msg_seq_num);
  log_out_and_disconnect(compared_text("MsgSeqNum too low", numbers_.next_inbound, msg_seq_num),
                         DisconnectReason::MsgSeqNumTooLow);
}

// Until the next event.
std::string_view StateMachine::compared_text(std::string_view what, std::uint64_t expected,
                                             std::uint64_t received) noexcept {
  char* out = text_.data();
  char* const end = out + text_.size();
  const auto put_text = [&](std::string_view text) {
    std::memcpy(out, text.data(), text.size());
    out += text.size();
  };
  put_text(what);
  put_text(", expecting ");
  out = std::to_chars(out, end, expected).ptr;
  put_text(" but received ");
  out = std::to_chars(out, end, received).ptr;
  return {text_.data(), static_cast<std::size_t>(out - text_.data())};
}

// TC 2b: kept until its turn comes, while what lies before it is asked for. Once we have said
// Logout it is too late to ask; the message counts as not received and comes after the next Logon.
// One that is a ResendRequest, and is to be rejected, is kept even where others are discarded.
void StateMachine::on_too_high(const Inbound& in) noexcept {
  if (state_ == State::LogoutSent) return;
  const bool is_request = in.kind == MsgKind::ResendRequest;
  if (config_.gap.out_of_order == OutOfOrder::Discard && !is_request) {
    return request_resend(in.msg_seq_num, in.msg_seq_num + 1);
  }
  push({.step = Step::Hold, .first = in.msg_seq_num, .text = in.message.bytes()});
  if (in.msg_seq_num > held_high_) held_high_ = in.msg_seq_num;
  request_resend(in.msg_seq_num, in.msg_seq_num);
}

}  // namespace nexusfix::session
