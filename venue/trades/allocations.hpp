// AllocationInstruction (J): checked, and answered by AllocationInstructionAck (P).
#pragma once

#include "venue/exchange.hpp"

namespace nexusfix::venue {

class Allocations {
 public:
  // The exchange must outlive it.
  explicit Allocations(Exchange& exchange) noexcept : exchange_{exchange} {}

  // Accepted if the quantities of the accounts add up to Quantity (53), and the orders that it
  // names are the session's, and have traded that much.
  [[nodiscard]] engine::MessageReply instruct(engine::Session& session,
                                              const wire::MessageView& message);
  // The answer of a rule. reason: AllocRejCode (88); accepted if text is empty.
  void answer(engine::Session& session, const wire::MessageView& message, unsigned reason,
              std::string_view text);

 private:
  Exchange& exchange_;
};

}  // namespace nexusfix::venue
