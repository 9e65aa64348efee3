// The events of a store's threads, until the user of the store takes them.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <nexusfix/store.hpp>

namespace nexusfix::store {

class EventQueue {
 public:
  // If the user takes none, further events are only counted; the last event's text says how many.
  static constexpr std::size_t kEventsMax = 64;

  // Any thread.
  void put(EventId id, std::string text) {
    const std::lock_guard lock{mutex_};
    if (events_.size() < kEventsMax) {
      events_.push_back({.id = id, .text = std::move(text)});
    } else {
      ++dropped_;
    }
    has_any_.store(true, std::memory_order_relaxed);
  }
  [[nodiscard]] bool has_any() const noexcept { return has_any_.load(std::memory_order_relaxed); }
  // The oldest event. The flag is a hint that needs no lock: the event loop calls this in every
  // turn.
  [[nodiscard]] std::optional<StoreEvent> take() {
    if (!has_any()) [[likely]]
      return std::nullopt;
    const std::lock_guard lock{mutex_};
    StoreEvent event = std::move(events_.front());
    events_.pop_front();
    if (events_.empty()) {
      if (dropped_ > 0) event.text += "; " + std::to_string(dropped_) + " more events were dropped";
      dropped_ = 0;
      has_any_.store(false, std::memory_order_relaxed);
    }
    return event;
  }

 private:
  std::mutex mutex_;
  std::deque<StoreEvent> events_;
  std::size_t dropped_ = 0;
  std::atomic<bool> has_any_{false};
};

}  // namespace nexusfix::store
