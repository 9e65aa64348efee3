// Sessions: one event is one transaction. The state machine gets the event, its actions are
// performed in order, and all that they changed becomes one record of the store.
#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include <nexusfix/base/assert.hpp>

#include "engine/runtime.hpp"

namespace nexusfix::engine {
namespace {

// Messages kept while a gap is open; beyond it they are dropped and asked for again.
constexpr std::size_t kHeldBytesMax = 16U << 20U;
// The same of a counterparty whose Logon is not decided on.
constexpr std::size_t kHeldUndecidedBytesMax = 64U << 10U;
// What a kept message costs beside its bytes.
constexpr std::size_t kHeldOverheadBytes = 128;
// A resend is served in slices, so that other sessions and heartbeats go on meanwhile.
constexpr std::uint64_t kReplaySlice = 256;
// How long the last bytes (a Logout) may take to leave.
constexpr std::chrono::seconds kLastBytesTimeout{2};
// BusinessRejectReason (380): application not available.
constexpr unsigned kApplicationNotAvailable = 4;

observe::Severity severity_of(session::NoticeCode code) noexcept {
  switch (code) {
    case session::NoticeCode::GapClosed:
    case session::NoticeCode::ResendServed:
    case session::NoticeCode::TestRequestSent:
    case session::NoticeCode::LogoutReceived:
      return observe::Severity::Info;
    default:
      return observe::Severity::Warning;
  }
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
  if (store_failed_) return;
  NEXUSFIX_ASSERT(!in_event_);
  in_event_ = true;
  begun_ = nullptr;  // A message begun before this event can no longer have its number.
  event(slot.machine);
  take_actions(slot);
  // Commands that a callback gave to other sessions.
  while (!commanded_.empty()) {
    SessionSlot& other = *commanded_.back();
    commanded_.pop_back();
    take_actions(other);
    note_progress(other);
    wake_at(other.machine.next_deadline());
  }
  note_progress(slot);
  append_transaction();
  in_event_ = false;
  wake_at(slot.machine.next_deadline());
}

void Runtime::take_actions(SessionSlot& slot) {
  slot.acting = true;
  while (true) {
    if (const auto action = slot.machine.next_action(action_buffer_)) {
      std::visit([&](const auto& one) { perform(slot, one); }, *action);
    } else if (std::exchange(slot.logout_wanted, false)) {
      slot.machine.on_logout_command(slot.logout_text, now_);
    } else if (slot.logon_answer) {
      decide_logon(slot);
    } else {
      break;
    }
  }
  slot.acting = false;
}

void Runtime::note_progress(SessionSlot& slot) {
  const std::uint64_t next_inbound = slot.machine.numbers().next_inbound;
  if (next_inbound == slot.inbound_recorded) return;
  slot.inbound_recorded = next_inbound;
  transaction_.inbound_progress(slot.key, next_inbound);
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
  if (failure) fail_store(*failure);
}

// Messages that came too early, as soon as the gap in front of them is closed.
void Runtime::feed_held(SessionSlot& slot) {
  while (!slot.held.empty()) {
    const auto first = slot.held.begin();
    const std::uint64_t expected = slot.machine.numbers().next_inbound;
    if (first->first > expected) return;
    const std::string bytes = std::move(first->second);
    const bool due = first->first == expected;
    slot.held_bytes -= bytes.size() + kHeldOverheadBytes;
    slot.held.erase(first);
    if (!due) continue;  // It came again in the meantime.
    const auto message = parser_.parse(bytes);
    NEXUSFIX_ASSERT(message.has_value());  // It parsed when it came.
    transact(slot, [&](session::StateMachine& machine) { machine.on_message(*message, now_); });
  }
}

void Runtime::serve_replays() {
  if (!replay_ready_) return;
  replay_ready_ = false;
  for (SessionSlot& slot : slots_) {
    if (slot.replay && !store_failed_) serve_replay(slot);
  }
}

void Runtime::serve_replay(SessionSlot& slot) {
  if (slot.connection == nullptr || slot.connection->outbound.size() > kReplayUnsentBytesMax) {
    return;  // send_waiting() brings it back.
  }
  const std::uint64_t first = slot.replay->next;
  const std::uint64_t last = std::min(slot.replay->end, first + kReplaySlice - 1);
  const auto visit = [&](std::uint64_t msg_seq_num, std::string_view bytes) {
    NEXUSFIX_DEBUG_ASSERT(transaction_.empty());  // Nothing may be appended while it is read.
    transact(slot, [&](session::StateMachine& machine) {
      machine.on_replay_message(msg_seq_num, bytes, now_);
    });
    return slot.replay.has_value();
  };
  if (const auto read = store_->read(slot.key, first, last, visit); !read) {
    // Reading changes nothing: what is stored stays as good as it was, and others go on.
    report(observe::Severity::Error, slot.name, "cannot resend: " + read.error().text);
    if (slot.connection != nullptr) close(*slot.connection, "closed: its messages cannot be read");
    return;
  }
  if (!slot.replay) return;  // A reset or a disconnection ended it.
  if (last == slot.replay->end) {
    slot.replay.reset();
    transact(slot, [&](session::StateMachine& machine) { machine.on_replay_done(now_); });
    transact(slot, [&](session::StateMachine&) { finish_replay(slot); });
  } else {
    slot.replay->next = last + 1;
    replay_ready_ = true;
  }
}

void Runtime::finish_replay(SessionSlot& slot) {
  if (slot.replay || slot.behind_replay.empty()) return;
  const std::span<const char> bytes = slot.behind_replay.waiting();
  transmit(slot, {bytes.data(), bytes.size()});
  slot.behind_replay.clear();
}

// Bytes that have a number of their own. During a resend they wait behind it: the counterparty
// expects the lower numbers first.
void Runtime::queue_bytes(SessionSlot& slot, std::string_view bytes) {
  ++stats_.messages_out;
  if (!slot.replay) {
    transmit(slot, bytes);
  } else if (slot.connection != nullptr) {
    slot.behind_replay.push(bytes);
    mark_unsent(*slot.connection);  // So that the limit of what waits is looked at.
  }
}

void Runtime::transmit(SessionSlot& slot, std::string_view bytes) {
  if (slot.connection == nullptr || slot.connection->closing) return;
  Connection& connection = *slot.connection;
  connection.outbound.push(bytes);
  // What waited behind a resend has its record already; what this event adds comes on top.
  connection.waits_for = store_->appended();
  mark_unsent(connection);
  if (!connection.in_event) {
    connection.in_event = true;
    in_event_connections_.push_back(&connection);
  }
}

void Runtime::perform(SessionSlot& slot, const session::Transmit& action) {
  record_outbound(slot, action.msg_seq_num, action.bytes, action.is_resendable);
  queue_bytes(slot, action.bytes);
}

void Runtime::record_outbound(SessionSlot& slot, std::uint64_t msg_seq_num, std::string_view bytes,
                              bool is_resendable) {
  if (is_resendable && slot.settings.session.persist_messages) {
    transaction_.outbound_message(slot.key, msg_seq_num, bytes);
  } else {
    transaction_.outbound_number(slot.key, msg_seq_num);
  }
}

void Runtime::perform(SessionSlot& slot, const session::Retransmit& action) {
  ++stats_.messages_out;
  transmit(slot, action.bytes);
}

void Runtime::perform(SessionSlot& slot, const session::Deliver& action) {
  session::Verdict verdict;
  const bool done = run_callback(slot, [&] {
    verdict = callbacks_.on_message(callbacks_.application, slot.session, *action.message);
  });
  if (!done) {
    verdict = business_reject(kApplicationNotAvailable, 0, "Application not available");
  }
  slot.machine.on_delivered(verdict, now_);
}

void Runtime::perform(SessionSlot& slot, const session::Hold& action) {
  const std::size_t bytes = action.bytes.size() + kHeldOverheadBytes;
  const bool is_stranger = slot.machine.state() == session::State::LogonReceived;
  if (slot.held_bytes + bytes > (is_stranger ? kHeldUndecidedBytesMax : kHeldBytesMax)) {
    report_peer(observe::Severity::Warning, slot.name,
                "too much came too early: MsgSeqNum " + std::to_string(action.msg_seq_num) +
                    " is dropped and will be asked for again");
    return;
  }
  if (slot.held.try_emplace(action.msg_seq_num, action.bytes).second) slot.held_bytes += bytes;
}

void Runtime::perform(SessionSlot& slot, const session::Replay& action) {
  // What waited behind an earlier resend goes out first: this one repeats it as PossDup, and a
  // number must not come without PossDup after it came with it.
  slot.replay.reset();
  finish_replay(slot);
  slot.replay = ReplayCursor{.next = action.begin, .end = action.end};
  for (const store::NumberRange& lost : store_->lost_numbers(slot.key)) {
    if (lost.last < action.begin || lost.first > action.end) continue;
    report(observe::Severity::Error, slot.name,
           "the counterparty asks for numbers " + std::to_string(lost.first) + " to " +
               std::to_string(lost.last) +
               ", whose messages the store has lost: it gets a gap fill. Compare with its records "
               "what was sent under them");
  }
  replay_ready_ = true;
}

void Runtime::perform(SessionSlot& slot, const session::Reset&) {
  transaction_.reset(slot.key);
  slot.inbound_recorded = 1;
  slot.held.clear();
  slot.held_bytes = 0;
  slot.replay.reset();
  slot.behind_replay.clear();
  report_peer(observe::Severity::Info, slot.name, "sequence numbers reset to 1");
}

// Without a callback the machine does not ask. One that throws refuses: nobody is let in by a
// mistake.
void Runtime::perform(SessionSlot& slot, const session::Authenticate& action) {
  std::optional<LogonAnswer> answer;
  const LogonRequest request{.id = action.logon_id, .message = *action.message};
  const bool done = run_callback(slot, [&] {
    answer = callbacks_.on_logon_request(callbacks_.application, slot.session, request);
  });
  if (!done) answer = LogonAnswer{.accepted = false, .text = "Logon cannot be examined"};
  if (!answer) return;
  slot.logon_answer = std::move(answer);
  slot.logon_answer_id = action.logon_id;
}

void Runtime::decide_logon(SessionSlot& slot) {
  using Kind = session::LogonDecision::Kind;
  const LogonAnswer answer = *std::exchange(slot.logon_answer, std::nullopt);
  slot.logon_answer_text = answer.text;
  slot.machine.on_logon_decision(slot.logon_answer_id,
                                 {.kind = answer.accepted ? Kind::Accept : Kind::Refuse,
                                  .text = slot.logon_answer_text,
                                  .session_status = answer.session_status},
                                 now_);
  slot.was_decided = logon_decided_ = true;
}

// Behind the event in which the Logon was decided on: another session's, perhaps.
void Runtime::feed_decided() {
  while (std::exchange(logon_decided_, false)) {
    for (SessionSlot& slot : slots_) {
      if (std::exchange(slot.was_decided, false)) feed_held(slot);
    }
  }
}

void Runtime::answer_logon(SessionSlot& slot, std::uint64_t logon_id, const LogonAnswer& answer) {
  static_cast<void>(now());
  slot.logon_answer = answer;
  slot.logon_answer_id = logon_id;
  if (!in_event_) {
    transact(slot, [](session::StateMachine&) {});
    feed_decided();
  } else if (!slot.acting) {
    commanded_.push_back(&slot);
  }
}

void Runtime::perform(SessionSlot& slot, const session::LoggedOn&) {
  const session::Numbers numbers = slot.machine.numbers();
  report_peer(observe::Severity::Info, slot.name,
              "logged on, next MsgSeqNum in " + std::to_string(numbers.next_inbound) + ", out " +
                  std::to_string(numbers.next_outbound));
  if (callbacks_.on_logon == nullptr) return;
  static_cast<void>(
      run_callback(slot, [&] { callbacks_.on_logon(callbacks_.application, slot.session); }));
}

void Runtime::perform(SessionSlot& slot, const session::LoggedOut&) {
  report_peer(observe::Severity::Info, slot.name, "logged out");
  if (callbacks_.on_logout == nullptr) return;
  static_cast<void>(
      run_callback(slot, [&] { callbacks_.on_logout(callbacks_.application, slot.session); }));
}

void Runtime::perform(SessionSlot& slot, const session::Disconnect& action) {
  if (slot.connection == nullptr) return;
  // What waits behind a resend is stored; only the Logout among it matters now.
  if (slot.replay) {
    slot.replay.reset();
    finish_replay(slot);
  }
  if (action.reason != session::DisconnectReason::LogoutComplete) {
    report_peer(observe::Severity::Warning, slot.name,
                "disconnecting: " + std::string{to_string(action.reason)});
  }
  if (action.reason == session::DisconnectReason::MsgSeqNumTooLow && slot.wants_connection) {
    slot.wants_connection = false;
    report(observe::Severity::Error, slot.name,
           "one side has lost numbers that the other one knows: not connecting again. Compare both "
           "sides' sequence numbers, then restore the store, or agree on ResetOnLogon=Y");
  }
  slot.connection->closing = true;
  slot.connection->deadline = now_.mono + kLastBytesTimeout;
  wake_at(slot.connection->deadline);
  mark_unsent(*slot.connection);
}

void Runtime::perform(SessionSlot& slot, const session::Notice& action) {
  report_peer(severity_of(action.code), slot.name, describe(action));
}

bool Runtime::run_callback(SessionSlot& slot, FunctionRef<void()> callback) {
  const store::Transaction::Mark mark = transaction_.mark();
  const std::size_t first = touched_.size();
  const std::size_t outer_first = std::exchange(touched_first_, first);
  const bool outer = std::exchange(in_callback_, true);
  std::optional<std::string> failure;
  try {
    callback();
  } catch (const std::exception& error) {
    failure = error.what();
  } catch (...) {
    failure = "something that is no std::exception";
  }
  in_callback_ = outer;
  touched_first_ = outer_first;
  if (failure) {
    undo_touched(first, mark);
    report_peer(observe::Severity::Error, slot.name,
                "the application's callback threw; what it sent is undone: " + *failure);
  }
  touched_.resize(first);
  return !failure;
}

// Before a callback's first message of a session: remembers what to go back to.
void Runtime::touch(SessionSlot& slot) {
  for (std::size_t i = touched_first_; i < touched_.size(); ++i) {
    if (touched_[i].slot == &slot) return;
  }
  touched_.push_back({&slot, slot.machine.numbers().next_outbound,
                      slot.connection != nullptr ? slot.connection->outbound.size() : 0,
                      slot.behind_replay.size()});
}

void Runtime::undo_touched(std::size_t first, store::Transaction::Mark mark) noexcept {
  transaction_.rollback(mark);
  for (std::size_t i = first; i < touched_.size(); ++i) {
    const Touched& one = touched_[i];
    one.slot->machine.rewind_outbound(one.next_outbound);
    if (one.slot->connection != nullptr) {
      one.slot->connection->outbound.shrink_to(one.outbound_size);
    }
    one.slot->behind_replay.shrink_to(one.behind_size);
  }
}

wire::Encoder Runtime::begin_message(SessionSlot& slot, std::string_view msg_type) noexcept {
  begun_ = &slot;
  return slot.machine.begin_message(encode_buffer_, msg_type, now());
}

SendResult Runtime::finish_message(
    SessionSlot& slot, const std::expected<std::string_view, wire::EncodeError>& bytes) noexcept {
  if (store_failed_) return std::unexpected{SendError{SendFailure::StoreStopped, {}}};
  if (std::exchange(begun_, nullptr) != &slot) {
    return std::unexpected{SendError{SendFailure::NotBegun, {}}};
  }
  if (transaction_.entries().size() > kTransactionBytesMax) {
    return std::unexpected{SendError{SendFailure::TransactionTooLarge, {}}};
  }
  if (in_callback_) touch(slot);
  const auto outbound = slot.machine.finish_message(bytes);
  if (!outbound) {
    const bool encode = outbound.error().code == session::SendErrorCode::Encode;
    return std::unexpected{
        SendError{encode ? SendFailure::Encode : SendFailure::NotApplicationMessage,
                  outbound.error().encode}};
  }
  record_outbound(slot, outbound->msg_seq_num, outbound->bytes, true);
  if (slot.machine.state() == session::State::LoggedOn) queue_bytes(slot, outbound->bytes);
  if (!in_event_) append_transaction();
  if (store_failed_) return std::unexpected{SendError{SendFailure::StoreStopped, {}}};
  return Sent{outbound->msg_seq_num};
}

void Runtime::log_out(SessionSlot& slot, std::string_view text) {
  slot.wants_connection = false;
  slot.logout_text = text;
  static_cast<void>(now());
  if (slot.connection != nullptr && !slot.connection->established) {
    close(*slot.connection, "connecting was given up");
  }
  slot.logout_wanted = true;
  if (!in_event_) {
    transact(slot, [](session::StateMachine&) {});
  } else if (!slot.acting) {
    commanded_.push_back(&slot);
  }
}

void Runtime::log_on(SessionSlot& slot) {
  if (slot.settings.session.role != session::Role::Initiator || stopping_) return;
  slot.wants_connection = true;
  slot.log_on_wanted = slot.connection != nullptr;
  slot.connect_at = now().mono;
  wake_at(slot.connect_at);
}

}  // namespace nexusfix::engine
