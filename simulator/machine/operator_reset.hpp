// The reset that operators agree on: an initiator restarts with ResetOnLogon.
#pragma once

#include <utility>

namespace nexusfix::simulator {

class OperatorReset {
 public:
  // False: the next start resets already.
  bool request() noexcept { return !std::exchange(is_requested_, true); }

  void begin_process() noexcept {
    runs_ = std::exchange(is_requested_, false);
    is_complete_ = false;
  }
  // Whether the present process resets its sessions at logon.
  [[nodiscard]] bool runs() const noexcept { return runs_; }
  // After each turn: the reset is complete while all sessions are logged on.
  void set_complete(bool is_complete) noexcept { is_complete_ = is_complete; }
  // A reset that may be half done is done again: operators remove ResetOnLogon only after both
  // sides have agreed.
  void end_process() noexcept {
    if (runs_ && !is_complete_) is_requested_ = true;
  }

 private:
  bool is_requested_ = false;
  bool runs_ = false;
  bool is_complete_ = false;
};

}  // namespace nexusfix::simulator
