#include "venue/trades/trade_capture.hpp"

#include <algorithm>
#include <utility>

#include <nexusfix/fix44/tags.hpp>
#include <nexusfix/wire/convert.hpp>

#include "venue/book/identifiers.hpp"
#include "venue/orders/order_codes.hpp"
#include "venue/orders/order_fields.hpp"
#include "venue/sending.hpp"

namespace nexusfix::venue {
namespace {

using engine::MessageReply;
using engine::Session;
namespace tag = fix44::tag;

constexpr std::ptrdiff_t kTradeSubscriptionsMax = 1'000;  // of a session

// The date of TransactTime.
std::string date_of(WallTime time) {
  constexpr std::size_t kDateBytes = 8;
  char text[wire::kUtcTimestampBytesMax];
  wire::from_utc_timestamp(time, wire::TimePrecision::Seconds, text);
  return {text, kDateBytes};
}

}  // namespace

bool TradeCapture::Filter::fits(const TradeRecord& trade) const noexcept {
  return (symbol.empty() || symbol == trade.symbol.view()) &&
         (cl_ord_id.empty() || cl_ord_id == trade.cl_ord_id.view());
}

MessageReply TradeCapture::request(Session& session, const wire::MessageView& message) {
  if (const auto why = session.send_obstacle()) {
    return engine::business_reject(kApplicationNotAvailable, 0, to_string(*why));
  }
  const std::string_view id = message[tag::TradeRequestID].value_or("");
  const std::string_view kind = message[tag::SubscriptionRequestType].value_or("0");
  const std::string_view type = message[tag::TradeRequestType].value_or("");
  const Filter filter{.request_id = std::string{id},
                      .symbol = std::string{message[tag::Symbol].value_or("")},
                      .cl_ord_id = std::string{message[tag::ClOrdID].value_or("")}};
  std::erase_if(subscriptions_, [&](const Subscription& one) {
    return one.session == &session && one.filter.request_id == id;
  });
  const auto count = std::ranges::count(subscriptions_, &session, &Subscription::session);
  const bool is_valid = (type == "0" || type == "1") &&
                        (kind == "0" || kind == "1" || kind == "2") &&
                        count < kTradeSubscriptionsMax;
  const Owner owner = exchange_.parties.of(session);
  std::vector<TradeRecord> found;
  if (is_valid && kind != "2") {
    trades_.visit([&](const TradeRecord& trade) {
      if (trade.owner == owner && filter.fits(trade)) found.push_back(trade);
    });
  }
  constexpr unsigned kSuccessful = 0;  // TradeRequestResult
  constexpr unsigned kNotSupported = 8;
  constexpr unsigned kCompleted = 1;  // TradeRequestStatus
  constexpr unsigned kRejected = 2;
  wire::Encoder ack = session.begin("AQ");
  ack.field(tag::TradeRequestID, id)
      .field(tag::TradeRequestType, type)
      .field(tag::TotNumTradeReports, found.size())
      .field(tag::TradeRequestResult, is_valid ? kSuccessful : kNotSupported)
      .field(tag::TradeRequestStatus, is_valid ? kCompleted : kRejected);
  if (!filter.symbol.empty()) ack.field(tag::Symbol, std::string_view{filter.symbol});
  if (!is_valid) {
    ack.field(tag::Text,
              "TradeRequestType must be 0 or 1, SubscriptionRequestType 0, 1 or 2, and a "
              "session has at most 1,000 subscriptions");
  }
  finish(session, ack);
  for (const TradeRecord& trade : found) send_report(session, id, trade);
  if (is_valid && kind == "1") subscriptions_.push_back({&session, filter});
  return engine::accept();
}

void TradeCapture::on_disconnect(const Session& session) {
  std::erase_if(subscriptions_, [&](const Subscription& one) { return one.session == &session; });
}

// The report of the execution had the last ExecID.
void TradeCapture::on_execution(const Execution& execution) {
  if (execution.kind != ExecutionKind::Trade) return;
  const Order& order = exchange_.book.order(execution.order);
  const TradeRecord trade{.owner = order.owner,
                          .side = order.side,
                          .order_id = exchange_.order_ids.id_of(order.number),
                          .exec_id = exchange_.reports.next_exec_id() - 1,
                          .quantity = execution.last_quantity,
                          .price = execution.last_price,
                          .time = exchange_.parties[order.owner].session->now(),
                          .cl_ord_id = ClOrdIdText{exchange_.book.cl_ord_id(order)},
                          .symbol = FixedText<kSymbolBytesMax>{exchange_.book.symbol(order)}};
  trades_.add(trade);
  for (const Subscription& one : subscriptions_) {
    const bool is_own = exchange_.parties[order.owner].session == one.session;
    if (is_own && one.filter.fits(trade)) send_report(*one.session, one.filter.request_id, trade);
  }
}

void TradeCapture::send_report(Session& session, std::string_view request_id,
                               const TradeRecord& trade) {
  wire::Encoder report = session.begin("AE");
  const std::string date = date_of(trade.time);
  report.field(tag::TradeReportID, Identifier{'C', trade.exec_id}.view())
      .field(tag::TradeRequestID, request_id)
      .field(tag::PreviouslyReported, 'N')
      .field(tag::ExecID, Identifier{kExecIdLetter, trade.exec_id}.view())
      .field(tag::Symbol, trade.symbol.view())
      .field(tag::LastQty, to_decimal(trade.quantity))
      .field(tag::LastPx, to_decimal(trade.price))
      .field(tag::TradeDate, std::string_view{date})
      .field(tag::TransactTime, trade.time);
  auto sides = report.group(tag::NoSides, 1);
  sides.entry()
      .field(tag::Side, fix_char(trade.side))
      .field(tag::OrderID, Identifier{kOrderIdLetter, trade.order_id}.view())
      .field(tag::ClOrdID, trade.cl_ord_id.view());
  sides.close();
  finish(session, report);
}

}  // namespace nexusfix::venue
