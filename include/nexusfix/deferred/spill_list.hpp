// The records of a DeferredProcessor that found no room in its ring, in order.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include <nexusfix/base/language.hpp>

namespace nexusfix::deferred::detail {

// A list of records under a lock. One producer appends; one consumer takes all records.
template <class T>
class SpillList {
 public:
  struct Node {
    T record;
    Node* next = nullptr;
  };

  // The taken records, oldest first; each is freed after it is handled.
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

  // Any thread: the number of records, including those that are being handled.
  [[nodiscard]] std::size_t count() const noexcept {
    // Relaxed: a thread that acts on it takes the lock, or knows of the record by other means.
    return count_.load(std::memory_order_relaxed);
  }

  // Producer. Whether the consumer has taken everything. Once true, it stays true until append().
  [[nodiscard]] bool empty() noexcept {
    const std::lock_guard lock{mutex_};
    return first_ == nullptr;
  }
  // Producer.
  void append(std::unique_ptr<Node> node) noexcept {
    const std::lock_guard lock{mutex_};
    // Relaxed: published by the lock, and by the submit that this is a part of.
    count_.fetch_add(1, std::memory_order_relaxed);
    (first_ == nullptr ? first_ : last_->next) = node.get();
    last_ = node.release();
  }

  // Consumer. Takes everything, unless ring_is_empty() returns false: the ring has older records
  // then. It is called under the lock, where everything is visible that went into the ring before
  // the first append().
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
