#include "web/server/worker.hpp"

#include <utility>

namespace nexusfix::web {

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

bool Worker::add(Job job) {
  {
    const std::lock_guard lock{mutex_};
    if (jobs_.size() >= kJobsMax) return false;
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
  return true;
}

void Worker::run() {
  std::unique_lock lock{mutex_};
  for (;;) {
    changed_.wait(lock, [this] { return is_stopping_ || !jobs_.empty(); });
    if (is_stopping_) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
  }
}

}  // namespace nexusfix::web
