// Fields of orders and their reports, whose tags are those of every FIX version.
#pragma once

#include <nexusfix/wire/field.hpp>

namespace nexusfix::venues::order_tag {

inline constexpr wire::Tag AvgPx = 6;
inline constexpr wire::Tag ClOrdID = 11;
inline constexpr wire::Tag CumQty = 14;
inline constexpr wire::Tag ExecID = 17;
inline constexpr wire::Tag LastPx = 31;
inline constexpr wire::Tag LastQty = 32;
inline constexpr wire::Tag OrderID = 37;
inline constexpr wire::Tag OrderQty = 38;
inline constexpr wire::Tag OrdStatus = 39;
inline constexpr wire::Tag OrdType = 40;
inline constexpr wire::Tag OrigClOrdID = 41;
inline constexpr wire::Tag Price = 44;
inline constexpr wire::Tag Side = 54;
inline constexpr wire::Tag Symbol = 55;
inline constexpr wire::Tag Text = 58;
inline constexpr wire::Tag TimeInForce = 59;
inline constexpr wire::Tag TransactTime = 60;
inline constexpr wire::Tag OrdRejReason = 103;
inline constexpr wire::Tag ExecType = 150;
inline constexpr wire::Tag LeavesQty = 151;
inline constexpr wire::Tag CxlRejResponseTo = 434;

}  // namespace nexusfix::venues::order_tag
