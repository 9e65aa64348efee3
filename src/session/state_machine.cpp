// Construction, the events' entry points, the queue of things to do, and what every rule shares.
#include <algorithm>
#include <utility>
#include <vector>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/session/state_machine.hpp>
#include <nexusfix/wire/application_version.hpp>

#include "session/inbound.hpp"

namespace nexusfix::session {

namespace {

wire::HeaderTemplate header_template(const SessionConfig& config) {
  NEXUSFIX_ASSERT(what_is_wrong(config).empty());
  const SessionId& id = config.id;
  std::vector<wire::HeaderField> fixed;
  for (const wire::HeaderField& one :
       {wire::HeaderField{tag::SenderSubID, id.sender_sub_id},
        wire::HeaderField{tag::TargetSubID, id.target_sub_id},
        wire::HeaderField{tag::SenderLocationID, id.sender_location_id},
        wire::HeaderField{tag::TargetLocationID, id.target_location_id}}) {
    if (!one.value.empty()) fixed.push_back(one);
  }
  auto made =
      wire::HeaderTemplate::make({id.begin_string, id.sender_comp_id, id.target_comp_id}, fixed);
  NEXUSFIX_ASSERT(made.has_value());
  return *std::move(made);
}

}  // namespace

StateMachine::StateMachine(SessionConfig config, Numbers numbers)
    : config_{std::move(config)},
      header_template_{header_template(config_)},
      version_{find_version(config_.id.begin_string)},
      precision_{config_.header.time_precision},
      numbers_{numbers} {
  NEXUSFIX_ASSERT(numbers_.next_inbound >= 1);
  NEXUSFIX_ASSERT(numbers_.next_outbound >= 1);
  derive();
  if (version_->has_default_appl_ver_id) {
    counterparty_appl_ver_id_ = wire::known_appl_ver_id(config_.fixt.default_appl_ver_id);
  }
}

void StateMachine::derive() noexcept {
  precision_ = effective_precision(*version_, config_.header.time_precision);
  sends_last_processed_ =
      config_.header.send_last_msg_seq_num_processed && version_->has_last_processed;
  sends_next_expected_ =
      config_.logon.send_next_expected_msg_seq_num && version_->has_next_expected;
  closes_requests_ =
      config_.gap.closed_resend_requests.value_or(config_.gap.out_of_order == OutOfOrder::Buffer);
}

void StateMachine::configure(SessionConfig config) noexcept {
  NEXUSFIX_ASSERT(pending_begin_ == pending_end_ && !delivers_next_);
  NEXUSFIX_ASSERT(config.id == config_.id);
  config_ = std::move(config);
  known_ = {};  // What was learnt of headers was learnt by the old rules.
  derive();
  if (!is_connected_ && version_->has_default_appl_ver_id) {
    counterparty_appl_ver_id_ = wire::known_appl_ver_id(config_.fixt.default_appl_ver_id);
  }
}

void StateMachine::set_numbers(Numbers numbers) noexcept {
  NEXUSFIX_ASSERT(!is_connected_ && pending_begin_ == pending_end_);
  NEXUSFIX_ASSERT(numbers.next_inbound >= 1 && numbers.next_outbound >= 1);
  numbers_ = numbers;
}

const SessionConfig& StateMachine::config() const noexcept { return config_; }

std::string_view StateMachine::counterparty_appl_ver_id() const noexcept {
  return {&counterparty_appl_ver_id_, counterparty_appl_ver_id_ == 0 ? 0U : 1U};
}

void StateMachine::on_connected(Now now) noexcept {
  begin_event(now);
  NEXUSFIX_ASSERT(!is_connected_);
  forget_connection();
  is_connected_ = true;
  last_sent_ = now.mono;
  last_received_ = now.mono;
  deadline_ = now.mono + config_.logon.timeout;
  if (config_.role == Role::Acceptor) {
    state_ = State::AwaitingLogon;
    return;
  }
  state_ = State::LogonSent;
  set_heart_bt_int(config_.heartbeat.heart_bt_int);
  if (config_.reset.on_logon) {
    reset_numbers();
    reset_sent_ = version_->has_reset_seq_num_flag;
  }
  push({.step = Step::TransmitLogon, .flag = reset_sent_});
}

void StateMachine::on_disconnected(Now now) noexcept {
  now_ = now;
  // What was still to be done needs the connection, but for a Reset and the application's notice.
  bool reset_is_pending = false;
  bool logout_is_pending = state_ == State::LoggedOn || state_ == State::LogoutSent;
  for (; pending_begin_ != pending_end_; ++pending_begin_) {
    reset_is_pending |= pending_[pending_begin_].step == Step::Reset;
    logout_is_pending |= pending_[pending_begin_].step == Step::LoggedOut;
  }
  pending_begin_ = pending_end_ = 0;
  awaits_verdict_ = false;
  delivers_next_ = false;
  const bool was_connected = std::exchange(is_connected_, false);
  state_ = State::Disconnected;
  forget_connection();
  if (logout_is_pending) push({.step = Step::LoggedOut});
  const bool is_over = std::exchange(resets_at_end_, false);
  if (reset_is_pending || is_over || (was_connected && config_.reset.on_disconnect)) {
    reset_numbers();
  }
}

// FIX Session Layer, "Garbled message processing": ignored, no MsgSeqNum is used up, and the gap
// shows with the next message. Before the Logon there is no session to protect: TC 1S, "invalid
// Logon" with a wrong BodyLength, expects the connection to be closed without a message.
void StateMachine::on_garbled(wire::GarbledReason reason, Now now) noexcept {
  begin_event(now);
  if (state_ == State::Disconnected) return;
  notice(NoticeCode::MessageGarbled, wire::to_string(reason));
  if (reason == wire::GarbledReason::BodyLengthTooLarge || reason == wire::GarbledReason::TooLong) {
    return end_session(DisconnectReason::StreamUnusable);
  }
  if (state_ == State::AwaitingLogon || state_ == State::LogonSent) {
    end_session(DisconnectReason::LogonRefused);
  }
}

bool StateMachine::is_about_to_reset() const noexcept {
  if (reset_is_pending_) return true;
  if (!is_connected_) return false;
  const bool is_leaving = state_ == State::LogoutSent || state_ == State::Disconnected;
  return resets_at_end_ || (is_leaving && config_.reset.on_disconnect) ||
         (state_ == State::LogoutSent && config_.reset.on_logout);
}

// pending_ is not empty.
std::optional<Action> StateMachine::take_action(std::span<char> scratch) noexcept {
  NEXUSFIX_ASSERT(scratch.size() >= kScratchBytes);
  do {
    const Pending pending = pending_[pending_begin_++];  // perform() may push into its place
    if (std::optional<Action> action = perform(pending, scratch)) return action;
  } while (pending_begin_ != pending_end_);
  return std::nullopt;
}

void StateMachine::push(const Pending& pending) noexcept {
  if (pending_begin_ == pending_end_) pending_begin_ = pending_end_ = 0;
  NEXUSFIX_ASSERT(pending_end_ < pending_.size());
  pending_[pending_end_++] = pending;
}

// What was pushed behind so many that wait comes first.
void StateMachine::move_to_front(std::size_t waiting) noexcept {
  Pending* const first = pending_.data() + pending_begin_;
  std::rotate(first, first + waiting, pending_.data() + pending_end_);
}

void StateMachine::push_deliver(std::uint64_t msg_seq_num, bool poss_dup,
                                bool poss_resend) noexcept {
  message_seq_num_ = msg_seq_num;
  awaits_verdict_ = true;
  push({.step = Step::Deliver,
        .flag = poss_dup,
        .first = msg_seq_num,
        .second = poss_resend ? 1U : 0U});
}

void StateMachine::notice(NoticeCode code, std::string_view text, std::uint64_t expected,
                          std::uint64_t received) noexcept {
  push({.step = Step::Notice,
        .code = static_cast<std::uint8_t>(code),
        .first = expected,
        .second = received,
        .text = text});
}

void StateMachine::advance_within_gap() noexcept {
  if (numbers_.next_inbound >= gap_end_) {
    notice(NoticeCode::GapClosed, {}, numbers_.next_inbound, gap_end_);
    gap_end_ = 0;
    requested_end_ = 0;
    gap_deadline_ = kNever;
    return;
  }
  gap_requests_ = 1;
  gap_limit_ = now_.mono + config_.gap.resend_timeout;
  note_answer();
  const bool is_chunk_done = requested_end_ != 0 && numbers_.next_inbound > requested_end_;
  if (is_chunk_done && state_ == State::LoggedOn) {
    gap_requests_ = 0;
    push_resend_request();
  }
}

// What belongs to one connection: timers, the open gap, the resend in progress.
void StateMachine::forget_connection() noexcept {
  deadline_ = kNever;
  test_request_sent_.reset();
  gap_end_ = 0;
  requested_end_ = 0;
  gap_deadline_ = kNever;
  gap_requests_ = 0;
  held_high_ = 0;
  early_count_ = 0;
  early_first_ = 0;
  early_resend_request_ = 0;
  reset_sent_ = false;
  is_delayed_ = false;
  logon_sent_ = 0;
  outlet_ = Outlet::Resend;
  forget_resends();
}

void StateMachine::forget_resends() noexcept {
  asked_ = {};
  served_ = {};
  served_count_ = 0;
  asked_lowest_ = 0;
  asked_count_ = 0;
  replay_ = {};
  replay_next_ = {};
}

// next_inbound is 1 at once, because the message that asked for the reset is judged by it;
// next_outbound when the owner takes the Reset, because what is transmitted before it belongs to
// the old epoch.
void StateMachine::reset_numbers() noexcept {
  numbers_.next_inbound = 1;
  gap_end_ = 0;
  requested_end_ = 0;
  gap_deadline_ = kNever;
  held_high_ = 0;
  early_count_ = 0;
  early_first_ = 0;
  early_resend_request_ = 0;
  forget_resends();
  reset_is_pending_ = true;
  push({.step = Step::Reset});
}

}  // namespace nexusfix::session
