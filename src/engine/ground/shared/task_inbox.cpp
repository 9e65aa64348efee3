#include "engine/ground/shared/task_inbox.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace nexusfix::engine {
namespace {

// At most this number of tasks runs in one turn: a received message waits for this number at most.
constexpr std::size_t kTasksPerTurn = 16;

// Its address stands for a thread.
thread_local constinit char this_thread = 0;

// Appends the new ones to those of the loop. The other thread has reserved the memory.
void append_all(auto& fresh, auto& all) noexcept {
  fresh.insert(fresh.begin(), std::move_iterator{all.begin()}, std::move_iterator{all.end()});
  all.swap(fresh);
  fresh.clear();
}

}  // namespace

void TaskInbox::add(std::shared_ptr<TaskChannel> channel) {
  const std::lock_guard lock{mutex_};
  if (is_closed_) {
    channel->is_closing.store(true, std::memory_order_relaxed);
    return;
  }
  new_.reserve(known_channels_ + new_.size() + 1);
  new_.push_back(std::move(channel));
  has_new_.store(true, std::memory_order_release);      // Pairs with the acquire in accept_new().
  has_work_.exchange(true, std::memory_order_release);  // As in notify().
  network_->wake();
}

void TaskInbox::add(std::unique_ptr<LoopTask> task) {
  const std::lock_guard lock{mutex_};
  if (is_closed_) return;  // The caller destroys it.
  new_tasks_.reserve(known_tasks_ + new_tasks_.size() + 1);
  new_tasks_.push_back(std::move(task));
  has_new_.store(true, std::memory_order_release);      // Pairs with the acquire in accept_new().
  has_work_.exchange(true, std::memory_order_release);  // As in notify().
  network_->wake();
}

void TaskInbox::notify() {
  // Release pairs with the acquire in deliver(). An exchange, because the loop then sees what
  // was posted before by other threads, too.
  has_work_.exchange(true, std::memory_order_release);
  // Either the loop sees that there is work, or this thread sees that the loop is asleep. Pairs
  // with the fence in fall_asleep().
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!is_asleep_.load(std::memory_order_relaxed)) return;
  if (!is_asleep_.exchange(false, std::memory_order_relaxed)) return;
  const std::lock_guard lock{mutex_};
  if (!is_closed_) network_->wake();
}

void TaskInbox::accept_new() noexcept {
  if (!has_new_.load(std::memory_order_acquire)) [[likely]]
    return;
  const std::lock_guard lock{mutex_};
  append_all(new_, channels_);
  append_all(new_tasks_, tasks_);
  known_channels_ = channels_.size();
  known_tasks_ = tasks_.size();
  has_new_.store(false, std::memory_order_relaxed);
}

bool TaskInbox::is_open() {
  accept_new();
  return !channels_.empty();
}

void TaskInbox::fall_asleep() noexcept {
  is_asleep_.store(true, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // Pairs with notify().
}

bool TaskInbox::is_served_here() const noexcept {
  return server_.load(std::memory_order_relaxed) == &this_thread;
}

void TaskInbox::serve_here() noexcept { server_.store(&this_thread, std::memory_order_relaxed); }

void TaskInbox::deliver(RunTask run, EndTask end) {
  // Before the channels are read: what is posted afterwards sets it again.
  static_cast<void>(has_work_.exchange(false, std::memory_order_acquire));
  accept_new();
  std::size_t left = kTasksPerTurn;
  const std::size_t first = first_channel_++;
  for (std::size_t i = 0; i < channels_.size() && left != 0; ++i) {
    left -= deliver(*channels_[(first + i) % channels_.size()], left, run, end);
  }
  // Acquire pairs with TaskChannel::abandon(): all tasks that were posted before are seen.
  std::erase_if(channels_, [](const auto& channel) {
    return channel->is_abandoned.load(std::memory_order_acquire) &&
           channel->tasks.readable(1).empty();
  });
  const auto has_tasks = [](const auto& channel) { return !channel->tasks.readable(1).empty(); };
  if (std::ranges::any_of(channels_, has_tasks)) has_work_.store(true, std::memory_order_relaxed);
}

std::size_t TaskInbox::waiting() const noexcept {
  std::size_t count = 0;
  for (const auto& channel : channels_) count += channel->tasks.size();
  return count;
}

std::size_t TaskInbox::deliver(TaskChannel& channel, std::size_t count_max, RunTask run,
                               EndTask end) {
  std::size_t count = 0;
  for (; count < count_max; ++count) {
    const auto one = channel.tasks.readable(1);
    if (one.empty()) break;
    QueuedTask& posted = one.front();
    PostResult result;
    result.token = posted.token;
    run(posted, result);
    end(channel, posted, result);
    posted.kind->destroy(posted.task);
    channel.tasks.release(1);
  }
  return count;
}

// Callbacks are called on this thread: nothing may be posted after the queue was emptied.
void TaskInbox::close(TaskChannel& channel, EndTask end) {
  {
    const std::lock_guard lock{channel.remote->posting};
    channel.is_closing.store(true, std::memory_order_relaxed);
  }
  for (auto one = channel.tasks.readable(1); !one.empty(); one = channel.tasks.readable(1)) {
    QueuedTask& posted = one.front();
    // The text is too short for the heap.
    end(channel, posted, {posted.token, PostResult::Outcome::Stopped, {}, "engine ended"});
    posted.kind->destroy(posted.task);
    channel.tasks.release(1);
  }
}

void TaskInbox::close(EndTask end) {
  std::vector<std::unique_ptr<LoopTask>> undone;
  {
    const std::lock_guard lock{mutex_};
    if (is_closed_) return;
    is_closed_ = true;
    append_all(new_, channels_);
    undone = std::move(new_tasks_);
  }
  tasks_.clear();
  for (const auto& channel : channels_) close(*channel, end);
  channels_.clear();
}

}  // namespace nexusfix::engine
