// A thread for what may block: files, and commands that wait for an event loop.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include <nexusfix/base/clock.hpp>

#include "console/http/http_server.hpp"

namespace nexusfix::web {

class Worker {
 public:
  using Work = std::move_only_function<Response()>;
  using Task = std::move_only_function<void()>;
  static constexpr std::size_t kJobsMax = 64;

  // wait_max: a job that has waited longer than this is refused: its operator has seen other things
  // meanwhile. clock: read on both threads.
  Worker(Clock& clock, std::chrono::milliseconds wait_max) noexcept
      : clock_{clock}, wait_max_{wait_max} {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { stop(); }

  void start();
  // Ends after the job that runs; the others are destroyed.
  void stop();
  // Sends what the work returns. Work whose client has gone before it begins is not done. If
  // kJobsMax jobs wait already, the answer is status 503. Any thread.
  void add(Reply reply, Work work);
  // Work for which no client waits. Any thread.
  void add(Task task);

 private:
  struct Job {
    Reply reply;
    Work work;
    MonoTime added;
  };
  void run();
  void carry_out(Job job);

  Clock& clock_;
  std::chrono::milliseconds wait_max_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::deque<Task> tasks_;  // before the jobs
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace nexusfix::web
