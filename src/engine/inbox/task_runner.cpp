// Runs what other threads post.
#include "engine/inbox/task_runner.hpp"

#include "engine/loop/loop_context.hpp"
#include "engine/registry/session_registry.hpp"
#include "engine/sending/outbox.hpp"
#include "engine/sessions/transactor.hpp"

namespace nexusfix::engine {

void TaskRunner::run_tasks(EventLoop& event_loop) {
  run_posted_tasks();
  if (!inbox_->has_tasks()) [[likely]]
    return;
  auto tasks = inbox_->take_tasks();
  // A task that has found no memory is destroyed; its destructor reports that to a waiting thread.
  std::erase_if(tasks, [&](const std::unique_ptr<LoopTask>& task) {
    return !loop_.boundary.run([&] { task->run(event_loop); }) || !task->comes_back();
  });
  inbox_->put_back(std::move(tasks));
}

void TaskRunner::run_posted_tasks() {
  // Without memory the result may have no text; its outcome is right.
  inbox_->deliver([this](QueuedTask& posted, PostResult& result) {
    loop_.boundary.run([&] { run_posted_task(posted, result); });
  });
}

void TaskRunner::run_posted_task(QueuedTask& posted, PostResult& result) {
  const bool is_ours = posted.session.loop == loop_.index;
  SessionEntry* const entry = is_ours ? registry_.entry_of(posted.session.key) : nullptr;
  if (entry == nullptr) {
    result.outcome = PostOutcome::NoSession;
    result.text = to_string(PostOutcome::NoSession);
    return;
  }
  const std::exception_ptr thrown =
      Transactor::exception_of([&] { posted.run(posted.task, entry->session, result); });
  outbox_.forget_begun();
  if (!thrown) return;
  result.outcome = PostOutcome::Threw;
  const std::string_view text = Transactor::text_of(thrown);
  loop_.report.session(EventId::PostedTaskThrew, *entry, {"a posted task threw: ", text});
  result.text = text;
}

}  // namespace nexusfix::engine
