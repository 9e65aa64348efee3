// An acceptor's halt: it waits for an operator.
#pragma once

namespace nexusfix::engine {

// The counterparty knows sequence numbers that the store does not know, or the reverse: every Logon
// without ResetSeqNumFlag is refused until an operator has set the numbers. An initiator's halt is
// a state of its ConnectPolicy.
class AcceptorHalt {
 public:
  [[nodiscard]] bool accepts_only_reset() const noexcept { return accepts_only_reset_; }
  void begin() noexcept { accepts_only_reset_ = true; }
  void end() noexcept { accepts_only_reset_ = false; }

 private:
  bool accepts_only_reset_ = false;
};

}  // namespace nexusfix::engine
