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
    static_cast<void>(with_memory(
        [&] { report(observe::Severity::Error, slot->name, "a posted task threw: " + *thrown); }));
    result.text = std::move(*thrown);
  });
}

// A command that stands in the slot: carried out now, or when the actions of this event are taken.
void Runtime::command(SessionSlot& slot) {
  if (!in_event_ && !within_sending_) {
    transact(slot, [](session::StateMachine&) {});
  } else if (!slot.acting) {
    commanded_.push_back(&slot);
  }
}

void Runtime::disconnect(SessionSlot& slot, std::string_view why) {
  slot.disconnect_wanted = "disconnected by the application";
  if (!why.empty()) (*slot.disconnect_wanted += ": ") += why;
  static_cast<void>(now());
  command(slot);
}

void Runtime::reset(SessionSlot& slot, std::string_view text) {
  slot.reset_wanted = text;
  static_cast<void>(now());
  command(slot);
}

void Runtime::cut(SessionSlot& slot) {
  std::string why = *std::exchange(slot.disconnect_wanted, std::nullopt);
  if (slot.connection == nullptr) return;
  Connection& connection = *slot.connection;
  if (!connection.established) return close(connection, why);
  connection.close_reason = std::move(why);
  close_soon(connection);
}

}  // namespace nexusfix::engine
