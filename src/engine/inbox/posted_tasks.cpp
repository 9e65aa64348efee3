// What other threads want, and commands: to a session that may be in the middle of an event.
#include <string>
#include <utility>

#include "engine/loop/event_loop.hpp"

namespace nexusfix::engine {

void EventLoop::run_tasks() {
  run_posted_tasks();
  if (!inbox_->has_tasks()) [[likely]]
    return;
  auto tasks = inbox_->take_tasks();
  // One without the memory that it needs is destroyed, and says so if anybody waits for it.
  std::erase_if(tasks, [this](const std::unique_ptr<LoopTask>& task) {
    return !with_memory([&] { task->run(*this); }) || !task->comes_back();
  });
  inbox_->put_back(std::move(tasks));
}

void EventLoop::run_posted_tasks() {
  inbox_->deliver([this](QueuedTask& posted, PostResult& result) {
    const bool is_ours = posted.session.loop == loop();
    SessionEntry* const entry = is_ours ? entry_of(posted.session.key) : nullptr;
    if (entry == nullptr) {
      result.outcome = PostOutcome::NoSession;
      static_cast<void>(with_memory([&] { result.text = to_string(PostOutcome::NoSession); }));
      return;
    }
    std::optional<std::string> thrown =
        failure_of([&] { posted.run(posted.task, entry->session, result); });
    begun_ = nullptr;
    if (!thrown) return;
    result.outcome = PostOutcome::Threw;
    static_cast<void>(with_memory([&] {
      report_.session(EventId::PostedTaskThrew, *entry, "a posted task threw: " + *thrown);
    }));
    result.text = std::move(*thrown);
  });
}

// The commands of the session: they are carried out now, or after the actions of this event.
void EventLoop::apply_or_defer(SessionEntry& entry) {
  if (phase_ == Phase::Idle) {
    transact(entry, [](session::StateMachine&) {});
  } else if (!entry.acting) {
    deferred_.push_back(&entry);
  }
}

void EventLoop::disconnect(SessionEntry& entry, std::string_view why) {
  std::string text = "disconnected by the application";
  if (!why.empty()) (text += ": ") += why;
  entry.commands.add(SessionCommands::Kind::Disconnect, std::move(text));
  static_cast<void>(now());
  apply_or_defer(entry);
}

void EventLoop::reset(SessionEntry& entry, std::string_view text) {
  entry.commands.add(SessionCommands::Kind::Reset, std::string{text});
  static_cast<void>(now());
  apply_or_defer(entry);
}

void EventLoop::disconnect_now(SessionEntry& entry, std::string_view why) {
  if (entry.connection == nullptr) return;
  Connection& connection = *entry.connection;
  if (!connection.established) return close(connection, EventId::ConnectionClosed, why);
  connection.close_reason = why;
  close_soon(connection);
}

}  // namespace nexusfix::engine
