// What happens in a simulated cluster, in the order of its virtual time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include <nexusfix/simulator/simulated_clock.hpp>

namespace nexusfix::simulator::cluster {

class Agenda {
 public:
  using Action = std::function<void()>;

  // The present time, which moves with advance(). Valid as long as this object.
  [[nodiscard]] const WorldTime& now() const noexcept { return now_; }
  void at(WorldTime time, Action action) {
    entries_.push_back({std::max(time, now_), next_order_++, std::move(action)});
    std::ranges::push_heap(entries_, Later{});
  }
  void after(WorldTime delay, Action action) { at(now_ + delay, std::move(action)); }
  // The time of the next action; WorldTime::max(): there is none.
  [[nodiscard]] WorldTime next() const noexcept {
    return entries_.empty() ? WorldTime::max() : entries_.front().at;
  }
  void advance(WorldTime time) noexcept { now_ = std::max(now_, time); }
  // Moves the time to the next action, which there is, and takes it.
  void take() {
    std::ranges::pop_heap(entries_, Later{});
    const Entry entry = std::move(entries_.back());
    entries_.pop_back();
    advance(entry.at);
    entry.action();
  }

 private:
  struct Entry {
    WorldTime at{};
    std::uint64_t order = 0;
    Action action;
  };
  struct Later {
    bool operator()(const Entry& one, const Entry& other) const noexcept {
      return one.at != other.at ? one.at > other.at : one.order > other.order;
    }
  };

  WorldTime now_{};
  std::uint64_t next_order_ = 0;
  std::vector<Entry> entries_;  // a heap
};

}  // namespace nexusfix::simulator::cluster
