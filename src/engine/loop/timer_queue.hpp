// Deadlines of many owners, the earliest first.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/base/time.hpp>

namespace nexusfix::engine {

// An owner's place in a TimerQueue: its member `timer`.
struct Timer {
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  MonoTime at = kNever;  // kNever: it is in no queue
  std::size_t place = kNowhere;
};

// A binary heap that knows where each owner is, so that there is one entry an owner, however often
// it is armed. An alarm may come too early: a deadline that moves back is left where it is, and its
// owner, who is asked, arms anew. That makes the ordinary case, a heartbeat put off by each
// message, one comparison. Owners stay where they are in memory.
template <class Owner>
class TimerQueue {
 public:
  // So that arm() allocates nothing for so many owners.
  void reserve(std::size_t owners) {
    if (heap_.capacity() < owners) heap_.reserve(2 * owners);
  }

  // The owner is due at `at` at the latest.
  void arm(Owner& owner, MonoTime at) {
    Timer& timer = owner.timer;
    if (at >= timer.at) [[likely]]
      return;
    if (timer.place == Timer::kNowhere) {
      heap_.push_back(&owner);
      timer.place = heap_.size() - 1;
    }
    timer.at = at;
    rise(timer.place);
  }

  void disarm(Owner& owner) noexcept {
    Timer& timer = owner.timer;
    if (timer.place == Timer::kNowhere) return;
    NEXUSFIX_DEBUG_ASSERT(heap_[timer.place] == &owner);
    const std::size_t hole = timer.place;
    timer = Timer{};
    Owner* const last = heap_.back();
    heap_.pop_back();
    if (last == &owner) return;
    put(hole, last);
    rise(hole);
    sink(last->timer.place);
  }

  // kNever: nobody is armed.
  [[nodiscard]] MonoTime first() const noexcept {
    return heap_.empty() ? kNever : heap_.front()->timer.at;
  }

  // Disarms those who are due and adds them to due, the earliest first; of more than count_max the
  // others stay.
  void take_due(MonoTime now, std::vector<Owner*>& due,
                std::size_t count_max = static_cast<std::size_t>(-1)) {
    for (std::size_t i = 0; i < count_max && first() <= now && !heap_.empty(); ++i) {
      Owner* const owner = heap_.front();
      due.push_back(owner);  // First: who is not in there stays armed.
      disarm(*owner);
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }

 private:
  void put(std::size_t place, Owner* owner) noexcept {
    heap_[place] = owner;
    owner->timer.place = place;
  }
  void exchange(std::size_t a, std::size_t b) noexcept {
    Owner* const at_a = heap_[a];
    put(a, heap_[b]);
    put(b, at_a);
  }
  void rise(std::size_t place) noexcept {
    while (place > 0) {
      const std::size_t parent = (place - 1) / 2;
      if (heap_[parent]->timer.at <= heap_[place]->timer.at) return;
      exchange(place, parent);
      place = parent;
    }
  }
  void sink(std::size_t place) noexcept {
    while (true) {
      std::size_t earliest = place;
      for (std::size_t child = 2 * place + 1; child <= 2 * place + 2; ++child) {
        if (child < heap_.size() && heap_[child]->timer.at < heap_[earliest]->timer.at) {
          earliest = child;
        }
      }
      if (earliest == place) return;
      exchange(place, earliest);
      place = earliest;
    }
  }

  std::vector<Owner*> heap_;
};

}  // namespace nexusfix::engine
