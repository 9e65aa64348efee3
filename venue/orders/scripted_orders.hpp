// What rules do with an accepted order: fills in parts, and a cancel, after a time.
#pragma once

#include "venue/exchange.hpp"

namespace nexusfix::venue {

class ScriptedOrders {
 public:
  // The exchange must outlive it.
  explicit ScriptedOrders(Exchange& exchange) noexcept : exchange_{exchange} {}

  // Whether the order is kept from the book, because the rule fills it, or nothing does.
  [[nodiscard]] static bool holds(const Rule* rule) noexcept;
  // Whether the rule's fill has a price for this order.
  [[nodiscard]] bool has_price(const Rule& rule, const NewOrder& order) const;
  // Begins the actions of the rule for an order that was accepted, and is open.
  void begin(const Rule& rule, OrderIndex index);

 private:
  // Another order may get the index later, with another number.
  struct Target {
    OrderIndex index = kNoOrder;
    OrderNumber number = 0;
  };
  struct Parts {
    Target target;
    Units left = 0;
    unsigned count = 0;
    Milliseconds pause{0};
    Units price = 0;
  };
  [[nodiscard]] const Order* open_order(const Target& target) const noexcept;
  [[nodiscard]] std::optional<Units> price_of(const Action& fill, const Order& order) const;
  void begin_fill(const Action& fill, const Target& target);
  void fill_after(const Parts& parts);
  void fill_part(Parts parts);
  void cancel(const Target& target);

  Exchange& exchange_;
};

}  // namespace nexusfix::venue
