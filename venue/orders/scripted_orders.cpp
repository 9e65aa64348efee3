#include "venue/orders/scripted_orders.hpp"

#include <algorithm>

namespace nexusfix::venue {
namespace {

// When a report cannot be stored now, because its session is ending.
constexpr Milliseconds kTryAgain{100};

// Whole lots, or else whole units if the quantity has no decimals.
Units part_of(Units left, unsigned count, Units lot) noexcept {
  if (count <= 1) return left;
  const Units unit = lot != 0 ? lot : left % kUnitsPerOne == 0 ? kUnitsPerOne : 1;
  return left / static_cast<Units>(count) / unit * unit;
}

}  // namespace

bool ScriptedOrders::holds(const Rule* rule) noexcept {
  return rule != nullptr &&
         (rule->action(ActionKind::Fill) != nullptr || rule->action(ActionKind::Hold) != nullptr);
}

bool ScriptedOrders::has_price(const Rule& rule, const NewOrder& order) const {
  const Action* const fill = rule.action(ActionKind::Fill);
  return fill == nullptr || fill->price || order.kind == OrderKind::Limit ||
         exchange_.last_price(order.symbol);
}

const Order* ScriptedOrders::open_order(const Target& target) const noexcept {
  const Order& order = exchange_.book.order(target.index);
  return order.number == target.number && order.is_open() ? &order : nullptr;
}

std::optional<Units> ScriptedOrders::price_of(const Action& fill, const Order& order) const {
  if (fill.price) return fill.price;
  if (order.kind == OrderKind::Limit) return order.price;
  return exchange_.last_price(exchange_.book.symbol(order));
}

void ScriptedOrders::begin(const Rule& rule, OrderIndex index) {
  const Target target{index, exchange_.book.order(index).number};
  const Owner owner = exchange_.book.order(index).owner;
  if (const Action* const fill = rule.action(ActionKind::Fill)) begin_fill(*fill, target);
  if (const Action* const end = rule.action(ActionKind::Cancel)) {
    if (end->time == Milliseconds{0}) return cancel(target);
    exchange_.parties[owner].session->call_after(
        end->time, [this, target](engine::Session&) { cancel(target); });
  }
}

void ScriptedOrders::begin_fill(const Action& fill, const Target& target) {
  const Order& order = exchange_.book.order(target.index);
  constexpr Notional kPermille = 1'000;
  const Units share = static_cast<Units>(Notional{order.quantity} * fill.permille / kPermille);
  const Parts parts{.target = target,
                    .left = std::min(fill.quantity.value_or(share), order.quantity),
                    .count = fill.parts,
                    .pause = fill.time,
                    .price = price_of(fill, order).value_or(0)};
  if (parts.left == 0) return;
  if (fill.time == Milliseconds{0}) return fill_part(parts);
  fill_after(parts);
}

void ScriptedOrders::fill_after(const Parts& parts) {
  const Owner owner = exchange_.book.order(parts.target.index).owner;
  exchange_.parties[owner].session->call_after(
      parts.pause, [this, parts](engine::Session&) { fill_part(parts); });
}

// Without a pause, all parts at once.
void ScriptedOrders::fill_part(Parts parts) {
  while (parts.count > 0) {
    const Order* const order = open_order(parts.target);
    if (order == nullptr || !exchange_.failure().empty()) return;
    const Owner owner = order->owner;
    if (!exchange_.can_report(parts.target.index)) {
      exchange_.parties[owner].session->call_after(
          kTryAgain, [this, parts](engine::Session&) { fill_part(parts); });
      return;
    }
    const Instrument* const instrument =
        exchange_.rules().instrument(exchange_.book.symbol(*order));
    const Units lot = instrument == nullptr ? 0 : instrument->lot;
    const Units quantity = std::min(part_of(parts.left, parts.count, lot), order->leaves());
    --parts.count;
    parts.left -= quantity;
    if (quantity > 0) {
      exchange_.change([&](auto sink) {
        exchange_.book.fill_held(parts.target.index, quantity, parts.price, sink);
      });
    }
    if (parts.pause != Milliseconds{0} && parts.count > 0) return fill_after(parts);
  }
}

void ScriptedOrders::cancel(const Target& target) {
  if (open_order(target) == nullptr || !exchange_.failure().empty()) return;
  if (!exchange_.can_report(target.index)) {
    const Owner owner = exchange_.book.order(target.index).owner;
    exchange_.parties[owner].session->call_after(
        kTryAgain, [this, target](engine::Session&) { cancel(target); });
    return;
  }
  exchange_.change(
      [&](auto sink) { exchange_.book.cancel_open(target.index, CancelCause::Venue, sink); },
      "canceled by a rule of the venue");
}

}  // namespace nexusfix::venue
