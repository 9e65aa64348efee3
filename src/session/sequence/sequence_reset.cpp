// SequenceReset in both modes: GapFill takes the place of messages that are not sent again, Reset
// abandons what is missing.
#include <algorithm>

#include <nexusfix/session/reject_reason.hpp>

#include "session/inbound.hpp"

namespace nexusfix::session {
namespace {

constexpr unsigned kIncorrect = static_cast<unsigned>(SessionRejectReason::ValueIncorrect);

struct NewSeqNo {
  std::uint64_t value = 0;
  unsigned reject_reason = 0;  // only if value is 0
};

NewSeqNo new_seq_no_of(const wire::MessageView& message) noexcept {
  const wire::FieldResult<std::uint64_t> value = message.get<std::uint64_t>(tag::NewSeqNo);
  if (value && *value != 0 && *value <= kMsgSeqNumMax) return {.value = *value};
  if (value || value.error().code == wire::FieldErrorCode::OutOfRange) {
    return {.reject_reason = kIncorrect};
  }
  const bool is_missing = value.error().code == wire::FieldErrorCode::Missing;
  return {.reject_reason =
              static_cast<unsigned>(is_missing ? SessionRejectReason::RequiredTagMissing
                                               : SessionRejectReason::IncorrectDataFormat)};
}

bool has_gap_fill_flag_form(const wire::MessageView& message) noexcept {
  const std::string_view flag = message[tag::GapFillFlag].value_or("N");
  return flag == "Y" || flag == "N";
}

}  // namespace

// TC 11: its own MsgSeqNum is not looked at. A NewSeqNo at or above the expected number is obeyed,
// and reported, because messages may be lost for good; a lower one is rejected and changes nothing.
// Where no Reset is to be obeyed it is reported and rejected.
void StateMachine::on_sequence_reset(const Inbound& in,
                                     const std::optional<Objection>& objection) noexcept {
  const NewSeqNo new_seq_no = new_seq_no_of(in.message);
  if (objection) return push_reject(in.message, in.msg_seq_num, *objection);
  if (!has_gap_fill_flag_form(in.message)) {
    return push_reject(in.message, in.msg_seq_num, {.reason = kIncorrect, .ref_tag = "123"});
  }
  if (new_seq_no.value == 0) {
    return push_reject(in.message, in.msg_seq_num,
                       {.reason = new_seq_no.reject_reason, .ref_tag = "36"});
  }
  if (new_seq_no.value < numbers_.next_inbound) {
    return push_reject(in.message, in.msg_seq_num, {.reason = kIncorrect});
  }
  notice(NoticeCode::SequenceResetReceived, {}, numbers_.next_inbound, new_seq_no.value);
  if (!config_.reset.allows_sequence_reset) {
    return push_reject(in.message, in.msg_seq_num,
                       {.reason = static_cast<unsigned>(SessionRejectReason::Other),
                        .text = "SequenceReset-Reset is not accepted"});
  }
  show_administrative();
  if (new_seq_no.value > numbers_.next_inbound) skip_to(new_seq_no.value);
}

// TC 10, in its turn. A NewSeqNo that does not lead forward is rejected; the number of the gap fill
// is used up, as that of any rejected message.
void StateMachine::on_gap_fill(const Inbound& in) noexcept {
  const NewSeqNo new_seq_no = new_seq_no_of(in.message);
  if (new_seq_no.value == 0) {
    return reject(in, {.reason = new_seq_no.reject_reason, .ref_tag = "36"});
  }
  if (new_seq_no.value <= in.msg_seq_num) return reject(in, {.reason = kIncorrect});
  const std::uint64_t requested_end = requested_end_;
  skip_to(without_held(new_seq_no.value));
  // A NewSeqNo that is the EndSeqNo leads to the last number that was asked for, and not past it.
  // Nothing shows whether that one follows, so it is asked for with the next ones.
  const bool is_one_short = gap_end_ != 0 && new_seq_no.value == requested_end;
  if (is_one_short && requested_end + 1 < gap_end_ && state_ == State::LoggedOn) {
    gap_requests_ = 0;
    push_resend_request();
  }
}

// Of a request that ended where the gap ends, the answer says nothing of what came before and is
// held: that was not asked for. The gap fill counts up to there, and then what is held. Docs/
// session.md says why; where all was asked for, the gap fill is the answer for all.
std::uint64_t StateMachine::without_held(std::uint64_t new_seq_no) noexcept {
  const bool has_held = gap_end_ != 0 && config_.gap.out_of_order == OutOfOrder::Buffer;
  if (!has_held || requested_end_ == 0 || new_seq_no <= gap_end_) return new_seq_no;
  if (new_seq_no - numbers_.next_inbound > config_.reset.sequence_jump_max) return new_seq_no;
  if (new_seq_no <= after_early(gap_end_)) return new_seq_no;
  notice(NoticeCode::GapFillBeyondRequest, {}, gap_end_, new_seq_no);
  return gap_end_;
}

void StateMachine::skip_to(std::uint64_t new_seq_no) noexcept {
  if (new_seq_no - numbers_.next_inbound > config_.reset.sequence_jump_max) {
    return log_out("NewSeqNo too far ahead");
  }
  if (held_high_ >= numbers_.next_inbound) {
    push({.step = Step::PassedOver,
          .first = numbers_.next_inbound,
          .second = std::min(new_seq_no - 1, held_high_)});
  }
  drop_early_below(new_seq_no);
  advance_to(new_seq_no);
}

}  // namespace nexusfix::session
