// Sessions: one event is one transaction. The state machine gets the event, its actions are
// performed in order, and all that they changed becomes one record of the store.
#include <algorithm>
#include <charconv>
#include <exception>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <nexusfix/base/assert.hpp>

#include "engine/loop/event_loop.hpp"
#include "engine/report/session_events.hpp"

namespace nexusfix::engine {
namespace {

// How long the last bytes (a Logout) may take to leave.
constexpr std::chrono::seconds kLastBytesTimeout{2};
constexpr std::chrono::seconds kStallMin{1};
// BusinessRejectReason (380).
constexpr unsigned kOther = 0;
constexpr unsigned kApplicationNotAvailable = 4;
constexpr std::uint32_t kSessionPasswordChanged = 1;  // SessionStatus (1409)
constexpr std::string_view kThrottled = "Throttle limit exceeded";

constexpr std::string_view kTooHigh = "NextExpectedMsgSeqNum too high";

// In the words that engines use; TC 2c and the specification have no field for it.
bool tells_of_lost_numbers(const session::Notice& notice) noexcept {
  if (notice.code == session::NoticeCode::LogonInvalid) return notice.text.starts_with(kTooHigh);
  return notice.code == session::NoticeCode::LogoutReceived &&
         (notice.text.starts_with(std::string_view{"MsgSeqNum too low"}) ||
          notice.text.starts_with(kTooHigh));
}

// Whether what the counterparty said names a number that we have not come to. The reverse proves
// nothing: we may have sent up to it by now.
bool names_unknown_number(std::string_view said, std::uint64_t next_outbound) noexcept {
  constexpr std::string_view kTooLow = "MsgSeqNum too low";
  constexpr std::string_view kExpecting = "expecting ";
  if (!said.starts_with(kTooLow)) return true;
  const std::size_t at = said.find(kExpecting);
  if (at == std::string_view::npos) return true;
  const std::string_view number = said.substr(at + kExpecting.size());
  std::uint64_t expected = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), expected);
  return read.ec != std::errc{} || expected > next_outbound;
}

// Whose numbers are too low, and what to do about it.
struct SideAtFault {
  std::string_view what;
  std::string_view advice;
};

SideAtFault side_at_fault(const session::Notice& notice, std::uint64_t next_outbound) noexcept {
  constexpr std::string_view kRestore =
      "Unless the store is right, restore it; or agree with the counterparty and use ";
  // A Logout of the counterparty's: what we expect next is more than it has sent.
  if (notice.code == session::NoticeCode::LogoutReceived && notice.text.starts_with(kTooHigh)) {
    return {
        "this store holds sequence numbers of the counterparty that it does not know itself, so "
        "its store is lost or an old copy, or the next MsgSeqNum in was set too high here",
        "The counterparty restores its store, or raises its next MsgSeqNum out to ours in. "
        "Only then, or if it was wrong here, agree on the numbers and use "};
  }
  if (names_unknown_number(notice.text, next_outbound)) {
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

std::string describe(const session::Notice& notice) {
  std::string text{to_string(notice.code)};
  if (notice.expected != 0 || notice.received != 0) {
    text += " (expected " + std::to_string(notice.expected) + ", received " +
            std::to_string(notice.received) + ")";
  }
  if (!notice.text.empty()) (text += ": ") += notice.text;
  return text;
}

}  // namespace

void EventLoop::transact(SessionEntry& entry, Event event) {
  if (store_failed_ || entry.is_aborted) return;
  NEXUSFIX_ASSERT(phase_ == Phase::Idle);
  phase_ = Phase::Event;
  begun_ = nullptr;  // A message begun before this event can no longer have its number.
  try {
    run_event(entry, event);
  } catch (const std::bad_alloc&) {
    report_.memory_failed();
    abort_event(entry);
  } catch (const EventAborted&) {
    abort_event(entry);
  }
  phase_ = Phase::Idle;
  arm(entry, entry.machine.next_deadline());
}

void EventLoop::run_event(SessionEntry& entry, Event event) {
  event(entry.machine);
  run_actions(entry);
  do {
    run_deferred();
    note_progress(entry);
    append_transaction();
  } while (!deferred_.empty());  // by on_sent()
}

// Commands that a callback gave to sessions whose actions are not being taken.
void EventLoop::run_deferred() {
  while (!deferred_.empty()) {
    SessionEntry& other = *deferred_.back();
    deferred_.pop_back();
    if (other.is_aborted) continue;
    run_actions(other);
    note_progress(other);
    arm(other, other.machine.next_deadline());
  }
}

void EventLoop::run_actions(SessionEntry& entry) {
  entry.acting = true;
  while (true) {
    if (const auto action = entry.machine.next_action(action_buffer_)) {
      std::visit([&](const auto& one) { perform(entry, one); }, *action);
    } else if (std::exchange(entry.replay_done, false)) {
      // Before anything else that has a number: what waited behind the resend has lower ones.
      entry.replay.reset();
      finish_replay(entry);
    } else if (!entry.commands.empty()) [[unlikely]] {
      run_command(entry);
    } else if (entry.disconnection && entry.disconnection_at == kNever) {
      notify_disconnection(entry);
    } else {
      break;
    }
  }
  entry.acting = false;
  entry.disconnection_is_fresh = false;
}

void EventLoop::run_command(SessionEntry& entry) {
  using Kind = SessionCommands::Kind;
  switch (entry.commands.take()) {
    case Kind::LogOut:
      return entry.machine.on_logout_command(entry.commands.text(Kind::LogOut), now_);
    case Kind::Reset:
      entry.connect_policy.on_reset_requested(entry.connection != nullptr);
      return entry.machine.on_session_end(entry.commands.text(Kind::Reset), now_);
    case Kind::Disconnect:
      return disconnect_now(entry, entry.commands.text(Kind::Disconnect));
    case Kind::AnswerLogon:
      return decide_logon(entry);
  }
}

void EventLoop::note_progress(SessionEntry& entry) {
  if (entry.trial != nullptr) [[unlikely]]
    return record_trial(entry);
  const std::uint64_t next_inbound = entry.machine.sequence_numbers().next_inbound;
  if (next_inbound == entry.inbound_recorded) return;
  entry.inbound_recorded = next_inbound;
  transaction_.inbound_progress(entry.key, next_inbound);
}

// What was recorded, and is not delivered because the store failed or stood still, is not delivered
// later either: at most once. A store that failed is noticed when this event is recorded.
bool EventLoop::record_before_delivery(SessionEntry& entry, std::uint64_t msg_seq_num) {
  entry.inbound_recorded = msg_seq_num + 1;
  transaction_.inbound_progress(entry.key, entry.inbound_recorded);
  const auto appended = store_->append(transaction_, now_.wall);
  transaction_.clear();
  if (!appended) return false;
  const MonoTime limit = now_.mono + std::max<std::chrono::nanoseconds>(stall_timeout_, kStallMin);
  while (store_->durable() < *appended) {
    if (!store_->flush()) return false;
    if (store_->durable() >= *appended) break;
    if (seams_.clock->now().mono >= limit) {
      report_.session(EventId::InboundNotRecorded, entry,
                      "MsgSeqNum " + std::to_string(msg_seq_num) +
                          " is not delivered: the store did not record it in time");
      if (entry.connection != nullptr) close_soon(*entry.connection);
      return false;
    }
    std::this_thread::yield();
  }
  return true;
}

void EventLoop::append_transaction() {
  std::optional<store::StoreError> failure;
  if (!transaction_.empty()) {
    const auto appended = store_->append(transaction_, now_.wall);
    transaction_.clear();
    if (appended) {
      for (Connection* connection : in_event_connections_) connection->waits_for = *appended;
    } else {
      failure = appended.error();
    }
  }
  for (Connection* connection : in_event_connections_) connection->in_event = false;
  in_event_connections_.clear();
  if (failure) return fail_store(*failure);
  notify_sent();
}

void EventLoop::perform(SessionEntry& entry, const session::Deliver& action) {
  using Action = ThrottleAction;
  const Action throttled = entry.settings.throttle.action;
  Verdict verdict;
  if (throttled != Action::Delay && !action.poss_dup && !entry.throttle.allow(now_.mono))
      [[unlikely]] {
    verdict = business_reject(kOther, 0, kThrottled);
    if (throttled == Action::LogOut) {
      entry.commands.add(SessionCommands::Kind::LogOut, std::string{kThrottled});
    }
  } else if (entry.settings.inbound_delivery == InboundDelivery::AtMostOnce &&
             !record_before_delivery(entry, action.msg_seq_num)) [[unlikely]] {
    return entry.machine.on_delivered({}, now_);  // The store has failed, or the session is cut.
  } else if (!run_callback(entry, [&] {
               verdict =
                   callbacks_.on_message(callbacks_.application, entry.session, *action.message);
             })) {
    verdict = business_reject(kApplicationNotAvailable, 0, "Application not available");
  }
  if (verdict.accepts()) [[likely]]
    return entry.machine.on_delivered({}, now_);
  entry.verdict = verdict;
  entry.machine.on_delivered({.kind = verdict.kind(),
                             .reason = verdict.reason(),
                             .ref_tag = verdict.ref_tag(),
                             .text = entry.verdict.text(),
                             .ref_id = entry.verdict.ref_id()},
                            now_);
}

void EventLoop::perform(SessionEntry& entry, const session::Administrative& action) {
  static_cast<void>(run_callback(
      entry, [&] { callbacks_.on_admin(callbacks_.application, entry.session, *action.message); }));
}

void EventLoop::perform(SessionEntry& entry, const session::Reset&) {
  if (entry.trial == nullptr) transaction_.reset(entry.key);
  entry.accepts_only_reset = false;
  if (entry.connect_policy.on_reset(may_connect(entry), entry.connection != nullptr, now_.mono)) {
    arm(entry, entry.connect_policy.connect_at());
  }
  entry.inbound_recorded = 1;
  // What came after the Logon that resets belongs to the new epoch, and is asked for again.
  if (!entry.arrived_undecided) {
    discard_out_of_order(entry, 1, UINT64_MAX, "the sequence numbers are reset");
  }
  forget_out_of_order(entry);
  entry.replay.reset();
  entry.queued_after_resend.clear();
  report_queued_lost(entry);
  entry.forget_queued_until_logon();
  report_.peer(EventId::SequenceNumbersReset, entry, "the sequence numbers are reset to 1");
}

// Without a callback and a password the machine does not ask. One that throws refuses: nobody is
// let in by a mistake.
void EventLoop::perform(SessionEntry& entry, const session::Authenticate& action) {
  std::optional<LogonAnswer> answer;
  const LogonRequest request{.id = action.logon_id, .message = *action.message};
  if (callbacks_.on_logon_request == nullptr) answer = LogonAnswer{};  // the password was right
  const bool done =
      answer || run_callback(entry, [&] {
        answer = callbacks_.on_logon_request(callbacks_.application, entry.session, request);
      });
  if (!done) answer = LogonAnswer{.accepted = false, .text = "Logon cannot be examined"};
  if (!answer) return;
  entry.commands.answer_logon(action.logon_id, *std::move(answer));
}

void EventLoop::decide_logon(SessionEntry& entry) {
  using Kind = session::LogonDecision::Kind;
  LogonAnswer& answer = entry.commands.answer();
  if (changes_password(entry, answer)) return;  // It is answered when that is on the disk.
  if (answer.accepted && !answer.session_status && entry.connection != nullptr &&
      entry.connection->credentials.is_changed) {
    answer.session_status = kSessionPasswordChanged;
  }
  entry.machine.on_logon_decision(entry.commands.logon_id(),
                                 {.kind = answer.accepted ? Kind::Accept : Kind::Refuse,
                                  .text = answer.text,
                                  .session_status = answer.session_status},
                                 now_);
  decided_.push_back(&entry);
}

// Behind the event in which the Logon was decided on: another session's, perhaps.
void EventLoop::deliver_decided() {
  while (!decided_.empty()) {
    SessionEntry& entry = *decided_.back();
    decided_.pop_back();
    deliver_in_sequence(entry);
  }
}

void EventLoop::answer_logon(SessionEntry& entry, std::uint64_t logon_id, const LogonAnswer& answer) {
  static_cast<void>(now());
  entry.commands.answer_logon(logon_id, answer);
  apply_or_defer(entry);
  if (phase_ == Phase::Idle) deliver_decided();
}

void EventLoop::perform(SessionEntry& entry, const session::LoggedOn&) {
  entry.disconnection.reset();  // It is back in time.
  entry.connect_policy.on_logged_on();
  entry.has_logged_on = true;
  if (entry.connection != nullptr) entry.connection->has_logged_on = true;
  const session::Numbers numbers = entry.machine.sequence_numbers();
  report_.peer(EventId::LoggedOn, entry,
               "logged on, next MsgSeqNum in " + std::to_string(numbers.next_inbound) + ", out " +
                   std::to_string(numbers.next_outbound));
  if (callbacks_.on_logon == nullptr) return;
  static_cast<void>(
      run_callback(entry, [&] { callbacks_.on_logon(callbacks_.application, entry.session); }));
}

void EventLoop::perform(SessionEntry& entry, const session::LoggedOut&) {
  report_.peer(EventId::LoggedOut, entry, "logged out");
  note_disconnection(entry);
  if (callbacks_.on_logout == nullptr) return;
  static_cast<void>(
      run_callback(entry, [&] { callbacks_.on_logout(callbacks_.application, entry.session); }));
}

// Why it ended is known when the event's actions are taken: see perform(Disconnect), close().
void EventLoop::note_disconnection(SessionEntry& entry) {
  if (callbacks_.on_disconnect == nullptr) return;
  entry.disconnection = Disconnection{};
  entry.disconnection_is_fresh = true;
  const std::chrono::seconds delay = entry.settings.disconnect_notice_delay;
  entry.disconnection_at = delay.count() == 0 || stopping_ ? kNever : now_.mono + delay;
  if (entry.disconnection_at != kNever) arm(entry, entry.disconnection_at);
}

void EventLoop::notify_disconnection(SessionEntry& entry) {
  Disconnection told = *std::exchange(entry.disconnection, std::nullopt);
  entry.disconnection_at = kNever;
  if (!told.reason && entry.disconnection_text.empty()) {
    entry.disconnection_text = "the connection broke";
  }
  told.text = entry.disconnection_text;
  static_cast<void>(run_callback(
      entry, [&] { callbacks_.on_disconnect(callbacks_.application, entry.session, told); }));
}

void EventLoop::perform(SessionEntry& entry, const session::Disconnect& action) {
  if (entry.disconnection && entry.disconnection_is_fresh) {
    entry.disconnection->reason = action.reason;
    entry.disconnection->is_orderly = action.reason == session::DisconnectReason::LogoutComplete;
    entry.disconnection_text = to_string(action.reason);
  }
  if (entry.connection == nullptr) return;
  // What waits behind a resend is stored; only the Logout among it matters now.
  if (entry.replay) {
    entry.replay.reset();
    finish_replay(entry);
  }
  if (action.reason != session::DisconnectReason::LogoutComplete) {
    report_.peer(event_of(action.reason), entry,
                 "disconnecting: " + std::string{to_string(action.reason)});
  }
  if (action.reason == session::DisconnectReason::MsgSeqNumTooLow &&
      entry.connect_policy.wants_connection()) {
    entry.connect_policy.halt();
    report_.session(
        EventId::InitiatorHalted, entry,
        "one side has lost sequence numbers that the other one knows: the session is not "
        "connecting again. Compare both sides' sequence numbers, then restore the store, set the "
        "numbers that both agree on (nexusfix journal set), or agree on ResetOnLogon=Y");
  }
  close_soon(*entry.connection);
}

// When its last bytes have left, or their time is over; nothing more is taken from it.
void EventLoop::close_soon(Connection& connection) {
  connection.closing = true;
  connection.deadline = now_.mono + kLastBytesTimeout;
  arm(connection, connection.deadline);
  mark_unsent(connection);
}

void EventLoop::perform(SessionEntry& entry, const session::Notice& action) {
  report_.peer(event_of(action.code), entry, describe(action));
  if (tells_of_lost_numbers(action)) halt_for_operator(entry, action);
}

// One side has seen numbers that the other one's store does not know: that was lost, or restored
// from an old copy. To go on would give those numbers out a second time: each refusal uses one,
// until both sides seem to agree. A Logon with ResetSeqNumFlag begins anew and is let in.
void EventLoop::halt_for_operator(SessionEntry& entry, const session::Notice& notice) {
  const session::Numbers numbers = entry.machine.sequence_numbers();
  const bool connects = entry.settings.session.role == session::Role::Initiator;
  entry.accepts_only_reset = true;
  entry.connect_policy.halt();
  const SideAtFault side = side_at_fault(notice, numbers.next_outbound);
  report_.session(
      connects ? EventId::InitiatorHalted : EventId::AcceptorHalted, entry,
      "ALARM: " + std::string{side.what} + ". " +
          (notice.code == session::NoticeCode::LogonInvalid ? "We said: \"" : "It said: \"") +
          std::string{notice.text} + "\"; here the next MsgSeqNum are in " +
          std::to_string(numbers.next_inbound) + ", out " + std::to_string(numbers.next_outbound) +
          (connects ? ". The session is not connecting again"
                    : ". Only a Logon with ResetSeqNumFlag is accepted") +
          ". " + std::string{side.advice} + "nexusfix journal set LOG '" + entry.name +
          "' --next-in N --next-out N" +
          (connects && takes_commands_ ? ", which this engine accepts while it runs" : ""));
}

// The sequence numbers are known again: the session connects, and accepts every Logon.
void EventLoop::end_halt(SessionEntry& entry) {
  entry.accepts_only_reset = false;
  if (!may_connect(entry)) return;
  if (entry.connect_policy.on_numbers_set(entry.connection != nullptr, now().mono)) {
    arm(entry, entry.connect_policy.connect_at());
  }
}

// Runs a callback. What it threw, if it threw.
std::optional<std::string> EventLoop::failure_of(FunctionRef<void()> callback) noexcept {
  std::optional<std::string> thrown;
  try {
    callback();
  } catch (const std::exception& error) {
    thrown.emplace();
    static_cast<void>(with_memory([&] { thrown->assign(error.what()); }));
  } catch (...) {
    thrown.emplace();
    static_cast<void>(with_memory([&] { thrown->assign("something that is no std::exception"); }));
  }
  return thrown;
}

bool EventLoop::run_callback(SessionEntry& entry, FunctionRef<void()> callback) {
  const store::Transaction::Mark mark = transaction_.mark();
  const SentMessages::Mark sent = sent_.mark();
  const std::size_t first = undo_log_.size();
  const std::size_t outer_first = std::exchange(undo_log_first_, first);
  const Phase outer = std::exchange(phase_, Phase::Callback);
  const std::optional<std::string> failure = failure_of(callback);
  phase_ = outer;
  undo_log_first_ = outer_first;
  if (failure) {
    undo_since(first, mark);
    sent_.rollback(sent);
    static_cast<void>(with_memory([&] {
      report_.peer(EventId::CallbackThrew, entry,
                   "the application's callback threw; what it sent is undone: " + *failure);
    }));
  }
  undo_log_.resize(first);
  return !failure;
}

// Before a callback's first message of a session: remembers what to go back to.
void EventLoop::save_for_undo(SessionEntry& entry) {
  for (std::size_t i = undo_log_first_; i < undo_log_.size(); ++i) {
    if (undo_log_[i].entry == &entry) return;
  }
  undo_log_.push_back({&entry, entry.machine.sequence_numbers().next_outbound,
                      entry.connection != nullptr ? entry.connection->outbound.size() : 0,
                      entry.queued_after_resend.size(), entry.queued_until_logon.size(), entry.left_to_resend});
}

void EventLoop::undo_since(std::size_t first, store::Transaction::Mark mark) noexcept {
  transaction_.rollback(mark);
  for (std::size_t i = first; i < undo_log_.size(); ++i) undo(undo_log_[i]);
}

void EventLoop::undo(const UndoEntry& before) noexcept {
  before.entry->machine.rewind_outbound(before.next_outbound);
  if (before.entry->connection != nullptr) {
    before.entry->connection->outbound.shrink_to(before.outbound_size);
  }
  before.entry->queued_after_resend.shrink_to(before.queued_after_resend_size);
  before.entry->queued_until_logon.shrink_to(before.queued_until_logon_size);
  before.entry->left_to_resend = before.left_to_resend;
}

void EventLoop::log_out(SessionEntry& entry, std::string_view text) {
  entry.connect_policy.log_out();
  std::string of_logout{text};
  static_cast<void>(now());
  if (entry.connection != nullptr && !entry.connection->established) {
    close(*entry.connection, EventId::ConnectAborted, "the connection attempt is aborted");
  }
  entry.commands.add(SessionCommands::Kind::LogOut, std::move(of_logout));
  apply_or_defer(entry);
}

void EventLoop::log_on(SessionEntry& entry) {
  if (!may_connect(entry)) return;
  entry.connect_policy.log_on(entry.connection != nullptr, now().mono);
  arm(entry, entry.connect_policy.connect_at());
}

bool EventLoop::may_connect(const SessionEntry& entry) const noexcept {
  return entry.settings.session.role == session::Role::Initiator && !stopping_ && !entry.is_out;
}

std::expected<void, std::string> EventLoop::set_next_numbers(SessionEntry& entry,
                                                           session::Numbers numbers,
                                                           std::string_view reason) {
  constexpr std::uint64_t kNumberMax = std::uint64_t{1} << 62U;
  const auto is_number = [](std::uint64_t number) { return number >= 1 && number <= kNumberMax; };
  if (store_failed_) return std::unexpected{"the store has failed"};
  if (!is_number(numbers.next_inbound) || !is_number(numbers.next_outbound)) {
    return std::unexpected{"a next number is 1 to 2^62"};
  }
  if (phase_ != Phase::Idle) return std::unexpected{"not from within a callback"};
  if (entry.trial != nullptr) return std::unexpected{"the session has never logged on"};
  if (entry.connection != nullptr && !entry.connection->established) {
    static_cast<void>(now());
    constexpr std::string_view kWhy =
        "the connection attempt is aborted: the sequence numbers are being set";
    static_cast<void>(with_memory([&] { close(*entry.connection, EventId::ConnectAborted, kWhy); }));
  }
  if (entry.connection != nullptr) {
    return std::unexpected{"the session is connected: log it out first"};
  }
  begun_ = nullptr;
  static_cast<void>(now());
  const session::Numbers before = entry.machine.sequence_numbers();
  const bool is_recorded = with_memory([&] {
    transaction_.set_numbers(entry.key,
                             store::numbers_change(store_->session(entry.key),
                                                   {.next_inbound = numbers.next_inbound,
                                                    .next_outbound = numbers.next_outbound},
                                                   now_.wall, reason));
    append_transaction();
  });
  if (store_failed_) return std::unexpected{"the store has failed"};
  if (!is_recorded) {
    transaction_.clear();
    return std::unexpected{"no memory"};
  }
  entry.machine.set_sequence_numbers(numbers);
  end_halt(entry);
  entry.inbound_recorded = numbers.next_inbound;
  static_cast<void>(with_memory([&] {
    report_.session(EventId::SequenceNumbersSet, entry,
                    "next MsgSeqNum set by hand: in " + std::to_string(before.next_inbound) +
                        " to " + std::to_string(numbers.next_inbound) + ", out " +
                        std::to_string(before.next_outbound) + " to " +
                        std::to_string(numbers.next_outbound) + ": " + std::string{reason});
  }));
  return {};
}

}  // namespace nexusfix::engine
