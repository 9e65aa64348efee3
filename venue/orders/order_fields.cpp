#include "venue/orders/order_fields.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/fix44/tags.hpp>

#include "venue/orders/legs.hpp"

namespace nexusfix::venue {
namespace {

using engine::MessageReply;
namespace tag = fix44::tag;

struct TextLimit {
  wire::Tag tag;
  std::size_t size_max;
  std::string_view text;
};
constexpr std::size_t kRequestIdBytesMax = 64;
constexpr std::size_t kQuoteIdBytesMax = 60;  // ClOrdIDs are made of it
constexpr std::array kTextLimits{
    TextLimit{tag::ClOrdID, ClOrdIdText::kSizeMax, "ClOrdID is longer than 64 bytes"},
    TextLimit{tag::OrigClOrdID, ClOrdIdText::kSizeMax, "OrigClOrdID is longer than 64 bytes"},
    TextLimit{tag::Symbol, kSymbolBytesMax, "Symbol is longer than 64 bytes"},
    TextLimit{tag::MDReqID, kRequestIdBytesMax, "MDReqID is longer than 64 bytes"},
    TextLimit{tag::SecurityReqID, kRequestIdBytesMax, "SecurityReqID is longer than 64 bytes"},
    TextLimit{tag::QuoteReqID, kRequestIdBytesMax, "QuoteReqID is longer than 64 bytes"},
    TextLimit{tag::QuoteID, kQuoteIdBytesMax, "QuoteID is longer than 60 bytes"},
    TextLimit{tag::TradeRequestID, kRequestIdBytesMax, "TradeRequestID is longer than 64 bytes"},
    TextLimit{tag::AllocID, kRequestIdBytesMax, "AllocID is longer than 64 bytes"},
    TextLimit{tag::OrdStatusReqID, kRequestIdBytesMax, "OrdStatusReqID is longer than 64 bytes"},
    TextLimit{tag::MassStatusReqID, kRequestIdBytesMax, "MassStatusReqID is longer than 64 bytes"}};

constexpr std::array kOfOrder{tag::ClOrdID, tag::Symbol, tag::Side, tag::TransactTime,
                              tag::OrdType};
constexpr std::array kOfCancel{tag::OrigClOrdID, tag::ClOrdID, tag::Symbol, tag::Side,
                               tag::TransactTime};
constexpr std::array kOfReplace{tag::OrigClOrdID, tag::ClOrdID,      tag::Symbol,
                                tag::Side,        tag::TransactTime, tag::OrdType};
constexpr std::array kOfMassCancel{tag::ClOrdID, tag::MassCancelRequestType, tag::TransactTime};
constexpr std::array kOfStatus{tag::ClOrdID, tag::Side};
constexpr std::array kOfMassStatus{tag::MassStatusReqID, tag::MassStatusReqType};

constexpr std::array kOfMarketData{tag::MDReqID, tag::SubscriptionRequestType, tag::MarketDepth};
constexpr std::array kOfSecurityList{tag::SecurityReqID, tag::SecurityListRequestType};
constexpr std::array kOfDefinition{tag::SecurityReqID, tag::SecurityRequestType};

constexpr std::array kOfQuote{tag::QuoteID, tag::Symbol};
constexpr std::array kOfMassQuote{tag::QuoteID};
constexpr std::array kOfQuoteCancel{tag::QuoteCancelType};
constexpr std::array kOfQuoteRequest{tag::QuoteReqID, tag::Symbol};
constexpr std::array kOfTradeRequest{tag::TradeRequestID, tag::TradeRequestType};
constexpr std::array kOfAllocation{tag::AllocID, tag::AllocTransType, tag::Quantity,
                                   tag::TradeDate};

struct RequiredFields {
  std::string_view msg_type;
  std::span<const wire::Tag> fields;
};
constexpr std::array kRequired{
    RequiredFields{"D", kOfOrder},        RequiredFields{"F", kOfCancel},
    RequiredFields{"G", kOfReplace},      RequiredFields{"q", kOfMassCancel},
    RequiredFields{"H", kOfStatus},       RequiredFields{"AF", kOfMassStatus},
    RequiredFields{"V", kOfMarketData},   RequiredFields{"x", kOfSecurityList},
    RequiredFields{"c", kOfDefinition},   RequiredFields{"AB", kOfOrder},
    RequiredFields{"AC", kOfReplace},     RequiredFields{"S", kOfQuote},
    RequiredFields{"i", kOfMassQuote},    RequiredFields{"Z", kOfQuoteCancel},
    RequiredFields{"R", kOfQuoteRequest}, RequiredFields{"AD", kOfTradeRequest},
    RequiredFields{"J", kOfAllocation}};

std::span<const wire::Tag> required_fields(std::string_view msg_type) noexcept {
  const auto found = std::ranges::find(kRequired, msg_type, &RequiredFields::msg_type);
  return found == kRequired.end() ? std::span<const wire::Tag>{} : found->fields;
}

MessageReply field_needed(wire::Tag ref_tag, std::string_view text) {
  return engine::business_reject(kConditionallyRequiredFieldMissing, ref_tag, text);
}

std::optional<OrderFault> read_units(const wire::MessageView& message, wire::Tag field,
                                     std::string_view missing, std::string_view unrepresentable,
                                     Units& units) {
  const auto number = message.get<Decimal>(field);
  if (!number) {
    return OrderFault{number.error().code == wire::FieldErrorCode::Missing
                          ? field_needed(field, missing)
                          : engine::reject_for(number.error()),
                      {}};
  }
  const std::optional<Units> value = to_units(*number);
  if (!value) return OrderFault{std::nullopt, unrepresentable};
  units = *value;
  return std::nullopt;
}

constexpr std::string_view kBadQuantity = "OrderQty has more than 8 decimals or is too large";
constexpr std::string_view kBadPrice = "Price has more than 8 decimals or is too large";

}  // namespace

std::optional<MessageReply> refuse_malformed(const wire::MessageView& message) {
  constexpr unsigned kValueIsIncorrect = 5;  // SessionRejectReason (373)
  for (const wire::Tag field : required_fields(message.msg_type())) {
    if (!message.has(field)) {
      return engine::reject_for({.code = wire::FieldErrorCode::Missing, .tag = field});
    }
  }
  // The order that these name has a Symbol of its own.
  const bool uses_symbol = message.msg_type() != "F" && message.msg_type() != "G";
  for (const TextLimit& limit : kTextLimits) {
    if (limit.tag == tag::Symbol && !uses_symbol) continue;
    if (message[limit.tag].value_or("").size() > limit.size_max) {
      return engine::session_reject(kValueIsIncorrect, limit.tag, limit.text);
    }
  }
  for (const wire::Tag one : {tag::Side, tag::OrdType, tag::TimeInForce}) {
    const auto value = message.get<char>(one);
    if (!value && value.error().code != wire::FieldErrorCode::Missing) {
      return engine::reject_for(value.error());
    }
  }
  const auto time = message.get<WallTime>(tag::TransactTime);
  if (!time && time.error().code != wire::FieldErrorCode::Missing) {
    return engine::reject_for(time.error());
  }
  return std::nullopt;
}

std::optional<OrderFault> read_terms(const wire::MessageView& message, NewOrder& order) {
  order.cl_ord_id = message[tag::ClOrdID].value_or("");
  order.symbol = message[tag::Symbol].value_or("");
  const std::string_view side = message[tag::Side].value_or("");
  if (side != "1" && side != "2") {
    return OrderFault{std::nullopt, "Side must be 1 (Buy) or 2 (Sell)"};
  }
  order.side = side == "1" ? BookSide::Buy : BookSide::Sell;
  const std::string_view type = message[tag::OrdType].value_or("");
  if (type != "1" && type != "2") {
    return OrderFault{std::nullopt, "OrdType must be 1 (Market) or 2 (Limit)"};
  }
  order.kind = type == "1" ? OrderKind::Market : OrderKind::Limit;
  if (auto fault =
          read_units(message, tag::OrderQty, "OrderQty is needed", kBadQuantity, order.quantity)) {
    return fault;
  }
  if (order.kind == OrderKind::Limit) {
    if (auto fault =
            read_units(message, tag::Price, "a limit order needs Price", kBadPrice, order.price)) {
      return fault;
    }
  }
  order.is_multileg = message.msg_type() == "AB" || message.msg_type() == "AC";
  if (!order.is_multileg) return std::nullopt;
  const std::string_view fault = fault_of_legs(message, order.quantity);
  return fault.empty() ? std::nullopt : std::optional{OrderFault{std::nullopt, fault}};
}

std::optional<OrderFault> read_lifetime(const wire::MessageView& message, NewOrder& order) {
  const std::string_view time_in_force = message[tag::TimeInForce].value_or("0");
  if (time_in_force == "0" || time_in_force == "1") return std::nullopt;
  if (time_in_force == "3") {
    order.lifetime = Lifetime::ImmediateOrCancel;
    return std::nullopt;
  }
  return OrderFault{std::nullopt,
                    "TimeInForce must be 0 (Day), 1 (GoodTillCancel) or 3 (ImmediateOrCancel)"};
}

}  // namespace nexusfix::venue
