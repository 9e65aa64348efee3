// The one place where an event of the loop ends for want of memory.
#pragma once

#include <new>
#include <utility>

#include <nexusfix/transport/network.hpp>

#include "engine/ground/loop_costs.hpp"

namespace nexusfix::engine {

class Connection;
class Connections;
class LoopContext;
class SessionEntry;
class Transactor;

// Thrown by an event that cannot be finished.
struct EventAborted {};

// An event is what comes from outside: bytes, a due timer, a posted task, a command, a slice of a
// resend, a step of a reload. An event that cannot be finished is rolled back as if the process had
// ended in it, and its connection or session is disconnected. The transaction of a session is an
// event within another one. Without memory outside of an event, the loop ends in order.
class EventBoundary {
 public:
  EventBoundary(LoopContext& loop, Connections& connections, Transactor& transactor) noexcept
      : loop_{loop}, connections_{connections}, transactor_{transactor} {}

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
  void end(const NoOwner& none) noexcept;
  void end(SessionEntry& entry) noexcept;
  void end(Connection& connection) noexcept;
  void end(const transport::Ready& ready) noexcept;

  LoopContext& loop_;
  Connections& connections_;
  Transactor& transactor_;
  LoopCosts costs_;
};

}  // namespace nexusfix::engine
