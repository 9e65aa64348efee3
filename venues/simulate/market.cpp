#include "venues/simulate/market.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/field.hpp>

#include "venues/simulate/order_tags.hpp"

namespace nexusfix::venues {
namespace {

using venue::BookSide;
using venue::ExecutionKind;
using venue::Lifetime;
using venue::Order;
using venue::OrderIndex;
using venue::OrderKind;
using venue::OrderState;
using venue::Units;

constexpr venue::BookCapacity kCapacity{.orders = 4'096, .hash_seed = 0, .former_ids = 65'536};

std::optional<Units> units_of(const wire::MessageView& message, wire::Tag tag) {
  const auto value = wire::to_decimal(text_of(message, tag));
  return value ? venue::to_units(*value) : std::nullopt;
}

std::string number_text(Units value) {
  std::array<char, wire::kDecimalBytesMax> text{};
  const std::size_t size = wire::from_decimal(venue::to_decimal(value), text.data());
  return {text.data(), size};
}

char state_char(OrderState state) noexcept {
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

char kind_char(ExecutionKind kind) noexcept {
  switch (kind) {
    case ExecutionKind::New:
      return '0';
    case ExecutionKind::Trade:
      return 'F';
    case ExecutionKind::Canceled:
      return '4';
    case ExecutionKind::Replaced:
      break;
  }
  return '5';
}

std::string order_id(const Order& order) { return std::to_string(order.number + 1); }

}  // namespace

Market::Market(const std::vector<HouseOrder>& house, wire::Tag symbol_tag)
    : symbol_tag_{symbol_tag}, book_{kCapacity} {
  for (const HouseOrder& one : house) {
    const std::string id = fmt::format("H{}", ++house_ids_);
    const Units quantity = venue::to_units(one.quantity).value_or(0);
    const venue::NewOrder order{.owner = kHouse,
                                .cl_ord_id = id,
                                .symbol = one.symbol,
                                .side = one.side == '1' ? BookSide::Buy : BookSide::Sell,
                                .quantity = quantity,
                                .price = venue::to_units(one.price).value_or(0)};
    book_.submit(order, [](const venue::Execution&) {});
    if (!first_house_id_.empty()) continue;
    first_house_id_ = id;
    first_house_quantity_ = quantity;
  }
}

std::string Market::submit(venue::Owner owner, const wire::MessageView& order, Sink sink) {
  const auto type = order[order_tag::OrdType];
  const bool is_limit = type ? *type == "2" : order.has(order_tag::Price);
  const auto quantity = units_of(order, order_tag::OrderQty);
  const auto price = units_of(order, order_tag::Price);
  if (!quantity) return "OrderQty (38) is no quantity of this venue";
  if (is_limit && !price) return "Price (44) is no price of this venue";
  const venue::NewOrder made{
      .owner = owner,
      .cl_ord_id = text_of(order, order_tag::ClOrdID),
      .symbol = text_of(order, symbol_tag_),
      .side = text_of(order, order_tag::Side) == "1" ? BookSide::Buy : BookSide::Sell,
      .kind = is_limit ? OrderKind::Limit : OrderKind::Market,
      .lifetime = text_of(order, order_tag::TimeInForce) == "3" ? Lifetime::ImmediateOrCancel
                                                                : Lifetime::Day,
      .quantity = *quantity,
      .price = price.value_or(0)};
  const auto refusal =
      book_.submit(made, [&](const venue::Execution& execution) { pass(execution, sink); });
  return refusal == venue::Refusal::None ? "" : std::string{to_string(refusal)};
}

std::string Market::replace(venue::Owner owner, const wire::MessageView& request, Sink sink) {
  const std::string original = original_of(owner, request);
  const auto quantity = units_of(request, order_tag::OrderQty);
  const auto price = units_of(request, order_tag::Price);
  if (!quantity || !price) return "OrderQty (38) and Price (44) are needed";
  const auto refusal = book_.replace({.owner = owner,
                                      .cl_ord_id = text_of(request, order_tag::ClOrdID),
                                      .orig_cl_ord_id = original,
                                      .quantity = *quantity,
                                      .price = *price},
                                     [&](const venue::Execution& one) { pass(one, sink); });
  return refusal == venue::Refusal::None ? "" : std::string{to_string(refusal)};
}

std::string Market::cancel(venue::Owner owner, const wire::MessageView& request, Sink sink) {
  const std::string original = original_of(owner, request);
  std::string own{text_of(request, order_tag::ClOrdID)};
  // At venues where a cancel has no ID of its own, ClOrdID is that of the order.
  if (own.empty() || own == original) own = fmt::format("venue-{}", ++house_ids_);
  const auto refusal = book_.cancel({.owner = owner, .cl_ord_id = own, .orig_cl_ord_id = original},
                                    [&](const venue::Execution& one) { pass(one, sink); });
  return refusal == venue::Refusal::None ? "" : std::string{to_string(refusal)};
}

unsigned Market::cancel_all(venue::Owner owner, std::string_view symbol, Sink sink) {
  std::vector<std::string> open;
  book_.visit_orders([&](OrderIndex index) {
    const Order& order = book_.order(index);
    const bool is_meant = symbol.empty() || book_.symbol(order) == symbol;
    if (order.owner == owner && order.is_open() && is_meant) {
      open.emplace_back(book_.cl_ord_id(order));
    }
  });
  for (const std::string& id : open) {
    const std::string own = fmt::format("venue-{}", ++house_ids_);
    book_.cancel({.owner = owner, .cl_ord_id = own, .orig_cl_ord_id = id},
                 [&](const venue::Execution& one) { pass(one, sink); });
  }
  return static_cast<unsigned>(open.size());
}

std::string Market::tick() {
  const auto index = book_.find(kHouse, first_house_id_);
  if (!index || !book_.order(*index).is_open()) return {};
  const std::string id = fmt::format("H{}", ++house_ids_);
  const Order order = book_.order(*index);
  const Units quantity = first_house_quantity_ * (++ticks_ % 2 == 1 ? 2 : 1);
  const auto refusal = book_.replace({.owner = kHouse,
                                      .cl_ord_id = id,
                                      .orig_cl_ord_id = first_house_id_,
                                      .quantity = std::max(quantity, order.cum + 1),
                                      .price = order.price},
                                     [](const venue::Execution&) {});
  if (refusal != venue::Refusal::None) return {};
  first_house_id_ = id;
  return std::string{book_.symbol(order)};
}

RestingOrders Market::orders(std::string_view symbol, BookSide side) const {
  RestingOrders orders;
  book_.visit_resting(symbol, side, [&](OrderIndex index) {
    const Order& order = book_.order(index);
    orders.push_back({.id = order_id(order),
                      .price = order.price,
                      .quantity = order.leaves(),
                      .filled = order.cum});
  });
  return orders;
}

bool Market::is_filled(std::string_view wanted) const {
  bool is_filled = false;
  book_.visit_orders([&](OrderIndex index) {
    const Order& order = book_.order(index);
    if (order_id(order) == wanted) is_filled = order.state == OrderState::Filled;
  });
  return is_filled;
}

Fields Market::rejection(const wire::MessageView& order, std::string_view text) {
  Fields fields{{order_tag::OrderID, "NONE"},
                {order_tag::ClOrdID, std::string{text_of(order, order_tag::ClOrdID)}},
                {order_tag::ExecID, std::to_string(next_exec_id_++)},
                {order_tag::ExecType, "8"},
                {order_tag::OrdStatus, "8"},
                {order_tag::OrdRejReason, "99"}};
  for (const wire::Tag repeated :
       {symbol_tag_, order_tag::Side, order_tag::OrderQty, order_tag::OrdType}) {
    if (const auto value = order[repeated]) fields.push_back({repeated, std::string{*value}});
  }
  fields.insert(fields.end(), {{order_tag::LastQty, "0"},
                               {order_tag::LeavesQty, "0"},
                               {order_tag::CumQty, "0"},
                               {order_tag::AvgPx, "0"},
                               {order_tag::Text, std::string{text}}});
  return fields;
}

Fields Market::status(venue::Owner owner, const wire::MessageView& request) {
  constexpr std::string_view kOrderStatus = "I";
  const auto index = book_.find(owner, original_of(owner, request));
  if (!index) return rejection(request, "The order is not known");
  Fields fields = report_of({.order = *index, .orig_cl_ord_id = {}});
  const auto type = std::ranges::find(fields, order_tag::ExecType, &TemplateField::tag);
  type->value = kOrderStatus;
  return fields;
}

std::string Market::order_id_of(venue::Owner owner, const wire::MessageView& request) const {
  const auto index = book_.find(owner, original_of(owner, request));
  return index ? order_id(book_.order(*index)) : "NONE";
}

// The ClOrdID of the order that a request names: by its ClOrdID or its OrderID in OrigClOrdID (41),
// or by OrderID (37), or else by ClOrdID (11).
std::string Market::original_of(venue::Owner owner, const wire::MessageView& request) const {
  const auto original = request[order_tag::OrigClOrdID];
  if (original && book_.find(owner, *original)) return std::string{*original};
  if (!original && !request.has(order_tag::OrderID)) {
    return std::string{text_of(request, order_tag::ClOrdID)};
  }
  const std::string_view wanted = original.value_or(text_of(request, order_tag::OrderID));
  std::string found;
  book_.visit_orders([&](OrderIndex index) {
    const Order& order = book_.order(index);
    if (order.owner == owner && order_id(order) == wanted) found = book_.cl_ord_id(order);
  });
  if (found.empty()) found = wanted;
  return found;
}

Fields Market::report_of(const venue::Execution& execution) {
  const Order& order = book_.order(execution.order);
  Fields fields{{order_tag::OrderID, order_id(order)},
                {order_tag::ClOrdID, std::string{book_.cl_ord_id(order)}}};
  if (!execution.orig_cl_ord_id.empty()) {
    fields.push_back({order_tag::OrigClOrdID, std::string{execution.orig_cl_ord_id}});
  }
  fields.insert(fields.end(), {{order_tag::ExecID, std::to_string(next_exec_id_++)},
                               {order_tag::ExecType, std::string{kind_char(execution.kind)}},
                               {order_tag::OrdStatus, std::string{state_char(order.state)}},
                               {symbol_tag_, std::string{book_.symbol(order)}},
                               {order_tag::Side, order.side == BookSide::Buy ? "1" : "2"},
                               {order_tag::OrderQty, number_text(order.quantity)},
                               {order_tag::OrdType, order.kind == OrderKind::Limit ? "2" : "1"}});
  if (order.kind == OrderKind::Limit)
    fields.push_back({order_tag::Price, number_text(order.price)});
  fields.push_back({order_tag::LastQty, number_text(execution.last_quantity)});
  if (execution.kind == ExecutionKind::Trade) {
    fields.push_back({order_tag::LastPx, number_text(execution.last_price)});
  }
  fields.insert(fields.end(),
                {{order_tag::LeavesQty, number_text(order.leaves())},
                 {order_tag::CumQty, number_text(order.cum)},
                 {order_tag::AvgPx, number_text(venue::average_price(order.notional, order.cum))}});
  return fields;
}

void Market::pass(const venue::Execution& execution, Sink sink) {
  const Order& order = book_.order(execution.order);
  Fields report = report_of(execution);
  sink(order.owner, book_.symbol(order), std::move(report));
}

}  // namespace nexusfix::venues
