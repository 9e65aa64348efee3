#include "venue/orders/order_entry.hpp"

#include <utility>
#include <vector>

#include <nexusfix/fix44/tags.hpp>

#include "venue/orders/order_codes.hpp"
#include "venue/orders/order_fields.hpp"

namespace nexusfix::venue {
namespace {

using engine::MessageReply;
using engine::Session;
namespace tag = fix44::tag;

// An order with PossResend=Y: to trade it twice is worse than to refuse it.
constexpr std::string_view kForgotten =
    "PossResend=Y, and the venue remembers no order that old: its reports are in the journal";
constexpr unsigned kVenueOption = 2;  // CxlRejReason (102)

}  // namespace

RejectedOrder rejected_order(const wire::MessageView& message) {
  return {message[tag::ClOrdID].value_or(""), message[tag::Symbol].value_or(""),
          message.get<char>(tag::Side).value_or('1'),
          message.get<Decimal>(tag::OrderQty).value_or(Decimal{})};
}

Arrival OrderEntry::arrival(const NewOrder& order, const Rule* rule) const {
  const std::string_view comp_id = exchange_.parties[order.owner].comp_id();
  return {.self_trade = exchange_.rules().self_trade_policy(order.symbol, comp_id),
          .matches = !auctions_.is_open(order.symbol),
          .is_held = ScriptedOrders::holds(rule)};
}

std::optional<OrderEntry::Refused> OrderEntry::refuse_by_rules(const NewOrder& order) const {
  const Rules& rules = exchange_.rules();
  const Instrument* const instrument = rules.instrument(order.symbol);
  if (instrument == nullptr && rules.only_instruments) {
    return Refused{kUnknownSymbol, "unknown symbol: the venue does not trade it"};
  }
  if (rules.is_halted(order.symbol)) return Refused{kExchangeClosed, "trading is halted"};
  const bool is_limit = order.kind == OrderKind::Limit;
  if (auctions_.is_open(order.symbol) && (!is_limit || order.lifetime != Lifetime::Day)) {
    return Refused{kExchangeOption, "an auction takes limit orders that can rest, and no others"};
  }
  if (instrument == nullptr) return std::nullopt;
  std::string fault = instrument->fault(order.price, order.quantity, is_limit);
  if (fault.empty()) return std::nullopt;
  return Refused{kExchangeOption, std::move(fault)};
}

std::string OrderEntry::obstacle(const NewOrder& order) const {
  auto refused = refuse_by_rules(order);
  return refused ? std::move(refused->text) : std::string{};
}

bool OrderEntry::may_repeat_lost(const NewOrder& order, const wire::MessageView& message) const {
  if (!settled_at_ || message[tag::PossDupFlag] != "Y") return false;
  if (exchange_.book.find(order.owner, order.cl_ord_id)) return false;
  const auto first_sent = message.get<WallTime>(tag::OrigSendingTime);
  return !first_sent || *first_sent <= *settled_at_;
}

std::optional<OrderEntry::Refused> OrderEntry::refuse_repeated(
    const NewOrder& order, const wire::MessageView& message) const {
  if (may_repeat_lost(order, message)) {
    return Refused{kExchangeOption,
                   "it may have been executed before the venue lost a part of its log: agree on "
                   "that, and send it as a new order"};
  }
  const OrderBook& book = exchange_.book;
  const bool is_forgotten = message[tag::PossResend] == "Y" && book.has_forgotten() &&
                            !book.find(order.owner, order.cl_ord_id);
  if (is_forgotten) return Refused{kExchangeOption, std::string{kForgotten}};
  return std::nullopt;
}

MessageReply OrderEntry::submit(Session& session, const wire::MessageView& message,
                                const Rule* rule) {
  NewOrder order;
  order.owner = exchange_.parties.of(session);
  std::optional<OrderFault> fault = read_terms(message, order);
  if (!fault) fault = read_lifetime(message, order);
  if (fault && fault->reply) return *fault->reply;
  const auto reject = [&](unsigned reason, std::string_view text) {
    exchange_.reports.reject_order(order.owner, rejected_order(message), reason, text);
    return engine::accept();
  };
  if (fault) {
    if (auto refused = exchange_.refuse_unreportable(session)) return *refused;
    return reject(kExchangeOption, fault->text);
  }
  if (auto refused = exchange_.refuse_unreportable(session, order)) return *refused;
  if (const auto refused = refuse_repeated(order, message)) {
    return reject(refused->reason, refused->text);
  }
  const bool is_known = exchange_.book.find(order.owner, order.cl_ord_id).has_value();
  if (!is_known) {
    if (const auto refused = refuse_by_rules(order)) return reject(refused->reason, refused->text);
    if (rule != nullptr && !scripted_.has_price(*rule, order)) {
      return reject(kExchangeOption,
                    "no price is known: give the instrument a price, or the rule 'at PRICE'");
    }
  }
  const OrderNumber number = exchange_.book.order_count();
  const bool has_leg_reports = order.is_multileg && message[tag::MultiLegRptTypeReq] != "0";
  if (has_leg_reports) exchange_.legs.set(number, read_legs(message));
  const Refusal refusal = exchange_.change(
      [&](auto sink) { return exchange_.book.submit(order, sink, arrival(order, rule)); });
  if (has_leg_reports && refusal != Refusal::None) exchange_.legs.erase(number);
  if (refusal == Refusal::None) {
    const auto index = exchange_.book.find(order.owner, order.cl_ord_id);
    if (rule != nullptr && index && exchange_.book.order(*index).is_open()) {
      scripted_.begin(*rule, *index);
    }
    return engine::accept();
  }
  const bool is_duplicate = refusal == Refusal::DuplicateClOrdId;
  if (is_duplicate && message[tag::PossResend] == "Y") {
    // FIX 4.4 volume 2, "Possible Resends": a message that was processed before is answered, and
    // not processed again.
    const OrderIndex index = *exchange_.book.find(order.owner, order.cl_ord_id);
    exchange_.reports.report_status(order.owner, index);
    return engine::accept();
  }
  return reject(is_duplicate ? kDuplicateOrder : kExchangeOption, to_string(refusal));
}

MessageReply OrderEntry::cancel(Session& session, const wire::MessageView& message) {
  if (auto refused = exchange_.refuse_unreportable(session)) return *refused;
  const CancelRequest request{exchange_.parties.of(session), message[tag::ClOrdID].value_or(""),
                              message[tag::OrigClOrdID].value_or("")};
  const Refusal refusal =
      exchange_.change([&](auto sink) { return exchange_.book.cancel(request, sink); });
  if (refusal != Refusal::None) {
    exchange_.reports.reject_cancel(request.owner,
                                    {request.cl_ord_id, request.orig_cl_ord_id, '1',
                                     cancel_reject_reason(refusal), to_string(refusal)});
  }
  return engine::accept();
}

// FIX 4.4 volume 4, "Order Cancel/Replace Request": quantity, price and the like may be changed; an
// order for another instrument or the other side is a new one. The book itself refuses an unknown
// or closed order.
bool OrderEntry::changes_symbol_or_side(const ReplaceRequest& request,
                                        const NewOrder& terms) const noexcept {
  const auto index = exchange_.book.find(request.owner, request.orig_cl_ord_id);
  if (!index) return false;
  const Order& order = exchange_.book.order(*index);
  return order.is_open() &&
         (exchange_.book.symbol(order) != terms.symbol || order.side != terms.side);
}

void OrderEntry::refuse(const ReplaceRequest& request, Refusal refusal) {
  exchange_.reports.reject_cancel(
      request.owner, {request.cl_ord_id, request.orig_cl_ord_id, '2', cancel_reject_reason(refusal),
                      to_string(refusal)});
}

MessageReply OrderEntry::replace(Session& session, const wire::MessageView& message) {
  NewOrder terms;
  if (const auto fault = read_terms(message, terms)) {
    return fault->reply ? *fault->reply : engine::business_reject(kOtherReason, 0, fault->text);
  }
  if (auto refused = exchange_.refuse_unreportable(session, terms)) return *refused;
  terms.owner = exchange_.parties.of(session);
  const ReplaceRequest request{terms.owner, message[tag::ClOrdID].value_or(""),
                               message[tag::OrigClOrdID].value_or(""), terms.quantity, terms.price};
  if (changes_symbol_or_side(request, terms)) {
    refuse(request, Refusal::NotTheSameOrder);
  } else if (terms.kind == OrderKind::Market) {
    refuse(request, Refusal::NotReplaceable);
  } else if (const auto refused = refuse_by_rules(terms)) {
    exchange_.reports.reject_cancel(request.owner, {request.cl_ord_id, request.orig_cl_ord_id, '2',
                                                    kVenueOption, refused->text});
  } else {
    const Refusal refusal = exchange_.change(
        [&](auto sink) { return exchange_.book.replace(request, sink, arrival(terms, nullptr)); });
    if (refusal != Refusal::None) refuse(request, refusal);
  }
  return engine::accept();
}

MessageReply OrderEntry::reject(Session& session, const wire::MessageView& message,
                                const Action& action) {
  if (auto refused = exchange_.refuse_unreportable(session)) return *refused;
  const Owner owner = exchange_.parties.of(session);
  if (message.msg_type() == "D" || message.msg_type() == "AB") {
    exchange_.reports.reject_order(owner, rejected_order(message),
                                   action.reason.value_or(kExchangeOption), action.text);
  } else {
    exchange_.reports.reject_cancel(
        owner,
        {message[tag::ClOrdID].value_or(""), message[tag::OrigClOrdID].value_or(""),
         message.msg_type() == "F" ? '1' : '2', action.reason.value_or(kVenueOption), action.text});
  }
  return engine::accept();
}

void OrderEntry::on_disconnect(const Session& session) {
  if (!exchange_.parties.has(session)) return;
  const Owner owner = exchange_.parties.of(session);
  if (!exchange_.rules().cancels_on_disconnect_for(exchange_.parties[owner].comp_id())) return;
  std::vector<OrderIndex> open;
  exchange_.book.visit_orders([&](OrderIndex index) {
    const Order& order = exchange_.book.order(index);
    if (order.owner == owner && order.is_open()) open.push_back(index);
  });
  for (const OrderIndex index : open) {
    if (!exchange_.can_report(index)) continue;
    exchange_.change(
        [&](auto sink) { exchange_.book.cancel_open(index, CancelCause::Venue, sink); },
        "canceled: the connection has ended");
  }
}

}  // namespace nexusfix::venue
