// Used by every component of one event loop: time, timers, events, parsers, and the loop's
// dependencies. It knows no component.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <utility>

#include <nexusfix/base/arena.hpp>
#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/engine/session.hpp>

#include "engine/ground/event_boundary.hpp"
#include "engine/ground/loop_clock.hpp"
#include "engine/ground/loop_dependencies.hpp"
#include "engine/ground/loop_timers.hpp"
#include "engine/ground/loop_work.hpp"
#include "engine/ground/report/reporter.hpp"
#include "engine/ground/round_trips.hpp"
#include "engine/ground/settings/parsers.hpp"
#include "engine/ground/statistics/latency_meter.hpp"
#include "engine/ground/statistics/loop_counters.hpp"
#include "engine/ground/statistics/session_counters.hpp"
#include "session/api/actions.hpp"

namespace nexusfix::engine {

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
  template <class Owner>
  void arm(Owner& owner, MonoTime deadline) {
    timers.arm(owner, deadline);
  }

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
