#include "venue/orders/order_codes.hpp"

namespace nexusfix::venue {

char fix_char(BookSide side) noexcept { return side == BookSide::Buy ? '1' : '2'; }
char fix_char(OrderKind kind) noexcept { return kind == OrderKind::Market ? '1' : '2'; }
char fix_char(Lifetime lifetime) noexcept { return lifetime == Lifetime::Day ? '0' : '3'; }

char fix_char(OrderState state) noexcept {
  switch (state) {
    case OrderState::New:
      return '0';
    case OrderState::PartiallyFilled:
      return '1';
    case OrderState::Filled:
      return '2';
    case OrderState::Canceled:
      break;
  }
  return '4';
}

// FIX 4.3 replaced PartialFill and Fill by Trade.
char exec_type(const Execution& execution, const Order& order, bool before_43) noexcept {
  switch (execution.kind) {
    case ExecutionKind::New:
      return '0';
    case ExecutionKind::Canceled:
      return '4';
    case ExecutionKind::Replaced:
      return '5';
    case ExecutionKind::Trade:
      break;
  }
  if (!before_43) return 'F';
  return order.state == OrderState::Filled ? '2' : '1';
}

char order_status(const Execution& execution, const Order& order, bool before_43) noexcept {
  // FIX 4.2 has an OrdStatus of its own for a replaced order; later versions do not.
  if (execution.kind == ExecutionKind::Replaced && before_43) return '5';
  return fix_char(order.state);
}

unsigned cancel_reject_reason(Refusal refusal) noexcept {
  constexpr unsigned kTooLate = 0;
  constexpr unsigned kUnknownOrder = 1;
  constexpr unsigned kVenueOption = 2;
  if (refusal == Refusal::OrderClosed) return kTooLate;
  return refusal == Refusal::UnknownOrder ? kUnknownOrder : kVenueOption;
}

}  // namespace nexusfix::venue
