// Runs what other threads post to an event loop.
#pragma once

#include <memory>

#include "engine/ground/loop_context.hpp"
#include "engine/ground/shared/task_inbox.hpp"
#include "engine/service/floors.hpp"

namespace nexusfix::engine {

class TaskRunner {
 public:
  TaskRunner(LoopContext& loop, SessionRegistry& registry, Transactor& transactor)
      : loop_{loop},
        registry_{registry},
        transactor_{transactor},
        inbox_{std::make_shared<TaskInbox>(*loop.network)} {
    loop.shared.remotes->add_loop(inbox_);
  }

  // Once a turn.
  void run_tasks(Floors& floors) {
    if (inbox_->has_work()) [[unlikely]]
      run_posted_tasks();
    if (inbox_->has_tasks()) [[unlikely]]
      run_loop_tasks(floors);
  }
  // What remotes have posted.
  void run_posted_tasks();
  // Ends every task that was not begun. A second call does no harm.
  void close();

  [[nodiscard]] TaskInbox& inbox() const noexcept { return *inbox_; }
  // For remotes, which may outlive the loop.
  [[nodiscard]] const std::shared_ptr<TaskInbox>& shared_inbox() const noexcept { return inbox_; }

 private:
  void run_loop_tasks(Floors& floors);
  void run_posted_task(QueuedTask& posted, PostResult& result);
  [[nodiscard]] bool report_result(TaskChannel& channel, QueuedTask& posted,
                                   const PostResult& result);
  void report_refused(const QueuedTask& posted, const PostResult& result);
  [[nodiscard]] SessionEntry* entry_of(SessionHandle session) const noexcept;

  LoopContext& loop_;
  SessionRegistry& registry_;
  Transactor& transactor_;

  std::shared_ptr<TaskInbox> inbox_;
};

}  // namespace nexusfix::engine
