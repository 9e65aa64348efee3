// An inbound gap: messages of the counterparty that we miss, and ask for.
#include "session/inbound.hpp"

namespace nexusfix::session {
namespace {

// How often a gap is asked for without progress before the session is given up.
constexpr unsigned kGapRequestsMax = 3;

}  // namespace

// One open ResendRequest at a time: it asks for everything sent so far, so what arrives too early
// while it is open is covered by it, or is held. Of one that asks for less, the next one follows
// when it has been answered. gap_end: the first number that is not missing; the one behind what was
// received if that has been discarded, so the open gap grows with it.
void StateMachine::request_resend(std::uint64_t received, std::uint64_t gap_end) noexcept {
  const bool is_open = gap_end_ != 0;
  const bool must_grow = !is_open || gap_end > received;
  const bool is_redundant = config_.send_redundant_resend_requests;
  if (gap_end > gap_end_ && (must_grow || is_redundant)) gap_end_ = gap_end;
  if (is_open && !is_redundant) return;
  notice(NoticeCode::GapDetected, {}, numbers_.next_inbound, received);
  gap_requests_ = 0;
  push_resend_request();
}

// What is missing comes unasked, because our Logon said what we expect; if it does not, it is asked
// for after all.
void StateMachine::await_resend(std::uint64_t received, std::uint64_t gap_end) noexcept {
  notice(NoticeCode::GapDetected, {}, numbers_.next_inbound, received);
  gap_end_ = gap_end;
  gap_requests_ = 0;
  gap_deadline_ = now_.mono + config_.resend_timeout;
}

void StateMachine::push_resend_request() noexcept {
  ++gap_requests_;
  gap_deadline_ = now_.mono + config_.resend_timeout;
  const std::uint64_t begin = numbers_.next_inbound;
  const std::uint64_t last = gap_end_ - 1;
  const std::uint64_t chunk = config_.resend_request_chunk;
  requested_end_ = config_.closed_resend_requests || chunk != 0 ? last : 0;
  if (chunk != 0 && last - begin >= chunk) requested_end_ = begin + (chunk - 1);
  push({.step = Step::TransmitResendRequest, .first = begin, .second = requested_end_});
}

// The answer did not come, or not all of it: a resent message may have been garbled, or its number
// was a wild one that the counterparty never reaches.
void StateMachine::on_gap_time() noexcept {
  notice(NoticeCode::ResendNotAnswered, {}, numbers_.next_inbound, gap_end_);
  if (gap_requests_ >= kGapRequestsMax) return log_out("ResendRequest not answered");
  push_resend_request();
}

}  // namespace nexusfix::session
