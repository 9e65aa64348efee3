
#include <algorithm>
#include <string>
#include <utility>

#include <nexusfix/base/language.hpp>

#include "control/api/session_events.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/session/control/session_control.hpp"
#include "engine/session/sessions.hpp"

namespace nexusfix::engine {
namespace {

// BusinessRejectReason (380).
constexpr unsigned kOther = 0;
constexpr unsigned kApplicationNotAvailable = 4;
constexpr std::uint32_t kSessionPasswordChanged = 1;  // SessionStatus (1409)
constexpr std::string_view kThrottled = "Throttle limit exceeded";

constexpr std::string_view kTooHigh = "NextExpectedMsgSeqNum too high";

bool tells_of_lost_numbers(const session::Notice& notice) noexcept {
  if (notice.code == session::NoticeCode::LogonInvalid) return notice.text.starts_with(kTooHigh);
  return notice.code == session::NoticeCode::SequenceNumbersLost;
}

// Whether the counterparty knows a MsgSeqNum that we have not reached, or may do so. The opposite
// proves nothing: we may have sent messages up to it by now.
bool names_unknown_number(const session::Notice& notice, std::uint64_t next_outbound) noexcept {
  return notice.code == session::NoticeCode::LogonInvalid || notice.expected == 0 ||
         notice.expected > next_outbound;
}

// The side whose sequence numbers are too low, and the advice to the operator.
struct SideAtFault {
  std::string_view what;
  std::string_view advice;
};

SideAtFault side_at_fault(const session::Notice& notice, std::uint64_t next_outbound) noexcept {
  constexpr std::string_view kRestore =
      "Unless the store is right, restore it; or agree with the counterparty and use ";
  // A Logout of the counterparty: the next MsgSeqNum that we expect is above what it has sent.
  if (notice.code != session::NoticeCode::LogonInvalid && notice.text.starts_with(kTooHigh)) {
    return {
        "this store holds sequence numbers of the counterparty that it does not know itself, so "
        "its store is lost or an old copy, or the next MsgSeqNum in was set too high here",
        "The counterparty restores its store, or raises its next MsgSeqNum out to our next "
        "MsgSeqNum in. "
        "Only then, or if it was wrong here, agree on the sequence numbers and use "};
  }
  if (names_unknown_number(notice, next_outbound)) {
    return {
        "the counterparty knows sequence numbers that this store does not know, so the store is "
        "lost "
        "or an old copy",
        kRestore};
  }
  return {
      "the counterparty received a MsgSeqNum a second time: a message was repeated on its way, "
      "or the store is lost or an old copy",
      kRestore};
}

}  // namespace

void SessionActions::perform(SessionEntry& entry, const session::Action& action) {
  std::visit(
      [&](const auto& one) {
        if constexpr (requires { sessions_.outbox.perform(entry, one); }) {
          sessions_.outbox.perform(entry, one);
        } else if constexpr (requires { sessions_.resends.perform(entry, one); }) {
          sessions_.resends.perform(entry, one);
        } else if constexpr (requires { sessions_.held.perform(entry, one); }) {
          sessions_.held.perform(entry, one);
        } else {
          perform_own(entry, one);
        }
      },
      action);
}

void SessionActions::perform_own(SessionEntry& entry, const session::Deliver& action) {
  using Action = ThrottleAction;
  const Action throttled = entry.settings().throttle.action;
  if (throttled != Action::Delay && !action.poss_dup &&
      !entry.limits.throttle.allow(loop_.now().mono)) {
    if (throttled == Action::LogOut) {
      entry.commands.add(SessionCommands::Kind::LogOut, std::string{kThrottled});
    }
    loop_.latency.on_delivered();
    return reject(entry, business_reject(kOther, 0, kThrottled));
  }
  if (entry.settings().inbound_delivery == InboundDelivery::AtMostOnce &&
      action.msg_seq_num == entry.machine.sequence_numbers().next_inbound &&
      !sessions_.transactor.record_before_delivery(entry, action.msg_seq_num)) {
    return entry.machine.on_delivered({}, loop_.now());  // The store failed or is stalled.
  }
  deliver_now(entry, *action.message);
}

void SessionActions::deliver_now(SessionEntry& entry, const wire::MessageView& message) {
  const bool is_done = sessions_.transactor.run_callback(entry, [&] [[gnu::always_inline]] {
    loop_.latency.on_deliver();
    const MessageReply answer =
        loop_.callbacks.on_message(loop_.callbacks.application, entry.session, message);
    if (answer.accepts()) [[likely]]
      return entry.machine.on_accepted(loop_.now());
    reject(entry, answer);
  });
  loop_.latency.on_delivered();
  if (!is_done) [[unlikely]]
    reject(entry, business_reject(kApplicationNotAvailable, 0, "Application not available"));
}

[[gnu::noinline]] void SessionActions::reject(SessionEntry& entry, const MessageReply& reply) {
  reply_ = reply;  // It has texts, which few messages need.
  entry.machine.on_delivered({.kind = reply_.kind(),
                              .reason = reply_.reason(),
                              .ref_tag = reply_.ref_tag(),
                              .text = reply_.text(),
                              .ref_id = reply_.ref_id()},
                             loop_.now());
}

void SessionActions::perform_own(SessionEntry& entry, const session::Administrative& action) {
  static_cast<void>(sessions_.transactor.run_callback(entry, [&] {
    loop_.callbacks.on_admin(loop_.callbacks.application, entry.session, *action.message);
  }));
}

void SessionActions::perform_own(SessionEntry& entry, const session::Reset&) {
  if (!entry.stored.is_on_trial()) sessions_.transactor.record().reset(entry.stored.key());
  end_halt_by_reset(loop_, entry);
  entry.progress.set_next_inbound(1);
  // Messages after the Logon that resets belong to the new epoch, and are requested again.
  if (!entry.out_of_order.arrived_undecided()) {
    sessions_.held.discard(entry, 1, UINT64_MAX, "the sequence numbers are reset");
  }
  entry.out_of_order.clear();
  entry.resend.abort();
  entry.resend.queued().clear();
  sessions_.outbox.report_queued_lost(entry);
  entry.until_logon.clear();
  loop_.report.peer(EventId::SequenceNumbersReset, entry, "the sequence numbers are reset to 1");
}

// The state machine asks only if there is a callback or a password check. A callback that throws
// refuses the Logon: an error must not admit a client.
void SessionActions::perform_own(SessionEntry& entry, const session::Authenticate& action) {
  std::optional<LogonAnswer> answer;
  const LogonRequest request{.id = action.logon_id, .message = *action.message};
  if (loop_.callbacks.on_logon_request == nullptr)
    answer = LogonAnswer::accept();  // the password was right
  const bool done = answer || sessions_.transactor.run_callback(entry, [&] {
    answer = loop_.callbacks.on_logon_request(loop_.callbacks.application, entry.session, request);
  });
  if (!done) answer = LogonAnswer::refuse("Logon cannot be examined");
  if (!answer) return;
  entry.commands.answer_logon(action.logon_id, *std::move(answer));
}

void SessionActions::decide_logon(SessionEntry& entry) {
  using Kind = session::LogonDecision::Kind;
  LogonAnswer& answer = entry.commands.answer();
  if (begin_password_change(loop_, entry, answer))
    return;  // The Logon is answered when the new password is on the disk.
  if (answer.accepted && !answer.session_status && entry.connection() != nullptr &&
      entry.connection()->credentials().is_changed()) {
    answer.session_status = kSessionPasswordChanged;
  }
  entry.machine.on_logon_decision(entry.commands.logon_id(),
                                  {.kind = answer.accepted ? Kind::Accept : Kind::Refuse,
                                   .text = answer.text,
                                   .session_status = answer.session_status},
                                  loop_.now());
  decided_.push_back(&entry);
  loop_.work.set(Work::Decided);
}

SessionEntry* SessionActions::next_decided() noexcept {
  if (decided_.empty()) {
    loop_.work.clear(Work::Decided);
    return nullptr;
  }
  SessionEntry* const entry = decided_.back();
  decided_.pop_back();
  return entry;
}

void SessionActions::answer_logon(SessionEntry& entry, std::uint64_t logon_id,
                                  const LogonAnswer& answer) {
  static_cast<void>(sessions_.transactor.now());
  entry.commands.answer_logon(logon_id, answer);
  sessions_.transactor.apply_or_defer(entry);
}

void SessionActions::perform_own(SessionEntry& entry, const session::LoggedOn&) {
  ++entry.counters->logons;
  entry.counters->logon_changed_at.set(loop_.now().wall);
  entry.disconnection.cancel();
  entry.connect_policy.on_logged_on();
  entry.logons.failed.forget();
  entry.membership.on_logged_on();
  if (entry.connection() != nullptr) {
    entry.connection()->on_logged_on();
    if (entry.receive_timestamps() != transport::ReceiveTimestamps::None)
      loop_.latency.begin_stamps();
  }
  loop_.shared.remotes->set_logged_on(entry.name, entry.session.handle(), true);
  const session::Numbers numbers = entry.machine.sequence_numbers();
  loop_.report.peer(EventId::LoggedOn, entry,
                    "logged on, next MsgSeqNum in " + std::to_string(numbers.next_inbound) +
                        ", out " + std::to_string(numbers.next_outbound));
  if (entry.settings().session.reset.in_session_at != 0) loop_.arm(entry, loop_.now().mono);
  if (loop_.callbacks.on_logon == nullptr) return;
  static_cast<void>(sessions_.transactor.run_callback(
      entry, [&] { loop_.callbacks.on_logon(loop_.callbacks.application, entry.session); }));
}

void SessionActions::perform_own(SessionEntry& entry, const session::LoggedOut& action) {
  entry.counters->logon_changed_at.set(loop_.now().wall);
  loop_.shared.remotes->set_logged_on(entry.name, entry.session.handle(), false);
  loop_.report.peer(EventId::LoggedOut, entry, "logged out");
  record_disconnection(entry);
  if (entry.outbound_limit) sessions_.outbox.give_back_waiting(entry);
  if (action.is_complete) {
    entry.disconnection.set_reason(session::DisconnectReason::LogoutComplete);
  }
  if (loop_.callbacks.on_logout == nullptr) return;
  static_cast<void>(sessions_.transactor.run_callback(
      entry, [&] { loop_.callbacks.on_logout(loop_.callbacks.application, entry.session); }));
}

// The reason is set later in the event: see perform_own(Disconnect) and Disconnector::close().
void SessionActions::record_disconnection(SessionEntry& entry) {
  if (loop_.callbacks.on_disconnect == nullptr) return;
  const std::chrono::seconds delay = entry.settings().disconnect_notice_delay;
  entry.disconnection.begin(
      delay.count() == 0 || loop_.work.is_stopping() ? kNever : loop_.now().mono + delay);
  if (entry.disconnection.due_at() != kNever) loop_.arm(entry, entry.disconnection.due_at());
}

void SessionActions::notify_disconnection(SessionEntry& entry) {
  const Disconnection ended = entry.disconnection.take();
  static_cast<void>(sessions_.transactor.run_callback(entry, [&] {
    loop_.callbacks.on_disconnect(loop_.callbacks.application, entry.session, ended);
  }));
}

void SessionActions::notify_writable(SessionEntry& entry) {
  if (loop_.callbacks.on_writable == nullptr || entry.machine.state() != session::State::LoggedOn) {
    return;
  }
  sessions_.transactor.transact(entry, [&](session::StateMachine&) {
    static_cast<void>(sessions_.transactor.run_callback(
        entry, [&] { loop_.callbacks.on_writable(loop_.callbacks.application, entry.session); }));
  });
}

void SessionActions::run_timer(SessionEntry& entry, detail::TimerCallback& callback) {
  const auto call = [&] { callback(entry.session); };
  sessions_.transactor.transact(entry, [&](session::StateMachine&) {
    static_cast<void>(sessions_.transactor.run_callback(entry, [&] {
      if (loop_.callbacks.run_timer == nullptr) return call();
      loop_.callbacks.run_timer(loop_.callbacks.application, entry.session, call);
    }));
  });
}

void SessionActions::perform_own(SessionEntry& entry, const session::Disconnect& action) {
  entry.disconnection.set_reason(action.reason);
  if (entry.connection() == nullptr) return;
  // Messages that wait for the end of a resend are stored; only a Logout among them matters now.
  if (entry.resend.is_in_progress()) {
    entry.resend.abort();
    sessions_.resends.finish_replay(entry);
  }
  if (action.reason == session::DisconnectReason::LogonTimeout) {
    entry.logons.failed.set_end(AttemptEnd::TimedOut);
  } else if (action.reason == session::DisconnectReason::LogonRefused ||
             action.reason == session::DisconnectReason::MsgSeqNumTooLow) {
    entry.logons.failed.set_end(AttemptEnd::Refused);
  }
  if (action.reason != session::DisconnectReason::LogoutComplete) {
    loop_.report.peer(event_of(action.reason), entry,
                      "disconnecting: " + std::string{to_string(action.reason)});
  }
  if (action.reason == session::DisconnectReason::MsgSeqNumTooLow &&
      entry.connect_policy.wants_connection()) {
    entry.connect_policy.halt();
    loop_.report.session(
        EventId::InitiatorHalted, entry,
        "one side has lost sequence numbers that the other one knows: the session is not "
        "connecting again. Compare both sides' sequence numbers, then restore the store, set the "
        "numbers that both agree on (nexusfix journal set), or agree on ResetOnLogon=Y");
  }
  io_.connections.close_soon(*entry.connection());
}

void SessionActions::perform_own(SessionEntry& entry, const session::Notice& action) {
  if (action.code == session::NoticeCode::GapDetected) ++entry.counters->gaps;
  if (action.code != session::NoticeCode::SequenceNumbersLost) {
    loop_.report.peer(event_of(action.code), entry, text_of(entry, action));
  }
  record_refusal(entry, action);
  if (tells_of_lost_numbers(action)) halt_for_operator(entry, action);
}

// The event of a Reject names our message. Only if it is logged: a flood of Rejects reads no store.
std::string SessionActions::text_of(SessionEntry& entry, const session::Notice& notice) {
  const auto& masked = entry.settings().log.masked;
  std::string text = describe(notice, masked);
  if (notice.code != session::NoticeCode::RejectReceived || notice.received == 0) return text;
  const SecondLimit& logged = entry.limits.notices;
  if (loop_.now().mono < logged.ends_at() && logged.counted() >= NoticeLimiter::kSessionLinesMax) {
    return text;
  }
  sessions_.resends.show_stored(entry, notice.received, [&](std::uint64_t, std::string_view bytes) {
    if (const auto ours = loop_.parsers.parse_outbound(bytes)) {
      text += "; our message";
      text += describe_rejected(*ours, static_cast<wire::Tag>(notice.expected), masked);
    }
    return false;
  });
  return text;
}

// Before the Logons are exchanged.
void SessionActions::record_refusal(SessionEntry& entry, const session::Notice& notice) {
  if (entry.connection() == nullptr || entry.connection()->has_logged_on()) return;
  using enum session::NoticeCode;
  const bool is_fault = notice.code == LogonInvalid || notice.code == MessageGarbled;
  if (!is_fault && notice.code != LogoutReceived && notice.code != RejectReceived) return;
  entry.logons.failed.on_refusal(notice.text);
  if (is_fault) entry.logons.failed.set_end(AttemptEnd::Invalid);
}

// One side has seen MsgSeqNums that the other side's store does not know: that store was lost, or
// restored from an old copy. To go on would use those MsgSeqNums a second time: each refusal uses
// one, until both sides seem to agree. A Logon with ResetSeqNumFlag resets the sequence numbers and
// is accepted.
void SessionActions::halt_for_operator(SessionEntry& entry, const session::Notice& notice) {
  const session::Numbers numbers = entry.machine.sequence_numbers();
  const bool connects = entry.settings().session.role == session::Role::Initiator;
  halt(entry);
  const SideAtFault side = side_at_fault(notice, numbers.next_outbound);
  loop_.report.session(
      connects ? EventId::InitiatorHalted : EventId::AcceptorHalted, entry,
      "ALARM: " + std::string{side.what} + ". " +
          (notice.code == session::NoticeCode::LogonInvalid ? "We said: \"" : "It said: \"") +
          std::string{notice.text} + "\"; here the next MsgSeqNum are in " +
          std::to_string(numbers.next_inbound) + ", out " + std::to_string(numbers.next_outbound) +
          (connects ? ". The session is not connecting again"
                    : ". Only a Logon with ResetSeqNumFlag is accepted") +
          ". " + std::string{side.advice} + "nexusfix journal set LOG '" + entry.name +
          "' --next-in N --next-out N" +
          (connects && loop_.work.accepts_commands() ? ", which this engine accepts while it runs"
                                                     : ""));
}

void SessionActions::forget(SessionEntry& entry) noexcept { std::erase(decided_, &entry); }

}  // namespace nexusfix::engine
