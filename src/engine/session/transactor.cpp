#include "engine/session/transactor.hpp"

#include <string>
#include <variant>

#include <nexusfix/base/language.hpp>

#include "engine/ground/statistics/session_state.hpp"
#include "engine/session/sessions.hpp"

namespace nexusfix::engine {
namespace {

// The growth of a stored message when it is sent again: 43=Y, 122 and a longer BodyLength.
constexpr std::size_t kResendGrowthBytes = session::StateMachine::kScratchBytes;

// Whether no message of the session waits: for its connection, a resend or a Logon.
bool has_sent_all(const SessionEntry& entry) noexcept {
  return entry.connection() != nullptr && entry.connection()->outbound().empty() &&
         !entry.resend.is_in_progress() && entry.resend.queued().empty() &&
         entry.until_logon.queued().empty() && entry.until_logon.left_to_resend() == 0;
}

// The action, which was performed, delivered a message that does not raise the next inbound
// MsgSeqNum: the counterparty sent it before it had our Logon that resets, so its number is old.
bool is_old_delivery(const SessionEntry& entry, const session::Action& action) noexcept {
  const auto* const deliver = std::get_if<session::Deliver>(&action);
  return deliver != nullptr &&
         deliver->msg_seq_num >= entry.machine.sequence_numbers().next_inbound;
}

void drop_commands(SessionEntry& entry) noexcept {
  while (!entry.commands.empty()) static_cast<void>(entry.commands.take());
}

}  // namespace

Transactor::Transactor(LoopContext& loop, Io& io, Sessions& sessions)
    : loop_{loop},
      io_{io},
      sessions_{sessions},
      action_buffer_(wire::FrameLimits{}.message_bytes_max + kResendGrowthBytes) {}

void Transactor::apply_or_defer(SessionEntry& entry) {
  if (phase_ == Phase::Idle) {
    transact(entry, [](session::StateMachine&) {});
  } else if (!entry.progress.is_acting_) {
    deferred_.push_back(&entry);
  }
}

[[gnu::always_inline]] inline bool Transactor::begin_event(SessionEntry& entry) {
  if (io_.commit.has_failed() || entry.abort.is_pending()) return false;
  NEXUSFIX_ASSERT(phase_ == Phase::Idle);
  phase_ = Phase::Event;
  owner_ = &entry;
  forget_begun();  // A message that was begun before this event can no longer be finished.
  return true;
}

// A step for all sessions goes on with the next one: the event has a boundary of its own.
void Transactor::transact(SessionEntry& entry, Event event) {
  if (!begin_event(entry)) return;
  loop_.boundary.run(entry, [&] {
    event(entry.machine);
    finish_event(entry);
  });
}

// The usual path, for a message that leaves nothing to do but its delivery.
void Transactor::transact(SessionEntry& entry, const wire::MessageView& message,
                          PackedMsgType msg_type) {
  if (entry.progress.takes_full_path_ || !entry.machine.is_steady()) [[unlikely]]
    return transact_fully(entry, message, msg_type);
  if (!begin_event(entry)) return;
  const Now& now = loop_.now();
  entry.machine.on_message(message, {.wall = now.wall, .mono = now.mono});
  begin_actions(entry);
  if (has_more(entry)) [[unlikely]]
    return finish_event(entry);
  entry.progress.is_acting_ = false;
  entry.disconnection.on_event_done();
  record_event(entry);
  if (!publish_numbers(entry)) [[unlikely]]
    return end_event(entry);
  phase_ = Phase::Idle;
  NEXUSFIX_DEBUG_ASSERT(entry.armed_at() <= entry.machine.next_deadline());
}

[[gnu::noinline]] void Transactor::transact_fully(SessionEntry& entry,
                                                  const wire::MessageView& message,
                                                  PackedMsgType msg_type) {
  if (entry.progress.keeps_received_)
    received_.begin(entry, message, msg_type, entry.outbound().keeps_masked_out);
  if (begin_event(entry)) {
    entry.machine.on_message(message, loop_.now());
    finish_event(entry);
  }
  received_.end();
}

[[gnu::noinline]] void Transactor::finish_event(SessionEntry& entry) {
  run_actions(entry);
  if (received_.is_of(entry, kPackedLogon)) [[unlikely]]
    hold_logon(entry);
  record_event(entry);
  end_event(entry);
}

void Transactor::end_event(SessionEntry& entry) {
  publish(entry, loop_.now());
  phase_ = Phase::Idle;
  loop_.arm(entry, entry.machine.next_deadline());
}

[[gnu::always_inline]] inline void Transactor::record_event(SessionEntry& entry) {
  bool may_have_commands = true;
  while (may_have_commands) {
    if (!deferred_.empty()) [[unlikely]]
      run_deferred();
    record_progress(entry);
    may_have_commands = append_here() && !deferred_.empty();
  }
}

// Runs the commands that a callback gave to other sessions, whose actions are not being performed.
void Transactor::run_deferred() {
  while (!deferred_.empty()) {
    SessionEntry& other = *deferred_.back();
    deferred_.pop_back();
    if (other.abort.is_pending()) continue;
    run_actions(other);
    record_progress(other);
    publish(other, loop_.now());
    loop_.arm(other, other.machine.next_deadline());
  }
}

[[gnu::always_inline]] inline void Transactor::begin_actions(SessionEntry& entry) {
  entry.progress.is_acting_ = true;
  if (entry.machine.has_delivery()) [[likely]]
    sessions_.actions.deliver(entry);
}

void Transactor::run_actions(SessionEntry& entry) {
  begin_actions(entry);
  if (has_more(entry)) run_more(entry);
  entry.progress.is_acting_ = false;
  entry.disconnection.on_event_done();
}

// Most messages are delivered, and leave nothing else to do.
inline bool Transactor::has_more(const SessionEntry& entry) noexcept {
  return entry.machine.has_queued() || entry.resend.is_done() || !entry.commands.empty() ||
         entry.disconnection.is_due();
}

[[gnu::noinline]] void Transactor::run_more(SessionEntry& entry) {
  while (true) {
    if (const auto action = entry.machine.next_action(action_buffer_.span())) {
      sessions_.actions.perform(entry, *action);
      if (entry.progress.keeps_received_ && is_old_delivery(entry, *action)) [[unlikely]]
        record_.inbound_progress(entry.stored.key(), 1, received_.stored_form(entry));
    } else if (entry.resend.end_if_done()) {
      // Messages that waited for the end of the resend have lower MsgSeqNums than any new one.
      sessions_.resends.finish_replay(entry);
    } else if (!entry.commands.empty()) [[unlikely]] {
      run_command(entry);
    } else if (entry.disconnection.is_due()) {
      sessions_.actions.notify_disconnection(entry);
    } else {
      return;
    }
  }
}

void Transactor::run_command(SessionEntry& entry) {
  using Kind = SessionCommands::Kind;
  switch (entry.commands.take()) {
    case Kind::LogOut:
      return entry.machine.on_logout_command(entry.commands.text(), loop_.now());
    case Kind::Reset:
      entry.connect_policy.on_reset_requested(entry.connection() != nullptr);
      return entry.machine.on_session_end(entry.commands.text(), loop_.now());
    case Kind::ResetInSession:
      return entry.machine.on_reset_command(session::ResetFallback::KeepNumbers, loop_.now());
    case Kind::Disconnect:
      return disconnect(entry, entry.commands.text());
    case Kind::AnswerLogon:
      return sessions_.actions.decide_logon(entry);
  }
}

void Transactor::disconnect(SessionEntry& entry, std::string_view why) {
  if (entry.connection() == nullptr) return;
  entry.connection()->set_close_reason(why);
  io_.connections.close_soon(*entry.connection());
}

inline void Transactor::record_progress(SessionEntry& entry) {
  if (entry.stored.is_on_trial()) [[unlikely]]
    return sessions_.dynamic.record_trial(entry);
  const std::uint64_t next_inbound = entry.machine.sequence_numbers().next_inbound;
  if (next_inbound == entry.progress.next_inbound_) return;
  entry.progress.next_inbound_ = next_inbound;
  if (entry.progress.keeps_received_) [[unlikely]]
    return record_received(entry, next_inbound);
  record_.inbound_progress(entry.stored.key(), next_inbound);
}

// JournalInbound.
void Transactor::record_received(SessionEntry& entry, std::uint64_t next_inbound) {
  record_.inbound_progress(entry.stored.key(), next_inbound, received_by(entry));
  if (!entry.progress.held_logon_.empty()) [[unlikely]]
    entry.progress.held_logon_.clear();
  if (received_.settles(entry)) entry.progress.is_settled_ = true;
  if (received_.is_of(entry, kPackedHeartbeat) && has_sent_all(entry)) {
    record_left(entry, entry.machine.sequence_numbers().next_outbound);
  }
}

// A counterparty that misses a message asks for it after our Logon, and before it sends anything
// else. So the messages before a Heartbeat have left, unless some wait here.
void Transactor::record_left(SessionEntry& entry, std::uint64_t msg_seq_num) {
  if (!entry.progress.is_settled_ || msg_seq_num <= entry.progress.left_) return;
  entry.progress.left_ = msg_seq_num;
  record_.messages_left(entry.stored.key(), msg_seq_num);
}

void Transactor::record_end(SessionEntry& entry, std::uint64_t lost) {
  if (!entry.progress.keeps_received_) return;
  if (!entry.stored.is_on_trial()) {
    record_left(entry, lost != 0 ? lost : entry.machine.sequence_numbers().next_outbound);
  }
  entry.progress.is_settled_ = false;
}

// A Logon that waits for its decision raises the next inbound MsgSeqNum in a later event.
std::string_view Transactor::received_by(SessionEntry& entry) {
  const std::string_view received = received_.stored_form(entry);
  return received.empty() ? std::string_view{entry.progress.held_logon_} : received;
}

void Transactor::hold_logon(SessionEntry& entry) {
  if (entry.machine.state() != session::State::LogonReceived) return;
  entry.progress.held_logon_ = received_.stored_form(entry);
}

// At most once: a message that is recorded and not delivered, because the store failed or stalled,
// is never delivered. A failed store is noticed when this event is recorded.
bool Transactor::record_before_delivery(SessionEntry& entry, std::uint64_t msg_seq_num) {
  entry.progress.next_inbound_ = msg_seq_num + 1;
  record_.inbound_progress(
      entry.stored.key(), entry.progress.next_inbound_,
      entry.progress.keeps_received_ ? received_by(entry) : std::string_view{});
  const auto appended = io_.commit.append(record_);
  if (!appended) return false;
  const CommitGate::Waited waited = io_.commit.wait_for(*appended);
  if (waited == CommitGate::Waited::TimedOut) {
    loop_.report.session(EventId::InboundNotRecorded, entry,
                         "MsgSeqNum " + std::to_string(msg_seq_num) +
                             " is not delivered: the store did not record it in time");
    if (entry.connection() != nullptr) io_.connections.close_soon(*entry.connection());
  }
  return waited == CommitGate::Waited::Durable;
}

void Transactor::append_record() { static_cast<void>(append_here()); }

// Inlined into the one event that each message is. Returns whether on_sent(), or what ends a failed
// store, may have given commands to sessions.
[[gnu::always_inline]] inline bool Transactor::append_here() {
  if (!record_.empty()) [[likely]] {
    const auto appended = io_.commit.append(record_);
    if (!appended) [[unlikely]] {
      end_connections();
      io_.commit.fail(appended.error());
      return true;
    }
    while (in_event_ != nullptr) {
      in_event_->wait_for(*appended);
      in_event_ = in_event_->leave_event();
    }
  } else {
    end_connections();
  }
  if (sent_.empty()) [[likely]]
    return false;
  notify_sent();
  return loop_.callbacks.on_sent != nullptr;
}

void Transactor::notify_sent() noexcept {
  sent_.notify([&](const SentMessages::Message& one, std::string_view bytes) {
    if (one.is_logged) loop_.report.logs().sent(one.entry->stored.log(), bytes, loop_.now().wall);
    if (loop_.callbacks.on_sent == nullptr) return;
    const SentMessage sent{.kind = one.kind,
                           .msg_seq_num = one.msg_seq_num,
                           .bytes = bytes,
                           .is_transmitted = one.is_transmitted};
    const std::exception_ptr thrown = observe(
        [&] { loop_.callbacks.on_sent(loop_.callbacks.application, one.entry->session, sent); });
    if (!thrown) return;
    loop_.report.peer(EventId::SentCallbackThrew, *one.entry,
                      {"on_sent() threw; the message is still sent: ", what_of(thrown)});
  });
}

void Transactor::forget(SessionEntry& entry) noexcept {
  std::erase(deferred_, &entry);
  if (begun_ == &entry) begun_ = nullptr;
}

void Transactor::drop_event() noexcept {
  deferred_.clear();
  sent_.clear();
}

void Transactor::give_back(std::size_t bytes_max) {
  sent_.give_back(bytes_max);
  record_.give_back(bytes_max);
}

// An event without enough memory is undone as if the process had ended in it: the store has nothing
// of it, and the sessions that took part lose their connections. The other sessions go on.
//
// A session took part in the event if its sequence numbers differ from those of the store.
bool Transactor::abort_event() noexcept {
  if (is_idle()) return false;
  loop_.latency.on_delivered();
  record_.clear();
  received_.end();
  sent_.clear();
  undo_count_ = 0;
  for (SessionEntry* const commanded : deferred_) drop_commands(*commanded);
  deferred_.clear();
  for (const auto& owned : sessions_.registry.entries()) {
    SessionEntry& one = *owned;
    const session::Numbers numbers = sessions_.registry.stored_numbers(one);
    const bool has_part = &one == owner_ || one.progress.is_acting_ ||
                          one.machine.sequence_numbers() != numbers ||
                          (one.connection() != nullptr && one.connection()->is_in_event());
    if (!has_part) continue;
    one.progress.is_acting_ = false;
    drop_commands(one);
    one.progress.next_inbound_ = numbers.next_inbound;
    one.machine.roll_back(numbers);
    one.schedule_status.undo_end();  // The event may have been about to reset the sequence numbers.
    if (one.connection() != nullptr) one.connection()->outbound().clear();
    abort_session(loop_, one);
  }
  end_connections();
  phase_ = Phase::Idle;
  loop_.arm(*owner_, owner_->machine.next_deadline());
  return true;
}

void Transactor::grow_undo_log() {
  undo_log_.resize(2 * undo_room_ + 1);
  undo_room_ = undo_log_.size();
}

// Its messages are undone from the last one to the first one.
void Transactor::undo_callback(SessionEntry& entry, const CallbackScope& scope,
                               const std::exception_ptr& thrown) {
  const store::Transaction::Mark mark = scope.record;
  record_.rollback(mark);
  while (undo_count_ != 0) undo_log_[--undo_count_].undo();
  sent_.rollback(scope.sent);
  loop_.report.peer(
      EventId::CallbackThrew, entry,
      {"the application's callback threw; what it sent is undone: ", what_of(thrown)});
}

void UndoEntry::undo() const noexcept {
  if (kind == Kind::Waiting) {
    entry->outbound_limit->pop_last(msg_type);
    return entry->publish_waiting();
  }
  entry->machine.rewind_outbound(next_outbound);
  if (entry->connection() != nullptr) {
    entry->connection()->outbound().shrink_to(outbound_size);
    if (outbound_size == 0) entry->connection()->timed_answer() = {};
  }
  if (kind != Kind::WithQueues) return;
  entry->resend.queued().shrink_to(queues.resend_queued_size);
  entry->until_logon.roll_back(queues.until_logon_size, queues.left_to_resend);
}

}  // namespace nexusfix::engine
