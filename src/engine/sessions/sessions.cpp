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

#include "engine/loop/runtime.hpp"
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

void Runtime::transact(SessionSlot& slot, Event event) {
  if (store_failed_ || slot.is_given_up) return;
  NEXUSFIX_ASSERT(phase_ == Phase::Idle);
  phase_ = Phase::Event;
  begun_ = nullptr;  // A message begun before this event can no longer have its number.
  try {
    carry_out(slot, event);
  } catch (const std::bad_alloc&) {
    report_.memory_failed();
    give_up_event(slot);
  } catch (const EventAborted&) {
    give_up_event(slot);
  }
  phase_ = Phase::Idle;
  arm(slot, slot.machine.next_deadline());
}

void Runtime::carry_out(SessionSlot& slot, Event event) {
  event(slot.machine);
  take_actions(slot);
  do {
    take_commands();
    note_progress(slot);
    append_transaction();
  } while (!deferred_.empty());  // by on_sent()
}

// Commands that a callback gave to sessions whose actions are not being taken.
void Runtime::take_commands() {
  while (!deferred_.empty()) {
    SessionSlot& other = *deferred_.back();
    deferred_.pop_back();
    if (other.is_given_up) continue;
    take_actions(other);
    note_progress(other);
    arm(other, other.machine.next_deadline());
  }
}

void Runtime::take_actions(SessionSlot& slot) {
  slot.acting = true;
  while (true) {
    if (const auto action = slot.machine.next_action(action_buffer_)) {
      std::visit([&](const auto& one) { perform(slot, one); }, *action);
    } else if (std::exchange(slot.replay_done, false)) {
      // Before anything else that has a number: what waited behind the resend has lower ones.
      slot.replay.reset();
      finish_replay(slot);
    } else if (!slot.commands.empty()) [[unlikely]] {
      carry_out_command(slot);
    } else if (slot.disconnection && slot.disconnection_at == kNever) {
      tell_disconnection(slot);
    } else {
      break;
    }
  }
  slot.acting = false;
  slot.disconnection_is_fresh = false;
}

void Runtime::carry_out_command(SessionSlot& slot) {
  using Kind = SessionCommands::Kind;
  switch (slot.commands.take()) {
    case Kind::LogOut:
      return slot.machine.on_logout_command(slot.commands.text(Kind::LogOut), now_);
    case Kind::Reset:
      slot.connect_policy.on_reset_requested(slot.connection != nullptr);
      return slot.machine.on_session_end(slot.commands.text(Kind::Reset), now_);
    case Kind::Disconnect:
      return cut(slot, slot.commands.text(Kind::Disconnect));
    case Kind::AnswerLogon:
      return decide_logon(slot);
  }
}

void Runtime::note_progress(SessionSlot& slot) {
  if (slot.trial != nullptr) [[unlikely]]
    return note_trial(slot);
  const std::uint64_t next_inbound = slot.machine.sequence_numbers().next_inbound;
  if (next_inbound == slot.inbound_recorded) return;
  slot.inbound_recorded = next_inbound;
  transaction_.inbound_progress(slot.key, next_inbound);
}

// What was recorded, and is not delivered because the store failed or stood still, is not delivered
// later either: at most once. A store that failed is noticed when this event is recorded.
bool Runtime::record_before_delivery(SessionSlot& slot, std::uint64_t msg_seq_num) {
  slot.inbound_recorded = msg_seq_num + 1;
  transaction_.inbound_progress(slot.key, slot.inbound_recorded);
  const auto appended = store_->append(transaction_, now_.wall);
  transaction_.clear();
  if (!appended) return false;
  const MonoTime limit = now_.mono + std::max<std::chrono::nanoseconds>(stall_timeout_, kStallMin);
  while (store_->durable() < *appended) {
    if (!store_->flush()) return false;
    if (store_->durable() >= *appended) break;
    if (seams_.clock->now().mono >= limit) {
      report_.session(EventId::InboundNotRecorded, slot,
                      "MsgSeqNum " + std::to_string(msg_seq_num) +
                          " is not delivered: the store did not record it in time");
      if (slot.connection != nullptr) close_soon(*slot.connection);
      return false;
    }
    std::this_thread::yield();
  }
  return true;
}

void Runtime::append_transaction() {
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

void Runtime::perform(SessionSlot& slot, const session::Deliver& action) {
  using Action = ThrottleAction;
  const Action throttled = slot.settings.throttle.action;
  Verdict verdict;
  if (throttled != Action::Delay && !action.poss_dup && !slot.throttle.allow(now_.mono))
      [[unlikely]] {
    verdict = business_reject(kOther, 0, kThrottled);
    if (throttled == Action::LogOut) {
      slot.commands.add(SessionCommands::Kind::LogOut, std::string{kThrottled});
    }
  } else if (slot.settings.inbound_delivery == InboundDelivery::AtMostOnce &&
             !record_before_delivery(slot, action.msg_seq_num)) [[unlikely]] {
    return slot.machine.on_delivered({}, now_);  // The store has failed, or the session is cut.
  } else if (!run_callback(slot, [&] {
               verdict =
                   callbacks_.on_message(callbacks_.application, slot.session, *action.message);
             })) {
    verdict = business_reject(kApplicationNotAvailable, 0, "Application not available");
  }
  if (verdict.accepts()) [[likely]]
    return slot.machine.on_delivered({}, now_);
  slot.verdict = verdict;
  slot.machine.on_delivered({.kind = verdict.kind(),
                             .reason = verdict.reason(),
                             .ref_tag = verdict.ref_tag(),
                             .text = slot.verdict.text(),
                             .ref_id = slot.verdict.ref_id()},
                            now_);
}

void Runtime::perform(SessionSlot& slot, const session::Administrative& action) {
  static_cast<void>(run_callback(
      slot, [&] { callbacks_.on_admin(callbacks_.application, slot.session, *action.message); }));
}

void Runtime::perform(SessionSlot& slot, const session::Reset&) {
  if (slot.trial == nullptr) transaction_.reset(slot.key);
  slot.accepts_only_reset = false;
  if (slot.connect_policy.on_reset(may_connect(slot), slot.connection != nullptr, now_.mono)) {
    arm(slot, slot.connect_policy.connect_at());
  }
  slot.inbound_recorded = 1;
  // What came after the Logon that resets belongs to the new epoch, and is asked for again.
  if (!slot.holds_undecided) {
    discard_held(slot, 1, UINT64_MAX, "the sequence numbers are reset");
  }
  forget_held(slot);
  slot.replay.reset();
  slot.behind_replay.clear();
  report_kept_back_lost(slot);
  slot.forget_kept_back();
  report_.peer(EventId::SequenceNumbersReset, slot, "the sequence numbers are reset to 1");
}

// Without a callback and a password the machine does not ask. One that throws refuses: nobody is
// let in by a mistake.
void Runtime::perform(SessionSlot& slot, const session::Authenticate& action) {
  std::optional<LogonAnswer> answer;
  const LogonRequest request{.id = action.logon_id, .message = *action.message};
  if (callbacks_.on_logon_request == nullptr) answer = LogonAnswer{};  // the password was right
  const bool done =
      answer || run_callback(slot, [&] {
        answer = callbacks_.on_logon_request(callbacks_.application, slot.session, request);
      });
  if (!done) answer = LogonAnswer{.accepted = false, .text = "Logon cannot be examined"};
  if (!answer) return;
  slot.commands.answer_logon(action.logon_id, *std::move(answer));
}

void Runtime::decide_logon(SessionSlot& slot) {
  using Kind = session::LogonDecision::Kind;
  LogonAnswer& answer = slot.commands.answer();
  if (changes_password(slot, answer)) return;  // It is answered when that is on the disk.
  if (answer.accepted && !answer.session_status && slot.connection != nullptr &&
      slot.connection->credentials.is_changed) {
    answer.session_status = kSessionPasswordChanged;
  }
  slot.machine.on_logon_decision(slot.commands.logon_id(),
                                 {.kind = answer.accepted ? Kind::Accept : Kind::Refuse,
                                  .text = answer.text,
                                  .session_status = answer.session_status},
                                 now_);
  decided_.push_back(&slot);
}

// Behind the event in which the Logon was decided on: another session's, perhaps.
void Runtime::feed_decided() {
  while (!decided_.empty()) {
    SessionSlot& slot = *decided_.back();
    decided_.pop_back();
    feed_held(slot);
  }
}

void Runtime::answer_logon(SessionSlot& slot, std::uint64_t logon_id, const LogonAnswer& answer) {
  static_cast<void>(now());
  slot.commands.answer_logon(logon_id, answer);
  apply_or_defer(slot);
  if (phase_ == Phase::Idle) feed_decided();
}

void Runtime::perform(SessionSlot& slot, const session::LoggedOn&) {
  slot.disconnection.reset();  // It is back in time.
  slot.connect_policy.on_logged_on();
  slot.has_logged_on = true;
  if (slot.connection != nullptr) slot.connection->has_logged_on = true;
  const session::Numbers numbers = slot.machine.sequence_numbers();
  report_.peer(EventId::LoggedOn, slot,
               "logged on, next MsgSeqNum in " + std::to_string(numbers.next_inbound) + ", out " +
                   std::to_string(numbers.next_outbound));
  if (callbacks_.on_logon == nullptr) return;
  static_cast<void>(
      run_callback(slot, [&] { callbacks_.on_logon(callbacks_.application, slot.session); }));
}

void Runtime::perform(SessionSlot& slot, const session::LoggedOut&) {
  report_.peer(EventId::LoggedOut, slot, "logged out");
  note_disconnection(slot);
  if (callbacks_.on_logout == nullptr) return;
  static_cast<void>(
      run_callback(slot, [&] { callbacks_.on_logout(callbacks_.application, slot.session); }));
}

// Why it ended is known when the event's actions are taken: see perform(Disconnect), close().
void Runtime::note_disconnection(SessionSlot& slot) {
  if (callbacks_.on_disconnect == nullptr) return;
  slot.disconnection = Disconnection{};
  slot.disconnection_is_fresh = true;
  const std::chrono::seconds delay = slot.settings.disconnect_notice_delay;
  slot.disconnection_at = delay.count() == 0 || stopping_ ? kNever : now_.mono + delay;
  if (slot.disconnection_at != kNever) arm(slot, slot.disconnection_at);
}

void Runtime::tell_disconnection(SessionSlot& slot) {
  Disconnection told = *std::exchange(slot.disconnection, std::nullopt);
  slot.disconnection_at = kNever;
  if (!told.reason && slot.disconnection_text.empty()) {
    slot.disconnection_text = "the connection broke";
  }
  told.text = slot.disconnection_text;
  static_cast<void>(run_callback(
      slot, [&] { callbacks_.on_disconnect(callbacks_.application, slot.session, told); }));
}

void Runtime::perform(SessionSlot& slot, const session::Disconnect& action) {
  if (slot.disconnection && slot.disconnection_is_fresh) {
    slot.disconnection->reason = action.reason;
    slot.disconnection->is_orderly = action.reason == session::DisconnectReason::LogoutComplete;
    slot.disconnection_text = to_string(action.reason);
  }
  if (slot.connection == nullptr) return;
  // What waits behind a resend is stored; only the Logout among it matters now.
  if (slot.replay) {
    slot.replay.reset();
    finish_replay(slot);
  }
  if (action.reason != session::DisconnectReason::LogoutComplete) {
    report_.peer(event_of(action.reason), slot,
                 "disconnecting: " + std::string{to_string(action.reason)});
  }
  if (action.reason == session::DisconnectReason::MsgSeqNumTooLow &&
      slot.connect_policy.wants_connection()) {
    slot.connect_policy.halt();
    report_.session(
        EventId::InitiatorHalted, slot,
        "one side has lost sequence numbers that the other one knows: the session is not "
        "connecting again. Compare both sides' sequence numbers, then restore the store, set the "
        "numbers that both agree on (nexusfix journal set), or agree on ResetOnLogon=Y");
  }
  close_soon(*slot.connection);
}

// When its last bytes have left, or their time is over; nothing more is taken from it.
void Runtime::close_soon(Connection& connection) {
  connection.closing = true;
  connection.deadline = now_.mono + kLastBytesTimeout;
  arm(connection, connection.deadline);
  mark_unsent(connection);
}

void Runtime::perform(SessionSlot& slot, const session::Notice& action) {
  report_.peer(event_of(action.code), slot, describe(action));
  if (tells_of_lost_numbers(action)) stop_for_operator(slot, action);
}

// One side has seen numbers that the other one's store does not know: that was lost, or restored
// from an old copy. To go on would give those numbers out a second time: each refusal uses one,
// until both sides seem to agree. A Logon with ResetSeqNumFlag begins anew and is let in.
void Runtime::stop_for_operator(SessionSlot& slot, const session::Notice& notice) {
  const session::Numbers numbers = slot.machine.sequence_numbers();
  const bool connects = slot.settings.session.role == session::Role::Initiator;
  slot.accepts_only_reset = true;
  slot.connect_policy.halt();
  const SideAtFault side = side_at_fault(notice, numbers.next_outbound);
  report_.session(
      connects ? EventId::InitiatorHalted : EventId::AcceptorHalted, slot,
      "ALARM: " + std::string{side.what} + ". " +
          (notice.code == session::NoticeCode::LogonInvalid ? "We said: \"" : "It said: \"") +
          std::string{notice.text} + "\"; here the next MsgSeqNum are in " +
          std::to_string(numbers.next_inbound) + ", out " + std::to_string(numbers.next_outbound) +
          (connects ? ". The session is not connecting again"
                    : ". Only a Logon with ResetSeqNumFlag is accepted") +
          ". " + std::string{side.advice} + "nexusfix journal set LOG '" + slot.name +
          "' --next-in N --next-out N" +
          (connects && takes_commands_ ? ", which this engine accepts while it runs" : ""));
}

// The sequence numbers are known again: the session connects, and accepts every Logon.
void Runtime::end_halt(SessionSlot& slot) {
  slot.accepts_only_reset = false;
  if (!may_connect(slot)) return;
  if (slot.connect_policy.on_numbers_set(slot.connection != nullptr, now().mono)) {
    arm(slot, slot.connect_policy.connect_at());
  }
}

// Runs a callback. What it threw, if it threw.
std::optional<std::string> Runtime::failure_of(FunctionRef<void()> callback) noexcept {
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

bool Runtime::run_callback(SessionSlot& slot, FunctionRef<void()> callback) {
  const store::Transaction::Mark mark = transaction_.mark();
  const SentMessages::Mark sent = sent_.mark();
  const std::size_t first = touched_.size();
  const std::size_t outer_first = std::exchange(touched_first_, first);
  const Phase outer = std::exchange(phase_, Phase::Callback);
  const std::optional<std::string> failure = failure_of(callback);
  phase_ = outer;
  touched_first_ = outer_first;
  if (failure) {
    undo_touched(first, mark);
    sent_.rollback(sent);
    static_cast<void>(with_memory([&] {
      report_.peer(EventId::CallbackThrew, slot,
                   "the application's callback threw; what it sent is undone: " + *failure);
    }));
  }
  touched_.resize(first);
  return !failure;
}

// Before a callback's first message of a session: remembers what to go back to.
void Runtime::touch(SessionSlot& slot) {
  for (std::size_t i = touched_first_; i < touched_.size(); ++i) {
    if (touched_[i].slot == &slot) return;
  }
  touched_.push_back({&slot, slot.machine.sequence_numbers().next_outbound,
                      slot.connection != nullptr ? slot.connection->outbound.size() : 0,
                      slot.behind_replay.size(), slot.kept_back.size(), slot.left_to_resend});
}

void Runtime::undo_touched(std::size_t first, store::Transaction::Mark mark) noexcept {
  transaction_.rollback(mark);
  for (std::size_t i = first; i < touched_.size(); ++i) undo(touched_[i]);
}

void Runtime::undo(const Touched& before) noexcept {
  before.slot->machine.rewind_outbound(before.next_outbound);
  if (before.slot->connection != nullptr) {
    before.slot->connection->outbound.shrink_to(before.outbound_size);
  }
  before.slot->behind_replay.shrink_to(before.behind_size);
  before.slot->kept_back.shrink_to(before.kept_back_size);
  before.slot->left_to_resend = before.left_to_resend;
}

void Runtime::log_out(SessionSlot& slot, std::string_view text) {
  slot.connect_policy.log_out();
  std::string of_logout{text};
  static_cast<void>(now());
  if (slot.connection != nullptr && !slot.connection->established) {
    close(*slot.connection, EventId::ConnectAborted, "the connection attempt is aborted");
  }
  slot.commands.add(SessionCommands::Kind::LogOut, std::move(of_logout));
  apply_or_defer(slot);
}

void Runtime::log_on(SessionSlot& slot) {
  if (!may_connect(slot)) return;
  slot.connect_policy.log_on(slot.connection != nullptr, now().mono);
  arm(slot, slot.connect_policy.connect_at());
}

bool Runtime::may_connect(const SessionSlot& slot) const noexcept {
  return slot.settings.session.role == session::Role::Initiator && !stopping_ && !slot.is_out;
}

std::expected<void, std::string> Runtime::set_next_numbers(SessionSlot& slot,
                                                           session::Numbers numbers,
                                                           std::string_view reason) {
  constexpr std::uint64_t kNumberMax = std::uint64_t{1} << 62U;
  const auto is_number = [](std::uint64_t number) { return number >= 1 && number <= kNumberMax; };
  if (store_failed_) return std::unexpected{"the store has failed"};
  if (!is_number(numbers.next_inbound) || !is_number(numbers.next_outbound)) {
    return std::unexpected{"a next number is 1 to 2^62"};
  }
  if (phase_ != Phase::Idle) return std::unexpected{"not from within a callback"};
  if (slot.trial != nullptr) return std::unexpected{"the session has never logged on"};
  if (slot.connection != nullptr && !slot.connection->established) {
    static_cast<void>(now());
    constexpr std::string_view kWhy =
        "the connection attempt is aborted: the sequence numbers are being set";
    static_cast<void>(with_memory([&] { close(*slot.connection, EventId::ConnectAborted, kWhy); }));
  }
  if (slot.connection != nullptr) {
    return std::unexpected{"the session is connected: log it out first"};
  }
  begun_ = nullptr;
  static_cast<void>(now());
  const session::Numbers before = slot.machine.sequence_numbers();
  const bool is_recorded = with_memory([&] {
    transaction_.set_numbers(slot.key,
                             store::numbers_change(store_->session(slot.key),
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
  slot.machine.set_sequence_numbers(numbers);
  end_halt(slot);
  slot.inbound_recorded = numbers.next_inbound;
  static_cast<void>(with_memory([&] {
    report_.session(EventId::SequenceNumbersSet, slot,
                    "next MsgSeqNum set by hand: in " + std::to_string(before.next_inbound) +
                        " to " + std::to_string(numbers.next_inbound) + ", out " +
                        std::to_string(before.next_outbound) + " to " +
                        std::to_string(numbers.next_outbound) + ": " + std::string{reason});
  }));
  return {};
}

}  // namespace nexusfix::engine
