#include "console/server/worker.hpp"

#include <string>
#include <utility>

#include "console/json/json.hpp"

namespace nexusfix::web {
namespace {

Response refusal(std::string_view why) { return json_response(503, to_text({{"error", why}})); }

}  // namespace

void Worker::start() {
  thread_ = std::thread{[this] { run(); }};
}

void Worker::stop() {
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Worker::add(Reply reply, Work work) {
  {
    const std::lock_guard lock{mutex_};
    std::erase_if(jobs_, [](const Job& job) { return !job.reply.is_wanted(); });
    if (jobs_.size() >= kJobsMax) {
      return reply.send(refusal("too many requests wait, so nothing was done: try again"));
    }
    jobs_.push_back({std::move(reply), std::move(work), clock_.now().mono});
  }
  changed_.notify_one();
}

void Worker::add(Task task) {
  {
    const std::lock_guard lock{mutex_};
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void Worker::run() {
  std::unique_lock lock{mutex_};
  for (;;) {
    changed_.wait(lock, [this] { return is_stopping_ || !jobs_.empty() || !tasks_.empty(); });
    if (is_stopping_) return;
    if (!tasks_.empty()) {
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
      continue;
    }
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    carry_out(std::move(job));
    lock.lock();
  }
}

void Worker::carry_out(Job job) {
  if (!job.reply.is_wanted()) return;
  if (clock_.now().mono - job.added > wait_max_) {
    return job.reply.send(
        refusal("it has waited too long for earlier ones, so nothing was done: "
                "try again"));
  }
  job.reply.send(job.work());
}

}  // namespace nexusfix::web
