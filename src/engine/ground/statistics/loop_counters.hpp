// The figures of one event loop. The loop writes them; every thread reads them.
#pragma once

#include <cstdint>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/deferred/spsc_queue.hpp>
#include <nexusfix/engine/running_engine.hpp>

#include "engine/ground/statistics/counter.hpp"
#include "engine/ground/statistics/latency_counters.hpp"

namespace nexusfix::engine {

// Apart from the loop's other data, so that a reader on another core takes no cache line that the
// loop needs for anything else. The members that a turn uses come first.
struct alignas(deferred::kApartBytes) LoopCounters {
  Counter turns;
  Counter messages_in;
  Counter messages_out;
  Counter bytes_in;
  Counter bytes_out;
  struct {
    Figure<std::uint64_t> appended{};  // positions of the log
    Figure<std::uint64_t> durable{};
    Figure<std::uint64_t> synced{};
    TimeFigure unsynced_since;
    Figure<StoreHealth> health{};
  } store;

  Counter garbled;
  Counter connections_refused;
  Counter out_of_order_discarded;
  Counter late_turns;
  Counter posted_tasks;
  struct {
    Figure<std::uint64_t> count{};
    TimeFigure since;
  } waiting_tasks;
  // Monotonic; 0: there was no turn. A loop that receives directly sets it in some turns only.
  Figure<std::int64_t> turned_at_ns{};
  Figure<std::uint64_t> connections{};
  Figure<bool> is_running{};

  LoopLatency wire_to_callback;
  LoopLatency receive_to_callback;
  LoopLatency callback_to_sent;
  LoopLatency receive_to_sent;
  LoopLatency test_request_round_trip;

  void on_tasks_left(std::size_t count, WallTime now) noexcept {
    waiting_tasks.count.set(count);
    if (count == 0) return waiting_tasks.since.clear();
    if (!waiting_tasks.since.is_set()) waiting_tasks.since.set(now);
  }
  // Any thread. now: the present time.
  [[nodiscard]] LoopStatistics read(std::uint32_t index, const Now& now) const;
};

}  // namespace nexusfix::engine
