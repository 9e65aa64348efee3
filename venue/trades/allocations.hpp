// AllocationInstruction (J): checked, answered by AllocationInstructionAck (P), and where it or the
// rules ask for that, by an AllocationReport (AS).
#pragma once

#include <string_view>
#include <vector>

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
  struct Share {
    std::string_view account;
    Units quantity = 0;
  };
  struct Allocation {
    std::vector<Share> shares{};
    std::vector<OrderIndex> orders{};
    Notional allocated = 0;
    Notional traded = 0;
    Notional notional = 0;  // sum of LastQty × LastPx of the orders
    std::string_view unknown_order{};
  };
  [[nodiscard]] Allocation read(Owner owner, const wire::MessageView& message) const;
  // Whether an accepted instruction gets an AllocationReport.
  [[nodiscard]] bool wants_report(const engine::Session& session,
                                  const wire::MessageView& message) const;
  void report(engine::Session& session, const wire::MessageView& message,
              const Allocation& allocation) const;

  Exchange& exchange_;
};

}  // namespace nexusfix::venue
