#include "venue/command/book_json.hpp"

#include <nexusfix/wire/convert.hpp>

#include "nexusfix/text/json.hpp"
#include "venue/book/identifiers.hpp"

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

// A text, because readers convert a JSON number to floating point.
std::string decimal(Units value) {
  char text[wire::kDecimalBytesMax];
  const std::size_t size = wire::from_decimal(venue::to_decimal(value), text);
  return {text, size};
}

}  // namespace

std::string book_json(const venue::Venue& venue) {
  const OrderBook& book = venue.book();
  Json orders = Json::array();
  book.visit_orders([&](OrderIndex index) {
    const Order& order = book.order(index);
    const bool has_price = order.kind != venue::OrderKind::Market;
    orders.push_back(
        Json::object({{"session", venue.owner_name(order.owner)},
                      {"cl_ord_id", book.cl_ord_id(order)},
                      {"order_id", Identifier{kOrderIdLetter, venue.order_id(index)}.view()},
                      {"symbol", book.symbol(order)},
                      {"side", order.side == venue::BookSide::Buy ? "buy" : "sell"},
                      {"status", name_of(order.state)},
                      {"order_qty", decimal(order.quantity)},
                      {"price", has_price ? Json{decimal(order.price)} : Json{}},
                      {"cum_qty", decimal(order.cum)},
                      {"leaves_qty", decimal(order.leaves())},
                      {"avg_px", decimal(venue::average_price(order.notional, order.cum))}}));
  });
  return Json::object({{"orders", std::move(orders)}}).document();
}

}  // namespace nexusfix::command
