// Keeps messages that came too early, and delivers them in sequence.
#pragma once

#include <cstdint>
#include <string_view>

#include <nexusfix/base/time.hpp>
#include <nexusfix/session/actions.hpp>

#include "engine/loop/loop_context.hpp"
#include "engine/sessions/session_entry.hpp"

namespace nexusfix::engine {

class BufferGovernor;
class Transactor;

class OutOfOrderQueue {
 public:
  OutOfOrderQueue(LoopContext& loop, BufferGovernor& buffers, Transactor& transactor) noexcept
      : loop_{loop}, buffers_{buffers}, transactor_{transactor} {}

  // Most sessions have none that waits.
  void deliver_in_sequence(SessionEntry& entry) {
    const OutOfOrderMessages& waiting = entry.out_of_order;
    if (!waiting.messages_.empty() || waiting.dropped_high_ != 0) [[unlikely]]
      deliver_waiting(entry);
  }
  void discard_out_of_order(SessionEntry& entry, std::uint64_t begin, std::uint64_t end,
                            std::string_view why);
  static void forget_out_of_order(SessionEntry& entry) noexcept;
  void perform(SessionEntry& entry, const session::BufferOutOfOrder& action);
  void perform(SessionEntry& entry, const session::DiscardOutOfOrder& action);

 private:
  void deliver_waiting(SessionEntry& entry);
  void deliver_due(SessionEntry& entry);
  [[nodiscard]] bool request_dropped(SessionEntry& entry);

  LoopContext& loop_;
  BufferGovernor& buffers_;
  Transactor& transactor_;
};

}  // namespace nexusfix::engine
