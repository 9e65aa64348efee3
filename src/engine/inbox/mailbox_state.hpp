// The state of a mailbox: a channel to each event loop.
#pragma once

#include <memory>
#include <vector>

#include "engine/inbox/task_inbox.hpp"

namespace nexusfix::engine::detail {

struct TaskPath {
  std::shared_ptr<TaskChannel> lane;
  std::shared_ptr<TaskInbox> room;
};

struct MailboxState {
  std::vector<TaskPath> ways;  // by loop, at least one
  std::shared_ptr<Waiter> waiter;
  PostToken posted = 0;
  std::uint64_t collected = 0;
};

}  // namespace nexusfix::engine::detail
