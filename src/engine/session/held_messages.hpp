// Keeps messages that came too early until the missing ones before them have come.
#pragma once

#include <cstdint>
#include <string_view>

#include <nexusfix/session/actions.hpp>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

class BufferGovernor;

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

}  // namespace nexusfix::engine
