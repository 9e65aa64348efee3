// What other threads want, and commands: to a session that may be in the middle of an event.
#include <string>
#include <utility>

#include "engine/loop/runtime.hpp"

namespace nexusfix::engine {

void Runtime::take_mail() {
  take_letters();
  if (!mail_room_->has_tasks()) [[likely]]
    return;
  auto tasks = mail_room_->take_tasks();
  // One without the memory that it needs is destroyed, and says so if anybody waits for it.
  std::erase_if(tasks, [this](const std::unique_ptr<LoopTask>& task) {
    return !with_memory([&] { task->run(*this); }) || !task->comes_back();
  });
  mail_room_->put_back(std::move(tasks));
}

void Runtime::take_letters() {
  mail_room_->deliver([this](Letter& letter, PostResult& result) {
    const bool is_ours = letter.session.loop == loop();
    SessionSlot* const slot = is_ours ? slot_of(letter.session.key) : nullptr;
    if (slot == nullptr) {
      result.outcome = PostOutcome::NoSession;
      static_cast<void>(with_memory([&] { result.text = to_string(PostOutcome::NoSession); }));
      return;
    }
    std::optional<std::string> thrown =
        failure_of([&] { letter.run(letter.task, slot->session, result); });
    begun_ = nullptr;
    if (!thrown) return;
    result.outcome = PostOutcome::Threw;
    static_cast<void>(with_memory([&] {
      report_.session(EventId::PostedTaskThrew, *slot, "a posted task threw: " + *thrown);
    }));
    result.text = std::move(*thrown);
  });
}

// The commands of the session: they are carried out now, or after the actions of this event.
void Runtime::apply_or_defer(SessionSlot& slot) {
  if (phase_ == Phase::Idle) {
    transact(slot, [](session::StateMachine&) {});
  } else if (!slot.acting) {
    deferred_.push_back(&slot);
  }
}

void Runtime::disconnect(SessionSlot& slot, std::string_view why) {
  std::string text = "disconnected by the application";
  if (!why.empty()) (text += ": ") += why;
  slot.commands.add(SessionCommands::Kind::Disconnect, std::move(text));
  static_cast<void>(now());
  apply_or_defer(slot);
}

void Runtime::reset(SessionSlot& slot, std::string_view text) {
  slot.commands.add(SessionCommands::Kind::Reset, std::string{text});
  static_cast<void>(now());
  apply_or_defer(slot);
}

void Runtime::cut(SessionSlot& slot, std::string_view why) {
  if (slot.connection == nullptr) return;
  Connection& connection = *slot.connection;
  if (!connection.established) return close(connection, EventId::ConnectionClosed, why);
  connection.close_reason = why;
  close_soon(connection);
}

}  // namespace nexusfix::engine
