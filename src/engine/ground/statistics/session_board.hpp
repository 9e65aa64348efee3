// The figures of all sessions of a loop, for readers on other threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/ground/statistics/session_counters.hpp"

namespace nexusfix::engine {

// A reader copies the list and holds the blocks of it: sessions may be removed meanwhile. The loop
// locks only to add and to remove a session.
class SessionBoard {
 public:
  using List = std::vector<std::shared_ptr<const SessionCounters>>;

  // The loop's thread. A session on trial is not added: otherwise any client could fill monitoring
  // systems with names.
  void add(std::shared_ptr<SessionCounters> counters) {
    const std::lock_guard lock{mutex_};
    counters->number = ++last_number_;
    by_number_.emplace(counters->number, std::move(counters));
  }
  // The loop's thread. A second call does no harm.
  void remove(const SessionCounters& counters) noexcept {
    const std::lock_guard lock{mutex_};
    by_number_.erase(counters.number);
  }
  // Any thread: in the order of their creation.
  [[nodiscard]] List copy() const {
    List list;
    const std::lock_guard lock{mutex_};
    list.reserve(by_number_.size());
    for (const auto& [number, counters] : by_number_) list.push_back(counters);
    return list;
  }

 private:
  mutable std::mutex mutex_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, std::shared_ptr<const SessionCounters>> by_number_;
};

}  // namespace nexusfix::engine
