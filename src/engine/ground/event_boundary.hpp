// The one place where an event of the loop ends for want of memory.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/transport/network.hpp>

#include "engine/ground/loop_clock.hpp"

namespace nexusfix::engine {

// Finds the session or the address that costs an event loop its time. A turn takes microseconds,
// and nothing is measured. After a slow one, each event of a connection or session is measured for
// a second: a loop that is slow can spare the reads of the clock. A stall is one turn that was not
// measured: it has the owners of its events.
class LoopCosts {
 public:
  static constexpr std::chrono::milliseconds kSlowTurn{2};
  static constexpr std::chrono::seconds kWindow{1};
  // The part of the time that a session or an address takes to be named.
  static constexpr int kShareMin = 4;
  static constexpr std::chrono::minutes kNamedAgain{1};
  static constexpr std::chrono::milliseconds kStall{250};
  static constexpr std::size_t kServedMax = 8;

  // The owner of an event: a session by its entry, or a connection by its socket.
  struct Id {
    const void* session = nullptr;
    transport::SocketId socket = 0;
    auto operator<=>(const Id&) const = default;
  };
  struct Stall {
    MonoTime::duration time{};
    std::span<const Id> served;  // by the turn; valid until the next one begins
    std::size_t more = 0;        // events whose owners are not in served
  };
  struct Costly {
    std::string who;  // a session, or an address that has not logged on
    MonoTime::duration time{};
    std::uint64_t events = 0;
    MonoTime::duration window{};
  };

  void begin_turn(MonoTime now) noexcept {
    turn_began_ = now;
    served_count_ = 0;
  }
  // Before the loop sleeps, or when the next turn begins. A slow turn begins a window.
  void end_turn(MonoTime now) noexcept {
    const MonoTime began = std::exchange(turn_began_, kNever);
    if (now - kSlowTurn < began) [[likely]]
      return;
    on_slow_turn(began, now);
  }
  void forget_turn() noexcept { turn_began_ = kNever; }
  [[nodiscard]] bool is_measuring() const noexcept { return window_ends_ != kNever; }
  // A stall or the end of a window is to be reported.
  [[nodiscard]] bool is_due(MonoTime now) const noexcept { return now >= due_at_; }

  // This turn has an event of that owner.
  void count(Id id) noexcept {
    if (served_count_ < kServedMax) served_[served_count_] = id;
    ++served_count_;
  }
  // Counts the time of a step. name: called once in a window, before the step.
  void measure(Id id, const LoopClock& time, auto&& name, auto&& step) {
    const auto [found, is_new] = costs_.try_emplace(id);
    Cost& cost = found->second;  // a map's values do not move
    if (is_new) cost.name = name();
    const MonoTime begun = time.read().mono;
    step();
    cost.time += time.read().mono - begun;
    ++cost.events;
  }
  // The stall that has just ended, once a minute. is_whole: the loop did nothing but its turns; a
  // program that calls poll() may have slept meanwhile.
  [[nodiscard]] std::optional<Stall> consume_stall(MonoTime now, bool is_whole) noexcept;
  // Ends the window. Nothing: it goes on, or no owner took a large part of it, or that owner was
  // named a moment ago.
  [[nodiscard]] std::optional<Costly> end_window(MonoTime now);

 private:
  struct Cost {
    std::string name;
    MonoTime::duration time{};
    std::uint64_t events = 0;
  };

  void on_slow_turn(MonoTime began, MonoTime now) noexcept;

  MonoTime turn_began_ = kNever;
  MonoTime window_began_{};
  MonoTime window_ends_ = kNever;
  MonoTime due_at_ = kNever;  // the end of the window; the past: there was a stall
  MonoTime named_until_ = MonoTime::min();
  MonoTime stall_named_until_ = MonoTime::min();
  MonoTime::duration stall_{};           // 0: none
  std::map<Id, Cost> costs_;             // of the window
  std::array<Id, kServedMax> served_{};  // of the turn
  std::size_t served_count_ = 0;
};

class Connection;
class LoopContext;
class SessionEntry;

// Thrown by an event that cannot be finished.
struct EventAborted {};

// Rolls back an event that could not be finished. EventLoop does it: it knows every component.
class EventEnds {
 public:
  EventEnds() = default;
  EventEnds(const EventEnds&) = delete;
  EventEnds& operator=(const EventEnds&) = delete;

  virtual void end_event() noexcept = 0;  // it has neither a session nor a connection
  virtual void end_event(SessionEntry& entry) noexcept = 0;
  virtual void end_event(Connection& connection) noexcept = 0;
  virtual void end_event(const transport::Ready& ready) noexcept = 0;

 protected:
  ~EventEnds() = default;
};

// An event is what comes from outside: bytes, a due timer, a posted task, a command, a slice of a
// resend, a step of a reload. An event that cannot be finished is rolled back as if the process had
// ended in it, and its connection or session is disconnected. The transaction of a session is an
// event within another one. Without memory outside of an event, the loop ends in order.
class EventBoundary {
 public:
  EventBoundary(LoopContext& loop, EventEnds& ends) noexcept : loop_{loop}, ends_{ends} {}

  // owner: the Connection, the SessionEntry, or the Ready whose event it is. False: the event could
  // not be finished.
  [[gnu::always_inline]] bool run(auto& owner, auto&& step) {
    try {
      step();
      return true;
    } catch (const std::bad_alloc&) {
      count_failure();
    } catch (const EventAborted&) {
    }
    end(owner);
    return false;
  }
  // An event that has no connection.
  bool run(auto&& step) {
    NoOwner none;
    return run(none, step);
  }
  // Who costs the loop its time: charge.hpp.
  [[nodiscard]] LoopCosts& costs() noexcept { return costs_; }

 private:
  struct NoOwner {};

  void count_failure() noexcept;
  void end(NoOwner& /*none*/) noexcept { ends_.end_event(); }
  void end(auto& owner) noexcept { ends_.end_event(owner); }

  LoopContext& loop_;
  EventEnds& ends_;
  LoopCosts costs_;
};

}  // namespace nexusfix::engine
