// Used by every component of one event loop: time, timers, events, parsers, and the loop's
// dependencies. It knows no component.
#pragma once

#include <cstdint>
#include <utility>

#include <nexusfix/base/time.hpp>
#include <nexusfix/engine/engine.hpp>
#include <nexusfix/session/machine/event_memory.hpp>

#include "engine/ground/event_boundary.hpp"
#include "engine/ground/loop_clock.hpp"
#include "engine/ground/loop_dependencies.hpp"
#include "engine/ground/loop_timers.hpp"
#include "engine/ground/report/reporter.hpp"
#include "engine/ground/round_trips.hpp"
#include "engine/ground/settings/parsers.hpp"
#include "engine/ground/statistics/latency_meter.hpp"
#include "engine/ground/statistics/loop_counters.hpp"
#include "engine/ground/statistics/session_board.hpp"

namespace nexusfix::engine {

struct SessionServices;

// Work that no event of the network announces. Its owner sets the flag, and clears it.
enum class Work : unsigned {
  Aborted = 1,  // sessions are to be disconnected
  Resends = 2,  // a resend can go on: its connection has room, or its messages were read
  Decided = 4,  // Logons were decided: the held messages of their sessions are due
};

// The loop's thread only.
class LoopWork {
 public:
  void set(Work work) noexcept {
    disturb();
    flags_ |= static_cast<unsigned>(work);
  }
  void clear(Work work) noexcept { flags_ &= ~static_cast<unsigned>(work); }
  [[nodiscard]] bool has(Work work) const noexcept {
    return (flags_ & static_cast<unsigned>(work)) != 0;
  }
  [[nodiscard]] bool has_any() const noexcept { return flags_ != 0; }

  // A turn has more to do than to receive, and to send the answers.
  void disturb() noexcept { quiet_ = nullptr; }
  // The only connection of a spinning loop, while nothing is to be done but to receive from it. A
  // disturbance that was not reported waits for a few receives.
  [[nodiscard]] Connection* quiet() const noexcept { return quiet_; }
  void set_quiet(Connection* only) noexcept { quiet_ = only; }

  [[nodiscard]] bool is_stopping() const noexcept { return is_stopping_; }
  void begin_stop() noexcept { is_stopping_ = true; }
  // No new message of the application is accepted.
  [[nodiscard]] bool is_draining() const noexcept { return is_draining_; }
  void begin_drain() noexcept { is_draining_ = true; }
  // From the control socket.
  [[nodiscard]] bool takes_commands() const noexcept { return takes_commands_; }
  void take_commands() noexcept { takes_commands_ = true; }

 private:
  Connection* quiet_ = nullptr;
  unsigned flags_ = 0;
  bool is_stopping_ = false;
  bool is_draining_ = false;
  bool takes_commands_ = false;
};

// The loop's thread only.
class LoopContext : public LoopDependencies {
 public:
  LoopContext(LoopDependencies dependencies, Callbacks application, EventEnds& ends)
      : LoopDependencies{std::move(dependencies)},
        time{*clock},
        report{*logs.events, logs.is_standard_error, logs.messages, index, time},
        boundary{*this, ends},
        callbacks{application} {
    report.logs().tap_events(logs.event_tap);
    if (!shared.remotes) shared.remotes = std::make_shared<RemoteDirectory>();
    if (!shared.disabled) shared.disabled = std::make_shared<DisabledSessions>();
    if (!shared.standby) shared.standby = std::make_shared<StandbyBoard>();
    if (!shared.budget)
      shared.budget = std::make_shared<BufferBudget>(Settings{}.buffered_bytes_max);
  }

  [[nodiscard]] const Now& now() const noexcept { return time.now(); }
  // Begins a new turn, or the next event of one.
  [[gnu::always_inline]] void update_time() {
    time.update();
    if (latency.is_unsettled()) latency.settle(time.now().mono);
  }
  void wake_at(MonoTime deadline) noexcept { time.wake_at(deadline); }
  template <class Owner>
  void arm(Owner& owner, MonoTime deadline) {
    timers.arm(owner, deadline);
  }

  // Each component has its own data.
  LoopWork work;
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
  SessionBoard board;
  RoundTrips round_trips;
};

}  // namespace nexusfix::engine
