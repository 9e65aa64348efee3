// The one place where an event of the loop ends for want of memory.
#pragma once

#include <new>
#include <utility>

#include <nexusfix/transport/network.hpp>

#include "engine/ground/loop_costs.hpp"

namespace nexusfix::engine {

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
  template <class Owner, class Step>
  [[gnu::always_inline]] bool run(Owner& owner, Step&& step) {
    try {
      std::forward<Step>(step)();
      return true;
    } catch (const std::bad_alloc&) {
      count_failure();
    } catch (const EventAborted&) {
    }
    end(owner);
    return false;
  }
  // An event that has no connection.
  template <class Step>
  bool run(Step&& step) {
    NoOwner none;
    return run(none, std::forward<Step>(step));
  }
  // Who costs the loop its time: charge.hpp.
  [[nodiscard]] LoopCosts& costs() noexcept { return costs_; }

 private:
  struct NoOwner {};

  void count_failure() noexcept;
  void end(NoOwner& /*none*/) noexcept { ends_.end_event(); }
  template <class Owner>
  void end(Owner& owner) noexcept {
    ends_.end_event(owner);
  }

  LoopContext& loop_;
  EventEnds& ends_;
  LoopCosts costs_;
};

}  // namespace nexusfix::engine
