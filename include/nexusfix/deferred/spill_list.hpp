// Where a DeferredProcessor puts what its ring has no room for, in order.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include <nexusfix/base/language.hpp>

namespace nexusfix::deferred::detail {

// A list of records behind a lock. One producer appends; one consumer takes all that there is.
template <class T>
class SpillList {
 public:
  struct Node {
    T record;
    Node* next = nullptr;
  };

  // What was taken, oldest first; freed as it is handled.
  class Taken {
   public:
    Taken(SpillList& list, Node* first) noexcept : list_{list}, first_{first} {}
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
    ~Taken() {
      while (first_ != nullptr) drop_front();
    }

    [[nodiscard]] T* front() noexcept { return first_ == nullptr ? nullptr : &first_->record; }
    void drop_front() noexcept {
      delete std::exchange(first_, first_->next);
      // Relaxed: a bound on memory, which carries no data.
      list_.count_.fetch_sub(1, std::memory_order_relaxed);
    }

   private:
    SpillList& list_;
    Node* first_;
  };

  SpillList() = default;
  SpillList(const SpillList&) = delete;
  SpillList& operator=(const SpillList&) = delete;
  ~SpillList() { Taken{*this, first_}; }

  // Any thread: how many records there are, those that are being handled included.
  [[nodiscard]] std::size_t count() const noexcept {
    // Relaxed: whoever acts on it takes the lock, or was told by other means that there is one
    // more.
    return count_.load(std::memory_order_relaxed);
  }

  // Producer. Whether the consumer has taken everything. Once true, true until the next append().
  [[nodiscard]] bool empty() noexcept {
    const std::lock_guard lock{mutex_};
    return first_ == nullptr;
  }
  // Producer.
  void append(std::unique_ptr<Node> node) noexcept {
    const std::lock_guard lock{mutex_};
    // Relaxed: published by the lock, and by the submit that it is a part of.
    count_.fetch_add(1, std::memory_order_relaxed);
    (first_ == nullptr ? first_ : last_->next) = node.get();
    last_ = node.release();
  }

  // Consumer. Takes everything, unless ring_is_empty() says no: older records are in the ring. It
  // is asked behind the lock, where all is visible that went into the ring before the first
  // append().
  template <class RingIsEmpty>
  [[nodiscard]] Taken take_if(RingIsEmpty&& ring_is_empty) noexcept {
    const std::lock_guard lock{mutex_};
    return {*this, ring_is_empty() ? std::exchange(first_, nullptr) : nullptr};
  }

 private:
  std::mutex mutex_;
  Node* first_ = nullptr;
  Node* last_ = nullptr;
  std::atomic<std::size_t> count_{0};
};

}  // namespace nexusfix::deferred::detail
