// The deadlines of a loop's sessions and connections.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "engine/ground/connection/connection.hpp"
#include "engine/ground/loop_clock.hpp"
#include "engine/ground/state/session_entry.hpp"
#include "engine/ground/timer_queue.hpp"

namespace nexusfix::engine {

class LoopTimers {
 public:
  // time: gets the first deadline of all.
  explicit LoopTimers(LoopClock& time) noexcept : time_{time} {}

  // Inlined: each event of a session calls it, and mostly nothing is to be done.
  [[gnu::always_inline]] void arm(SessionEntry& entry, MonoTime deadline) {
    if (sessions_.arm(entry, deadline)) [[unlikely]]
      find_first();
  }
  void arm(Connection& connection, MonoTime deadline) {
    if (connections_.arm(connection, deadline)) [[unlikely]]
      find_first();
  }
  void disarm(SessionEntry& entry) noexcept {
    sessions_.disarm(entry);
    find_first();
  }
  void disarm(Connection& connection) noexcept {
    connections_.disarm(connection);
    find_first();
  }
  // After this, arming the given number of owners allocates no memory.
  void reserve_sessions(std::size_t count) {
    sessions_.reserve(count);
    if (due_sessions_.capacity() < count) due_sessions_.reserve(2 * count);
  }
  void reserve_connections(std::size_t count) {
    connections_.reserve(count);
    if (due_connections_.capacity() < count) due_connections_.reserve(2 * count);
  }

  [[nodiscard]] MonoTime first_connection() const noexcept { return connections_.first(); }

  // The due owners, the earliest first; valid until the next call. They are no longer armed.
  [[nodiscard]] const std::vector<SessionEntry*>& remove_due_sessions(MonoTime now) {
    due_sessions_.clear();
    sessions_.remove_due(now, due_sessions_);
    find_first();
    return due_sessions_;
  }
  [[nodiscard]] const std::vector<Connection*>& remove_due_connections(MonoTime now,
                                                                       std::size_t count_max) {
    due_connections_.clear();
    connections_.remove_due(now, due_connections_, count_max);
    find_first();
    return due_connections_;
  }

 private:
  void find_first() noexcept {
    time_.set_first_owner(std::min(sessions_.first(), connections_.first()));
  }

  LoopClock& time_;
  TimerQueue<SessionEntry> sessions_;
  TimerQueue<Connection> connections_;
  std::vector<SessionEntry*> due_sessions_;
  std::vector<Connection*> due_connections_;
};

}  // namespace nexusfix::engine
