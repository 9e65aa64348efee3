// Deadlines of many owners, the earliest first.
#pragma once

#include <cstddef>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>

namespace nexusfix {

// An owner's position in a TimerQueue, which alone changes it.
class TimerOwner {
 public:
  // kNever: it is not armed.
  [[nodiscard]] MonoTime armed_at() const noexcept { return timer_.at; }

 private:
  template <class Owner>
  friend class TimerQueue;

  struct Timer {
    static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
    MonoTime at = kNever;  // kNever: not in a queue
    std::size_t place = kNowhere;
  };
  Timer timer_;
};

// A binary heap that knows the position of each owner: one entry an owner, however often it is
// armed. An alarm may come too early: a later deadline does not move the entry, and the owner arms
// again when it is due. So the common case, a heartbeat that each message postpones, costs one
// comparison. Owners do not move in memory.
template <class Owner>
class TimerQueue {
 public:
  // After this, arm() allocates nothing for this number of owners.
  void reserve(std::size_t owners) {
    if (heap_.capacity() < owners) heap_.reserve(2 * owners);
  }

  // The owner is due at `at`, or earlier if it is armed so already: then the result is false.
  [[gnu::always_inline]] bool arm(Owner& owner, MonoTime at) {
    if (at >= owner.timer_.at) [[likely]]
      return false;
    return arm_earlier(owner, at);
  }

  void disarm(Owner& owner) noexcept {
    Timer& timer = owner.timer_;
    if (timer.place == Timer::kNowhere) return;
    NEXUSFIX_DEBUG_ASSERT(heap_[timer.place] == &owner);
    const std::size_t hole = timer.place;
    timer = Timer{};
    Owner* const last = heap_.back();
    heap_.pop_back();
    if (last != &owner) {
      put(hole, last);
      rise(hole);
      sink(last->timer_.place);
    }
    first_ = heap_.empty() ? kNever : heap_.front()->timer_.at;
  }

  // kNever: no owner is armed.
  [[nodiscard]] MonoTime first() const noexcept { return first_; }

  // Disarms the due owners and appends them to due, the earliest first; at most count_max, the
  // others stay armed.
  void remove_due(MonoTime now, std::vector<Owner*>& due,
                  std::size_t count_max = static_cast<std::size_t>(-1)) {
    for (std::size_t i = 0; i < count_max && first() <= now && !heap_.empty(); ++i) {
      Owner* const owner = heap_.front();
      due.push_back(owner);  // First, because it may throw: the owner then stays armed.
      disarm(*owner);
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }

 private:
  using Timer = TimerOwner::Timer;

  [[gnu::noinline]] bool arm_earlier(Owner& owner, MonoTime at) {
    Timer& timer = owner.timer_;
    if (timer.place == Timer::kNowhere) {
      heap_.push_back(&owner);
      timer.place = heap_.size() - 1;
    }
    timer.at = at;
    rise(timer.place);
    if (at < first_) first_ = at;
    return true;
  }

  void put(std::size_t place, Owner* owner) noexcept {
    heap_[place] = owner;
    owner->timer_.place = place;
  }
  void exchange(std::size_t a, std::size_t b) noexcept {
    Owner* const at_a = heap_[a];
    put(a, heap_[b]);
    put(b, at_a);
  }
  void rise(std::size_t place) noexcept {
    while (place > 0) {
      const std::size_t parent = (place - 1) / 2;
      if (heap_[parent]->timer_.at <= heap_[place]->timer_.at) return;
      exchange(place, parent);
      place = parent;
    }
  }
  void sink(std::size_t place) noexcept {
    while (true) {
      std::size_t earliest = place;
      for (std::size_t child = 2 * place + 1; child <= 2 * place + 2; ++child) {
        if (child < heap_.size() && heap_[child]->timer_.at < heap_[earliest]->timer_.at) {
          earliest = child;
        }
      }
      if (earliest == place) return;
      exchange(place, earliest);
      place = earliest;
    }
  }

  std::vector<Owner*> heap_;
  MonoTime first_ = kNever;  // of heap_.front(): every turn asks for it
};

}  // namespace nexusfix
