// A venue with an order book for each symbol: orders match by price, then by time. The venue has no
// file of its own. Each report has the whole state of its order, and the store has all reports, so
// the venue rebuilds its books from them after a crash.
//
// Usage: example_08_order_venue 08_order_venue.cfg
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/fix44/order_cancel_reject.hpp>
#include <nexusfix/fix44/order_cancel_replace_request.hpp>
#include <nexusfix/fix44/order_cancel_request.hpp>
#include <nexusfix/fix44/tags.hpp>

#include "parts/08_order_book.hpp"

namespace tag = nexusfix::fix44::tag;
using nexusfix::Decimal;
using nexusfix::MessageReply;
using nexusfix::Session;
using namespace order_book;
using namespace nexusfix::literals;

namespace {

// Their product fits into a FixedPrice.
constexpr FixedPrice kPriceMax = 90'000_fp;
constexpr std::int64_t kQuantityMax = 1'000'000;
constexpr unsigned kNotAvailable = 4;  // BusinessRejectReason (380)

// The terms of a new order or of a replacement.
struct Terms {
  FixedPrice price{};  // zero: a market order
  std::int64_t quantity = 0;
  bool may_rest = true;
};

// The error names the field that this venue does not support, and what it supports.
template <class Request>
std::expected<Terms, std::string_view> read_terms(const Request& request) {
  Terms terms;
  const auto quantity = request.order_qty();
  const auto exact = FixedPrice::from_decimal(quantity ? quantity->value : 0_d);
  if (!exact || exact->units() % FixedPrice::kUnitsPerOne != 0 || *exact <= 0_fp ||
      exact->units() / FixedPrice::kUnitsPerOne > kQuantityMax) {
    return std::unexpected{"OrderQty: a whole number from 1 to 1000000"};
  }
  terms.quantity = exact->units() / FixedPrice::kUnitsPerOne;
  if (request.side() != fix44::Side::Buy && request.side() != fix44::Side::Sell) {
    return std::unexpected{"Side: 1 or 2"};
  }
  const auto lifetime = request.time_in_force_or(fix44::TimeInForce::Day);
  if (lifetime != fix44::TimeInForce::Day && lifetime != fix44::TimeInForce::ImmediateOrCancel) {
    return std::unexpected{"TimeInForce: 0 or 3"};
  }
  terms.may_rest = lifetime == fix44::TimeInForce::Day;
  if (request.ord_type() == fix44::OrdType::Market) {
    terms.may_rest = false;
    return terms;
  }
  const auto price = request.price();
  const auto limit = FixedPrice::from_decimal(price ? price->value : 0_d);
  if (request.ord_type() != fix44::OrdType::Limit) return std::unexpected{"OrdType: 1 or 2"};
  if (!limit || *limit <= 0_fp || *limit > kPriceMax) {
    return std::unexpected{"Price: up to 90000, with up to eight decimals"};
  }
  terms.price = *limit;
  return terms;
}

// The fields of a report that do not come from its order.
struct Details {
  std::string_view orig_cl_ord_id{};
  std::int64_t last_quantity = 0;
  FixedPrice last_price{};
};

class Venue {
 public:
  // Returns false if an open order belongs to a session that the configuration no longer has.
  bool attach(nexusfix::Engine& engine) {
    engine_ = &engine;
    return std::ranges::all_of(orders_, [&](const auto& one) {
      return one.second.leaves() == 0 || engine.find_session(one.second.owner) != nullptr;
    });
  }

  MessageReply on_message(Session& session, const fix44::NewOrderSingle& request) {
    return answer(session, request);
  }
  MessageReply on_message(Session& session, const fix44::OrderCancelRequest& request) {
    return answer(session, request);
  }
  MessageReply on_message(Session& session, const fix44::OrderCancelReplaceRequest& request) {
    return answer(session, request);
  }

  // The engine calls this before it opens a port, for each stored message.
  void on_recovered(const nexusfix::RecoveredMessage& stored) {
    const auto said = stored.message.as<fix44::ExecutionReport>();
    if (!said) return;
    const Name name{stored.session, stored.message[tag::ClOrdID].value_or("")};
    last_report_ =
        std::max(last_report_, stored.message.get<std::uint64_t>(tag::ExecID).value_or(0));
    if (said->exec_type() == fix44::ExecType::Rejected) {
      names_.try_emplace(name, nullptr);
      return;
    }
    const auto number = stored.message.get<std::uint64_t>(tag::OrderID).value_or(0);
    last_order_ = std::max(last_order_, number);
    Order& order = orders_[number];
    books_.remove(order);
    order.number = number;
    order.owner = name.first;
    order.cl_ord_id = name.second;
    order.symbol = said->symbol().value;
    order.side = said->side();
    order.is_canceled = said->exec_type() == fix44::ExecType::Canceled;
    order.set_terms(FixedPrice::from_decimal(said->price_or(fix44::Price{0_d}).value).value(),
                    stored.message.get<std::int64_t>(tag::OrderQty).value(), last_report_);
    if (said->exec_type() == fix44::ExecType::Trade) {
      order.fill(stored.message.get<std::int64_t>(tag::LastQty).value(),
                 FixedPrice::from_decimal(said->last_px()->value).value());
    }
    names_[name] = &order;
    if (order.leaves() > 0) books_.add(order);
  }

 private:
  using Name = std::pair<std::string, std::string>;  // the session's, and a ClOrdID

  // While a session waits to begin its sequence numbers at 1 again, it takes no report. A request
  // may need one for any session, so it must not change the books then.
  template <class Request>
  MessageReply answer(Session& session, const Request& request) {
    for (std::size_t i = 0; i < engine_->session_count(); ++i) {
      if (const auto why = engine_->session(i).send_obstacle()) {
        return nexusfix::business_reject(kNotAvailable, 0, to_string(*why));
      }
    }
    take(session, request);
    return nexusfix::accept();
  }

  void take(Session& session, const fix44::NewOrderSingle& request) {
    const Name name{session.name(), request.cl_ord_id().value};
    const auto terms = read_terms(request);
    if (names_.contains(name)) {
      return reject(session, request, fix44::OrdRejReason::DuplicateOrder, "ClOrdID: used before");
    }
    if (!terms) {
      names_[name] = nullptr;
      return reject(session, request, fix44::OrdRejReason::UnsupportedOrderCharacteristic,
                    terms.error());
    }
    Order& order = orders_[++last_order_];
    order = {.number = last_order_,
             .owner = name.first,
             .cl_ord_id = name.second,
             .symbol = std::string{request.symbol().value},
             .side = request.side()};
    names_[name] = &order;
    order.set_terms(terms->price, terms->quantity, last_report_ + 1);
    report(order, fix44::ExecType::New);
    trade(order, terms->may_rest);
  }

  void take(Session& session, const fix44::OrderCancelRequest& request) {
    Order* const order =
        order_to_change(session, request, fix44::CxlRejResponseTo::OrderCancelRequest);
    if (order == nullptr) return;
    books_.remove(*order);
    order->is_canceled = true;
    report(*order, fix44::ExecType::Canceled, {.orig_cl_ord_id = request.orig_cl_ord_id().value});
  }

  void take(Session& session, const fix44::OrderCancelReplaceRequest& request) {
    const auto terms = read_terms(request);
    Order* const order =
        order_to_change(session, request, fix44::CxlRejResponseTo::OrderCancelReplaceRequest,
                        terms ? "" : terms.error());
    if (order == nullptr) return;
    books_.remove(*order);
    // A request for less than the filled quantity leaves nothing open.
    order->set_terms(terms->price, std::max(terms->quantity, order->cum), last_report_ + 1);
    report(*order, fix44::ExecType::Replace, {.orig_cl_ord_id = request.orig_cl_ord_id().value});
    trade(*order, terms->may_rest);
  }

  // Trades at the price of the resting order.
  void trade(Order& order, bool may_rest) {
    while (order.leaves() > 0) {
      Order* const resting = books_.match(order);
      if (resting == nullptr) break;
      const Details fill{.last_quantity = std::min(order.leaves(), resting->leaves()),
                         .last_price = resting->price};
      for (Order* const one : {resting, &order}) {
        one->fill(fill.last_quantity, fill.last_price);
        report(*one, fix44::ExecType::Trade, fill);
      }
      if (resting->leaves() == 0) books_.remove(*resting);
    }
    if (order.leaves() == 0) return;
    if (may_rest) return books_.add(order);
    order.is_canceled = true;
    report(order, fix44::ExecType::Canceled);
  }

  // Finds the open order that a request names, and gives it the ClOrdID of the request. Returns
  // null after it has rejected the request. fault: an error that the caller found in the request.
  template <class Request>
  Order* order_to_change(Session& session, const Request& request,
                         fix44::CxlRejResponseTo response_to, std::string_view fault = {}) {
    const std::string owner{session.name()};
    const Name name{owner, request.cl_ord_id().value};
    const auto found = names_.find({owner, std::string{request.orig_cl_ord_id().value}});
    Order* const order = found == names_.end() ? nullptr : found->second;
    std::optional<fix44::CxlRejReason> reason;
    if (order == nullptr) {
      reason = fix44::CxlRejReason::UnknownOrder;
    } else if (names_.contains(name)) {
      reason = fix44::CxlRejReason::DuplicateClordidReceived;
    } else if (order->leaves() == 0) {
      reason = fix44::CxlRejReason::TooLateToCancel;
    } else if (request.symbol().value != order->symbol || request.side() != order->side) {
      reason = fix44::CxlRejReason::Other;
      fault = "Symbol, Side: not those of the order";
    } else if (!fault.empty()) {
      reason = fix44::CxlRejReason::Other;
    }
    if (!reason) {
      order->cl_ord_id = name.second;
      return names_[name] = order;
    }
    const std::string order_id = order == nullptr ? "NONE" : std::to_string(order->number);
    std::optional<fix44::Text> text;
    if (!fault.empty()) text.emplace(fault);
    check(session.send<fix44::OrderCancelReject>(
        fix44::OrderID{order_id}, request.cl_ord_id(), request.orig_cl_ord_id(),
        order == nullptr ? fix44::OrdStatus::Rejected : order->status(), response_to, *reason,
        text));
    return nullptr;
  }

  void report(const Order& order, fix44::ExecType type, const Details& details = {}) {
    const std::string order_id = std::to_string(order.number);
    const std::string exec_id = std::to_string(++last_report_);
    std::optional<fix44::OrigClOrdID> orig_cl_ord_id;
    if (!details.orig_cl_ord_id.empty()) orig_cl_ord_id.emplace(details.orig_cl_ord_id);
    std::optional<fix44::Price> price;
    if (!order.price.is_zero()) price.emplace(order.price.to_decimal());
    std::optional<fix44::LastQty> last_quantity;
    std::optional<fix44::LastPx> last_price;
    if (type == fix44::ExecType::Trade) {
      last_quantity.emplace(Decimal::from_int(details.last_quantity));
      last_price.emplace(details.last_price.to_decimal());
    }
    Session& owner = *engine_->find_session(order.owner);
    check(owner.send<fix44::ExecutionReport>(
        fix44::OrderID{order_id}, fix44::ClOrdID{order.cl_ord_id}, orig_cl_ord_id,
        fix44::ExecID{exec_id}, type, order.status(), fix44::Symbol{order.symbol}, order.side,
        fix44::OrderQty{Decimal::from_int(order.quantity)}, price, last_quantity, last_price,
        fix44::LeavesQty{Decimal::from_int(order.leaves())},
        fix44::CumQty{Decimal::from_int(order.cum)}, fix44::AvgPx{order.average().to_decimal()},
        fix44::TransactTime{owner.now()}));
  }

  void reject(Session& session, const fix44::NewOrderSingle& request, fix44::OrdRejReason reason,
              std::string_view text) {
    const std::string exec_id = std::to_string(++last_report_);
    check(session.send<fix44::ExecutionReport>(
        fix44::OrderID{"NONE"}, request.cl_ord_id(), fix44::ExecID{exec_id},
        fix44::ExecType::Rejected, fix44::OrdStatus::Rejected, reason, request.symbol(),
        request.side(), fix44::LeavesQty{0_d}, fix44::CumQty{0_d}, fix44::AvgPx{0_d},
        fix44::Text{text}));
  }

  // Ends the process if a report cannot be stored: the books would no longer agree with the store.
  // The process ends within the callback, so the store records nothing of it, and a restart brings
  // back the state before the callback.
  static void check(const nexusfix::SendResult& sent) {
    if (sent) return;
    std::fprintf(stderr, "the venue ends: %s\n", sent.error().what().c_str());
    std::_Exit(1);
  }

  nexusfix::Engine* engine_ = nullptr;
  std::map<std::uint64_t, Order> orders_;  // by OrderID, open and closed
  std::map<Name, Order*> names_;           // null: the order was rejected
  Books books_;
  std::uint64_t last_order_ = 0;
  std::uint64_t last_report_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Venue venue;
  auto engine = nexusfix::Engine::open(argc > 1 ? argv[1] : "08_order_venue.cfg", venue);
  if (!engine) {
    std::fprintf(stderr, "%s\n", engine.error().what().c_str());
    return 1;
  }
  if (!venue.attach(*engine)) {
    std::fprintf(stderr, "the fills of some open orders could not be reported\n");
    return 1;
  }
  const nexusfix::StopSignals signals{*engine};
  return engine->run();
}
