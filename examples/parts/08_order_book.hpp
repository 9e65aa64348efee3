// The books of the order venue: orders by price, then by time. They know no sessions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/fix44/enums/ord_status.hpp>
#include <nexusfix/fix44/enums/side.hpp>

namespace order_book {

namespace fix44 = nexusfix::fix44;
using nexusfix::FixedPrice;

struct Order {
  std::uint64_t number = 0;  // OrderID
  std::string owner{};       // the session's name
  std::string cl_ord_id{};   // of the last accepted request
  std::string symbol{};
  fix44::Side side = fix44::Side::Buy;
  FixedPrice price{};  // zero: a market order
  std::int64_t quantity = 0;
  std::int64_t cum = 0;
  FixedPrice notional{};  // of all fills: price times quantity
  std::uint64_t age = 0;  // the lowest comes first among orders of one price
  bool is_canceled = false;

  [[nodiscard]] std::int64_t leaves() const { return is_canceled ? 0 : quantity - cum; }
  [[nodiscard]] fix44::OrdStatus status() const {
    if (is_canceled) return fix44::OrdStatus::Canceled;
    if (leaves() == 0) return fix44::OrdStatus::Filled;
    return cum > 0 ? fix44::OrdStatus::PartiallyFilled : fix44::OrdStatus::New;
  }
  // With a new price or a larger quantity, the order loses its time priority.
  void set_terms(FixedPrice new_price, std::int64_t new_quantity, std::uint64_t now) {
    if (new_price != price || new_quantity > quantity) age = now;
    price = new_price;
    quantity = new_quantity;
  }
  // Sum and product fit, because 08_order_venue.cpp limits price and quantity.
  void fill(std::int64_t filled, FixedPrice at) {
    cum += filled;
    notional = checked_add(notional, checked_multiply(at, filled).value()).value();
  }
  [[nodiscard]] FixedPrice average() const {
    return cum == 0 ? FixedPrice{} : FixedPrice::from_units(notional.units() / cum);
  }
};

// The caller owns the orders. It changes neither price nor age of an order in a book.
class Books {
 public:
  void add(Order& order) { queues_[{order.symbol, order.side}].emplace(rank(order), &order); }
  // Does nothing if the order is in no book.
  void remove(const Order& order) { queues_[{order.symbol, order.side}].erase(rank(order)); }

  // The next order that trades with this order, or null.
  Order* match(const Order& order) {
    const bool buys = order.side == fix44::Side::Buy;
    auto& others = queues_[{order.symbol, buys ? fix44::Side::Sell : fix44::Side::Buy}];
    if (others.empty()) return nullptr;
    Order* const best = others.begin()->second;
    const bool is_market = order.price.is_zero();
    const bool is_met = buys ? order.price >= best->price : order.price <= best->price;
    return is_market || is_met ? best : nullptr;
  }

 private:
  // The best price comes first, and within a price the oldest order.
  static std::pair<std::int64_t, std::uint64_t> rank(const Order& order) {
    const std::int64_t price = order.price.units();
    return {order.side == fix44::Side::Buy ? -price : price, order.age};
  }

  using Queue = std::map<std::pair<std::int64_t, std::uint64_t>, Order*>;
  std::map<std::pair<std::string, fix44::Side>, Queue> queues_;
};

}  // namespace order_book
