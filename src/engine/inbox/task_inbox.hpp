// The event loop's side of the mailboxes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <nexusfix/base/function_ref.hpp>
#include <nexusfix/deferred/spsc_queue.hpp>
#include <nexusfix/engine/mailbox.hpp>
#include <nexusfix/transport/network.hpp>

#include "engine/loops/loop_directory.hpp"

namespace nexusfix::engine {

// A posted task in its slot of the queue, where it is constructed, called and destroyed.
struct QueuedTask {
  PostToken token = 0;
  SessionHandle session;
  void (*run)(void* task, Session& session, PostResult& result) = nullptr;
  void (*destroy)(void* task) noexcept = nullptr;
  alignas(std::max_align_t) std::byte task[Mailbox::kTaskBytesMax];
};
static_assert(sizeof(QueuedTask) == 256);

// A thread that waits for results sleeps on this.
struct Waiter {
  std::mutex mutex;
  std::condition_variable condition;
  std::atomic<bool> is_awaited{false};

  void ring();  // Any thread.
};

// The queues between one mailbox and one event loop. Neither of them can overflow: a mailbox has at
// most as many tasks under way as a queue has slots.
struct TaskChannel {
  deferred::SpscQueue<QueuedTask, Mailbox::kCapacity> tasks;    // to the loop
  deferred::SpscQueue<PostResult, Mailbox::kCapacity> results;  // back
  std::shared_ptr<Waiter> waiter;
  std::atomic<bool> is_abandoned{false};  // by its mailbox: no thread posts or collects any more
  std::atomic<bool> is_closing{false};    // by its loop: no further task is accepted
  std::atomic<bool> is_closed{false};     // the loop does not use it any more

  // The consumer's thread only: the loop, or the mailbox after the loop has closed the lane.
  void refuse_all();
};

// Owned by its loop and by the mailboxes, which may outlive the loop.
class TaskInbox {
 public:
  explicit TaskInbox(transport::Network& network) noexcept : network_{&network} {}

  // Any thread.
  void add(std::shared_ptr<TaskChannel> lane);
  // Runs the task once, soon, between two events. A loop that has ended destroys it without running
  // it.
  void add(std::unique_ptr<LoopTask> task);
  void wake_if_asleep();

  // The loop's thread from here on.
  [[nodiscard]] bool has_work();
  // False: no mailbox is open that could post a task.
  [[nodiscard]] bool is_open();
  // Until wake_up(), a post must wake the loop.
  void fall_asleep() noexcept;
  void wake_up() noexcept { is_asleep_.store(false, std::memory_order_relaxed); }
  // Calls task for each posted task; each call handles a bounded number of them for each lane.
  void deliver(FunctionRef<void(QueuedTask&, PostResult&)> task);
  [[nodiscard]] bool has_tasks() const noexcept { return !tasks_.empty(); }
  [[nodiscard]] std::vector<std::unique_ptr<LoopTask>> take_tasks() noexcept {
    return std::exchange(tasks_, {});
  }
  // The tasks that run again in a later turn.
  void put_back(std::vector<std::unique_ptr<LoopTask>> tasks) noexcept { tasks_.swap(tasks); }
  // Answers every task that was not begun with Stopped, and accepts no other one.
  void close();

 private:
  void take_new() noexcept;
  void deliver(TaskChannel& lane, FunctionRef<void(QueuedTask&, PostResult&)> task);

  std::atomic<bool> is_asleep_{false};
  std::atomic<bool> has_new_{false};
  std::mutex mutex_;  // guards what follows, down to is_closed_
  transport::Network* network_;
  std::vector<std::shared_ptr<TaskChannel>> new_;
  std::vector<std::unique_ptr<LoopTask>> new_tasks_;
  // What the loop has taken, at most. The vectors above have room for it, so that the loop needs no
  // memory to take what is new.
  std::size_t taken_lanes_ = 0;
  std::size_t taken_tasks_ = 0;
  bool is_closed_ = false;

  std::vector<std::shared_ptr<TaskChannel>> lanes_;  // the loop's
  std::vector<std::unique_ptr<LoopTask>> tasks_;     // likewise
};

}  // namespace nexusfix::engine
