// The queue that one writes without thinking: a deque behind a mutex.
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
  // All that is there; values is emptied first.
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
