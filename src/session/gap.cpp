// An inbound gap: messages of the counterparty that we miss, and ask for.
#include "session/inbound.hpp"

namespace nexusfix::session {
namespace {

// How often a gap is asked for without progress before the session is given up.
constexpr unsigned kGapRequestsMax = 3;

}  // namespace

// One ResendRequest a gap: it asks for everything sent so far, so what arrives too early while it
// is open is covered by it, or is held.
void StateMachine::request_resend(std::uint64_t received) noexcept {
  if (gap_end_ != 0 && !config_.send_redundant_resend_requests) return;
  notice(NoticeCode::GapDetected, {}, numbers_.next_inbound, received);
  if (received > gap_end_) gap_end_ = received;
  gap_requests_ = 0;
  push_resend_request();
}

void StateMachine::push_resend_request() noexcept {
  ++gap_requests_;
  gap_deadline_ = now_.mono + config_.resend_timeout;
  push({.step = Step::TransmitResendRequest, .first = numbers_.next_inbound});
}

// The answer did not come, or not all of it: a resent message may have been garbled, or its number
// was a wild one that the counterparty never reaches.
void StateMachine::on_gap_time() noexcept {
  notice(NoticeCode::ResendNotAnswered, {}, numbers_.next_inbound, gap_end_);
  if (gap_requests_ >= kGapRequestsMax) return log_out("ResendRequest not answered");
  push_resend_request();
}

}  // namespace nexusfix::session
