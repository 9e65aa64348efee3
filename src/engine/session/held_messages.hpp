// Keeps messages that came too early until the missing ones before them have come.
#pragma once

#include <cstdint>
#include <string_view>

#include <nexusfix/base/clock.hpp>

#include "engine/ground/loop_context.hpp"
#include "session/api/actions.hpp"

namespace nexusfix::engine {

class BufferGovernor;
class Transactor;

// The loop's thread only. OutOfOrderQueue delivers them.
class HeldMessages {
 public:
  HeldMessages(LoopContext& loop, BufferGovernor& buffers) noexcept
      : loop_{loop}, buffers_{buffers} {}

  void perform(SessionEntry& entry, const session::BufferOutOfOrder& action);
  void perform(SessionEntry& entry, const session::DiscardOutOfOrder& action);
  // Reports what is lost.
  void discard(SessionEntry& entry, std::uint64_t begin, std::uint64_t end, std::string_view why);

 private:
  LoopContext& loop_;
  BufferGovernor& buffers_;
};

// Passes held messages to the state machine in sequence, as soon as the missing ones before them
// have come.
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
