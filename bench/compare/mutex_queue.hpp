// The obvious queue: a deque with a mutex.
#pragma once

#include <deque>
#include <mutex>
#include <utility>

namespace nexusfix::bench {

template <class T>
class MutexQueue {
 public:
  void push(const T& value) {
    const std::lock_guard lock{mutex_};
    values_.push_back(value);
  }
  // Replaces values by all elements of the queue.
  void pop_all(std::deque<T>& values) {
    values.clear();
    const std::lock_guard lock{mutex_};
    values.swap(values_);
  }

 private:
  std::mutex mutex_;
  std::deque<T> values_;
};

}  // namespace nexusfix::bench
