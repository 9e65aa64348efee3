#include "venue/trades/allocations.hpp"

#include <string>

#include <nexusfix/fix44/tags.hpp>
#include <nexusfix/wire/convert.hpp>

#include "venue/book/identifiers.hpp"
#include "venue/orders/order_fields.hpp"
#include "venue/sending.hpp"

namespace nexusfix::venue {
namespace {

using engine::MessageReply;
using engine::Session;
namespace tag = fix44::tag;

constexpr unsigned kIncorrectQuantity = 1;  // AllocRejCode
constexpr unsigned kUnknownOrderOfAllocation = 5;
constexpr std::string_view kPreliminary = "2";  // AllocType: the sender asks for a calculation
constexpr const char* kReportIdStart = "R:";

}  // namespace

MessageReply Allocations::instruct(Session& session, const wire::MessageView& message) {
  if (const auto why = session.send_obstacle()) {
    return engine::business_reject(kApplicationNotAvailable, 0, to_string(*why));
  }
  const auto quantity = message.get<Decimal>(tag::Quantity);
  if (!quantity) return engine::reject_for(quantity.error());
  const Notional wanted = to_units(*quantity).value_or(0);
  const Allocation found = read(exchange_.parties.of(session), message);
  if (!found.unknown_order.empty()) {
    answer(session, message, kUnknownOrderOfAllocation, "no order of yours has this ClOrdID");
  } else if (!found.shares.empty() && found.allocated != wanted) {
    answer(session, message, kIncorrectQuantity, "the accounts do not add up to Quantity");
  } else if (!found.orders.empty() && found.traded != wanted) {
    answer(session, message, kIncorrectQuantity, "the orders have not traded this Quantity");
  } else {
    answer(session, message, 0, {});
    if (wants_report(session, message)) report(session, message, found);
  }
  return engine::accept();
}

Allocations::Allocation Allocations::read(Owner owner, const wire::MessageView& message) const {
  Allocation all;
  for (const wire::FieldView field : message) {
    if (field.tag == tag::AllocAccount) {
      all.shares.push_back({.account = field.value});
    } else if (field.tag == tag::AllocQty) {
      const auto number = wire::to_decimal(field.value);
      const Units quantity = number ? to_units(*number).value_or(0) : 0;
      all.allocated += quantity;
      if (all.shares.empty()) all.shares.emplace_back();
      all.shares.back().quantity = quantity;
    } else if (field.tag == tag::ClOrdID) {
      const auto index = exchange_.book.find(owner, field.value);
      if (!index) {
        all.unknown_order = field.value;
        return all;
      }
      const Order& order = exchange_.book.order(*index);
      all.orders.push_back(*index);
      all.traded += order.cum;
      all.notional += order.notional;
    }
  }
  return all;
}

bool Allocations::wants_report(const Session& session, const wire::MessageView& message) const {
  if (session.application_version() == "FIX.4.2") return false;  // it has no AllocationReport
  return message[tag::AllocType] == kPreliminary || exchange_.rules().reports_allocations;
}

// FIX 4.4 volume 5, "Allocation Report": the breakdown by accounts with what the venue has
// calculated. Its ID is that of the instruction, so that a later one can name it.
void Allocations::report(Session& session, const wire::MessageView& message,
                         const Allocation& allocation) const {
  constexpr unsigned kUsingPreliminary = 3;  // AllocReportType
  constexpr unsigned kWithoutPreliminary = 4;
  const bool has_orders = !allocation.orders.empty();
  const auto said = message.get<Decimal>(tag::AvgPx);
  const Units price =
      has_orders ? average_price(allocation.notional, static_cast<Units>(allocation.traded))
                 : (said ? to_units(*said).value_or(0) : 0);
  const std::string id = kReportIdStart + std::string{message[tag::AllocID].value_or("")};
  wire::Encoder report = session.begin("AS");
  report.field(tag::AllocReportID, std::string_view{id})
      .field(tag::AllocID, message[tag::AllocID].value_or(""))
      .field(tag::AllocTransType, message[tag::AllocTransType].value_or(""));
  if (const auto earlier = message[tag::RefAllocID]) {
    report.field(tag::AllocReportRefID, std::string_view{kReportIdStart + std::string{*earlier}});
  }
  if (const auto why = message[tag::AllocCancReplaceReason]) {
    report.field(tag::AllocCancReplaceReason, *why);
  }
  const bool is_preliminary = message[tag::AllocType] == kPreliminary;
  report.field(tag::AllocReportType, is_preliminary ? kUsingPreliminary : kWithoutPreliminary)
      .field(tag::AllocStatus, 0)
      .field(tag::AllocNoOrdersType, has_orders ? 1 : 0);
  if (has_orders) {
    report.group(tag::NoOrders, allocation.orders, [&](auto& entry, OrderIndex index) {
      const Order& order = exchange_.book.order(index);
      entry.field(tag::ClOrdID, exchange_.book.cl_ord_id(order))
          .field(tag::OrderID,
                 Identifier{kOrderIdLetter, exchange_.order_ids.id_of(order.number)}.view());
    });
  }
  report.field(tag::Side, message[tag::Side].value_or("1"))
      .field(tag::Symbol, message[tag::Symbol].value_or(""))
      .field(tag::Quantity, message[tag::Quantity].value_or("0"))
      .field(tag::AvgPx, to_decimal(price))
      .field(tag::TradeDate, message[tag::TradeDate].value_or(""))
      .field(tag::TransactTime, session.now());
  if (!allocation.shares.empty()) {
    report.group(tag::NoAllocs, allocation.shares, [&](auto& entry, const Share& one) {
      if (!one.account.empty()) entry.field(tag::AllocAccount, one.account);
      entry.field(tag::AllocQty, to_decimal(one.quantity))
          .field(tag::AllocAvgPx, to_decimal(price))
          .field(tag::AllocNetMoney,
                 to_decimal(average_price(Notional{one.quantity} * price, kUnitsPerOne)));
    });
  }
  finish(session, report);
}

void Allocations::answer(Session& session, const wire::MessageView& message, unsigned reason,
                         std::string_view text) {
  constexpr unsigned kAccepted = 0;  // AllocStatus
  constexpr unsigned kRejected = 1;
  wire::Encoder ack = session.begin("P");
  ack.field(tag::AllocID, message[tag::AllocID].value_or(""));
  if (const auto date = message[tag::TradeDate]) ack.field(tag::TradeDate, *date);
  ack.field(tag::TransactTime, session.now())
      .field(tag::AllocStatus, text.empty() ? kAccepted : kRejected);
  if (!text.empty()) ack.field(tag::AllocRejCode, reason).field(tag::Text, text);
  finish(session, ack);
}

}  // namespace nexusfix::venue
