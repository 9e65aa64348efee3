#include "venue/market/quotes.hpp"

#include <fmt/format.h>
#include <vector>

#include <nexusfix/fix44/tags.hpp>
#include <nexusfix/wire/convert.hpp>

#include "venue/orders/order_fields.hpp"
#include "venue/sending.hpp"

namespace nexusfix::venue {
namespace {

using engine::MessageReply;
using engine::Session;
namespace tag = fix44::tag;

constexpr std::string_view kPrefix = "Q:";
// QuoteStatus (297).
constexpr unsigned kAccepted = 0;
constexpr unsigned kCanceledForSymbol = 1;
constexpr unsigned kCanceledAll = 4;
constexpr unsigned kRejected = 5;
constexpr unsigned kUnknownSymbolOfQuote = 1;  // QuoteRejectReason, QuoteRequestRejectReason
constexpr unsigned kOther = 99;

bool is_before_43(const Session& session) { return session.application_version() == "FIX.4.2"; }

std::optional<Units> units_of(std::string_view text) {
  const auto number = wire::to_decimal(text);
  return number ? to_units(*number) : std::nullopt;
}

}  // namespace

void Quotes::cancel_orders(Owner owner, std::string_view symbol, std::string_view text) {
  std::vector<OrderIndex> open;
  for (const BookSide side : {BookSide::Buy, BookSide::Sell}) {
    exchange_.book.visit_resting(symbol, side, [&](OrderIndex index) {
      const Order& order = exchange_.book.order(index);
      const bool is_quote = exchange_.book.cl_ord_id(order).starts_with(kPrefix);
      if (order.owner == owner && is_quote) open.push_back(index);
    });
  }
  for (const OrderIndex index : open) {
    exchange_.change(
        [&](auto sink) { exchange_.book.cancel_open(index, CancelCause::Venue, sink); }, text);
  }
}

std::string Quotes::place(Owner owner, const Entry& entry) {
  if (entry.symbol.empty()) return "Symbol is needed";
  if (entry.symbol.size() > kSymbolBytesMax) return "Symbol is longer than 64 bytes";
  const std::string ids[]{fmt::format("{}{}:B", kPrefix, entry.id),
                          fmt::format("{}{}:S", kPrefix, entry.id)};
  std::vector<NewOrder> orders;
  for (const std::size_t side : {0U, 1U}) {
    if (entry.prices[side].empty()) continue;
    const auto price = units_of(entry.prices[side]);
    const auto size = units_of(entry.sizes[side]);
    if (!price || !size || *size <= 0) return "a price needs a size, with up to 8 decimals each";
    if (exchange_.book.find(owner, ids[side])) return "QuoteID was used before";
    orders.push_back({.owner = owner,
                      .cl_ord_id = ids[side],
                      .symbol = entry.symbol,
                      .side = side == 0 ? BookSide::Buy : BookSide::Sell,
                      .quantity = *size,
                      .price = *price});
    if (std::string why = entry_.obstacle(orders.back()); !why.empty()) return why;
  }
  cancel_orders(owner, entry.symbol, "canceled by a newer quote");
  for (const NewOrder& order : orders) {
    static_cast<void>(exchange_.change([&](auto sink) {
      return exchange_.book.submit(order, sink, entry_.arrival(order, nullptr));
    }));
  }
  return {};
}

MessageReply Quotes::quote(Session& session, const wire::MessageView& message) {
  if (auto refused = exchange_.refuse_unreportable(session)) return *refused;
  const Entry entry{
      .id = std::string{message[tag::QuoteID].value_or("")},
      .symbol = message[tag::Symbol].value_or(""),
      .prices = {message[tag::BidPx].value_or(""), message[tag::OfferPx].value_or("")},
      .sizes = {message[tag::BidSize].value_or(""), message[tag::OfferSize].value_or("")}};
  const std::string fault = place(exchange_.parties.of(session), entry);
  send_status(session, message,
              {.quote_status = fault.empty() ? kAccepted : kRejected,
               .symbol = entry.symbol,
               .reason = kOther,
               .text = fault});
  return engine::accept();
}

MessageReply Quotes::mass_quote(Session& session, const wire::MessageView& message) {
  if (auto refused = exchange_.refuse_unreportable(session)) return *refused;
  std::vector<Entry> entries;
  for (const wire::FieldView field : message) {
    if (field.tag == tag::QuoteEntryID) {
      entries.push_back(
          {.id = fmt::format("{}.{}", message[tag::QuoteID].value_or(""), field.value)});
    }
    if (entries.empty()) continue;
    Entry& entry = entries.back();
    if (field.tag == tag::Symbol) entry.symbol = field.value;
    if (field.tag == tag::BidPx) entry.prices[0] = field.value;
    if (field.tag == tag::OfferPx) entry.prices[1] = field.value;
    if (field.tag == tag::BidSize) entry.sizes[0] = field.value;
    if (field.tag == tag::OfferSize) entry.sizes[1] = field.value;
  }
  const Owner owner = exchange_.parties.of(session);
  std::string fault = entries.empty() ? "NoQuoteEntries is needed" : "";
  for (const Entry& entry : entries) {
    constexpr std::size_t kIdBytesMax = ClOrdIdText::kSizeMax - 4;
    std::string why = entry.id.size() > kIdBytesMax ? "QuoteID and QuoteEntryID are too long"
                                                    : place(owner, entry);
    if (fault.empty() && !why.empty()) fault = std::move(why);
  }
  send_status(session, message,
              {.quote_status = fault.empty() ? kAccepted : kRejected,
               .symbol = {},
               .reason = kOther,
               .text = fault});
  return engine::accept();
}

MessageReply Quotes::cancel(Session& session, const wire::MessageView& message) {
  if (auto refused = exchange_.refuse_unreportable(session)) return *refused;
  constexpr std::string_view kAll = "4";  // QuoteCancelType
  constexpr std::string_view kText = "canceled by a quote cancel";
  const Owner owner = exchange_.parties.of(session);
  std::vector<std::string> symbols;
  const bool is_for_all = message[tag::QuoteCancelType] == kAll;
  if (is_for_all) {
    exchange_.book.visit_symbols([&](std::string_view symbol) { symbols.emplace_back(symbol); });
  } else {
    for (const wire::FieldView field : message) {
      if (field.tag == tag::Symbol) symbols.emplace_back(field.value);
    }
  }
  for (const std::string& symbol : symbols) cancel_orders(owner, symbol, kText);
  send_status(session, message,
              {.quote_status = is_for_all ? kCanceledAll : kCanceledForSymbol,
               .symbol = symbols.empty() ? std::string_view{} : std::string_view{symbols.front()}});
  return engine::accept();
}

// QuoteResponseLevel (301): 0 no answer, 1 rejects alone; otherwise each quote is answered.
void Quotes::send_status(Session& session, const wire::MessageView& message, const Status& status) {
  const std::string_view level = message[tag::QuoteResponseLevel].value_or("2");
  if (level == "0" || (level == "1" && status.quote_status != kRejected)) return;
  const bool is_mass = message.msg_type() == "i" || is_before_43(session);
  wire::Encoder answer = session.begin(is_mass ? "b" : "AI");
  if (const auto id = message[tag::QuoteID]) answer.field(tag::QuoteID, *id);
  if (!status.symbol.empty() && !is_mass) answer.field(tag::Symbol, status.symbol);
  answer.field(tag::QuoteStatus, status.quote_status);
  if (!status.text.empty()) {
    answer.field(tag::QuoteRejectReason, status.reason).field(tag::Text, status.text);
  }
  finish(session, answer);
}

MessageReply Quotes::request(Session& session, const wire::MessageView& message) {
  if (auto refused = exchange_.refuse_unreportable(session)) return *refused;
  const std::string_view id = message[tag::QuoteReqID].value_or("");
  const Rules& rules = exchange_.rules();
  for (const wire::FieldView field : message) {
    if (field.tag != tag::Symbol) continue;
    const auto price = exchange_.last_price(field.value);
    if (rules.only_instruments && rules.instrument(field.value) == nullptr) {
      reject_request(session, id, field.value, kUnknownSymbolOfQuote, "unknown symbol");
    } else if (!rules.quotes || !price) {
      reject_request(session, id, field.value, kOther,
                     rules.quotes ? "no price is known" : "the rules have no line 'quote'");
    } else {
      send_quote(session, id, field.value, *price);
    }
  }
  return engine::accept();
}

void Quotes::send_quote(Session& session, std::string_view request_id, std::string_view symbol,
                        Units price) {
  const QuotePolicy& policy = *exchange_.rules().quotes;
  const std::string id = fmt::format("V{}", ++last_quote_);
  const Units bid = price - policy.spread / 2;
  wire::Encoder quote = session.begin("S");
  quote.field(tag::QuoteReqID, request_id)
      .field(tag::QuoteID, std::string_view{id})
      .field(tag::Symbol, symbol)
      .field(tag::BidPx, to_decimal(bid))
      .field(tag::OfferPx, to_decimal(bid + policy.spread))
      .field(tag::BidSize, to_decimal(policy.size))
      .field(tag::OfferSize, to_decimal(policy.size))
      .field(tag::TransactTime, session.now());
  finish(session, quote);
}

void Quotes::reject_request(Session& session, std::string_view request_id, std::string_view symbol,
                            unsigned reason, std::string_view text) {
  if (is_before_43(session)) {
    wire::Encoder answer = session.begin("b");
    answer.field(tag::QuoteReqID, request_id)
        .field(tag::QuoteStatus, kRejected)
        .field(tag::QuoteRejectReason, reason)
        .field(tag::Text, text);
    return finish(session, answer);
  }
  wire::Encoder answer = session.begin("AG");
  answer.field(tag::QuoteReqID, request_id).field(tag::QuoteRequestRejectReason, reason);
  auto symbols = answer.group(tag::NoRelatedSym, 1);
  symbols.entry().field(tag::Symbol, symbol);
  symbols.close();
  answer.field(tag::Text, text);
  finish(session, answer);
}

void Quotes::reject(Session& session, const wire::MessageView& message, unsigned reason,
                    std::string_view text) {
  if (message.msg_type() != "R") {
    return send_status(session, message,
                       {.quote_status = kRejected,
                        .symbol = message[tag::Symbol].value_or(""),
                        .reason = reason,
                        .text = text});
  }
  reject_request(session, message[tag::QuoteReqID].value_or(""), message[tag::Symbol].value_or(""),
                 reason, text);
}

}  // namespace nexusfix::venue
