// The values of FIX fields for the states of the book.
#pragma once

#include "venue/book/order_book.hpp"

namespace nexusfix::venue {

// OrdRejReason (103).
inline constexpr unsigned kExchangeOption = 0;
inline constexpr unsigned kUnknownSymbol = 1;
inline constexpr unsigned kExchangeClosed = 2;
inline constexpr unsigned kUnknownOrder = 5;
inline constexpr unsigned kDuplicateOrder = 6;

// Side (54), OrdType (40), TimeInForce (59), OrdStatus (39).
[[nodiscard]] char fix_char(BookSide side) noexcept;
[[nodiscard]] char fix_char(OrderKind kind) noexcept;
[[nodiscard]] char fix_char(Lifetime lifetime) noexcept;
[[nodiscard]] char fix_char(OrderState state) noexcept;
// ExecType (150) and OrdStatus (39). Before FIX 4.3 they differ.
[[nodiscard]] char exec_type(const Execution& execution, const Order& order,
                             bool before_43) noexcept;
[[nodiscard]] char order_status(const Execution& execution, const Order& order,
                                bool before_43) noexcept;
// CxlRejReason (102).
[[nodiscard]] unsigned cancel_reject_reason(Refusal refusal) noexcept;

}  // namespace nexusfix::venue
