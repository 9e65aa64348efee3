// Construction, the events that are no message, sending, and how a queued step becomes an Action.
#include "session/api/state_machine.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/edit.hpp>
#include <nexusfix/wire/field.hpp>

#include "session/api/config.hpp"
#include "session/logon_check.hpp"
#include "session/outbound/administrative.hpp"

namespace nexusfix::session {

using detail::Step;

namespace {

// A SessionStatus as a Pending has it.
std::optional<std::uint64_t> session_status_of(const detail::Pending& pending) noexcept {
  if (pending.second == 0) return std::nullopt;
  return pending.second - 1;
}

}  // namespace

static_assert(2 * detail::kTestReqIdBytesMax < StateMachine::kScratchBytes);

StateMachine::StateMachine(SessionConfig config, Numbers numbers, EventMemory* memory)
    : config_{std::move(config)},
      own_memory_{memory == nullptr ? std::make_unique<EventMemory>() : nullptr},
      header_{config_},
      numbers_{numbers},
      actions_{(memory == nullptr ? own_memory_.get() : memory)->actions},
      texts_{(memory == nullptr ? own_memory_.get() : memory)->texts} {
  begin_with_own_version();
}

void StateMachine::configure(SessionConfig config) noexcept {
  NEXUSFIX_ASSERT(actions_.is_empty() && delivery_ != Delivery::Next);
  NEXUSFIX_ASSERT(config.id == config_.id);
  config_ = std::move(config);
  header_cache_.forget();
  header_.configure(config_);
  if (phase_.is_connected()) {
    set_counterparty_version(logon_.counterparty_appl_ver_id());
  } else {
    begin_with_own_version();
  }
}

// Until the counterparty's Logon.
void StateMachine::begin_with_own_version() noexcept {
  const bool is_named = header_.version().has_default_appl_ver_id;
  set_counterparty_version(is_named ? wire::known_appl_ver_id(config_.fixt.default_appl_ver_id)
                                    : '\0');
}

[[gnu::cold]] void StateMachine::set_counterparty_version(char appl_ver_id) noexcept {
  logon_.set_counterparty_appl_ver_id(appl_ver_id);
  const auto version_of = [this](std::string_view id) {
    const std::string_view version = wire::application_version(id);
    return wire::named_version(version.empty() ? header_.version().begin_string : version);
  };
  versions_ = {.own = version_of(config_.fixt.default_appl_ver_id),
               .counterparty = version_of(counterparty_appl_ver_id())};
}

void StateMachine::set_sequence_numbers(Numbers numbers) noexcept {
  NEXUSFIX_ASSERT(!phase_.is_connected() && actions_.is_empty());
  logon_.reset_within().is_unanswered = false;
  numbers_.set(numbers);
}

const SessionConfig& StateMachine::config() const noexcept { return config_; }

std::string_view StateMachine::counterparty_appl_ver_id() const noexcept {
  const char& appl_ver_id = logon_.counterparty_appl_ver_id();
  return {&appl_ver_id, appl_ver_id == 0 ? 0U : 1U};
}

bool StateMachine::is_about_to_reset() const noexcept {
  if (numbers_.is_resetting()) return true;
  if (!phase_.is_connected()) return false;
  const bool is_logging_out = phase_.has_sent_logout();
  const bool is_leaving = is_logging_out || phase_.is(Phase::Closing);
  return at_end_.resets || (is_leaving && config_.reset.on_disconnect) ||
         (is_logging_out && config_.reset.on_logout);
}

// The connection.

void StateMachine::on_connected(Now now) noexcept {
  begin_event(now);
  NEXUSFIX_ASSERT(!phase_.is_connected());
  forget_connection();
  heartbeat_.start(now.mono);
  const MonoTime deadline = now.mono + config_.logon.timeout;
  if (config_.role == Role::Acceptor) return phase_.enter(Phase::AwaitingLogon, deadline);
  phase_.enter(Phase::LogonSent, deadline);
  heartbeat_.set_interval(config_.heartbeat.heart_bt_int, config_.heartbeat);
  if (config_.reset.on_logon) {
    reset_sequence_numbers();
    logon_.set_reset_sent(header_.version().has_reset_seq_num_flag);
  }
  if (logon_.reset_within().is_unanswered) return push_reset_logon();
  actions_.push({.step = Step::TransmitLogon, .flag = logon_.is_reset_sent()});
}

void StateMachine::on_disconnected(Now now) noexcept {
  now_ = now;
  drop_actions();
  if (phase_.has_logged_on()) report_missing();
  const AtEnd at_end = std::exchange(at_end_, {});
  const bool logout_is_pending = phase_.has_logged_on() || at_end.has_logged_on;
  delivery_ = Delivery::None;
  const bool was_connected = phase_.is_connected();
  const bool is_complete = phase_.is(Phase::LogoutAnswered);
  phase_.enter(Phase::Disconnected);
  forget_connection();
  if (logout_is_pending) actions_.push({.step = Step::LoggedOut, .flag = is_complete});
  if (at_end.resets || (was_connected && config_.reset.on_disconnect)) {
    reset_sequence_numbers();
  }
}

// What was still to be done needs the connection, but for a Reset and the application's notice.
void StateMachine::drop_actions() noexcept {
  while (!actions_.is_empty()) {
    const Step step = actions_.pop().step;
    if (step == Step::Reset && phase_.is(Phase::ResetSent)) {
      numbers_.cancel_reset(
          logon_.reset_within().next_inbound);  // The counterparty knows nothing of it.
      logon_.reset_within().is_unanswered = false;
    } else {
      at_end_.resets |= step == Step::Reset;
    }
    at_end_.has_logged_on |= step == Step::LoggedOut;
  }
}

// FIX Session Layer, "Garbled message processing": ignored, no MsgSeqNum is used up, and the gap
// shows with the next message. Before the Logon there is no session to protect: TC 1S, "invalid
// Logon" with an invalid BodyLength, expects the connection to be closed without a message.
void StateMachine::on_garbled(wire::GarbledReason reason, Now now) noexcept {
  begin_event(now);
  if (state() == State::Disconnected) return;
  actions_.notice(NoticeCode::MessageGarbled, wire::to_string(reason));
  if (reason == wire::GarbledReason::BodyLengthTooLarge || reason == wire::GarbledReason::TooLong) {
    return end_session(DisconnectReason::StreamUnusable);
  }
  if (phase_.is(Phase::AwaitingLogon) || phase_.is(Phase::LogonSent)) {
    end_session(DisconnectReason::LogonRefused);
  }
}

void StateMachine::on_logout_command(std::string_view text, Now now) noexcept {
  begin_event(now);
  leave(text, DisconnectReason::Operator);
}

void StateMachine::on_logon_refused(const LogonRefusal& refusal, Now now) noexcept {
  begin_event(now);
  if (!phase_.is(Phase::AwaitingLogon)) return;
  actions_.push({.step = Step::TransmitLogout,
                 .second = refusal.session_status ? std::uint64_t{*refusal.session_status} + 1 : 0,
                 .text = refusal.text});
  end_session(DisconnectReason::LogonRefused);
}

void StateMachine::on_test_request_command(std::string_view test_req_id, Now now) noexcept {
  begin_event(now);
  if (!phase_.is_logged_on()) return;
  actions_.push({.step = Step::TransmitTestRequest, .text = test_req_id});
}

void StateMachine::on_gap_fill_command(std::uint64_t new_seq_no, Now now) noexcept {
  begin_event(now);
  if (!phase_.is_logged_on() || new_seq_no <= numbers_.next_outbound()) return;
  actions_.push({.step = Step::TransmitGapFill, .first = new_seq_no});
}

void StateMachine::on_reset_command(ResetFallback fallback, Now now) noexcept {
  begin_event(now);
  if (!phase_.is(Phase::LoggedOn) || !header_.version().has_reset_seq_num_flag) return;
  logon_.reset_within().tests = 0;
  logon_.reset_within().fallback = fallback;
  at_end_.resets |= fallback == ResetFallback::LogOut;
  ask_before_reset();
}

void StateMachine::on_session_end(std::string_view text, Now now) noexcept {
  begin_event(now);
  if (!phase_.is_connected()) return reset_sequence_numbers();
  at_end_.resets = true;
  leave(text, DisconnectReason::SessionTimeOver);
}

// What belongs to one connection: timers, the open gap, the resend in progress.
void StateMachine::forget_connection() noexcept {
  heartbeat_.forget_connection();
  logon_.forget_connection();
  gap_.forget();
  out_of_order_.forget();
  is_delayed_ = false;
  forget_resends();
}

void StateMachine::forget_resends() noexcept {
  governor_.forget();
  resend_.forget();
}

void StateMachine::reset_sequence_numbers() noexcept {
  numbers_.begin_reset();
  at_end_.logout_seq_num = 0;
  logon_.reset_within().is_unanswered = false;
  gap_.forget();
  out_of_order_.forget();
  forget_resends();
  actions_.push({.step = Step::Reset});
}

// Time.

void StateMachine::on_time(Now now) noexcept {
  begin_event(now);
  if (now.mono < next_deadline()) return;
  switch (phase_.phase()) {
    case Phase::Disconnected:
    case Phase::Closing:
      return;
    case Phase::AwaitingLogon:
    case Phase::LogonSent:
      return end_session(DisconnectReason::LogonTimeout);
    case Phase::LogonReceived:
      return end_session(DisconnectReason::LogonNotDecided);
    case Phase::LogoutSent:
      return end_session(DisconnectReason::LogoutTimeout);
    case Phase::LogoutAnswered:
      actions_.notice(NoticeCode::ConnectionNotClosed);
      return end_session(DisconnectReason::LogoutComplete);
    case Phase::LogoutWaits:
    case Phase::ResetAsked:
    case Phase::ResetSent:
      if (now.mono >= phase_.deadline()) return on_wait_over();
      [[fallthrough]];
    case Phase::LoggedOn:
      if (now.mono >= heartbeat_.deadline(config_.heartbeat)) on_heartbeat_time();
      if (phase_.is_logged_on() && now.mono >= gap_.deadline() &&
          !gap_.on_time(gap_position(), config_.gap, actions_)) {
        log_out("ResendRequest not answered");
      }
      return;
  }
}

void StateMachine::on_heartbeat_time() noexcept {
  using Due = detail::HeartbeatTimers::Due;
  switch (heartbeat_.remove_due(now_.mono, config_.heartbeat)) {
    case Due::Heartbeat:
      return actions_.push({.step = Step::TransmitHeartbeat});
    case Due::TestRequest:
      actions_.notice(NoticeCode::TestRequestSent);
      return actions_.push({.step = Step::TransmitTestRequest});
    case Due::SilenceTooLong:
      break;
  }
  if (!config_.heartbeat.disconnects_on_silence) {
    return actions_.notice(NoticeCode::TestRequestNotAnswered);
  }
  if (!config_.heartbeat.says_logout_on_silence) {
    return end_session(DisconnectReason::HeartbeatTimeout);
  }
  log_out_and_disconnect("TestRequest not answered", DisconnectReason::HeartbeatTimeout);
}

// Resends.

// What goes out again comes where it would without the question: what waits after the AskResend
// may have higher numbers.
void StateMachine::on_resend_decision(const detail::ResendDecision& decision, Now now) noexcept {
  now_ = now;
  ResendRange range = governor_.consume_request();
  if (range.begin == 0) return;  // a reset or the end of the connection came between
  const std::size_t waiting = actions_.size();
  using Kind = detail::ResendDecision::Kind;
  switch (decision.kind) {
    case Kind::Resend:
    case Kind::GapFill:
      range.resend_from = decision.kind == Kind::Resend ? decision.from : range.end + 1;
      resend_.serve(range, config_.resend, actions_);
      return actions_.move_to_front(waiting);
    case Kind::Reject:
      if (governor_.asked_by() == 0) return log_out(decision.text);
      return push_reject(
          *message_, governor_.asked_by(),
          {.reason = static_cast<unsigned>(SessionRejectReason::Other), .text = decision.text});
    case Kind::LogOut:
      return log_out(decision.text);
  }
}

// Both may be called while actions of the event that asked for the Replay are still to be taken:
// what they leave to be done comes after those.
void StateMachine::on_replay_message(std::uint64_t msg_seq_num, std::string_view bytes,
                                     Now now) noexcept {
  now_ = now;
  resend_.on_stored(msg_seq_num, bytes, actions_);
}

void StateMachine::on_replay_done(Now now) noexcept {
  now_ = now;
  if (resend_.is_active()) actions_.push({.step = Step::RetransmitRest});
}

// Application messages, which the owner encodes and stores.

void StateMachine::send_heartbeat() noexcept {
  if (phase_.is_logged_on()) actions_.push({.step = Step::TransmitHeartbeat});
}

void StateMachine::rewind_outbound(std::uint64_t next_outbound) noexcept {
  if (next_outbound != numbers_.next_outbound()) heartbeat_.undo_sent_application();
  numbers_.rewind_outbound(next_outbound);
}

// From a thing to do to an Action: here administrative messages are encoded and get their numbers.

// The queue is not empty.
std::optional<Action> StateMachine::consume_action(Scratch scratch) noexcept {
  NEXUSFIX_ASSERT(scratch.size() >= kScratchBytes);
  do {
    const Pending pending = actions_.pop();  // perform() may push into its place
    if (std::optional<Action> action = perform(pending, scratch)) return action;
  } while (!actions_.is_empty());
  return std::nullopt;
}

// body writes the fields after the header, in full or without all that comes from outside.
template <class Body>
Transmit StateMachine::transmit(std::string_view msg_type, Scratch scratch, Body&& body) noexcept {
  const auto encode = [&](bool in_full) {
    wire::Encoder encoder = header_.begin(
        scratch, header_.fields(msg_type, numbers_.next_outbound(), now_.wall), numbers_);
    body(encoder, in_full);
    return encoder.finish();
  };
  std::expected<std::string_view, wire::EncodeError> bytes = encode(true);
  if (!bytes) bytes = encode(false);
  NEXUSFIX_ASSERT(bytes.has_value());
  heartbeat_.record_sent(now_.mono);
  return {.msg_seq_num = numbers_.consume_outbound(), .msg_type = msg_type, .bytes = *bytes};
}

std::optional<Action> StateMachine::perform(const Pending& pending, Scratch scratch) noexcept {
  switch (pending.step) {
    case Step::TransmitLogon:
      return transmit_logon(pending, scratch);
    case Step::TransmitLogout:
      return transmit_logout(pending, scratch);
    case Step::Authenticate:
      return Authenticate{.logon_id = pending.first, .message = message_};
    case Step::TransmitHeartbeat:
      return transmit("0", scratch, [&](wire::Encoder& encoder, bool in_full) {
        if (in_full && pending.flag) detail::write_test_req_id(encoder, pending.text);
      });
    case Step::TransmitTestRequest:
      return transmit("1", scratch, [&](wire::Encoder& encoder, bool) {
        encoder.field(tag::TestReqID, pending.text.empty() ? "TEST" : pending.text);
      });
    case Step::TransmitGapFill:
      return transmit_gap_fill(pending.first, scratch);
    case Step::TransmitResendRequest:
      return transmit("2", scratch, [&](wire::Encoder& encoder, bool) {
        encoder.field(tag::BeginSeqNo, pending.first);
        encoder.field(tag::EndSeqNo,
                      pending.second != 0 ? pending.second : header_.version().resend_to_infinity);
      });
    case Step::TransmitReject:
      return transmit_reject(scratch);
    case Step::RetransmitStored:
      return retransmit_stored(scratch);
    case Step::RetransmitRest:
      return retransmit_rest(scratch);
    case Step::Deliver:
      return Deliver{.message = message_,
                     .msg_seq_num = pending.first,
                     .poss_dup = pending.flag,
                     .poss_resend = pending.second != 0};
    case Step::ShowAdministrative:
      return Administrative{.message = message_};
    case Step::BufferOutOfOrder:
      return BufferOutOfOrder{.msg_seq_num = pending.first, .bytes = pending.text};
    case Step::DiscardOutOfOrder:
      return DiscardOutOfOrder{.begin = pending.first, .end = pending.second};
    case Step::ServeExpected:
      serve_expected(pending.first);
      return std::nullopt;
    case Step::AskResend:
      if (!governor_.is_asking()) return std::nullopt;
      return AskResend{.begin = pending.first, .end = pending.second};
    case Step::Replay:
      return Replay{.begin = pending.first, .end = pending.second};
    case Step::Reset:
      numbers_.finish_reset();
      return Reset{};
    case Step::Release:
      logon_.release();
      return Release{};
    case Step::LoggedOn:
      return LoggedOn{};
    case Step::LoggedOut:
      return LoggedOut{.is_complete = pending.flag};
    case Step::Disconnect:
      return Disconnect{static_cast<DisconnectReason>(pending.code)};
    case Step::Notice:
      return notice_of(pending);
  }
  return std::nullopt;
}

Notice StateMachine::notice_of(const Pending& pending) const noexcept {
  Notice notice{.code = static_cast<NoticeCode>(pending.code),
                .expected = pending.first,
                .received = pending.second,
                .text = pending.text};
  if (!pending.flag) return notice;
  notice.message = message_;
  notice.reason = objection_.reason;
  notice.is_business = objection_.is_business;
  return notice;
}

// What the owner writes into it may not be encodable: then no Logon leaves at all, for one without
// its signature would only be refused.
Action StateMachine::transmit_logon(const Pending& pending, Scratch scratch) noexcept {
  const std::uint64_t repeated = pending.first;
  const wire::MessageHeader fields =
      header_.fields("A", repeated != 0 ? repeated : numbers_.next_outbound(), now_.wall);
  wire::Encoder encoder = header_.begin(scratch, fields, numbers_);
  const bool has_next_expected = detail::exchanges_next_expected(config_, header_.version());
  detail::write_logon(encoder,
                      {.heart_bt_int = heartbeat_.interval(),
                       .reset_seq_num_flag = pending.flag,
                       .next_expected = has_next_expected ? numbers_.next_inbound() : 0,
                       .session_status = session_status_of(pending)},
                      config_, header_.version());
  const LogonWriter& writer = config_.logon.writer;
  if (writer.write != nullptr) writer.write(writer.context, encoder, fields);
  detail::write_logon_trailer(encoder, config_);
  const std::expected<std::string_view, wire::EncodeError> bytes = encoder.finish();
  if (!bytes) {
    actions_.clear();
    close(DisconnectReason::LogonNotSent);
    return Notice{.code = NoticeCode::LogonInvalid, .text = wire::to_string(bytes.error().code)};
  }
  heartbeat_.record_sent(now_.mono);
  const bool is_within = phase_.is(Phase::ResetSent);
  const std::uint64_t msg_seq_num = repeated != 0 ? repeated : numbers_.consume_outbound();
  logon_.record_sent(msg_seq_num, /*opens_connection=*/is_within || phase_.is(Phase::LogonSent));
  if (repeated != 0) return Retransmit{.msg_seq_num = repeated, .bytes = *bytes};
  return Transmit{.msg_seq_num = msg_seq_num,
                  .msg_type = fields.msg_type,
                  .bytes = *bytes,
                  .is_resendable = logon_.reset_within().is_unanswered};
}

Action StateMachine::transmit_logout(const Pending& pending, Scratch scratch) noexcept {
  return transmit("5", scratch, [&](wire::Encoder& encoder, bool in_full) {
    detail::write_logout(encoder, pending.text, session_status_of(pending), header_.version(),
                         in_full);
  });
}

Action StateMachine::transmit_reject(Scratch scratch) noexcept {
  const detail::RejectContents contents{
      .message = *message_, .msg_seq_num = message_seq_num_, .objection = objection_};
  const VersionTraits& version = header_.version();
  const bool as_business = detail::is_business_reject(objection_, version);
  Transmit action =
      transmit(as_business ? "j" : "3", scratch, [&](wire::Encoder& encoder, bool in_full) {
        detail::write_reject(encoder, contents, config_.fixt, version, in_full);
      });
  action.is_resendable = as_business;
  return action;
}

// FIX Session Layer, "SequenceReset-GapFill": it has no PossDupFlag, because nothing was sent with
// the MsgSeqNums that it skips.
Action StateMachine::transmit_gap_fill(std::uint64_t new_seq_no, Scratch scratch) noexcept {
  Transmit action = transmit("4", scratch, [&](wire::Encoder& encoder, bool) {
    encoder.field(tag::GapFillFlag, 'Y').field(tag::NewSeqNo, new_seq_no);
  });
  numbers_.skip_outbound(new_seq_no);
  action.skips_to = new_seq_no;
  return action;
}

// A gap fill up to the stored message first, if numbers before it have no message to send again.
// One that turns out not to be resendable is left to the next gap fill.
std::optional<Action> StateMachine::retransmit_stored(Scratch scratch) noexcept {
  const std::uint64_t number = resend_.stored_seq_num();
  const std::string_view stored = resend_.stored_bytes();
  if (number < resend_.next() || is_administrative(detail::type_of_stored(stored))) {
    return std::nullopt;
  }
  if (number > resend_.next()) {
    actions_.push({.step = Step::RetransmitStored});
    return gap_fill(number, scratch);
  }
  const std::expected<std::string_view, wire::EncodeError> copy =
      wire::resend_copy(stored, now_.wall, header_.precision(), scratch);
  if (!copy) {
    return Notice{.code = NoticeCode::MessageNotResendable,
                  .received = number,
                  .text = wire::to_string(copy.error().code)};
  }
  resend_.cover_to(number + 1);
  heartbeat_.record_sent(now_.mono);
  return Retransmit{.msg_seq_num = number, .bytes = *copy};
}

std::optional<Action> StateMachine::retransmit_rest(Scratch scratch) noexcept {
  if (resend_.is_covered()) {
    finish_resend();
    return std::nullopt;
  }
  Action action = gap_fill(resend_.end() + 1, scratch);
  finish_resend();
  return action;
}

void StateMachine::finish_resend() noexcept {
  const ResendRange next = resend_.finish(actions_);
  if (next.begin == 0) return;
  if (!governor_.admits_merged(next, numbers_.next_outbound(), config_.resend)) {
    return log_out(detail::kTooManyResends);
  }
  resend_.serve(next, config_.resend, actions_);
}

// FIX Session Layer, "SequenceReset-GapFill": in answer to a ResendRequest it carries PossDupFlag,
// and so OrigSendingTime; what it stands for has no single one, so the present time is given.
Action StateMachine::gap_fill(std::uint64_t new_seq_no, Scratch scratch) noexcept {
  std::array<char, wire::kUtcTimestampBytesMax> time;
  const std::size_t size = wire::from_utc_timestamp(now_.wall, header_.precision(), time.data());
  const std::uint64_t first = resend_.next();
  wire::MessageHeader fields = header_.fields("4", first, now_.wall);
  fields.poss_dup = true;
  fields.orig_sending_time = {time.data(), size};
  wire::Encoder encoder = header_.begin(scratch, fields, numbers_);
  encoder.field(tag::NewSeqNo, new_seq_no).field(tag::GapFillFlag, 'Y');
  const std::expected<std::string_view, wire::EncodeError> bytes = encoder.finish();
  NEXUSFIX_ASSERT(bytes.has_value());
  resend_.cover_to(new_seq_no);
  heartbeat_.record_sent(now_.mono);
  return Retransmit{.msg_seq_num = first, .bytes = *bytes};
}

}  // namespace nexusfix::session
