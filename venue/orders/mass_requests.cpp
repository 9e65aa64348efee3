#include "venue/orders/mass_requests.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include <nexusfix/fix44/tags.hpp>

#include "venue/book/identifiers.hpp"
#include "venue/orders/order_codes.hpp"
#include "venue/orders/order_entry.hpp"
#include "venue/sending.hpp"

namespace nexusfix::venue {
namespace {

using engine::MessageReply;
using engine::Session;
namespace tag = fix44::tag;

constexpr wire::Tag kMassActionReportId = 1369;  // required from FIX 5.0SP1 on
constexpr std::string_view kBySymbol = "1";      // MassCancelRequestType, MassStatusReqType
constexpr std::string_view kAll = "7";

}  // namespace

std::vector<OrderIndex> MassRequests::open_orders(Owner owner, std::string_view symbol,
                                                  std::string_view side) const {
  std::vector<OrderIndex> open;
  exchange_.book.visit_orders([&](OrderIndex index) {
    const Order& order = exchange_.book.order(index);
    const bool fits = (symbol.empty() || exchange_.book.symbol(order) == symbol) &&
                      (side.empty() || side.front() == fix_char(order.side));
    if (order.owner == owner && order.is_open() && fits) open.push_back(index);
  });
  return open;
}

void MassRequests::send_report(Session& session, const wire::MessageView& request,
                               const std::vector<OrderIndex>& orders, std::string_view fault) {
  const std::string_view type = request[tag::MassCancelRequestType].value_or("");
  wire::Encoder report = session.begin("r");
  const std::string id = fmt::format("M{}", ++last_report_);
  report.field(tag::ClOrdID, request[tag::ClOrdID].value_or(""))
      .field(tag::OrderID, std::string_view{id});
  if (session.application_version() == "FIX.5.0SP2") {
    report.field(kMassActionReportId, std::string_view{id});
  }
  report.field(tag::MassCancelRequestType, type)
      .field(tag::MassCancelResponse, fault.empty() ? type : std::string_view{"0"});
  if (!fault.empty()) {
    constexpr unsigned kNotSupported = 0;  // MassCancelRejectReason
    report.field(tag::MassCancelRejectReason, kNotSupported);
  }
  report.field(tag::TotalAffectedOrders, orders.size());
  if (!orders.empty()) {
    // The list is optional, and must fit into a message.
    constexpr std::size_t kListedMax = 10'000;
    const std::span listed = std::span{orders}.first(std::min(orders.size(), kListedMax));
    report.group(tag::NoAffectedOrders, listed, [&](wire::Encoder& out, OrderIndex index) {
      const Order& order = exchange_.book.order(index);
      const std::uint64_t number = exchange_.order_ids.id_of(order.number);
      out.field(tag::OrigClOrdID, exchange_.book.cl_ord_id(order))
          .field(tag::AffectedOrderID, Identifier{kOrderIdLetter, number}.view());
    });
  }
  if (const auto symbol = request[tag::Symbol]) report.field(tag::Symbol, *symbol);
  report.field(tag::TransactTime, session.now());
  if (!fault.empty()) report.field(tag::Text, fault);
  finish(session, report);
}

MessageReply MassRequests::cancel(Session& session, const wire::MessageView& message) {
  if (auto refused = exchange_.refuse_unreportable(session)) return *refused;
  const std::string_view type = message[tag::MassCancelRequestType].value_or("");
  const std::string_view symbol = message[tag::Symbol].value_or("");
  const bool is_by_symbol = type == kBySymbol && !symbol.empty();
  if (!is_by_symbol && type != kAll) {
    send_report(session, message, {},
                "MassCancelRequestType must be 1 with a Symbol, or 7 (all orders)");
    return engine::accept();
  }
  const Owner owner = exchange_.parties.of(session);
  const auto orders = open_orders(owner, is_by_symbol ? symbol : std::string_view{},
                                  message[tag::Side].value_or(""));
  send_report(session, message, orders, {});
  for (const OrderIndex index : orders) {
    exchange_.change(
        [&](auto sink) { exchange_.book.cancel_open(index, CancelCause::Venue, sink); },
        "canceled by a mass cancel request");
  }
  return engine::accept();
}

MessageReply MassRequests::status(Session& session, const wire::MessageView& message) {
  if (auto refused = exchange_.refuse_unreportable(session)) return *refused;
  const Owner owner = exchange_.parties.of(session);
  const StatusAnswer answer{.ord_status_req_id = message[tag::OrdStatusReqID].value_or("")};
  const auto index = exchange_.book.find(owner, message[tag::ClOrdID].value_or(""));
  if (index) {
    exchange_.reports.report_status(owner, *index, answer);
  } else {
    exchange_.reports.report_unknown(owner, rejected_order(message), answer,
                                     "no order of yours has this ClOrdID");
  }
  return engine::accept();
}

MessageReply MassRequests::mass_status(Session& session, const wire::MessageView& message) {
  if (auto refused = exchange_.refuse_unreportable(session)) return *refused;
  const Owner owner = exchange_.parties.of(session);
  const std::string_view type = message[tag::MassStatusReqType].value_or("");
  const std::string_view symbol = message[tag::Symbol].value_or("");
  StatusAnswer answer{.mass_status_req_id = message[tag::MassStatusReqID].value_or("")};
  const bool is_by_symbol = type == kBySymbol && !symbol.empty();
  std::vector<OrderIndex> orders;
  if (is_by_symbol || type == kAll) {
    orders = open_orders(owner, is_by_symbol ? symbol : std::string_view{},
                         message[tag::Side].value_or(""));
  }
  answer.reports = orders.size();
  for (const OrderIndex index : orders) {
    answer.is_last = index == orders.back();
    exchange_.reports.report_status(owner, index, answer);
  }
  if (!orders.empty()) return engine::accept();
  answer.is_last = true;
  exchange_.reports.report_unknown(owner, rejected_order(message), answer,
                                   is_by_symbol || type == kAll
                                       ? "no order is open"
                                       : "MassStatusReqType must be 1 with a Symbol, or 7");
  return engine::accept();
}

}  // namespace nexusfix::venue
