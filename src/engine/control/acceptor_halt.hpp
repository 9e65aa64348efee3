// An acceptor's halt: it waits for an operator.
#pragma once

namespace nexusfix::engine {

// The counterparty knows sequence numbers that the store does not know, or the reverse: every Logon
// without ResetSeqNumFlag is refused until an operator has set the numbers. SessionControl begins
// and ends the halt; an initiator's is a state of its ConnectPolicy.
class AcceptorHalt {
 public:
  [[nodiscard]] bool accepts_only_reset() const noexcept { return accepts_only_reset_; }

 private:
  friend class SessionControl;

  bool accepts_only_reset_ = false;
};

}  // namespace nexusfix::engine
