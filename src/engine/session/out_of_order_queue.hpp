// Delivers held messages in sequence.
#pragma once

#include <nexusfix/base/time.hpp>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

class Transactor;

class OutOfOrderQueue {
 public:
  OutOfOrderQueue(LoopContext& loop, Transactor& transactor) noexcept
      : loop_{loop}, transactor_{transactor} {}

  // Most sessions have none that waits.
  void deliver_in_sequence(SessionEntry& entry) {
    const OutOfOrderMessages& waiting = entry.out_of_order;
    if (!waiting.messages_.empty() || waiting.dropped_high_ != 0) [[unlikely]]
      deliver_waiting(entry);
  }

 private:
  void deliver_waiting(SessionEntry& entry);
  void deliver_due(SessionEntry& entry);
  [[nodiscard]] bool request_dropped(SessionEntry& entry);

  LoopContext& loop_;
  Transactor& transactor_;
};

}  // namespace nexusfix::engine
