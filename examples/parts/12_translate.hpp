// The differences between orders and reports of FIX 4.2 and FIX 5.0SP2:
//
//   FIX 4.2                                FIX 5.0SP2
//   ExecTransType New, ExecType            ExecType Trade
//     PartialFill or Fill
//   ExecTransType Cancel, Correct, Status  ExecType TradeCancel, TradeCorrect, OrderStatus
//   OrdStatus Replaced                     New, PartiallyFilled or Filled, by CumQty
//   LastShares                             LastQty (the same tag)
//   HandlInst, AvgPx, Symbol and, of a     optional
//     cancel or its reject, OrigClOrdID
//     required
//   four CxlRejReasons, nine OrdRejReasons more of both: the rest becomes BrokerOption, with Text
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <expected>
#include <type_traits>
#include <utility>

#include <nexusfix/fix42/execution_report.hpp>
#include <nexusfix/fix42/new_order_single.hpp>
#include <nexusfix/fix50sp2/execution_report.hpp>
#include <nexusfix/fix50sp2/new_order_single.hpp>
#include <nexusfix/fix50sp2/tags.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/header_template.hpp>

namespace translate {

namespace fix42 = nexusfix::fix42;
namespace fix50 = nexusfix::fix50sp2;
namespace tag = nexusfix::fix50sp2::tag;
using nexusfix::wire::OptionalField;

// Whether the bridge carries this field of an order. Header and trailer are the session's.
constexpr bool is_carried(nexusfix::wire::Tag tag) {
  constexpr std::array kBody{tag::Account,      tag::ClOrdID, tag::HandlInst,   tag::OrderID,
                             tag::OrderQty,     tag::OrdType, tag::OrigClOrdID, tag::Price,
                             tag::Side,         tag::Symbol,  tag::Text,        tag::TimeInForce,
                             tag::TransactTime, tag::StopPx};
  return std::ranges::find(kBody, tag) != kBody.end() || nexusfix::wire::is_header_tag(tag) ||
         nexusfix::wire::is_written_by_encoder(tag);
}

// Converts an enumerator to the enumerator of the other version with the same value. Fields without
// enumerators have the same type in both versions.
template <class To, class From>
To as(const From& from) {
  if constexpr (std::is_enum_v<To> && std::is_enum_v<From>) {
    return static_cast<To>(std::to_underlying(from));
  } else if constexpr (std::is_enum_v<To>) {
    return static_cast<To>(from.value);
  } else {
    return To{std::to_underlying(from)};
  }
}
template <class To, class From>
OptionalField<To> as(const OptionalField<From>& from) {
  if (!from) return std::unexpected{from.error()};
  return as<To>(*from);
}

inline fix42::HandlInst old_handl_inst(const OptionalField<fix50::HandlInst>& handl_inst) {
  return as<fix42::HandlInst>(handl_inst)
      .value_or(fix42::HandlInst::AutomatedExecutionOrderPrivateNoBrokerIntervention);
}

// FIX 4.2 has ExecTransType and ExecType; FIX 5.0SP2 has ExecType alone.
inline fix50::ExecType new_exec_type(const fix42::ExecutionReport& report) {
  switch (report.exec_trans_type()) {
    case fix42::ExecTransType::Cancel:
      return fix50::ExecType::TradeCancel;
    case fix42::ExecTransType::Correct:
      return fix50::ExecType::TradeCorrect;
    case fix42::ExecTransType::Status:
      return fix50::ExecType::OrderStatus;
    case fix42::ExecTransType::New:
      break;
  }
  const bool is_fill = report.exec_type() == fix42::ExecType::PartialFill ||
                       report.exec_type() == fix42::ExecType::Fill;
  return is_fill ? fix50::ExecType::Trade : as<fix50::ExecType>(report.exec_type());
}
inline fix50::OrdStatus new_ord_status(const fix42::ExecutionReport& report) {
  if (report.ord_status() != fix42::OrdStatus::Replaced) {
    return as<fix50::OrdStatus>(report.ord_status());
  }
  if (report.cum_qty().value.is_zero()) return fix50::OrdStatus::New;
  return report.leaves_qty().value.is_zero() ? fix50::OrdStatus::Filled
                                             : fix50::OrdStatus::PartiallyFilled;
}

inline fix42::ExecTransType old_exec_trans_type(fix50::ExecType type) {
  switch (type) {
    case fix50::ExecType::TradeCancel:
      return fix42::ExecTransType::Cancel;
    case fix50::ExecType::TradeCorrect:
      return fix42::ExecTransType::Correct;
    case fix50::ExecType::OrderStatus:
      return fix42::ExecTransType::Status;
    default:
      return fix42::ExecTransType::New;
  }
}
// In FIX 4.2, a fill and a correction of a fill have an ExecType equal to the OrdStatus.
inline fix42::ExecType old_exec_type(const fix50::ExecutionReport& report) {
  const fix50::ExecType type = report.exec_type();
  if (type == fix50::ExecType::Trade) {
    return report.leaves_qty().value.is_zero() ? fix42::ExecType::Fill
                                               : fix42::ExecType::PartialFill;
  }
  const bool is_new = old_exec_trans_type(type) == fix42::ExecTransType::New;
  return is_new ? as<fix42::ExecType>(type) : as<fix42::ExecType>(report.ord_status());
}

// FIX 5.0SP2 permits any reason; FIX 4.2 has those from 0 to count - 1.
template <class Reason, class From>
OptionalField<Reason> old_reason(const OptionalField<From>& reason, std::int64_t count,
                                 Reason otherwise) {
  if (!reason) return std::unexpected{reason.error()};
  const bool is_known = reason->value >= 0 && reason->value < count;
  return is_known ? static_cast<Reason>(reason->value) : otherwise;
}

}  // namespace translate
