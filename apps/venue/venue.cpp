#include "venue/venue.hpp"

#include <algorithm>
#include <exception>
#include <initializer_list>
#include <new>
#include <optional>
#include <stdexcept>

#include <nexusfix/fix44/tags.hpp>

#include "venue/identifiers.hpp"

namespace nexusfix::venue {
namespace {

using engine::MessageReply;
namespace tag = fix44::tag;

// BusinessRejectReason (380).
constexpr unsigned kOtherReason = 0;
constexpr unsigned kApplicationNotAvailable = 4;
constexpr unsigned kConditionallyRequiredFieldMissing = 5;
// OrdRejReason (103).
constexpr unsigned kExchangeOption = 0;
constexpr unsigned kDuplicateOrder = 6;

constexpr std::string_view kBeginString42 = "FIX.4.2";
constexpr std::string_view kBeginString44 = "FIX.4.4";

MessageReply field_needed(wire::Tag ref_tag, std::string_view text) {
  return engine::business_reject(kConditionallyRequiredFieldMissing, ref_tag, text);
}

MessageReply venue_closing() {
  return engine::business_reject(kApplicationNotAvailable, 0, "the venue is closing");
}

// The limit of a counterparty's text that the venue keeps, or repeats in a report.
struct TextLimit {
  wire::Tag tag;
  std::size_t size_max;
  std::string_view text;
};
constexpr TextLimit kClOrdIdLimit{tag::ClOrdID, ClOrdIdText::kSizeMax,
                                  "ClOrdID is longer than 64 bytes"};
constexpr TextLimit kOrigClOrdIdLimit{tag::OrigClOrdID, ClOrdIdText::kSizeMax,
                                      "OrigClOrdID is longer than 64 bytes"};
constexpr TextLimit kSymbolLimit{tag::Symbol, kSymbolBytesMax, "Symbol is longer than 64 bytes"};

// Answers with a Reject, which does not repeat the text: it might not fit into a report.
std::optional<MessageReply> refuse_long_text(const wire::MessageView& message,
                                             std::initializer_list<TextLimit> limits) {
  constexpr unsigned kValueIsIncorrect = 5;  // SessionRejectReason (373)
  for (const TextLimit& limit : limits) {
    if (message[limit.tag].value_or("").size() > limit.size_max) {
      return engine::session_reject(kValueIsIncorrect, limit.tag, limit.text);
    }
  }
  return std::nullopt;
}

// A fault of an order that is correct for the session: the text of an ExecutionReport. If reply
// has a value, the answer is a Reject instead.
struct OrderFault {
  std::optional<MessageReply> reply;
  std::string_view text;
};

template <class Field>
std::optional<OrderFault> read_units(const wire::OptionalField<Field>& field,
                                     std::string_view missing, std::string_view unrepresentable,
                                     Units& units) {
  if (!field) {
    return OrderFault{field.error().code == wire::FieldErrorCode::Missing
                          ? field_needed(field.error().tag, missing)
                          : engine::reject_for(field.error()),
                      {}};
  }
  const std::optional<Units> value = to_units(field->value);
  if (!value) return OrderFault{std::nullopt, unrepresentable};
  units = *value;
  return std::nullopt;
}

constexpr std::string_view kBadQuantity = "OrderQty has more than 8 decimals or is too large";
constexpr std::string_view kBadPrice = "Price has more than 8 decimals or is too large";

// An order with PossResend=Y: to trade it twice is worse than to refuse it.
constexpr std::string_view kForgotten =
    "PossResend=Y, and the venue remembers no order that old: its reports are in the journal";

template <class Message>
std::optional<OrderFault> read_terms(const Message& message, NewOrder& order) {
  using Side = decltype(message.side());
  using OrdType = decltype(message.ord_type());
  order.cl_ord_id = message.cl_ord_id().value;
  order.symbol = message.symbol().value;
  if (message.side() != Side::Buy && message.side() != Side::Sell) {
    return OrderFault{std::nullopt, "Side must be 1 (Buy) or 2 (Sell)"};
  }
  order.side = message.side() == Side::Buy ? BookSide::Buy : BookSide::Sell;
  if (message.ord_type() != OrdType::Market && message.ord_type() != OrdType::Limit) {
    return OrderFault{std::nullopt, "OrdType must be 1 (Market) or 2 (Limit)"};
  }
  order.kind = message.ord_type() == OrdType::Market ? OrderKind::Market : OrderKind::Limit;
  if (auto fault =
          read_units(message.order_qty(), "OrderQty is needed", kBadQuantity, order.quantity)) {
    return fault;
  }
  if (order.kind == OrderKind::Limit) {
    return read_units(message.price(), "a limit order needs Price", kBadPrice, order.price);
  }
  return std::nullopt;
}

template <class Message>
std::optional<OrderFault> read_lifetime(const Message& message, NewOrder& order) {
  const auto time_in_force = message.time_in_force();
  if (!time_in_force) {
    if (time_in_force.error().code == wire::FieldErrorCode::Missing) return std::nullopt;
    return OrderFault{engine::reject_for(time_in_force.error()), {}};
  }
  using TimeInForce = std::remove_cvref_t<decltype(*time_in_force)>;
  switch (*time_in_force) {
    case TimeInForce::Day:
    case TimeInForce::GoodTillCancel:
      return std::nullopt;
    case TimeInForce::ImmediateOrCancel:
      order.lifetime = Lifetime::ImmediateOrCancel;
      return std::nullopt;
    default:
      break;
  }
  return OrderFault{std::nullopt,
                    "TimeInForce must be 0 (Day), 1 (GoodTillCancel) or 3 (ImmediateOrCancel)"};
}

char fix_char(BookSide side) noexcept { return side == BookSide::Buy ? '1' : '2'; }
char fix_char(OrderKind kind) noexcept { return kind == OrderKind::Market ? '1' : '2'; }
char fix_char(Lifetime lifetime) noexcept { return lifetime == Lifetime::Day ? '0' : '3'; }

// OrdStatus (39).
char fix_char(OrderState state) noexcept {
  switch (state) {
    case OrderState::New:
      return '0';
    case OrderState::PartiallyFilled:
      return '1';
    case OrderState::Filled:
      return '2';
    case OrderState::Canceled:
      break;
  }
  return '4';
}

// ExecType (150). FIX 4.3 replaced PartialFill and Fill by Trade.
char exec_type(const Execution& execution, const Order& order, bool before_43) noexcept {
  switch (execution.kind) {
    case ExecutionKind::New:
      return '0';
    case ExecutionKind::Canceled:
      return '4';
    case ExecutionKind::Replaced:
      return '5';
    case ExecutionKind::Trade:
      break;
  }
  if (!before_43) return 'F';
  return order.state == OrderState::Filled ? '2' : '1';
}

char order_status(const Execution& execution, const Order& order, bool before_43) noexcept {
  // FIX 4.2 has an OrdStatus of its own for a replaced order; later versions do not.
  if (execution.kind == ExecutionKind::Replaced && before_43) return '5';
  return fix_char(order.state);
}

unsigned cancel_reject_reason(Refusal refusal) noexcept {
  constexpr unsigned kTooLate = 0;
  constexpr unsigned kUnknownOrder = 1;
  constexpr unsigned kVenueOption = 2;
  if (refusal == Refusal::OrderClosed) return kTooLate;
  return refusal == Refusal::UnknownOrder ? kUnknownOrder : kVenueOption;
}

}  // namespace

Owner Venue::party(std::string_view name) {
  for (Owner owner = 0; owner < parties_.size(); ++owner) {
    if (parties_[owner].name == name) return owner;
  }
  parties_.push_back({std::string{name}});
  return static_cast<Owner>(parties_.size() - 1);
}

Owner Venue::party_of(const engine::Session& session) const noexcept {
  Owner owner = 0;
  while (parties_[owner].session != &session) ++owner;
  return owner;
}

std::string_view Venue::owner_name(Owner owner) const noexcept { return parties_[owner].name; }

bool Venue::attach(engine::Engine& engine) {
  if (!failure_.empty()) return false;
  constexpr std::size_t kReservedFailureBytes = 512;
  failure_.reserve(kReservedFailureBytes);  // for a failure when there is no memory
  engine_ = &engine;
  for (std::size_t i = 0; i < engine.session_count(); ++i) {
    engine::Session& session = engine.session(i);
    const std::string_view version = session.application_version();
    if (version != kBeginString42 && version != kBeginString44) {
      failure_ =
          "session " + std::string{session.name()} + ": this venue speaks FIX.4.2 and FIX.4.4 only";
      return false;
    }
    join(session);
  }
  restored_.clear();
  book_.visit_orders([this](OrderIndex index) {
    const Order& order = book_.order(index);
    if (!order.is_open() || parties_[order.owner].session != nullptr) return;
    failure_ = "the store holds open orders of session " + parties_[order.owner].name +
               ", which is not served: their fills could not be reported. If the engine has "
               "refused it, repair the journal; if the configuration does not name it, add the "
               "session, or start with an empty FileStorePath";
  });
  if (!failure_.empty()) return false;
  try {
    return settle_losses();
  } catch (const std::exception& error) {
    failure_ = "open orders could not be canceled after a loss: " + std::string{error.what()};
    return false;
  }
}

void Venue::join(engine::Session& session) {
  Party& one = parties_[party(session.name())];
  one.session = &session;
  one.has_exec_trans_type = session.application_version() == kBeginString42;
}

// Also adds a session that was added to the running engine.
void Venue::on_logon(engine::Session& session) {
  const auto is_it = [&](const Party& one) { return one.session == &session; };
  if (std::ranges::none_of(parties_, is_it)) join(session);
}

void Venue::fail(const char* cause) noexcept {
  if (!failure_.empty()) return;
  if (engine_ != nullptr) engine_->stop();
  try {
    failure_ = "an order changed the book, and its reports are not in the store: ";
    failure_ += cause;
    failure_ += ". Start the venue again: it rebuilds its book from the store";
  } catch (const std::bad_alloc&) {
    // The beginning of the text fits into the memory that was reserved.
  }
}

template <class Change>
Refusal Venue::change_book(Change change) {
  try {
    return change([this](const Execution& execution) { report(execution); });
  } catch (const std::exception& error) {
    fail(error.what());
    throw;
  } catch (...) {
    fail("an exception that is no std::exception");
    throw;
  }
}

// A session whose sequence numbers are about to be reset takes no message until it has ended.
std::optional<MessageReply> Venue::refuse_unreportable(const engine::Session& session) const {
  const auto why = session.send_obstacle();
  if (!why) return std::nullopt;
  return engine::business_reject(kApplicationNotAvailable, 0, to_string(*why));
}

std::optional<MessageReply> Venue::refuse_unreportable(const engine::Session& session,
                                                       const NewOrder& order) const {
  if (auto refusal = refuse_unreportable(session)) return refusal;
  bool can_report = true;
  book_.visit_matches(order, [&](OrderIndex index) {
    can_report &= !parties_[book_.order(index).owner].session->send_obstacle();
  });
  if (can_report) return std::nullopt;
  return engine::business_reject(
      kApplicationNotAvailable, 0,
      "the session of an order that this one would trade with is ending; send it again later");
}

template <class Message>
MessageReply Venue::handle_order(engine::Session& session, const Message& message) {
  if (!failure_.empty()) return venue_closing();
  if (auto refusal = refuse_long_text(message.view(), {kClOrdIdLimit, kSymbolLimit})) {
    return *refusal;
  }
  NewOrder order;
  order.owner = party_of(session);
  std::optional<OrderFault> fault = read_terms(message, order);
  if (!fault) fault = read_lifetime(message, order);
  if (fault && fault->reply) return *fault->reply;
  const auto quantity = message.order_qty();
  const RejectedOrder echo{order.cl_ord_id, order.symbol,
                           message.view().template get<char>(tag::Side).value_or('1'),
                           quantity ? quantity->value : Decimal{}};
  if (fault) {
    if (auto refused = refuse_unreportable(session)) return *refused;
    reject_order(order.owner, echo, kExchangeOption, fault->text);
    return engine::accept();
  }
  if (auto refused = refuse_unreportable(session, order)) return *refused;
  if (may_repeat_lost(order, message.view())) {
    reject_order(order.owner, echo, kExchangeOption,
                 "it may have been executed before the venue lost a part of its log: agree on "
                 "that, and send it as a new order");
    return engine::accept();
  }
  const bool may_be_repeated = message.view()[tag::PossResend] == "Y";
  if (may_be_repeated && book_.has_forgotten() && !book_.find(order.owner, order.cl_ord_id)) {
    reject_order(order.owner, echo, kExchangeOption, kForgotten);
    return engine::accept();
  }
  const Refusal refusal = change_book([&](auto sink) { return book_.submit(order, sink); });
  if (refusal == Refusal::None) return engine::accept();
  const bool duplicate = refusal == Refusal::DuplicateClOrdId;
  if (duplicate && may_be_repeated) {
    // FIX 4.4 volume 2, "Possible Resends": a message that was processed before is answered, and
    // not processed again.
    report_status(*book_.find(order.owner, order.cl_ord_id));
  } else {
    reject_order(order.owner, echo, duplicate ? kDuplicateOrder : kExchangeOption,
                 to_string(refusal));
  }
  return engine::accept();
}

template <class Message>
MessageReply Venue::handle_cancel(engine::Session& session, const Message& message) {
  if (!failure_.empty()) return venue_closing();
  if (auto refusal = refuse_long_text(message.view(), {kClOrdIdLimit, kOrigClOrdIdLimit})) {
    return *refusal;
  }
  if (auto refused = refuse_unreportable(session)) return *refused;
  const CancelRequest request{party_of(session), message.cl_ord_id().value,
                              message.orig_cl_ord_id().value};
  const Refusal refusal = change_book([&](auto sink) { return book_.cancel(request, sink); });
  if (refusal != Refusal::None) {
    reject_cancel(request.owner, {request.cl_ord_id, request.orig_cl_ord_id, '1', refusal});
  }
  return engine::accept();
}

bool Venue::may_repeat_lost(const NewOrder& order, const wire::MessageView& message) const {
  if (!settled_at_ || message[tag::PossDupFlag] != "Y") return false;
  if (book_.find(order.owner, order.cl_ord_id)) return false;
  const auto first_sent = message.get<WallTime>(tag::OrigSendingTime);
  return !first_sent || *first_sent <= *settled_at_;
}

// FIX 4.4 volume 4, "Order Cancel/Replace Request": quantity, price and the like may be changed; an
// order for another instrument or the other side is a new one. The book itself refuses an unknown
// or closed order.
bool Venue::changes_symbol_or_side(const ReplaceRequest& request,
                                   const NewOrder& terms) const noexcept {
  const std::optional<OrderIndex> index = book_.find(request.owner, request.orig_cl_ord_id);
  if (!index) return false;
  const Order& order = book_.order(*index);
  return order.is_open() && (book_.symbol(order) != terms.symbol || order.side != terms.side);
}

template <class Message>
MessageReply Venue::handle_replace(engine::Session& session, const Message& message) {
  if (!failure_.empty()) return venue_closing();
  if (auto refusal = refuse_long_text(message.view(), {kClOrdIdLimit, kOrigClOrdIdLimit})) {
    return *refusal;
  }
  NewOrder terms;
  if (const auto fault = read_terms(message, terms)) {
    return fault->reply ? *fault->reply : engine::business_reject(kOtherReason, 0, fault->text);
  }
  if (auto refused = refuse_unreportable(session, terms)) return *refused;
  const ReplaceRequest request{party_of(session), message.cl_ord_id().value,
                               message.orig_cl_ord_id().value, terms.quantity, terms.price};
  Refusal refusal = Refusal::None;
  if (changes_symbol_or_side(request, terms)) {
    refusal = Refusal::NotTheSameOrder;
  } else if (terms.kind == OrderKind::Market) {
    refusal = Refusal::NotReplaceable;
  } else {
    refusal = change_book([&](auto sink) { return book_.replace(request, sink); });
  }
  if (refusal != Refusal::None) {
    reject_cancel(request.owner, {request.cl_ord_id, request.orig_cl_ord_id, '2', refusal});
  }
  return engine::accept();
}

MessageReply Venue::on_message(engine::Session& session, const fix42::NewOrderSingle& order) {
  return handle_order(session, order);
}
MessageReply Venue::on_message(engine::Session& session, const fix44::NewOrderSingle& order) {
  return handle_order(session, order);
}
MessageReply Venue::on_message(engine::Session& session, const fix42::OrderCancelRequest& request) {
  return handle_cancel(session, request);
}
MessageReply Venue::on_message(engine::Session& session, const fix44::OrderCancelRequest& request) {
  return handle_cancel(session, request);
}
MessageReply Venue::on_message(engine::Session& session,
                               const fix42::OrderCancelReplaceRequest& request) {
  return handle_replace(session, request);
}
MessageReply Venue::on_message(engine::Session& session,
                               const fix44::OrderCancelReplaceRequest& request) {
  return handle_replace(session, request);
}

// The fields of the order in every report. Recovery needs nothing else to rebuild it.
void Venue::write_order(wire::Encoder& report, const Order& order) const {
  report.field(tag::Symbol, book_.symbol(order))
      .field(tag::Side, fix_char(order.side))
      .field(tag::OrderQty, to_decimal(order.quantity))
      .field(tag::OrdType, fix_char(order.kind));
  if (order.kind == OrderKind::Limit) report.field(tag::Price, to_decimal(order.price));
  report.field(tag::TimeInForce, fix_char(order.lifetime));
}

void Venue::report(const Execution& execution, std::string_view cancel_text) {
  const Order& order = book_.order(execution.order);
  const Party& owner = parties_[order.owner];
  wire::Encoder report = owner.session->begin("8");
  report.field(tag::OrderID, Identifier{kOrderIdLetter, order_id(execution.order)}.view())
      .field(tag::ClOrdID, book_.cl_ord_id(order));
  if (!execution.orig_cl_ord_id.empty()) {
    report.field(tag::OrigClOrdID, execution.orig_cl_ord_id);
  }
  report.field(tag::ExecID, Identifier{kExecIdLetter, next_exec_id_}.view());
  if (owner.has_exec_trans_type) report.field(fix42::tag::ExecTransType, '0');
  report.field(tag::ExecType, exec_type(execution, order, owner.has_exec_trans_type))
      .field(tag::OrdStatus, order_status(execution, order, owner.has_exec_trans_type));
  write_order(report, order);
  if (execution.kind == ExecutionKind::Trade) {
    report.field(tag::LastQty, to_decimal(execution.last_quantity))
        .field(tag::LastPx, to_decimal(execution.last_price));
  }
  report.field(tag::LeavesQty, to_decimal(order.leaves()))
      .field(tag::CumQty, to_decimal(order.cum))
      .field(tag::AvgPx, to_decimal(average_price(order.notional, order.cum)))
      .field(tag::TransactTime, owner.session->now());
  if (execution.kind == ExecutionKind::Canceled && execution.orig_cl_ord_id.empty()) {
    report.field(tag::Text, cancel_text);
  }
  finish_report(*owner.session, report);
}

void Venue::report_status(OrderIndex index) {
  const Order& order = book_.order(index);
  const Party& owner = parties_[order.owner];
  const char status = fix_char(order.state);
  wire::Encoder report = owner.session->begin("8");
  report.field(tag::OrderID, Identifier{kOrderIdLetter, order_id(index)}.view())
      .field(tag::ClOrdID, book_.cl_ord_id(order))
      .field(tag::ExecID, Identifier{kExecIdLetter, next_exec_id_}.view());
  if (owner.has_exec_trans_type) report.field(fix42::tag::ExecTransType, '3');
  report.field(tag::ExecType, owner.has_exec_trans_type ? status : 'I')
      .field(tag::OrdStatus, status);
  write_order(report, order);
  report.field(tag::LeavesQty, to_decimal(order.leaves()))
      .field(tag::CumQty, to_decimal(order.cum))
      .field(tag::AvgPx, to_decimal(average_price(order.notional, order.cum)))
      .field(tag::TransactTime, owner.session->now());
  finish_report(*owner.session, report);
}

void Venue::reject_order(Owner owner, const RejectedOrder& order, unsigned reason,
                         std::string_view text) {
  const Party& party = parties_[owner];
  wire::Encoder report = party.session->begin("8");
  report.field(tag::OrderID, "NONE")
      .field(tag::ClOrdID, order.cl_ord_id)
      .field(tag::ExecID, Identifier{kExecIdLetter, next_exec_id_}.view());
  if (party.has_exec_trans_type) report.field(fix42::tag::ExecTransType, '0');
  report.field(tag::ExecType, '8')
      .field(tag::OrdStatus, '8')
      .field(tag::OrdRejReason, reason)
      .field(tag::Symbol, order.symbol)
      .field(tag::Side, order.side)
      .field(tag::OrderQty, order.quantity)
      .field(tag::LeavesQty, 0)
      .field(tag::CumQty, 0)
      .field(tag::AvgPx, 0)
      .field(tag::TransactTime, party.session->now())
      .field(tag::Text, text);
  finish_report(*party.session, report);
}

void Venue::reject_cancel(Owner owner, const CancelReject& reject) {
  engine::Session& session = *parties_[owner].session;
  const std::optional<OrderIndex> index = book_.find(owner, reject.orig_cl_ord_id);
  wire::Encoder encoder = session.begin("9");
  if (index) {
    encoder.field(tag::OrderID, Identifier{kOrderIdLetter, order_id(*index)}.view());
  } else {
    encoder.field(tag::OrderID, "NONE");
  }
  encoder.field(tag::ClOrdID, reject.cl_ord_id)
      .field(tag::OrigClOrdID, reject.orig_cl_ord_id)
      .field(tag::OrdStatus, index ? fix_char(book_.order(*index).state) : '8')
      .field(tag::CxlRejResponseTo, reject.response_to)
      .field(tag::CxlRejReason, cancel_reject_reason(reject.refusal))
      .field(tag::Text, to_string(reject.refusal));
  finish(session, encoder);
}

void Venue::finish(engine::Session& session, wire::Encoder& encoder) {
  if (const engine::SendResult sent = session.finish(encoder); !sent) {
    throw std::runtime_error{"a message to " + std::string{session.name()} +
                             " could not be stored: " + sent.error().what()};
  }
}

void Venue::finish_report(engine::Session& session, wire::Encoder& report) {
  finish(session, report);
  ++next_exec_id_;
}

}  // namespace nexusfix::venue
