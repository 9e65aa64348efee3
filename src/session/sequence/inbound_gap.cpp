#include <algorithm>
#include <chrono>

#include "session/api/sequence.hpp"

namespace nexusfix::session::detail {
namespace {

// How often a gap is asked for without progress before the session is ended.
constexpr unsigned kGapRequestsMax = 3;
// An answer is over when nothing more of it has come for this long, and for this many times the
// longest pause in it: a link that takes seconds for a message is waited for, one that takes none
// is not.
constexpr std::chrono::seconds kAnswerPauseMin{1};
constexpr int kAnswerPauses = 4;

}  // namespace

void InboundGap::request(const Evidence& evidence, const Position& at, const GapConfig& config,
                         ActionQueue& actions) noexcept {
  const bool was_open = is_open();
  widen(evidence, config);
  if (was_open && !config.send_redundant_resend_requests) return;
  actions.notice(NoticeCode::GapDetected, {}, at.next_inbound, evidence.received);
  requests_ = 0;
  if (!was_open) {
    begin_ = at.next_inbound;
    answer_pause_ = {};
  }
  push_request(at, config, actions);
}

// A gap ends at the first message that is buffered: one that is buffered below that makes it
// shorter. A message that cannot be kept makes it longer, and so does each that comes while it is
// asked for together with all that follow it.
void InboundGap::widen(const Evidence& evidence, const GapConfig& config) noexcept {
  const bool is_buffered = evidence.gap_end <= evidence.received;
  const bool asks_for_buffered =
      config.send_redundant_resend_requests && !config.closed_resend_requests;
  if (end_ == 0) {
    end_ = evidence.gap_end;
  } else if (is_buffered && !asks_for_buffered) {
    end_ = std::min(end_, evidence.gap_end);
  } else {
    end_ = std::max(end_, evidence.gap_end);
  }
}

void InboundGap::await(const Evidence& evidence, const Position& at, const GapConfig& config,
                       ActionQueue& actions) noexcept {
  actions.notice(NoticeCode::GapDetected, {}, at.next_inbound, evidence.received);
  begin_ = at.next_inbound;
  end_ = evidence.gap_end;
  requested_end_ = evidence.gap_end - 1;
  requests_ = 0;
  answer_pause_ = {};
  answered_at_ = at.now;
  deadline_ = limit_ = at.now + config.resend_timeout;
}

void InboundGap::request_rest(const Position& at, const GapConfig& config,
                              ActionQueue& actions) noexcept {
  requests_ = 0;
  push_request(at, config, actions);
}

void InboundGap::push_request(const Position& at, const GapConfig& config,
                              ActionQueue& actions) noexcept {
  ++requests_;
  answered_at_ = at.now;
  deadline_ = limit_ = at.now + config.resend_timeout;
  const std::uint64_t begin = at.next_inbound;
  const std::uint64_t last = end_ - 1;
  const std::uint64_t chunk = config.resend_request_chunk;
  requested_end_ = config.closed_resend_requests || chunk != 0 ? last : 0;
  if (chunk != 0 && last - begin >= chunk) requested_end_ = begin + (chunk - 1);
  actions.push({.step = Step::TransmitResendRequest, .first = begin, .second = requested_end_});
}

bool InboundGap::advance(const Position& at, const GapConfig& config,
                         ActionQueue& actions) noexcept {
  if (at.next_inbound >= end_) {
    actions.notice(NoticeCode::GapClosed, {}, begin_, end_ - 1);
    end_ = 0;
    requested_end_ = 0;
    deadline_ = kNever;
    return false;
  }
  requests_ = 1;
  limit_ = at.now + config.resend_timeout;
  record_answer(at.now, config);
  return requested_end_ != 0 && at.next_inbound > requested_end_;
}

// The next part is due soon. Only the first request since there was progress is repeated that soon,
// so that a counterparty which cannot send what is missing is not asked more often than each
// resend_timeout.
void InboundGap::record_answer(MonoTime now, const GapConfig& config) noexcept {
  answer_pause_ = std::max(answer_pause_, now - answered_at_);
  answered_at_ = now;
  deadline_ = limit_;
  if (requests_ > 1) return;
  const MonoTime::duration pause =
      std::clamp<MonoTime::duration>(answer_pause_, MonoTime::duration{}, config.resend_timeout);
  const MonoTime::duration wait =
      std::max<MonoTime::duration>(kAnswerPauses * pause, kAnswerPauseMin);
  deadline_ = std::min(limit_, now + wait);
}

// The answer did not come, or not all of it: a resent message may have been garbled, a gap fill may
// have ended too early, or the number was a wild one that the counterparty never reaches.
bool InboundGap::on_time(const Position& at, const GapConfig& config,
                         ActionQueue& actions) noexcept {
  const bool is_answered = at.now < limit_;
  actions.notice(is_answered ? NoticeCode::ResendIncomplete : NoticeCode::ResendNotAnswered, {},
                 at.next_inbound, end_);
  if (requests_ >= kGapRequestsMax) return false;
  push_request(at, config, actions);
  return true;
}

void InboundGap::forget() noexcept {
  end_ = 0;
  requested_end_ = 0;
  deadline_ = kNever;
  requests_ = 0;
}

}  // namespace nexusfix::session::detail
