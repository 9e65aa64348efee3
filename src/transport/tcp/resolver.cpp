#include "transport/api/resolver.hpp"

#include <cerrno>
#include <cstdint>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/api/signals_blocked.hpp"

namespace nexusfix::transport {

void Wakeup::signal() const noexcept {
  const int saved = errno;
  const std::uint64_t one = 1;
  // The write fails only when the counter is full, and then the loop wakes up anyway.
  [[maybe_unused]] const ssize_t written = ::write(descriptor.get(), &one, sizeof one);
  errno = saved;
}

struct Resolver::Shared {
  struct Question {
    SocketId socket = 0;
    Endpoint endpoint;
  };

  Lookup lookup;
  std::mutex mutex;              // of all that follows
  std::function<void()> notify;  // empty: the network is gone
  std::deque<Question> questions;
  std::vector<ResolverAnswer> answers;
  bool running = false;

  Resolution answer_of(const Endpoint& endpoint) {
    try {
      return lookup(endpoint);
    } catch (const std::bad_alloc&) {
      return std::unexpected{std::string{"no memory"}};
    }
  }

  void work() {
    std::unique_lock lock{mutex};
    while (!questions.empty()) {
      const Question question = std::move(questions.front());
      questions.pop_front();
      lock.unlock();
      Resolution resolution = answer_of(question.endpoint);
      lock.lock();
      try {
        answers.push_back({question.socket, std::move(resolution)});
      } catch (const std::bad_alloc&) {  // ConnectTimeout ends the wait for it.
      }
      if (notify) notify();
    }
    running = false;
  }
};

Resolver::Resolver(Lookup lookup, std::function<void()> notify)
    : shared_{std::make_shared<Shared>()} {
  shared_->lookup = std::move(lookup);
  shared_->notify = std::move(notify);
}

Resolver::~Resolver() {
  const std::lock_guard lock{shared_->mutex};
  shared_->questions.clear();
  shared_->notify = nullptr;
}

void Resolver::ask(SocketId socket, const Endpoint& endpoint) {
  const std::lock_guard lock{shared_->mutex};
  shared_->questions.push_back({socket, endpoint});
  if (shared_->running) return;
  try {
    const SignalsBlocked blocked;
    std::thread{[shared = shared_] { shared->work(); }}.detach();
    shared_->running = true;
  } catch (const std::system_error& error) {
    shared_->questions.pop_back();
    shared_->answers.push_back({socket, std::unexpected{std::string{error.what()}}});
    shared_->notify();
  } catch (const std::bad_alloc&) {
    shared_->questions.pop_back();
    throw;
  }
}

std::vector<ResolverAnswer> Resolver::consume_answers() {
  const std::lock_guard lock{shared_->mutex};
  return std::exchange(shared_->answers, {});
}

}  // namespace nexusfix::transport
