// Heartbeats, TestRequests and every timeout.
#include <algorithm>

#include <nexusfix/session/reject_reason.hpp>

#include "session/inbound.hpp"

namespace nexusfix::session {
namespace {

// A Heartbeat must hold the TestReqID that it answers, and fit into the scratch buffer.
constexpr std::size_t kTestReqIdBytesMax = 1'024;
static_assert(2 * kTestReqIdBytesMax < StateMachine::kScratchBytes);

}  // namespace

MonoTime StateMachine::next_deadline() const noexcept {
  switch (state_) {
    case State::Disconnected:
      return kNever;
    case State::AwaitingLogon:
    case State::LogonSent:
    case State::LogonReceived:
    case State::LogoutSent:
      return deadline_;
    case State::LoggedOn:
      return std::min(heartbeat_deadline(), gap_deadline_);
  }
  return kNever;
}

void StateMachine::on_time(Now now) noexcept {
  begin_event(now);
  if (now.mono < next_deadline()) return;
  switch (state_) {
    case State::Disconnected:
      return;
    case State::AwaitingLogon:
    case State::LogonSent:
      return end_session(DisconnectReason::LogonTimeout);
    case State::LogonReceived:
      return end_session(DisconnectReason::LogonNotDecided);
    case State::LogoutSent:
      return end_session(DisconnectReason::LogoutTimeout);
    case State::LoggedOn:
      if (now.mono >= heartbeat_deadline()) on_heartbeat_time();
      if (state_ == State::LoggedOn && now.mono >= gap_deadline_) on_gap_time();
      return;
  }
}

// While a TestRequest is unanswered there is no Heartbeat: the TestRequest has just been sent, and
// if nothing comes back the connection ends before a second one would be due. (Where it does not
// end, Heartbeats go on.)
MonoTime StateMachine::heartbeat_deadline() const noexcept {
  if (heart_bt_int_ == MonoTime::duration::zero()) return kNever;
  if (test_request_sent_) {
    const MonoTime given_up_at = *test_request_sent_ + disconnect_after_;
    if (config_.heartbeat.disconnects_on_silence) return given_up_at;
    return std::min(given_up_at, last_sent_ + heart_bt_int_);
  }
  return std::min(last_sent_ + heart_bt_int_, last_received_ + test_request_after_);
}

// The disconnection is timed from the TestRequest, not from the last message: a process that was
// stopped for a while asks first, because what it missed may lie unread in its socket.
void StateMachine::on_heartbeat_time() noexcept {
  if (test_request_sent_) return on_silence();
  if (now_.mono < last_received_ + test_request_after_) {
    return push({.step = Step::TransmitHeartbeat});
  }
  notice(NoticeCode::TestRequestSent);
  test_request_sent_ = now_.mono;
  push({.step = Step::TransmitTestRequest});
}

// A counterparty that may be silent is asked again when it has been so for as long once more, and
// gets our Heartbeats meanwhile.
void StateMachine::on_silence() noexcept {
  if (config_.heartbeat.disconnects_on_silence) {
    if (!config_.heartbeat.says_logout_on_silence)
      return end_session(DisconnectReason::HeartbeatTimeout);
    return log_out_and_disconnect("TestRequest not answered", DisconnectReason::HeartbeatTimeout);
  }
  if (now_.mono < *test_request_sent_ + disconnect_after_) {
    return push({.step = Step::TransmitHeartbeat});
  }
  notice(NoticeCode::TestRequestNotAnswered);
  test_request_sent_.reset();
  last_received_ = now_.mono;
}

// TC 4b.
void StateMachine::on_test_request(const Inbound& in) noexcept {
  const std::optional<std::string_view> test_req_id = in.message[tag::TestReqID];
  if (!test_req_id) {
    return reject(in, {.reason = static_cast<unsigned>(SessionRejectReason::RequiredTagMissing),
                       .ref_tag = "112"});
  }
  if (test_req_id->size() > kTestReqIdBytesMax) {
    return reject(in, {.reason = static_cast<unsigned>(SessionRejectReason::ValueIncorrect),
                       .ref_tag = "112"});
  }
  push({.step = Step::TransmitHeartbeat, .flag = true, .text = *test_req_id});
  advance_to(in.msg_seq_num + 1);
}

}  // namespace nexusfix::session
