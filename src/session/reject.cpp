// Rejecting a message: what is said, and that its number is used up all the same.
#include <nexusfix/session/reject_reason.hpp>

#include "session/inbound.hpp"

namespace nexusfix::session {

// FIX Session Layer, "Reject": the rejected message counts as received, or it would be asked for
// again and rejected again.
void StateMachine::reject(const Inbound& in, const Objection& objection) noexcept {
  push_reject(in.message, in.msg_seq_num, objection);
  if (in.msg_seq_num == numbers_.next_inbound) advance_to(in.msg_seq_num + 1);
}

// TC 2f, 2k, 2o: what contradicts the session itself ends it, Logout without text behind the
// Reject.
void StateMachine::reject_and_log_out(const Inbound& in, const Objection& objection) noexcept {
  const bool is_comp_id =
      objection.reason == static_cast<unsigned>(SessionRejectReason::CompIdProblem);
  notice(is_comp_id ? NoticeCode::CompIdWrong : NoticeCode::SendingTimeWrong, {},
         numbers_.next_inbound, in.msg_seq_num);
  reject(in, objection);
  log_out({});
}

// A Reject is never answered with a Reject, nor a BusinessMessageReject with one of its kind: two
// engines that disagree would go on for ever.
void StateMachine::push_reject(const wire::MessageView& message, std::uint64_t msg_seq_num,
                               const Objection& objection) noexcept {
  const std::string_view text = !objection.text.empty() ? objection.text
                                : objection.is_business ? business_reject_text(objection.reason)
                                                        : session_reject_text(objection.reason);
  notice(NoticeCode::MessageRejected, noted_text(text, objection.ref_tag), numbers_.next_inbound,
         msg_seq_num);
  const std::string_view type = message.msg_type();
  if (type == "3" || (type == "j" && objection.is_business)) return;
  message_ = &message;
  message_seq_num_ = msg_seq_num;
  objection_ = objection;
  push({.step = Step::TransmitReject});
}

}  // namespace nexusfix::session
