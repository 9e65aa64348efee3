// An inbound gap: messages of the counterparty that we miss, and ask for.
#include <algorithm>

#include "session/inbound.hpp"

namespace nexusfix::session {
namespace {

// How often a gap is asked for without progress before the session is given up.
constexpr unsigned kGapRequestsMax = 3;
// An answer is over when nothing more of it has come for this long, and for this many times the
// longest pause in it: a link that takes seconds for a message is waited for, one that takes none
// is not.
constexpr std::chrono::seconds kAnswerPauseMin{1};
constexpr int kAnswerPauses = 4;

}  // namespace

// One open ResendRequest at a time: what arrives too early while it is open is held, or covered by
// it. Of one that asks for less, the next one follows when it has been answered. gap_end: the first
// number that is not missing; the one after what was received if that has been discarded.
void StateMachine::request_resend(std::uint64_t received, std::uint64_t gap_end) noexcept {
  const bool is_open = gap_end_ != 0;
  widen_gap(received, gap_end);
  if (is_open && !config_.gap.send_redundant_resend_requests) return;
  notice(NoticeCode::GapDetected, {}, numbers_.next_inbound, received);
  gap_requests_ = 0;
  if (!is_open) answer_pause_ = {};
  push_resend_request();
}

// A gap ends at the first message that is held: one that is held below that makes it shorter. What
// is discarded makes it longer, and so does what comes while each of these messages is asked for
// together with all that follow it.
void StateMachine::widen_gap(std::uint64_t received, std::uint64_t gap_end) noexcept {
  const bool is_held = gap_end <= received;
  const bool asks_for_held = config_.gap.send_redundant_resend_requests && !closes_requests_;
  if (gap_end_ == 0) {
    gap_end_ = gap_end;
  } else if (is_held && !asks_for_held) {
    gap_end_ = std::min(gap_end_, gap_end);
  } else {
    gap_end_ = std::max(gap_end_, gap_end);
  }
}

// What is missing comes unasked, because our Logon said what we expect; if it does not, it is asked
// for after all.
void StateMachine::await_resend(std::uint64_t received, std::uint64_t gap_end) noexcept {
  notice(NoticeCode::GapDetected, {}, numbers_.next_inbound, received);
  gap_end_ = gap_end;
  requested_end_ = gap_end - 1;
  gap_requests_ = 0;
  answer_pause_ = {};
  answered_at_ = now_.mono;
  gap_deadline_ = gap_limit_ = now_.mono + config_.gap.resend_timeout;
}

void StateMachine::push_resend_request() noexcept {
  ++gap_requests_;
  answered_at_ = now_.mono;
  gap_deadline_ = gap_limit_ = now_.mono + config_.gap.resend_timeout;
  const std::uint64_t begin = numbers_.next_inbound;
  const std::uint64_t last = gap_end_ - 1;
  const std::uint64_t chunk = config_.gap.resend_request_chunk;
  requested_end_ = closes_requests_ || chunk != 0 ? last : 0;
  if (chunk != 0 && last - begin >= chunk) requested_end_ = begin + (chunk - 1);
  push({.step = Step::TransmitResendRequest, .first = begin, .second = requested_end_});
}

// A part of an answer: the next one is due soon. Only the first request since there was progress is
// repeated that soon, so that a counterparty which cannot send what is missing is not asked more
// often than each resend_timeout.
void StateMachine::note_answer() noexcept {
  answer_pause_ = std::max(answer_pause_, now_.mono - answered_at_);
  answered_at_ = now_.mono;
  gap_deadline_ = gap_limit_;
  if (gap_requests_ > 1) return;
  const MonoTime::duration pause = std::clamp<MonoTime::duration>(
      answer_pause_, MonoTime::duration{}, config_.gap.resend_timeout);
  const MonoTime::duration wait =
      std::max<MonoTime::duration>(kAnswerPauses * pause, kAnswerPauseMin);
  gap_deadline_ = std::min(gap_limit_, now_.mono + wait);
}

// The answer did not come, or not all of it: a resent message may have been garbled, a gap fill may
// have ended too early, or the number was a wild one that the counterparty never reaches.
void StateMachine::on_gap_time() noexcept {
  const bool is_answered = now_.mono < gap_limit_;
  notice(is_answered ? NoticeCode::ResendIncomplete : NoticeCode::ResendNotAnswered, {},
         numbers_.next_inbound, gap_end_);
  if (gap_requests_ >= kGapRequestsMax) return log_out("ResendRequest not answered");
  push_resend_request();
}

// False: there is no room for more of them.
bool StateMachine::note_early(std::uint64_t msg_seq_num) noexcept {
  drop_early_below(numbers_.next_inbound);
  std::uint64_t* const end = early_.data() + early_count_;
  std::uint64_t* const place = std::lower_bound(early_.data(), end, msg_seq_num);
  if (place != end && *place == msg_seq_num) return true;
  if (early_count_ == early_.size()) return false;
  std::move_backward(place, end, end + 1);
  *place = msg_seq_num;
  ++early_count_;
  early_first_ = early_.front();
  return true;
}

void StateMachine::drop_early_below(std::uint64_t next_inbound) noexcept {
  std::uint64_t* const end = early_.data() + early_count_;
  std::uint64_t* const first = std::lower_bound(early_.data(), end, next_inbound);
  early_count_ = static_cast<std::size_t>(std::move(first, end, early_.data()) - early_.data());
  early_first_ = early_count_ == 0 ? 0 : early_.front();
}

// The first number from msg_seq_num on that has not been dealt with early.
std::uint64_t StateMachine::after_early(std::uint64_t msg_seq_num) const noexcept {
  for (std::size_t i = 0; i < early_count_; ++i) msg_seq_num += early_[i] == msg_seq_num ? 1 : 0;
  return msg_seq_num;
}

// A ResendRequest that has been served is only counted when its turn comes, also where others are
// discarded, and an open gap is not asked for again because of it: two sides that answered each
// other's requests with more of them would never come to an end.
void StateMachine::on_served_early(const Inbound& in) noexcept {
  if (state_ == State::LogoutSent) return;
  early_resend_request_ = std::max(early_resend_request_, in.msg_seq_num);
  held_high_ = std::max(held_high_, in.msg_seq_num);
  if (!note_early(in.msg_seq_num)) {
    push({.step = Step::Hold, .first = in.msg_seq_num, .text = in.message.bytes()});
  }
  if (gap_end_ == 0) request_resend(in.msg_seq_num, in.msg_seq_num);
}

// Not for what has been dealt with early: two sides that asked for each other's ResendRequests
// again would do so without an end.
void StateMachine::on_held_lost(std::uint64_t first_held, Now now) noexcept {
  begin_event(now);
  const std::uint64_t next = numbers_.next_inbound;
  if (state_ != State::LoggedOn || gap_end_ != 0 || next > held_high_ || next == first_held) return;
  drop_early_below(next);
  std::uint64_t end = held_high_ + 1;
  for (const std::uint64_t known : {first_held, early_first_}) {
    if (known != 0) end = std::min(end, known);
  }
  request_resend(held_high_, end);
}

}  // namespace nexusfix::session
