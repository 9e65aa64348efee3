// The state of a remote: its queues to the event loops.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <vector>

#include <nexusfix/engine/remote.hpp>

#include "engine/ground/loop_context.hpp"
#include "engine/ground/shared/task_inbox.hpp"

namespace nexusfix::engine::detail {

// Shared by the copies of a Remote.
struct RemoteState {
  // own: the session of the remote; null: it has none.
  RemoteState(std::shared_ptr<RemoteDirectory> all, std::shared_ptr<RemoteSession> own);
  RemoteState(const RemoteState&) = delete;
  RemoteState& operator=(const RemoteState&) = delete;
  // What was posted still runs.
  ~RemoteState();

  // Holding share->posting. The slot for the next task of this kind: for another kind than that of
  // its last task it is empty. handle: null: the remote's session.
  [[nodiscard]] std::expected<QueuedTask*, RemoteError> claim(const SessionHandle* handle,
                                                              const TaskKind& kind);
  // After claim(): passes the task in its slot to the event loop.
  [[nodiscard]] PostToken commit(QueuedTask& slot) noexcept;

  const std::shared_ptr<RemoteDirectory> directory;
  std::shared_ptr<RemoteSession> session;  // null: none
  const std::shared_ptr<RemoteShare> share = std::make_shared<RemoteShare>();

 private:
  [[nodiscard]] TaskChannel& channel_to(std::uint32_t loop);

  // Guarded by share->posting.
  std::vector<std::shared_ptr<TaskChannel>> channels_;  // by loop; null: not used yet
  SessionHandle claimed_for_;
  PostToken posted_ = 0;
};

}  // namespace nexusfix::engine::detail
