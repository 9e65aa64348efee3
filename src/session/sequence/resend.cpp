// Answering a ResendRequest: the stored messages again, and a gap fill for everything else.
#include <algorithm>

#include <nexusfix/session/reject_reason.hpp>

#include "session/inbound.hpp"

namespace nexusfix::session {
namespace {

constexpr unsigned kMissing = static_cast<unsigned>(SessionRejectReason::RequiredTagMissing);
constexpr unsigned kMalformed = static_cast<unsigned>(SessionRejectReason::IncorrectDataFormat);
constexpr unsigned kIncorrect = static_cast<unsigned>(SessionRejectReason::ValueIncorrect);

constexpr std::string_view kAgainAndAgain = "the same messages are asked for again and again";

}  // namespace

// Served at once whatever its number is, and before we ask for what we miss ourselves: two sides
// that each wait for the other's answer first would wait for ever. When the turn of one that came
// early comes, it is only counted.
void StateMachine::on_resend_request(const Inbound& in,
                                     const std::optional<Objection>& objection) noexcept {
  const bool is_expected = in.msg_seq_num == numbers_.next_inbound;
  const bool is_early = in.msg_seq_num > numbers_.next_inbound;
  if (is_expected && in.msg_seq_num <= early_resend_request_) {
    return advance_to(in.msg_seq_num + 1);
  }
  if (objection) return is_early ? on_too_high(in) : reject(in, *objection);
  const std::expected<Range, Objection> range = requested_range(in);
  if (range) {
    show_administrative();
    ask_or_serve(*range, in.msg_seq_num);
    if (is_expected) advance_to(in.msg_seq_num + 1);
  } else {
    reject(in, range.error());
  }
  if (is_early) on_served_early(in);
}

// FIX Session Layer, "ResendRequest": BeginSeqNo to EndSeqNo, both inclusive; EndSeqNo 0 (999999 in
// FIX 4.0 and 4.1) is "everything sent so far". That is fixed now: numbers given out while the
// resend goes on are not part of it.
std::expected<StateMachine::Range, StateMachine::Objection> StateMachine::requested_range(
    const Inbound& in) const noexcept {
  const auto objection_to = [](const wire::FieldError& error, std::string_view ref_tag) {
    const bool is_missing = error.code == wire::FieldErrorCode::Missing;
    return std::unexpected{
        Objection{.reason = is_missing ? kMissing : kMalformed, .ref_tag = ref_tag}};
  };
  const wire::FieldResult<std::uint64_t> begin = in.message.get<std::uint64_t>(tag::BeginSeqNo);
  if (!begin) return objection_to(begin.error(), "7");
  const wire::FieldResult<std::uint64_t> end = in.message.get<std::uint64_t>(tag::EndSeqNo);
  if (!end) return objection_to(end.error(), "16");
  const std::uint64_t last_sent = numbers_.next_outbound - 1;
  if (*begin == 0 || *begin > last_sent) {
    return std::unexpected{Objection{.reason = kIncorrect, .ref_tag = "7"}};
  }
  const bool to_infinity = *end == 0 || *end == version_->resend_to_infinity;
  if (!to_infinity && *end < *begin) {
    return std::unexpected{Objection{.reason = kIncorrect, .ref_tag = "16"}};
  }
  return Range{.begin = *begin, .end = to_infinity ? last_sent : std::min(*end, last_sent)};
}

// FIX 4.4, Logon, NextExpectedMsgSeqNum: behind our answer, which the counterparty sees anyway. If
// it is all that is new, nothing is missing.
void StateMachine::serve_expected(std::uint64_t next_expected) noexcept {
  const std::uint64_t answer = numbers_.next_outbound - 1;
  if (next_expected >= answer) return;
  const std::size_t waiting = pending_end_ - pending_begin_;
  ask_or_serve({.begin = next_expected, .end = answer}, 0);
  move_to_front(waiting);
}

void StateMachine::ask_or_serve(Range range, std::uint64_t request_seq_num) noexcept {
  if (is_repeated_too_often(range)) return log_out(kAgainAndAgain);
  if (!config_.resend.asks_before) return serve(range);
  asked_ = range;
  asked_by_ = request_seq_num;
  push({.step = Step::AskResend, .first = range.begin, .second = range.end});
}

// A counterparty that asks for ever for what it has got for ever is broken, and would keep both
// sides busy. Requests that come while a resend is under way are answered together, and counted as
// one when their turn comes.
bool StateMachine::is_repeated_too_often(const Range& range) noexcept {
  if (replay_.begin != 0) return false;
  if (range.begin != served_.begin || range.end < served_.end) served_count_ = 0;
  served_ = range;
  const bool is_too_much = asks_too_much(range);
  const std::uint32_t count_max = config_.resend.repeats_max;
  return (++served_count_ > count_max && count_max != 0) || is_too_much;
}

// Whatever the pattern: all that was asked for is at most so many times what there is from the
// lowest of it on. Whoever fetches a gap in parts asks for each number once.
bool StateMachine::asks_too_much(const Range& range) noexcept {
  asked_lowest_ = asked_lowest_ == 0 ? range.begin : std::min(asked_lowest_, range.begin);
  asked_count_ += range.end - range.begin + 1;
  // A Logon's answer that it asks for, too, has no number yet.
  const std::uint64_t end = std::max(numbers_.next_outbound, range.end + 1);
  const std::uint64_t there_are = end - asked_lowest_;
  const std::uint32_t times_max = config_.resend.repeats_max;
  return times_max != 0 && (asked_count_ - 1) / times_max >= there_are;
}

// What goes out again comes where it would without the question: what waits behind the AskResend
// may have higher numbers.
void StateMachine::on_resend_decision(const ResendDecision& decision, Now now) noexcept {
  now_ = now;
  Range range = asked_;
  asked_ = {};
  if (range.begin == 0) return;  // a reset or the end of the connection came between
  const std::size_t waiting = pending_end_ - pending_begin_;
  using Kind = ResendDecision::Kind;
  switch (decision.kind) {
    case Kind::Resend:
      range.resend_from = decision.from;
      serve(range);
      return move_to_front(waiting);
    case Kind::GapFill:
      range.resend_from = range.end + 1;
      serve(range);
      return move_to_front(waiting);
    case Kind::Reject:
      if (asked_by_ == 0) return log_out(decision.text);
      return push_reject(
          *message_, asked_by_,
          {.reason = static_cast<unsigned>(SessionRejectReason::Other), .text = decision.text});
    case Kind::LogOut:
      return log_out(decision.text);
  }
}

// One resend at a time. What is asked for meanwhile comes after it, as one range: a counterparty
// that asks again and again gets one more answer, not one for each request.
void StateMachine::serve(Range range) noexcept {
  if (replay_.begin != 0) {
    const bool is_first = replay_next_.begin == 0;
    replay_next_ =
        is_first ? range
                 : Range{.begin = std::min(replay_next_.begin, range.begin),
                         .end = std::max(replay_next_.end, range.end),
                         .resend_from = std::min(replay_next_.resend_from, range.resend_from)};
    return;
  }
  replay(range);
}

void StateMachine::replay(Range range) noexcept {
  const std::uint64_t count_max = config_.resend.messages_max;
  std::uint64_t from = std::max(range.begin, range.resend_from);
  if (count_max != 0 && range.end >= count_max) from = std::max(from, range.end - count_max + 1);
  if (from > range.begin) notice(NoticeCode::ResendLimited, {}, from, range.begin);
  replay_ = range;
  if (config_.resend.persist_messages && from <= range.end) {
    push({.step = Step::Replay, .first = from, .second = range.end});
  } else {
    push({.step = Step::RetransmitRest});
  }
}

// Both may be called while actions of the event that asked for the Replay are still to be taken:
// what they leave to be done comes behind those.
void StateMachine::on_replay_message(std::uint64_t msg_seq_num, std::string_view bytes,
                                     Now now) noexcept {
  now_ = now;
  if (msg_seq_num < replay_.begin || msg_seq_num > replay_.end || replay_.begin == 0) return;
  stored_seq_num_ = msg_seq_num;
  stored_bytes_ = bytes;
  push({.step = Step::RetransmitStored});
}

void StateMachine::on_replay_done(Now now) noexcept {
  now_ = now;
  if (replay_.begin != 0) push({.step = Step::RetransmitRest});
}

// Called when everything of the range has been covered.
void StateMachine::finish_replay() noexcept {
  notice(NoticeCode::ResendServed, {}, replay_.end + 1, replay_.end);
  replay_ = {};
  if (replay_next_.begin == 0) return;
  const Range next = replay_next_;
  replay_next_ = {};
  if (asks_too_much(next)) return log_out(kAgainAndAgain);
  replay(next);
}

}  // namespace nexusfix::session
