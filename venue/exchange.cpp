#include "venue/exchange.hpp"

#include <new>

#include "venue/orders/order_fields.hpp"

namespace nexusfix::venue {

using engine::MessageReply;

Exchange::Exchange(BookCapacity capacity, Random& random_numbers)
    : book{capacity}, reports{book, parties, order_ids, legs}, random{random_numbers} {}

void Exchange::set_rules(std::shared_ptr<const Rules> rules) {
  rules_ = std::move(rules);
  reports.copy_to(&rules_->drop_copies);
}

void Exchange::reserve_failure() {
  constexpr std::size_t kReservedFailureBytes = 512;
  failure_.reserve(kReservedFailureBytes);
}

void Exchange::fail(const char* cause) noexcept {
  if (!failure_.empty()) return;
  if (engine != nullptr) engine->stop();
  try {
    failure_ = "an order changed the book, and its reports are not in the store: ";
    failure_ += cause;
    failure_ += ". Start the venue again: it rebuilds its book from the store";
  } catch (const std::bad_alloc&) {
    // The beginning of the text fits into the memory that was reserved.
  }
}

void Exchange::report_legs(const Execution& execution) {
  const Order& order = book.order(execution.order);
  std::vector<Leg>* const all = legs.find(order.number);
  if (all == nullptr) return;
  if (execution.kind == ExecutionKind::Trade) {
    const auto known = [this](std::string_view symbol) { return last_price(symbol); };
    const std::vector<Units> prices = leg_prices(*all, execution.last_price, known);
    for (std::size_t at = 0; at < all->size(); ++at) {
      Leg& leg = (*all)[at];
      leg.notional += Notional{leg.quantity_of(execution.last_quantity)} * prices[at];
      reports.report_leg(execution, leg, prices[at]);
    }
  }
  if (!order.is_open()) legs.erase(order.number);
}

std::optional<MessageReply> Exchange::refuse_unreportable(const engine::Session& session) const {
  if (const auto why = session.send_obstacle()) {
    return engine::business_reject(kApplicationNotAvailable, 0, to_string(*why));
  }
  if (reports.can_copy(parties.of(session))) return std::nullopt;
  return engine::business_reject(
      kApplicationNotAvailable, 0,
      "a session that gets copies of the reports is ending; send it again later");
}

bool Exchange::can_report(OrderIndex index) const noexcept {
  const Owner owner = book.order(index).owner;
  return !parties[owner].session->send_obstacle() && reports.can_copy(owner);
}

std::optional<MessageReply> Exchange::refuse_unreportable(const engine::Session& session,
                                                          const NewOrder& order) const {
  if (auto refusal = refuse_unreportable(session)) return refusal;
  bool can = true;
  book.visit_matches(order, [&](OrderIndex index) { can &= can_report(index); });
  if (can) return std::nullopt;
  return engine::business_reject(
      kApplicationNotAvailable, 0,
      "the session of an order that this one would trade with is ending; send it again later");
}

std::optional<Units> Exchange::last_price(std::string_view symbol) const {
  if (const auto found = last_prices_.find(symbol); found != last_prices_.end()) {
    return found->second;
  }
  const Instrument* const instrument = rules().instrument(symbol);
  return instrument == nullptr ? std::nullopt : instrument->price;
}

void Exchange::set_last_price(std::string_view symbol, Units price) {
  const auto found = last_prices_.find(symbol);
  if (found != last_prices_.end()) {
    found->second = price;
  } else {
    last_prices_.emplace(symbol, price);
  }
}

}  // namespace nexusfix::venue
