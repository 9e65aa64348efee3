#include "venue/orders/legs.hpp"

#include <algorithm>
#include <limits>

#include <nexusfix/fix44/tags.hpp>
#include <nexusfix/wire/convert.hpp>

namespace nexusfix::venue {
namespace {

namespace tag = fix44::tag;

constexpr Units kUnitsMax = std::numeric_limits<Units>::max();

std::optional<Units> units_of(const wire::FieldView& field) {
  const auto number = wire::to_decimal(field.value);
  return number ? to_units(*number) : std::nullopt;
}

std::string_view fault_of_field(const wire::FieldView& field, Units quantity) {
  if (field.tag == tag::LegSymbol && field.value.size() > kSymbolBytesMax) {
    return "LegSymbol is longer than 64 bytes";
  }
  if (field.tag == tag::LegSide && field.value != "1" && field.value != "2") {
    return "LegSide must be 1 (Buy) or 2 (Sell)";
  }
  if (field.tag == tag::LegPrice && !units_of(field)) {
    return "LegPrice has more than 8 decimals or is too large";
  }
  if (field.tag != tag::LegRatioQty) return {};
  constexpr Units kRatioMax = 1'000'000 * kUnitsPerOne;
  const auto ratio = units_of(field);
  if (!ratio || *ratio < kUnitsPerOne || *ratio > kRatioMax) {
    return "LegRatioQty must be a number from 1 to 1,000,000 with up to 8 decimals";
  }
  if (Notional{quantity} * *ratio > Notional{kUnitsMax} * kUnitsPerOne) {
    return "OrderQty times LegRatioQty is too large";
  }
  return {};
}

Notional signed_ratio(const Leg& leg) noexcept {
  return leg.side == BookSide::Buy ? leg.ratio : -leg.ratio;
}

}  // namespace

Units Leg::quantity_of(Units quantity) const noexcept {
  const Notional max = Notional{kUnitsMax} * kUnitsPerOne - kUnitsPerOne;
  return average_price(std::min(Notional{quantity} * ratio, max), kUnitsPerOne);
}

std::string_view fault_of_legs(const wire::MessageView& message, Units quantity) {
  constexpr std::size_t kLegsMax = 40;
  std::size_t legs = 0;
  for (const wire::FieldView field : message) {
    legs += field.tag == tag::LegSymbol ? 1U : 0U;
    if (const auto fault = fault_of_field(field, quantity); !fault.empty()) return fault;
  }
  if (legs < 2 || legs > kLegsMax) {
    return "a multileg order needs two legs or more, up to 40, with LegSymbol each";
  }
  // The reports of the strategy are what the venue rebuilds its book from.
  const auto wanted = message[tag::MultiLegRptTypeReq].value_or("1");
  if (wanted != "0" && wanted != "1") {
    return "MultiLegRptTypeReq must be 0 (strategy) or 1 (strategy and legs)";
  }
  return {};
}

std::vector<Leg> read_legs(const wire::MessageView& message) {
  std::vector<Leg> legs;
  for (const wire::FieldView field : message) {
    if (field.tag == tag::LegSymbol) legs.push_back({.symbol = std::string{field.value}});
    if (legs.empty()) continue;
    Leg& leg = legs.back();
    if (field.tag == tag::LegSide) leg.side = field.value == "2" ? BookSide::Sell : BookSide::Buy;
    if (field.tag == tag::LegRatioQty) leg.ratio = units_of(field).value_or(kUnitsPerOne);
    if (field.tag == tag::LegPrice) leg.price = units_of(field);
  }
  return legs;
}

std::vector<Units> leg_prices(const std::vector<Leg>& legs, Units price,
                              FunctionRef<std::optional<Units>(std::string_view)> known) {
  const auto open = std::ranges::find_if(legs, [](const Leg& leg) { return !leg.price; });
  const std::size_t rest =
      open == legs.end() ? legs.size() - 1 : static_cast<std::size_t>(open - legs.begin());
  std::vector<Units> prices(legs.size());
  Notional left = Notional{price} * kUnitsPerOne;
  for (std::size_t at = 0; at < legs.size(); ++at) {
    if (at == rest) continue;
    const Leg& leg = legs[at];
    prices[at] = leg.price ? *leg.price : known(leg.symbol).value_or(0);
    left -= signed_ratio(leg) * prices[at];
  }
  const Leg& last = legs[rest];
  if (last.side == BookSide::Sell) left = -left;
  const Notional max = Notional{kUnitsMax} * kUnitsPerOne - kUnitsPerOne;
  prices[rest] = average_price(std::clamp(left, -max, max), last.ratio);
  return prices;
}

}  // namespace nexusfix::venue
