// Used by every component of one event loop: time, timers, events, parsers, and the loop's
// dependencies. It knows no component.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/arena.hpp>
#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/engine/session.hpp>

#include "base/api/timer_queue.hpp"
#include "control/api/counters.hpp"
#include "engine/ground/connection/connection.hpp"
#include "engine/ground/event_boundary.hpp"
#include "engine/ground/loop_clock.hpp"
#include "engine/ground/loop_dependencies.hpp"
#include "engine/ground/loop_work.hpp"
#include "engine/ground/report/reporter.hpp"
#include "engine/ground/settings/parsers.hpp"
#include "engine/ground/state/session_entry.hpp"
#include "session/api/actions.hpp"

namespace nexusfix::engine {

class SessionEntry;

// The TestRequests of operators, and when their Heartbeats came back. The last 64 are kept. The
// loop's thread only.
class RoundTrips {
 public:
  using Duration = std::chrono::nanoseconds;
  struct Trip {
    const SessionEntry* entry = nullptr;
    std::uint64_t id = 0;
    MonoTime sent_at{};
    std::optional<Duration> took{};  // unset: the Heartbeat has not come
    std::array<char, 32> text{};     // TestReqID
    std::size_t text_size = 0;

    [[nodiscard]] std::string_view test_req_id() const noexcept { return {text.data(), text_size}; }
  };

  // A TestRequest is sent now. Its text is valid until the next 63 calls.
  const Trip& begin(const SessionEntry& entry, MonoTime now) noexcept {
    Trip& trip = trips_[++last_ % trips_.size()];
    trip = {.entry = &entry, .id = last_, .sent_at = now};
    constexpr std::string_view kPrefix = "OPERATOR-";
    kPrefix.copy(trip.text.data(), kPrefix.size());
    const auto end = std::to_chars(trip.text.data() + kPrefix.size(),
                                   trip.text.data() + trip.text.size(), trip.id);
    trip.text_size = static_cast<std::size_t>(end.ptr - trip.text.data());
    is_waiting_ = true;
    return trip;
  }
  // A Heartbeat may be the answer only after a begin().
  [[nodiscard]] bool is_waiting() const noexcept { return is_waiting_; }
  void on_heartbeat(const SessionEntry& entry, std::string_view test_req_id,
                    MonoTime now) noexcept {
    for (Trip& trip : trips_) {
      if (trip.entry == &entry && !trip.took && trip.test_req_id() == test_req_id) {
        trip.took = now - trip.sent_at;
      }
    }
  }
  // Null: it is not known, or not any more.
  [[nodiscard]] const Trip* find(const SessionEntry& entry, std::uint64_t id) const noexcept {
    const Trip& trip = trips_[id % trips_.size()];
    return trip.id == id && trip.entry == &entry ? &trip : nullptr;
  }

 private:
  std::array<Trip, 64> trips_{};
  std::uint64_t last_ = 0;
  bool is_waiting_ = false;
};

// The deadlines of a loop's sessions and connections.
class LoopTimers {
 public:
  // time: gets the first deadline of all.
  explicit LoopTimers(LoopClock& time) noexcept : time_{time} {}

  // Inlined: events call it, and mostly nothing is to be done.
  [[gnu::always_inline]] void arm(auto& owner, MonoTime deadline) {
    if (queue_of(owner).arm(owner, deadline)) [[unlikely]]
      find_first();
  }
  void disarm(auto& owner) noexcept {
    queue_of(owner).disarm(owner);
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
  [[nodiscard]] auto& queue_of(const SessionEntry& /*owner*/) noexcept { return sessions_; }
  [[nodiscard]] auto& queue_of(const Connection& /*owner*/) noexcept { return connections_; }
  void find_first() noexcept {
    time_.set_first_owner(std::min(sessions_.first(), connections_.first()));
  }

  LoopClock& time_;
  TimerQueue<SessionEntry> sessions_;
  TimerQueue<Connection> connections_;
  std::vector<SessionEntry*> due_sessions_;
  std::vector<Connection*> due_connections_;
};

struct SessionServices;

// The loop's thread only.
class LoopContext : public LoopDependencies {
 public:
  LoopContext(LoopDependencies dependencies, Callbacks application, EventEnds& ends)
      : LoopDependencies{std::move(dependencies)},
        stop{*network},
        time{*clock},
        report{*logs.events, logs.is_standard_error, logs.messages, index, time},
        boundary{*this, ends},
        callbacks{application} {
    report.logs().tap_events(logs.event_tap);
    if (!shared.remotes) shared.remotes = std::make_shared<RemoteDirectory>();
    if (!shared.disabled) shared.disabled = std::make_shared<DisabledSessions>();
    if (!shared.standby) shared.standby = std::make_shared<StandbyStatus>();
    if (!shared.budget)
      shared.budget = std::make_shared<BufferBudget>(Settings{}.buffered_bytes_max);
  }

  [[nodiscard]] const Now& now() const noexcept { return time.now(); }
  // Begins a new turn, or the next event of one.
  [[gnu::always_inline]] void update_time() {
    time.update();
    if (latency.is_unsettled()) latency.settle(time.now().mono);
  }
  [[nodiscard]] std::pmr::memory_resource& use_scratch() noexcept {
    work.set(Work::Scratch);
    return scratch_;
  }
  // At the end of a callback, and of each event: nothing of it is used any more.
  void end_scratch() noexcept {
    work.clear(Work::Scratch);
    scratch_.reset();
  }
  // Frees it if a callback has used more. Not while it is used.
  void give_back_scratch(std::size_t bytes_max) noexcept {
    if (scratch_.bytes_reserved() > bytes_max) scratch_.release();
  }
  void wake_at(MonoTime deadline) noexcept { time.wake_at(deadline); }
  void arm(auto& owner, MonoTime deadline) { timers.arm(owner, deadline); }

  // Any thread.
  void add_to(EngineStatistics& figures, const Now& at) const;

  // Each component has its own data.
  LoopWork work;
  StopRequest stop;
  LoopClock time;
  LoopTimers timers{time};
  Reporter report;
  EventBoundary boundary;
  Callbacks callbacks;
  // Each Session forwards its calls to them. Never null while there are sessions.
  const SessionServices* services = nullptr;
  Parsers parsers;
  session::EventMemory event_memory;  // of all state machines: the loop has one event at a time
  LatencyMeter latency{time, stats};
  LoopCounters stats;
  SessionFigures session_figures;
  RoundTrips round_trips;

 private:
  Arena scratch_{{.bytes_max = Session::kScratchBytesMax}};
};

}  // namespace nexusfix::engine
