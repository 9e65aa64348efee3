// Messages that came too early.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "engine/connection/buffer_budget.hpp"

namespace nexusfix::engine {

// HeldMessages adds and discards them, OutOfOrderQueue delivers them.
class OutOfOrderMessages {
 public:
  void count_in(BufferBudget& budget) noexcept { bytes_.count_in(budget); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  // They came after a Logon that is not decided.
  [[nodiscard]] bool arrived_undecided() const noexcept { return arrived_undecided_; }
  void clear() noexcept {
    messages_.clear();
    bytes_ = 0;
    dropped_high_ = 0;
    arrived_undecided_ = false;
  }

 private:
  friend class HeldMessages;
  friend class OutOfOrderQueue;

  static constexpr std::size_t kOverheadBytes = 128;  // the estimated overhead of a message

  std::map<std::uint64_t, std::string> messages_;  // by MsgSeqNum
  BufferCharge bytes_;
  std::uint64_t dropped_high_ = 0;  // the highest MsgSeqNum for which there was no room; 0: none
  std::uint64_t discarded_ = 0;     // application messages, since the start
  bool arrived_undecided_ = false;
};

}  // namespace nexusfix::engine
