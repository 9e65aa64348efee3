// A thread for what may block: files, and commands that wait for an event loop.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace nexusfix::web {

class Worker {
 public:
  using Job = std::move_only_function<void()>;
  static constexpr std::size_t kJobsMax = 64;

  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { stop(); }

  void start();
  // Ends after the job that runs; the others are destroyed.
  void stop();
  // False: kJobsMax jobs wait already. Any thread.
  [[nodiscard]] bool add(Job job);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace nexusfix::web
