// The event loop's side of the remotes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <nexusfix/base/language.hpp>
#include <nexusfix/deferred/spsc_queue.hpp>
#include <nexusfix/engine/remote.hpp>
#include <nexusfix/transport/network.hpp>

#include "engine/ground/shared/loop_directory.hpp"

namespace nexusfix::engine {

// A posted task in its slot of the queue, where it is constructed, called and destroyed.
struct QueuedTask {
  QueuedTask() = default;
  QueuedTask(const QueuedTask&) = delete;
  QueuedTask& operator=(const QueuedTask&) = delete;
  ~QueuedTask() { discard(); }
  // The producer: destroys what the last task has kept in the slot. There must be no task.
  void discard() noexcept {
    if (kind != nullptr && kind->discard != nullptr) kind->discard(task);
    kind = nullptr;
  }

  PostToken token = 0;
  SessionHandle session;
  const detail::TaskKind* kind = nullptr;  // of this task or, without one, of the last; null: none
  alignas(std::max_align_t) std::byte task[Remote::kTaskBytesMax];
};
static_assert(sizeof(QueuedTask) == 256);

// What the copies of a remote share with its channels.
struct RemoteShare {
  std::mutex posting;  // of the senders; a loop takes it once, when it closes a channel
  std::atomic<std::uint64_t> refused{0};
};

// The queue from one remote to one event loop.
struct TaskChannel {
  explicit TaskChannel(std::shared_ptr<RemoteShare> share) : remote{std::move(share)} {}

  deferred::SpscQueue<QueuedTask, Remote::kCapacity> tasks;  // to the loop
  std::shared_ptr<RemoteShare> remote;                       // never null
  std::atomic<bool> is_abandoned{false};  // by its remote: nothing is posted any more
  std::atomic<bool> is_closing{false};    // by its loop: no further task is accepted

  // The last call of the producer. Release: the loop sees all tasks that were posted before.
  void abandon() noexcept { is_abandoned.store(true, std::memory_order_release); }
};

// Owned by its loop and by the remotes, which may outlive the loop.
class TaskInbox {
 public:
  using RunTask = FunctionRef<void(QueuedTask&, PostResult&)>;
  // For a task that has ended, while its captures still exist.
  using EndTask = FunctionRef<void(TaskChannel&, QueuedTask&, const PostResult&)>;

  explicit TaskInbox(transport::Network& network) noexcept : network_{&network} {}

  // Any thread.
  void add(std::shared_ptr<TaskChannel> channel);
  // Runs the task once, soon, between two events. A loop that has ended destroys it without running
  // it.
  void add(std::unique_ptr<LoopTask> task);
  // After a task was posted, or a channel was abandoned.
  void notify();
  // Whether the calling thread is the one that called serve_here() last.
  [[nodiscard]] bool is_served_here() const noexcept;
  // Another thread will serve the loop.
  void serve_elsewhere() noexcept { server_.store(nullptr, std::memory_order_relaxed); }

  // The loop's thread from here on.
  void serve_here() noexcept;
  // Whether deliver() may find something. One atomic load.
  [[nodiscard]] bool has_work() const noexcept {
    return has_work_.load(std::memory_order_relaxed);  // Pairs with notify().
  }
  // False: there is no remote that could post a task.
  [[nodiscard]] bool is_open();
  // Until wake_up(), a post must wake the loop.
  void fall_asleep() noexcept;
  void wake_up() noexcept { is_asleep_.store(false, std::memory_order_relaxed); }
  // Calls run and then end for each posted task, for a bounded number of them in each call. Every
  // channel has its turn.
  void deliver(RunTask run, EndTask end);
  // The number of posted tasks that deliver() has left.
  [[nodiscard]] std::size_t waiting() const noexcept;
  [[nodiscard]] bool has_tasks() const noexcept { return !tasks_.empty(); }
  [[nodiscard]] std::vector<std::unique_ptr<LoopTask>> consume_tasks() noexcept {
    return std::exchange(tasks_, {});
  }
  // The tasks that run again in a later turn.
  void put_back(std::vector<std::unique_ptr<LoopTask>> tasks) noexcept { tasks_.swap(tasks); }
  // Answers every task that was not begun with Stopped, and accepts no other one.
  void close(EndTask end);

 private:
  void accept_new() noexcept;
  [[nodiscard]] static std::size_t deliver(TaskChannel& channel, std::size_t count_max, RunTask run,
                                           EndTask end);
  static void close(TaskChannel& channel, EndTask end);

  std::atomic<bool> is_asleep_{false};
  std::atomic<const void*> server_{nullptr};  // stands for a thread; null: none that is known
  std::atomic<bool> has_work_{false};         // something was posted, added or abandoned
  std::atomic<bool> has_new_{false};
  std::mutex mutex_;  // guards what follows, down to is_closed_
  transport::Network* network_;
  std::vector<std::shared_ptr<TaskChannel>> new_;
  std::vector<std::unique_ptr<LoopTask>> new_tasks_;
  // What the loop has taken, at most. The vectors above have room for it, so that the loop needs no
  // memory to take what is new.
  std::size_t known_channels_ = 0;
  std::size_t known_tasks_ = 0;
  bool is_closed_ = false;

  std::vector<std::shared_ptr<TaskChannel>> channels_;  // the loop's
  std::size_t first_channel_ = 0;                       // of the next turn
  std::vector<std::unique_ptr<LoopTask>> tasks_;        // of one turn
};

}  // namespace nexusfix::engine
