// Received messages: the order of the checks, and what follows from the kind of a message and its
// MsgSeqNum. What comes before the session is logged on is in logon.cpp.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/session/identity.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/typed.hpp>

#include "session/api/state_machine.hpp"
#include "session/inbound/header_check.hpp"
#include "session/inbound/inbound.hpp"
#include "session/inbound/matches_cached.hpp"
#include "session/outbound/administrative.hpp"

namespace nexusfix::session {

using detail::MsgKind;
using detail::Step;

namespace {

// What a SequenceReset says, in both modes.
struct NewSeqNo {
  std::uint64_t value = 0;
  unsigned reject_reason = 0;  // only if value is 0
};

NewSeqNo new_seq_no_of(const wire::MessageView& message) noexcept {
  const auto rejected = [](SessionRejectReason reason) {
    return NewSeqNo{.reject_reason = static_cast<unsigned>(reason)};
  };
  const wire::OptionalField<std::uint64_t> value = message.get<std::uint64_t>(tag::NewSeqNo);
  if (value && *value != 0 && *value <= kMsgSeqNumMax) return {.value = *value};
  if (value || value.error().code == wire::FieldErrorCode::OutOfRange) {
    return rejected(SessionRejectReason::ValueIncorrect);
  }
  const bool is_missing = value.error().code == wire::FieldErrorCode::Missing;
  return rejected(is_missing ? SessionRejectReason::RequiredTagMissing
                             : SessionRejectReason::IncorrectDataFormat);
}

bool has_gap_fill_flag_form(const wire::MessageView& message) noexcept {
  const std::string_view flag = message[tag::GapFillFlag].value_or("N");
  return flag == "Y" || flag == "N";
}

constexpr std::string_view kHeartbeat = "0";
constexpr unsigned kOther = static_cast<unsigned>(SessionRejectReason::Other);
constexpr unsigned kRequiredMissing =
    static_cast<unsigned>(SessionRejectReason::RequiredTagMissing);
constexpr unsigned kValueIncorrect = static_cast<unsigned>(SessionRejectReason::ValueIncorrect);
constexpr unsigned kSendingTimeWrong =
    static_cast<unsigned>(SessionRejectReason::SendingTimeAccuracyProblem);
// From an invalid SendingTime to our Logout: what is in flight arrives, and is answered first.
constexpr std::chrono::seconds kAnswerTime{1};

}  // namespace

// On the path of every message: one in sequence is recognized by a comparison with the one before
// it.
void StateMachine::on_message(const wire::MessageView& message, Now now) noexcept {
  NEXUSFIX_ASSERT(delivery_ == Delivery::None);
  begin_event(now);
  message_ = &message;
  if (!phase_.has_logged_on()) [[unlikely]]
    return receive_outside_session(message);
  heartbeat_.record_received(now.mono);
  if (!header_cache_.matches_cached(message, header_position()) || !is_valid_after_header(message))
      [[unlikely]]
    return receive(message);
  const wire::detail::FieldProof* const proof = message.proof();
  if (proof == nullptr || !proof->is_application()) {
    if (is_administrative(message.msg_type())) [[unlikely]]
      return receive_administrative(message);
    if (proof != nullptr) config_.validation.memory->proof()->set_application();
  }
  deliver_in_sequence();
}

// An administrative message whose turn it is.
[[gnu::noinline]] void StateMachine::receive_administrative(
    const wire::MessageView& message) noexcept {
  if (!is_unseen_heartbeat(message)) return receive(message);
  count_in_sequence();
}

[[gnu::noinline]] void StateMachine::receive_outside_session(
    const wire::MessageView& message) noexcept {
  switch (phase_.phase()) {
    case Phase::AwaitingLogon:
    case Phase::LogonSent:
      return receive_before_logon(message);
    case Phase::LogonReceived:
      return receive_undecided(message);
    default:
      return;  // after a Disconnect: what still comes is not read
  }
}

// Nothing but its turn matters of a Heartbeat that the owner is not shown.
[[gnu::always_inline]] inline bool StateMachine::is_unseen_heartbeat(
    const wire::MessageView& message) const noexcept {
  return !config_.shows_administrative && !phase_.is(Phase::ResetAsked) &&
         message.msg_type() == kHeartbeat;
}

// Whether it has the counterparty's DefaultApplVerID. False also in doubt.
inline bool StateMachine::is_of_default_version(const wire::MessageView& message) const noexcept {
  if (!header_.version().has_default_appl_ver_id) return true;
  const std::optional<std::string_view> own = message[tag::ApplVerID];
  return !own || *own == counterparty_appl_ver_id();
}

inline bool StateMachine::is_valid(const wire::MessageView& message) noexcept {
  const ValidationConfig& config = config_.validation;
  message.record_proof(nullptr);
  if (!config.validator) return !message.fault();
  const dictionary::Validator& validator =
      detail::validator_of_version(config, logon_.counterparty_appl_ver_id());
  if (config.memory == nullptr) return !validator.validate(message);
  if (validator.validate(message, *config.memory)) return false;
  message.record_proof(config.memory->proof());
  return true;
}

// For a message whose MsgSeqNum and SendingTime are compared, and which must have neither
// PossDupFlag nor PossResend: where a sequence of tags is known, it is known for the sequence.
[[gnu::always_inline]] inline bool StateMachine::is_valid_after_header(
    const wire::MessageView& message) noexcept {
  const ValidationConfig& config = config_.validation;
  if (!config.validator || config.memory == nullptr || header_.version().has_default_appl_ver_id)
      [[unlikely]] {
    return !message.has_either(tag::PossDupFlag, tag::PossResend) &&
           is_of_default_version(message) && is_valid(message);
  }
  if (!config.validator->is_valid_after_header(message, *config.memory)) return false;
  wire::detail::FieldProof* const proof = config.memory->proof();
  message.record_proof(proof);
  return proof != nullptr ? !proof->is_flagged()
                          : !message.has_either(tag::PossDupFlag, tag::PossResend);
}

bool StateMachine::is_in_sequence(const wire::MessageView& message) noexcept {
  if (is_administrative(message.msg_type()) && !is_unseen_heartbeat(message)) return false;
  return is_of_default_version(message) &&
         header_cache_.is_in_sequence(message, config_, header_position()) && is_valid(message);
}

// Without a Pending, which would be written in small pieces and read in large ones: no store buffer
// forwards that.
inline void StateMachine::deliver_in_sequence() noexcept {
  logon_.set_reset_sent(false);
  message_seq_num_ = numbers_.next_inbound();
  delivery_ = Delivery::Next;
}

inline void StateMachine::count_in_sequence() noexcept {
  logon_.set_reset_sent(false);
  advance_to(numbers_.next_inbound() + 1);
}

[[gnu::noinline]] void StateMachine::receive(const wire::MessageView& message) noexcept {
  const bool awaits_reset = phase_.is(Phase::ResetSent);
  if (!awaits_reset && is_in_sequence(message))
    return is_administrative(message.msg_type()) ? count_in_sequence() : deliver_in_sequence();
  if (message.begin_string() != config_.id.begin_string) {  // TC 2i
    actions_.notice(NoticeCode::BeginStringWrong, message.begin_string());
    return log_out("Incorrect BeginString");
  }
  const wire::OptionalField<std::uint64_t> number = message.get<std::uint64_t>(tag::MsgSeqNum);
  if (!number || *number > kMsgSeqNumMax) return on_msg_seq_num_unreadable(message);
  const Inbound in{message, *number};
  const bool has_new_number = in.msg_seq_num == 1 && !in.poss_dup && in.kind != MsgKind::Logon;
  awaits_reset && !has_new_number ? receive_during_reset(in) : receive_by_kind(in);
}

std::optional<StateMachine::Objection> StateMachine::header_objection(const Inbound& in) noexcept {
  const detail::HeaderCheck::Rules rules{
      .config = config_,
      .version = header_.version(),
      .counterparty_appl_ver_id = logon_.counterparty_appl_ver_id()};
  const detail::HeaderCache::Position at = header_position();
  return detail::HeaderCheck{rules, at, texts_, actions_}.objection_to(in);
}

// Four kinds of message are acted on whatever their number is. Everything else waits for its turn.
void StateMachine::receive_by_kind(const Inbound& in) noexcept {
  const std::optional<Objection> objection = header_objection(in);
  if (objection && objection->ends_session &&
      !(in.kind == MsgKind::Logout && objection->reason == kSendingTimeWrong)) {
    return reject_and_log_out(in, *objection);
  }
  if (in.kind != MsgKind::Logon) logon_.set_reset_sent(false);
  // MsgSeqNum 1: the counterparty has reset at our Logon, and did not answer it.
  if (phase_.is(Phase::ResetSent)) on_reset_answered();
  switch (in.kind) {
    case MsgKind::Logout:
      return on_logout(in, objection);
    case MsgKind::ResendRequest:
      return on_resend_request(in, objection);
    case MsgKind::SequenceReset:
      if (!in.says_yes(tag::GapFillFlag)) return on_sequence_reset(in, objection);
      break;
    case MsgKind::Logon:
      if (in.says_yes(tag::ResetSeqNumFlag) && !in.poss_dup &&
          header_.version().has_reset_seq_num_flag) {
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
  if (gap_.is_open() && in.poss_dup) gap_.record_answer(now_.mono, config_.gap);
  if (in.msg_seq_num < numbers_.next_inbound()) return on_too_low(in);
  if (in.msg_seq_num > numbers_.next_inbound()) return on_too_high(in);
  if (objection) return reject(in, *objection);
  if (in.poss_dup) {
    if (const auto found = detail::poss_dup_objection(in, config_.header)) {
      return found->ends_session ? reject_and_log_out(in, *found) : reject(in, *found);
    }
  }
  process(in);
}

// What the counterparty sent before it had our Logon with ResetSeqNumFlag has the old sequence
// numbers. It is never sent again, so it is processed now. It is not recorded: the store has the
// new numbers.
void StateMachine::receive_during_reset(const Inbound& in) noexcept {
  const std::optional<Objection> objection = header_objection(in);
  if (objection && objection->ends_session) return reject_and_log_out(in, *objection);
  if (in.kind == MsgKind::Logon && in.msg_seq_num == 1) return on_reset_logon(in, objection);
  if (in.msg_seq_num < logon_.reset_within().next_inbound) return;
  if (in.msg_seq_num > logon_.reset_within().next_inbound) {
    actions_.notice(NoticeCode::EndedWithinGap, "a reset follows, and they are lost",
                    logon_.reset_within().next_inbound, in.msg_seq_num - 1);
  }
  logon_.reset_within().next_inbound = in.msg_seq_num + 1;
  if (objection) return push_reject(in.message, in.msg_seq_num, *objection);
  switch (in.kind) {
    case MsgKind::Application:
      push_deliver(in);
      delivery_ = Delivery::AwaitedOld;
      return;
    case MsgKind::TestRequest:
      return actions_.push({.step = Step::TransmitHeartbeat,
                            .flag = true,
                            .text = in.message[tag::TestReqID].value_or(std::string_view{})});
    case MsgKind::Logout:
      actions_.notice(NoticeCode::LogoutReceived, in.message[tag::Text].value_or(""));
      return answer_logout({});
    case MsgKind::Reject:
      actions_.reject_received(in.message, texts_.of_reject(in.message));
      return log_out_and_disconnect("Logon with ResetSeqNumFlag was rejected",
                                    DisconnectReason::LogonRefused);
    default:
      return;
  }
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
      if (in.poss_dup || in.msg_seq_num > out_of_order_.reported_reject()) {
        actions_.reject_received(in.message, texts_.of_reject(in.message));
      }
      break;
    case MsgKind::Logon:
      // One without ResetSeqNumFlag has no meaning within a session. A resent one is an old one.
      if (!in.poss_dup) return reject(in, {.reason = kOther, .text = "Logon while logged on"});
      break;
    case MsgKind::Application:
      return push_deliver(in);
    case MsgKind::Heartbeat:
      advance_to(in.msg_seq_num + 1);
      return on_heartbeat_received(in.message);
    case MsgKind::ResendRequest:
    case MsgKind::Logout:
      break;
  }
  advance_to(in.msg_seq_num + 1);
}

// The application.

void StateMachine::push_deliver(const Inbound& in) noexcept {
  message_seq_num_ = in.msg_seq_num;
  delivery_ = Delivery::Awaited;
  actions_.push({.step = Step::Deliver,
                 .flag = in.poss_dup,
                 .first = in.msg_seq_num,
                 .second = in.says_yes(tag::PossResend) ? 1U : 0U});
}

void StateMachine::on_delivered(const detail::DeliveryDecision& decision, Now now) noexcept {
  if (delivery_ != Delivery::Awaited) [[unlikely]]
    return on_old_delivered(decision, now);
  delivery_ = Delivery::None;
  now_ = now;
  if (decision.kind == detail::DeliveryDecision::Kind::Accept) [[likely]]
    return advance_to(message_seq_num_ + 1);
  on_refused(decision);
}

[[gnu::noinline]] void StateMachine::on_old_delivered(const detail::DeliveryDecision& decision,
                                                      const Now& now) noexcept {
  NEXUSFIX_ASSERT(delivery_ == Delivery::AwaitedOld);
  delivery_ = Delivery::None;
  now_ = now;
  if (decision.kind != detail::DeliveryDecision::Kind::Accept) on_refused(decision);
}

[[gnu::noinline]] void StateMachine::on_refused(const detail::DeliveryDecision& decision) noexcept {
  const Inbound in{*message_, message_seq_num_};
  Objection objection{
      .reason = decision.reason,
      .is_business = decision.kind == detail::DeliveryDecision::Kind::RejectBusiness,
      .text = decision.text,
      .ref_id = decision.ref_id};
  if (decision.ref_tag != 0) objection.ref_tag = texts_.ref_tag(decision.ref_tag);
  reject(in, objection);
}

// MsgSeqNum.

// What has been processed out of order is counted now, and the gap may be closed.
[[gnu::noinline]] void StateMachine::advance_out_of_order(std::uint64_t next_inbound) noexcept {
  if (next_inbound == out_of_order_.first_counted()) {
    next_inbound = out_of_order_.after_counted(next_inbound);
    out_of_order_.drop_counted_below(next_inbound);
  }
  numbers_.advance_inbound(next_inbound);
  if (gap_.is_open()) {
    const bool is_part_done = gap_.advance(gap_position(), config_.gap, actions_);
    if (is_part_done && phase_.is_logged_on()) {
      gap_.request_rest(gap_position(), config_.gap, actions_);
    }
  }
  continue_logout();
}

// FIX Session Layer, "MsgSeqNum missing": a serious application error, Logout and disconnect. A
// number that cannot be read leaves us as blind as none.
void StateMachine::on_msg_seq_num_unreadable(const wire::MessageView& message) noexcept {
  const bool is_missing = !message.has(tag::MsgSeqNum) && !message.fault();
  const std::string_view text = is_missing ? "MsgSeqNum missing" : "MsgSeqNum missing or malformed";
  actions_.notice(NoticeCode::MessageRejected, text);
  log_out_and_disconnect(text, DisconnectReason::ProtocolViolation);
}

// TC 2c, 2e. Without PossDupFlag it is fatal: one of the two sides has lost count.
void StateMachine::on_too_low(const Inbound& in) noexcept {
  if (in.poss_dup) {
    const auto objection = detail::poss_dup_objection(in, config_.header);
    if (!objection) return;  // processed already
    if (!objection->ends_session || in.kind == MsgKind::Application) reject(in, *objection);
    if (objection->ends_session) reject_and_log_out(in, *objection);
    return;
  }
  refuse_too_low(in.msg_seq_num);
}

void StateMachine::refuse_too_low(std::uint64_t msg_seq_num) noexcept {
  const std::uint64_t expected = numbers_.next_inbound();
  actions_.notice(NoticeCode::MsgSeqNumTooLow, {}, expected, msg_seq_num);
  log_out_and_disconnect(texts_.compared("MsgSeqNum too low", expected, msg_seq_num),
                         DisconnectReason::MsgSeqNumTooLow);
}

// TC 2b: buffered until its turn comes, while what is missing before it is asked for. Once we have
// said Logout it is too late to ask; the message counts as not received and comes after the next
// Logon.
void StateMachine::on_too_high(const Inbound& in) noexcept {
  report_early_reject(in);
  if (phase_.has_sent_logout()) return out_of_order_.record_received(in.msg_seq_num);
  actions_.push(
      {.step = Step::BufferOutOfOrder, .first = in.msg_seq_num, .text = in.message.bytes()});
  out_of_order_.record_buffered(in.msg_seq_num);
  gap_.request({.received = in.msg_seq_num, .gap_end = in.msg_seq_num}, gap_position(), config_.gap,
               actions_);
}

// A Reject of our ResendRequest says why the gap stays open, and has a number above it: its turn
// never comes. So each Reject of a session message is reported when it arrives.
void StateMachine::report_early_reject(const Inbound& in) noexcept {
  const std::string_view ref_msg_type = in.message[tag::RefMsgType].value_or(std::string_view{});
  const bool is_business = in.message.msg_type() == std::string_view{"j"} &&
                           !ref_msg_type.empty() && is_administrative(ref_msg_type);
  if (in.kind != MsgKind::Reject && !is_business) return;
  actions_.reject_received(in.message, texts_.of_reject(in.message));
  out_of_order_.record_reported_reject(in.msg_seq_num);
}

// Not for what has been processed out of order: two sides that asked for each other's
// ResendRequests again would do so without an end. Nor for what a gap fill has replaced, unless it
// was lost here: for the counterparty it has arrived.
void StateMachine::on_out_of_order_lost(std::uint64_t first_buffered, std::uint64_t highest_lost,
                                        Now now) noexcept {
  begin_event(now);
  const std::uint64_t next = numbers_.next_inbound();
  const std::uint64_t filled_end = out_of_order_.filled_end();
  if (phase_.has_logged_on() && next < filled_end && next > highest_lost && !gap_.is_open() &&
      next != first_buffered) {
    const std::uint64_t end =
        first_buffered != 0 ? std::min(first_buffered, filled_end) : filled_end;
    out_of_order_.drop_counted_below(end);
    return advance_to(end);
  }
  const std::uint64_t highest = out_of_order_.highest();
  if (!phase_.is_logged_on() || gap_.is_open() || next > highest || next == first_buffered) return;
  out_of_order_.drop_counted_below(next);
  std::uint64_t end = highest + 1;
  for (const std::uint64_t known : {first_buffered, out_of_order_.first_counted()}) {
    if (known != 0) end = std::min(end, known);
  }
  gap_.request({.received = highest, .gap_end = end}, gap_position(), config_.gap, actions_);
}

// TestRequest. TC 4b.
void StateMachine::on_test_request(const Inbound& in) noexcept {
  const std::optional<std::string_view> test_req_id = in.message[tag::TestReqID];
  if (!test_req_id) return reject(in, {.reason = kRequiredMissing, .ref_tag = "112"});
  if (test_req_id->size() > detail::kTestReqIdBytesMax) {
    return reject(in, {.reason = kValueIncorrect, .ref_tag = "112"});
  }
  actions_.push({.step = Step::TransmitHeartbeat, .flag = true, .text = *test_req_id});
  advance_to(in.msg_seq_num + 1);
}

// ResendRequest.

// Served at once whatever its number is, and before we ask for what we miss ourselves: two sides
// that each wait for the other's answer first would wait for ever. When the turn of one that came
// out of order comes, it is only counted.
void StateMachine::on_resend_request(const Inbound& in,
                                     const std::optional<Objection>& objection) noexcept {
  const bool is_expected = in.msg_seq_num == numbers_.next_inbound();
  const bool is_too_high = in.msg_seq_num > numbers_.next_inbound();
  if (is_expected && in.msg_seq_num <= out_of_order_.served_request()) {
    return advance_to(in.msg_seq_num + 1);
  }
  if (objection) return is_too_high ? on_too_high(in) : reject(in, *objection);
  const std::expected<ResendRange, Objection> range =
      detail::requested_range(in.message, numbers_.next_outbound(), header_.version());
  if (range) {
    show_administrative();
    ask_or_serve(*range, in.msg_seq_num);
    if (is_expected) advance_to(in.msg_seq_num + 1);
  } else {
    reject(in, range.error());
  }
  if (is_too_high) on_served_out_of_order(in);
}

// Requests that come while a resend is under way are answered together, and counted as one when
// their turn comes.
void StateMachine::ask_or_serve(const ResendRange& range, std::uint64_t request_seq_num) noexcept {
  if (!resend_.is_active() && !governor_.admits(range, numbers_.next_outbound(), config_.resend)) {
    return log_out(detail::kTooManyResends);
  }
  if (!config_.resend.asks_before) return resend_.serve(range, config_.resend, actions_);
  governor_.ask(range, request_seq_num);
  actions_.push({.step = Step::AskResend, .first = range.begin, .second = range.end});
}

// A ResendRequest that has been served is only counted when its turn comes, also where others are
// discarded, and an open gap is not asked for again because of it: two sides that answered each
// other's requests with more of them would never come to an end.
void StateMachine::on_served_out_of_order(const Inbound& in) noexcept {
  if (phase_.has_sent_logout()) return;
  out_of_order_.record_served_request(in.msg_seq_num);
  out_of_order_.record_received(in.msg_seq_num);
  if (!out_of_order_.record_processed(in.msg_seq_num, numbers_.next_inbound())) {
    out_of_order_.record_buffered(in.msg_seq_num);
    actions_.push(
        {.step = Step::BufferOutOfOrder, .first = in.msg_seq_num, .text = in.message.bytes()});
  }
  if (!gap_.is_open()) {
    gap_.request({.received = in.msg_seq_num, .gap_end = in.msg_seq_num}, gap_position(),
                 config_.gap, actions_);
  }
}

// FIX 4.4, Logon, NextExpectedMsgSeqNum: after our answer, which the counterparty sees anyway. If
// it is all that is new, nothing is missing.
void StateMachine::serve_expected(std::uint64_t next_expected) noexcept {
  const std::uint64_t answer = numbers_.next_outbound() - 1;
  if (next_expected >= answer) return;
  const std::size_t waiting = actions_.size();
  ask_or_serve({.begin = next_expected, .end = answer}, 0);
  actions_.move_to_front(waiting);
}

// SequenceReset in both modes: GapFill takes the place of messages that are not sent again, Reset
// abandons what is missing.

// TC 11: its own MsgSeqNum is ignored. A NewSeqNo at or above the expected number is accepted and
// reported, because messages may be lost for good; a lower one is rejected and changes nothing. If
// AllowSequenceReset=N a Reset is reported and rejected.
void StateMachine::on_sequence_reset(const Inbound& in,
                                     const std::optional<Objection>& objection) noexcept {
  const auto refuse = [&](const Objection& why) { push_reject(in.message, in.msg_seq_num, why); };
  const NewSeqNo new_seq_no = new_seq_no_of(in.message);
  if (objection) return refuse(*objection);
  if (!has_gap_fill_flag_form(in.message)) {
    return refuse({.reason = kValueIncorrect, .ref_tag = "123"});
  }
  if (new_seq_no.value == 0) {
    return refuse({.reason = new_seq_no.reject_reason, .ref_tag = "36"});
  }
  if (new_seq_no.value < numbers_.next_inbound()) return refuse({.reason = kValueIncorrect});
  actions_.notice(NoticeCode::SequenceResetReceived, {}, numbers_.next_inbound(), new_seq_no.value);
  if (!config_.reset.allows_sequence_reset) {
    return refuse({.reason = kOther, .text = "SequenceReset-Reset is not accepted"});
  }
  show_administrative();
  if (new_seq_no.value > numbers_.next_inbound()) skip_to(new_seq_no.value);
}

// TC 10, in its turn. A NewSeqNo that does not lead forward is rejected; the number of the gap fill
// is used up, as that of any rejected message.
void StateMachine::on_gap_fill(const Inbound& in) noexcept {
  const NewSeqNo new_seq_no = new_seq_no_of(in.message);
  if (new_seq_no.value == 0) {
    return reject(in, {.reason = new_seq_no.reject_reason, .ref_tag = "36"});
  }
  if (new_seq_no.value <= in.msg_seq_num) return reject(in, {.reason = kValueIncorrect});
  const std::uint64_t requested_end = gap_.requested_end();
  skip_to(without_buffered(new_seq_no.value));
  // A NewSeqNo that is the EndSeqNo leads to the last number that was asked for, and not past it.
  // Nothing shows whether that one follows, so it is asked for with the next ones.
  const bool is_one_short = gap_.is_open() && new_seq_no.value == requested_end;
  if (is_one_short && requested_end + 1 < gap_.end() && phase_.is_logged_on()) {
    gap_.request_rest(gap_position(), config_.gap, actions_);
  }
}

// The answer to a request that ended where the gap ends says nothing of what came before and is
// buffered: that was not asked for. The gap fill counts up to there, then what is buffered, and all
// around that up to NewSeqNo.
// docs/reference/session.md says why; where all was asked for, the gap fill is the answer for all.
std::uint64_t StateMachine::without_buffered(std::uint64_t new_seq_no) noexcept {
  if (!gap_.is_open() || gap_.requested_end() == 0 || new_seq_no <= gap_.end()) return new_seq_no;
  if (new_seq_no - numbers_.next_inbound() > config_.reset.sequence_jump_max) return new_seq_no;
  if (new_seq_no <= out_of_order_.after_counted(gap_.end())) return new_seq_no;
  out_of_order_.record_filled(gap_.end(), new_seq_no);
  actions_.notice(NoticeCode::GapFillBeyondRequest, {}, gap_.end(), new_seq_no);
  return gap_.end();
}

void StateMachine::skip_to(std::uint64_t new_seq_no) noexcept {
  const std::uint64_t expected = numbers_.next_inbound();
  if (new_seq_no - expected > config_.reset.sequence_jump_max) {
    return log_out("NewSeqNo too far ahead");
  }
  if (out_of_order_.highest() >= expected) {
    actions_.push({.step = Step::DiscardOutOfOrder,
                   .first = expected,
                   .second = std::min(new_seq_no - 1, out_of_order_.highest())});
  }
  out_of_order_.drop_counted_below(new_seq_no);
  advance_to(new_seq_no);
  continue_logout();
}

// Reject.

// FIX Session Layer, "Reject": the rejected message counts as received, or it would be asked for
// again and rejected again.
void StateMachine::reject(const Inbound& in, const Objection& objection) noexcept {
  push_reject(in.message, in.msg_seq_num, objection);
  if (in.msg_seq_num == numbers_.next_inbound()) advance_to(in.msg_seq_num + 1);
}

// TC 2f, 2k, 2o: what contradicts the session itself ends it, Logout without text after the Reject.
// After an invalid SendingTime more messages of that kind are in flight: each of them is answered,
// and then we say Logout: until then the phase is LogoutWaits without a logout_seq_num. A Reject
// says that a message is not processed. So an application message out of its turn gets none: it was
// processed before, or is requested after the next Logon.
void StateMachine::reject_and_log_out(const Inbound& in, const Objection& objection) noexcept {
  const bool is_comp_id =
      objection.reason == static_cast<unsigned>(SessionRejectReason::CompIdProblem);
  const std::uint64_t expected = numbers_.next_inbound();
  actions_.notice(is_comp_id ? NoticeCode::CompIdWrong : NoticeCode::SendingTimeWrong,
                  objection.note, expected, in.msg_seq_num);
  if (is_comp_id || in.kind != MsgKind::Application || phase_.is(Phase::ResetSent) ||
      in.msg_seq_num == expected) {
    reject(in, objection);
  } else if (in.msg_seq_num < expected && !in.poss_dup) {
    return refuse_too_low(in.msg_seq_num);
  }
  if (is_comp_id || phase_.is(Phase::ResetSent)) return log_out({});
  if (!phase_.is(Phase::LogoutWaits)) {
    if (phase_.is_logged_on()) phase_.enter(Phase::LogoutWaits, now_.mono + kAnswerTime);
  } else if (at_end_.logout_seq_num != 0) {
    answer_logout({});
  }
}

// A Reject is never answered with a Reject, nor a BusinessMessageReject with one of its kind: two
// engines that disagree would go on for ever.
void StateMachine::push_reject(const wire::MessageView& message, std::uint64_t msg_seq_num,
                               const Objection& objection) noexcept {
  const std::string_view type = message.msg_type();
  if (type == "j" && objection.is_business) {
    if (msg_seq_num <= out_of_order_.reported_reject()) return;
    return actions_.reject_received(message, texts_.of_reject(message));
  }
  const std::string_view text = !objection.text.empty() ? objection.text
                                : objection.is_business ? business_reject_text(objection.reason)
                                                        : session_reject_text(objection.reason);
  std::uint64_t ref_tag = 0;
  const std::string_view digits = objection.ref_tag;
  std::from_chars(digits.data(), digits.data() + digits.size(), ref_tag);
  actions_.push({.step = Step::Notice,
                 .code = static_cast<std::uint8_t>(NoticeCode::MessageRejected),
                 .flag = type != "3",
                 .first = ref_tag,
                 .second = msg_seq_num,
                 .text = texts_.with_tag(text, objection.ref_tag)});
  if (type == "3") return;
  message_ = &message;
  message_seq_num_ = msg_seq_num;
  objection_ = objection;
  actions_.push({.step = Step::TransmitReject});
}

}  // namespace nexusfix::session
