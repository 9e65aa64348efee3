// The legs of open multileg orders: what is reported of each when the strategy trades.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/message_view.hpp>

#include "venue/book/order_book.hpp"

namespace nexusfix::venue {

struct Leg {
  std::string symbol{};
  BookSide side = BookSide::Buy;  // of one who buys the strategy
  Units ratio = kUnitsPerOne;     // LegRatioQty (623), 1 to 1,000,000
  std::optional<Units> price{};   // LegPrice (566)
  Notional notional = 0;          // sum of LastQty × LastPx

  [[nodiscard]] BookSide side_for(BookSide of_order) const noexcept {
    return side == of_order ? BookSide::Buy : BookSide::Sell;
  }
  // A quantity of the strategy; at most the highest that there is.
  [[nodiscard]] Units quantity_of(Units quantity) const noexcept;
};

// Why the legs of AB or AC cannot be traded with this OrderQty; empty: they can.
[[nodiscard]] std::string_view fault_of_legs(const wire::MessageView& message, Units quantity);
// The legs of AB, or of a report of the venue. They have no fault.
[[nodiscard]] std::vector<Leg> read_legs(const wire::MessageView& message);

// The price of each leg of a trade of the strategy, so that the sum of them by side and ratio is
// the price of the strategy: LegPrice, or what known returns, for all legs but one. That one is the
// first without a LegPrice, or else the last leg.
[[nodiscard]] std::vector<Units> leg_prices(
    const std::vector<Leg>& legs, Units price,
    FunctionRef<std::optional<Units>(std::string_view symbol)> known);

class Legs {
 public:
  void set(OrderNumber number, std::vector<Leg> legs) { orders_[number] = std::move(legs); }
  void erase(OrderNumber number) { orders_.erase(number); }
  // Null: the order has none, or the session wants no reports of them.
  [[nodiscard]] const std::vector<Leg>* find(OrderNumber number) const {
    const auto found = orders_.find(number);
    return found == orders_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] std::vector<Leg>* find(OrderNumber number) {
    const auto found = orders_.find(number);
    return found == orders_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<OrderNumber, std::vector<Leg>> orders_;
};

}  // namespace nexusfix::venue
