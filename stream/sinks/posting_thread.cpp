#include "stream/sinks/posting_thread.hpp"

#include <csignal>
#include <utility>

#include <nexusfix/base/language.hpp>

#include "nexusfix/files/interrupt.hpp"

namespace nexusfix::stream {

PostingThread::PostingThread(http::Address address, http::TlsFiles files)
    : client_{std::move(address), std::move(files)}, thread_{[this] { run(); }} {}

PostingThread::~PostingThread() {
  {
    const std::lock_guard lock{mutex_};
    is_ending_ = true;
  }
  changed_.notify_all();
  client_.cancel();
  thread_.join();
}

void PostingThread::post(Request request) {
  {
    const std::lock_guard lock{mutex_};
    NEXUSFIX_ASSERT(!request_ && !answer_);
    request_ = std::move(request);
  }
  changed_.notify_all();
}

std::optional<PostingThread::Answer> PostingThread::await(std::chrono::milliseconds wait) {
  std::unique_lock lock{mutex_};
  changed_.wait_for(lock, wait, [&] { return answer_.has_value(); });
  return std::exchange(answer_, std::nullopt);
}

void PostingThread::run() {
  // A signal is for the thread that reads the log.
  command::block_interrupts();
  std::unique_lock lock{mutex_};
  for (;;) {
    changed_.wait(lock, [&] { return is_ending_ || request_.has_value(); });
    if (is_ending_) return;
    const Request request = std::move(*request_);
    request_.reset();
    lock.unlock();
    Answer answer =
        client_.post({.fields = request.fields, .body = request.body}, http::Body::Begin);
    lock.lock();
    answer_ = std::move(answer);
    changed_.notify_all();
  }
}

}  // namespace nexusfix::stream
