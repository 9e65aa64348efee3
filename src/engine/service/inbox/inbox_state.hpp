// The state of a mailbox, a channel to each event loop; and of a remote, its queue to the event
// loop of its session.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <nexusfix/engine/remote.hpp>

#include "engine/ground/loop_context.hpp"
#include "engine/ground/shared/task_inbox.hpp"

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

// Shared by the copies of a Remote.
struct RemoteState {
  RemoteState(std::shared_ptr<RemoteDirectory> all, std::shared_ptr<RemoteSession> one);
  RemoteState(const RemoteState&) = delete;
  RemoteState& operator=(const RemoteState&) = delete;
  // What was posted still runs.
  ~RemoteState();

  // Holding share->posting. The slot for the next task of this kind: for another kind than that of
  // its last task it is empty.
  [[nodiscard]] std::expected<QueuedTask*, RemoteError> claim(const TaskKind& kind);
  [[nodiscard]] PostToken commit(QueuedTask& slot) noexcept;

  const std::shared_ptr<RemoteDirectory> directory;
  std::shared_ptr<RemoteSession> session;
  const std::shared_ptr<RemoteShare> share = std::make_shared<RemoteShare>();

 private:
  void open_lane(std::uint32_t loop);
  void abandon_lane() noexcept;

  // Guarded by share->posting.
  std::shared_ptr<TaskChannel> lane_;
  std::uint32_t loop_ = 0;  // of the lane
  SessionHandle claimed_for_;
  PostToken posted_ = 0;
};

}  // namespace nexusfix::engine::detail
