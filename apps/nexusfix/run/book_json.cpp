#include "nexusfix/run/book_json.hpp"

#include <fmt/format.h>

#include <nexusfix/wire/values/conversions.hpp>

#include "nexusfix/text/text.hpp"
#include "venue/identifiers.hpp"

namespace nexusfix::command {
namespace {

using venue::Identifier;
using venue::kOrderIdLetter;
using venue::Order;
using venue::OrderBook;
using venue::OrderIndex;
using venue::OrderState;
using venue::Units;

std::string_view name_of(OrderState state) {
  switch (state) {
    case OrderState::New:
      return "new";
    case OrderState::PartiallyFilled:
      return "partially filled";
    case OrderState::Filled:
      return "filled";
    case OrderState::Canceled:
      break;
  }
  return "canceled";
}

// As text: a JSON number would be read into floating point.
std::string decimal(Units value) {
  char text[wire::kDecimalBytesMax];
  const std::size_t size = wire::from_decimal(venue::to_decimal(value), text);
  return '"' + std::string{text, size} + '"';
}

}  // namespace

std::string book_json(const venue::Venue& venue) {
  const OrderBook& book = venue.book();
  std::string json = "{\"orders\": [";
  for (OrderIndex index = 0; index < book.order_count(); ++index) {
    const Order& order = book.order(index);
    json += index == 0 ? "\n" : ",\n";
    json += fmt::format(
        R"(  {{"session": {}, "cl_ord_id": {}, "order_id": {}, "symbol": {}, "side": "{}",)"
        R"( "status": "{}", "order_qty": {}, "price": {}, "cum_qty": {}, "leaves_qty": {},)"
        R"( "avg_px": {}}})",
        json_text(venue.owner_name(order.owner)), json_text(book.cl_ord_id(order)),
        json_text(Identifier{kOrderIdLetter, venue.order_id(index)}.view()),
        json_text(book.symbol(order)), order.side == venue::BookSide::Buy ? "buy" : "sell",
        name_of(order.state), decimal(order.quantity),
        order.kind == venue::OrderKind::Market ? "null" : decimal(order.price), decimal(order.cum),
        decimal(order.leaves()), decimal(venue::average_price(order.notional, order.cum)));
  }
  json += "\n]}\n";
  return json;
}

}  // namespace nexusfix::command
