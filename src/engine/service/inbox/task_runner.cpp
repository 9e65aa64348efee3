#include "engine/service/inbox/task_runner.hpp"

#include "engine/ground/charge.hpp"
#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

void TaskRunner::run_loop_tasks(Floors& floors) {
  auto tasks = inbox_->consume_tasks();
  // A task that has found no memory is destroyed; its destructor reports that to a waiting thread.
  std::erase_if(tasks, [&](const std::unique_ptr<LoopTask>& task) {
    return !loop_.boundary.run([&] { task->run(floors); }) || !task->comes_back();
  });
  inbox_->put_back(std::move(tasks));
}

void TaskRunner::run_posted_tasks() {
  inbox_->deliver(
      // Without memory the result may have no text; its outcome is known.
      [this](QueuedTask& posted, PostResult& result) {
        loop_.boundary.run([&] { run_posted_task(posted, result); });
      },
      [this](TaskChannel& channel, QueuedTask& posted, const PostResult& result) {
        if (!report_result(channel, posted, result)) report_refused(posted, result);
      });
  loop_.stats.on_tasks_left(inbox_->waiting(), loop_.now().wall);
}

SessionEntry* TaskRunner::entry_of(SessionHandle session) const noexcept {
  return session.loop == loop_.index ? registry_.entry_of(session.key) : nullptr;
}

void TaskRunner::run_posted_task(QueuedTask& posted, PostResult& result) {
  ++loop_.stats.posted_tasks;
  SessionEntry* const entry = entry_of(posted.session);
  if (entry == nullptr) {
    result.outcome = PostResult::Outcome::NoSession;
    result.text = to_string(PostResult::Outcome::NoSession);
    return;
  }
  const std::exception_ptr thrown = exception_of([&] {
    charge(loop_, *entry, [&] { posted.kind->run(posted.task, entry->session, result); });
  });
  transactor_.forget_begun();
  if (thrown) {
    result.outcome = PostResult::Outcome::Threw;
    const std::string_view text = what_of(thrown);
    loop_.report.session(EventId::PostedTaskThrew, *entry, {"a posted task threw: ", text});
    result.text = text;
  }
  if (loop_.work.has(Work::Scratch)) loop_.end_scratch();
}

// False: the task was not carried out, and no callback knows.
bool TaskRunner::report_result(TaskChannel& channel, QueuedTask& posted, const PostResult& result) {
  const bool is_done = result.outcome == PostResult::Outcome::Done;
  if (!is_done) channel.remote->refused.fetch_add(1, std::memory_order_relaxed);
  // An exception of the task is an event already.
  if (posted.kind->report == nullptr)
    return is_done || result.outcome == PostResult::Outcome::Threw;
  bool is_reported = true;
  const std::exception_ptr thrown =
      exception_of([&] { is_reported = posted.kind->report(posted.task, result); });
  transactor_.forget_begun();
  if (thrown) {
    loop_.report.engine_limited(EventId::PostedTaskThrew,
                                {"on_result of a remote threw: ", what_of(thrown)});
  }
  return is_reported || is_done;
}

void TaskRunner::report_refused(const QueuedTask& posted, const PostResult& result) {
  constexpr std::string_view kWhat = "what a remote has sent is not carried out: ";
  if (SessionEntry* const entry = entry_of(posted.session)) {
    loop_.report.peer(EventId::RemoteRefused, *entry, {kWhat, result.text});
  } else {
    loop_.report.engine_limited(EventId::RemoteRefused, {kWhat, result.text});
  }
}

void TaskRunner::close() {
  std::uint64_t unreported = 0;
  inbox_->close([&](TaskChannel& channel, QueuedTask& posted, const PostResult& result) {
    if (!report_result(channel, posted, result)) ++unreported;
  });
  loop_.shared.remotes->end_loop(loop_.index);
  if (unreported == 0) return;
  loop_.report.engine(
      EventId::RemoteRefused,
      {unreported, " messages and tasks of remotes are not carried out: the engine has ended"});
}

}  // namespace nexusfix::engine
