// Requests about many orders, and about the status of orders: OrderMassCancelRequest (q),
// OrderStatusRequest (H), OrderMassStatusRequest (AF).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "venue/exchange.hpp"

namespace nexusfix::venue {

class MassRequests {
 public:
  // The exchange must outlive it.
  explicit MassRequests(Exchange& exchange) noexcept : exchange_{exchange} {}

  // Cancels the session's open orders, of one symbol or one side if it names them. Each gets its
  // ExecutionReport; an OrderMassCancelReport (r) comes first.
  [[nodiscard]] engine::MessageReply cancel(engine::Session& session,
                                            const wire::MessageView& message);
  [[nodiscard]] engine::MessageReply status(engine::Session& session,
                                            const wire::MessageView& message);
  [[nodiscard]] engine::MessageReply mass_status(engine::Session& session,
                                                 const wire::MessageView& message);

 private:
  // The open orders of a session; symbol, side: empty: of each.
  [[nodiscard]] std::vector<OrderIndex> open_orders(Owner owner, std::string_view symbol,
                                                    std::string_view side) const;
  void send_report(engine::Session& session, const wire::MessageView& request,
                   const std::vector<OrderIndex>& orders, std::string_view fault);

  Exchange& exchange_;
  std::uint64_t last_report_ = 0;
};

}  // namespace nexusfix::venue
