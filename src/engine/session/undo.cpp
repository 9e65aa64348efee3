// Undoes failures: a callback that threw, and an event without enough memory. Such an event is
// undone as if the process had ended in it: the store has nothing of it, and the sessions that took
// part lose their connections. The other sessions go on.
#include <algorithm>
#include <string>
#include <utility>

#include "engine/session/sessions.hpp"

namespace nexusfix::engine {
namespace {

void drop_commands(SessionEntry& entry) noexcept {
  while (!entry.commands.empty()) static_cast<void>(entry.commands.take());
}

}  // namespace

// A session took part in the event if its sequence numbers differ from
// those of the store.
void Transactor::abort_event(SessionEntry& entry) noexcept {
  loop_.latency.on_delivered();
  record_.clear();
  sent_.clear();
  undo_count_ = 0;
  phase_ = Phase::Event;
  for (SessionEntry* const commanded : deferred_) drop_commands(*commanded);
  deferred_.clear();
  for (const auto& owned : sessions_.registry.entries()) {
    SessionEntry& one = *owned;
    const session::Numbers numbers = sessions_.registry.stored_numbers(one);
    const bool has_part = &one == &entry || one.progress.is_acting_ ||
                          one.machine.sequence_numbers() != numbers ||
                          (one.connection() != nullptr && one.connection()->is_in_event());
    if (!has_part) continue;
    one.progress.is_acting_ = false;
    drop_commands(one);
    one.progress.next_inbound_ = numbers.next_inbound;
    one.machine.roll_back(numbers);
    one.timetable.undo_end();  // The event may have been about to reset the sequence numbers.
    if (one.connection() != nullptr) one.connection()->outbound().clear();
    abort_session(loop_, one);
  }
  end_connections();
}

// Its messages are undone from the last one to the first one.
void Transactor::undo_callback(SessionEntry& entry, const CallbackScope& scope,
                               const std::exception_ptr& thrown) {
  const store::Transaction::Mark mark = scope.record;
  record_.rollback(mark);
  while (undo_count_ > scope.undo_count) undo_log_[--undo_count_].undo();
  sent_.rollback(scope.sent);
  loop_.report.peer(
      EventId::CallbackThrew, entry,
      {"the application's callback threw; what it sent is undone: ", what_of(thrown)});
}

void UndoEntry::undo() const noexcept {
  entry->machine.rewind_outbound(next_outbound);
  if (entry->connection() != nullptr) {
    entry->connection()->outbound().shrink_to(outbound_size);
    if (outbound_size == 0) entry->connection()->timed_answer() = {};
  }
  if (!has_queues) return;
  entry->resend.queued().shrink_to(queues.resend_queued_size);
  entry->until_logon.roll_back(queues.until_logon_size, queues.left_to_resend);
}

}  // namespace nexusfix::engine
