// Rejecting a message: what is said, and that its number is used up all the same.
#include <algorithm>
#include <optional>
#include <string_view>

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

// Text, or what the reason means, and then, in parentheses, what is refused: "bad price (45=12
// 371=44 372=D 373=5)". A long text is cut, so that the rest has room.
std::string_view StateMachine::received_reject_text(const wire::MessageView& message) noexcept {
  constexpr std::size_t kValueBytesMax = 20;
  constexpr std::string_view kCut = "...";
  struct Shown {
    wire::Tag tag;
    std::string_view prefix;
  };
  constexpr Shown kShown[] = {{tag::RefSeqNum, " 45="},
                              {tag::RefTagID, " 371="},
                              {tag::RefMsgType, " 372="},
                              {tag::SessionRejectReason, " 373="}};
  constexpr std::size_t kShownBytesMax = std::size(kShown) * (kValueBytesMax + 5) + 2;
  // The event may have noted something else.
  const std::size_t room = noted_text_.size() - noted_size_;
  if (room <= kShownBytesMax + kCut.size()) return message[tag::Text].value_or(std::string_view{});
  const std::size_t text_max = std::min(kTextBytesMax, room - kShownBytesMax) - kCut.size();
  char* const begin = noted_text_.data() + noted_size_;
  char* out = begin;
  const auto append = [&](std::string_view part) { out = std::ranges::copy(part, out).out; };
  const wire::FieldResult<std::uint64_t> reason =
      message.get<std::uint64_t>(tag::SessionRejectReason);
  std::string_view text = message[tag::Text].value_or(std::string_view{});
  constexpr std::uint64_t kUnknownReason = 1'000;
  if (text.empty() && reason) {
    text = session_reject_text(static_cast<unsigned>(std::min(*reason, kUnknownReason)));
  }
  append(text.substr(0, text_max));
  if (text.size() > text_max) append(kCut);
  char* const shown = out;
  for (const Shown& one : kShown) {
    const std::optional<std::string_view> value = message[one.tag];
    if (!value) continue;
    append(one.prefix);
    append(value->substr(0, kValueBytesMax));
  }
  if (out > shown) {
    if (shown > begin) {  // a parenthesis before the first one's tag
      std::ranges::move_backward(shown + 1, out, out + 1);
      shown[1] = '(';
      ++out;
      append(")");
    }
  }
  const std::string_view noted{begin, static_cast<std::size_t>(out - begin)};
  noted_size_ += noted.size();
  return noted.starts_with(' ') ? noted.substr(1) : noted;
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
