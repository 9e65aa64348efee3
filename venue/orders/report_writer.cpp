#include "venue/orders/report_writer.hpp"

#include <algorithm>
#include <optional>

#include <nexusfix/fix42/tags.hpp>
#include <nexusfix/fix44/tags.hpp>

#include "venue/book/identifiers.hpp"
#include "venue/orders/order_codes.hpp"
#include "venue/sending.hpp"

namespace nexusfix::venue {
namespace {

namespace tag = fix44::tag;

constexpr char kReportOfLeg = '2';  // MultiLegReportingType
constexpr char kReportOfStrategy = '3';

std::string_view cancel_text_of(CancelCause cause) noexcept {
  return cause == CancelCause::SelfTrade ? "self-trade prevention: both orders are yours"
                                         : "nothing more to trade against";
}

bool is_copied(const DropCopy& copy, std::string_view owner) noexcept {
  return copy.to != owner &&
         (copy.of.empty() || std::ranges::find(copy.of, owner) != copy.of.end());
}

}  // namespace

template <class Visit>
void ReportWriter::visit_copies(Owner owner, Visit visit) const {
  if (drop_copies_ == nullptr) return;
  for (const DropCopy& copy : *drop_copies_) {
    const Party* const to = parties_.named(copy.to);
    if (to != nullptr && is_copied(copy, parties_[owner].comp_id())) visit(*to);
  }
}

bool ReportWriter::can_copy(Owner owner) const noexcept {
  bool can = true;
  visit_copies(owner, [&](const Party& to) { can &= !to.session->send_obstacle(); });
  return can;
}

// write(encoder, before_43) writes the fields. A copy names the owner, and is marked: recovery
// reads each report once.
template <class Write>
void ReportWriter::send_report(Owner owner, Write write) {
  const Party& party = parties_[owner];
  wire::Encoder report = party.session->begin("8");
  write(report, party.has_exec_trans_type);
  finish(*party.session, report);
  visit_copies(owner, [&](const Party& to) {
    wire::Encoder copy = to.session->begin("8");
    copy.field(tag::OnBehalfOfCompID, party.comp_id());
    write(copy, to.has_exec_trans_type);
    copy.field(tag::CopyMsgIndicator, 'Y');
    finish(*to.session, copy);
  });
  ++next_exec_id_;
}

// The fields of the order in every report. Recovery needs nothing else to rebuild it.
void ReportWriter::write_order(wire::Encoder& report, const Order& order, bool before_43) const {
  report.field(tag::Symbol, book_.symbol(order))
      .field(tag::Side, fix_char(order.side))
      .field(tag::OrderQty, to_decimal(order.quantity))
      .field(tag::OrdType, fix_char(order.kind));
  if (order.kind == OrderKind::Limit) report.field(tag::Price, to_decimal(order.price));
  report.field(tag::TimeInForce, fix_char(order.lifetime));
  if (order.is_multileg && !before_43) write_legs(report, order);
}

void ReportWriter::write_legs(wire::Encoder& report, const Order& order) const {
  report.field(tag::MultiLegReportingType, kReportOfStrategy);
  const std::vector<Leg>* const legs = legs_.find(order.number);
  if (legs == nullptr) return;
  report.group(tag::NoLegs, *legs, [](auto& entry, const Leg& leg) {
    entry.field(tag::LegSymbol, std::string_view{leg.symbol})
        .field(tag::LegRatioQty, to_decimal(leg.ratio))
        .field(tag::LegSide, fix_char(leg.side));
    if (leg.price) entry.field(tag::LegPrice, to_decimal(*leg.price));
  });
}

void ReportWriter::write_progress(wire::Encoder& report, const Order& order) const {
  report.field(tag::LeavesQty, to_decimal(order.leaves()))
      .field(tag::CumQty, to_decimal(order.cum))
      .field(tag::AvgPx, to_decimal(average_price(order.notional, order.cum)))
      .field(tag::TransactTime, parties_[order.owner].session->now());
}

void ReportWriter::report(const Execution& execution, std::string_view cancel_text) {
  const Order& order = book_.order(execution.order);
  send_report(order.owner, [&](wire::Encoder& report, bool before_43) {
    report.field(tag::OrderID, Identifier{kOrderIdLetter, order_ids_.id_of(order.number)}.view())
        .field(tag::ClOrdID, book_.cl_ord_id(order));
    if (!execution.orig_cl_ord_id.empty()) {
      report.field(tag::OrigClOrdID, execution.orig_cl_ord_id);
    }
    report.field(tag::ExecID, Identifier{kExecIdLetter, next_exec_id_}.view());
    if (before_43) report.field(fix42::tag::ExecTransType, '0');
    report.field(tag::ExecType, exec_type(execution, order, before_43))
        .field(tag::OrdStatus, order_status(execution, order, before_43));
    write_order(report, order, before_43);
    if (execution.kind == ExecutionKind::Trade) {
      report.field(tag::LastQty, to_decimal(execution.last_quantity))
          .field(tag::LastPx, to_decimal(execution.last_price));
    }
    write_progress(report, order);
    if (execution.kind == ExecutionKind::Canceled && execution.orig_cl_ord_id.empty()) {
      report.field(tag::Text, cancel_text.empty() ? cancel_text_of(execution.cause) : cancel_text);
    }
  });
}

void ReportWriter::report_leg(const Execution& execution, const Leg& leg, Units price) {
  const Order& order = book_.order(execution.order);
  const Units cum = leg.quantity_of(order.cum);
  send_report(order.owner, [&](wire::Encoder& report, bool before_43) {
    report.field(tag::OrderID, Identifier{kOrderIdLetter, order_ids_.id_of(order.number)}.view())
        .field(tag::ClOrdID, book_.cl_ord_id(order))
        .field(tag::ExecID, Identifier{kExecIdLetter, next_exec_id_}.view());
    if (before_43) report.field(fix42::tag::ExecTransType, '0');
    report.field(tag::ExecType, exec_type(execution, order, before_43))
        .field(tag::OrdStatus, order_status(execution, order, before_43))
        .field(tag::Symbol, std::string_view{leg.symbol})
        .field(tag::Side, fix_char(leg.side_for(order.side)))
        .field(tag::OrderQty, to_decimal(leg.quantity_of(order.quantity)))
        .field(tag::LastQty, to_decimal(leg.quantity_of(execution.last_quantity)))
        .field(tag::LastPx, to_decimal(price))
        .field(tag::LeavesQty, to_decimal(leg.quantity_of(order.leaves())))
        .field(tag::CumQty, to_decimal(cum))
        .field(tag::AvgPx, to_decimal(average_price(leg.notional, cum)))
        .field(tag::TransactTime, parties_[order.owner].session->now());
    if (!before_43) report.field(tag::MultiLegReportingType, kReportOfLeg);
  });
}

void ReportWriter::write_status(wire::Encoder& report, const StatusAnswer& answer) const {
  if (!answer.ord_status_req_id.empty())
    report.field(tag::OrdStatusReqID, answer.ord_status_req_id);
  if (answer.mass_status_req_id.empty()) return;
  report.field(tag::MassStatusReqID, answer.mass_status_req_id)
      .field(tag::TotNumReports, answer.reports)
      .field(tag::LastRptRequested, answer.is_last ? 'Y' : 'N');
}

void ReportWriter::report_status(Owner to, OrderIndex index, const StatusAnswer& answer) {
  const Order& order = book_.order(index);
  const char status = fix_char(order.state);
  send_report(to, [&](wire::Encoder& report, bool before_43) {
    report.field(tag::OrderID, Identifier{kOrderIdLetter, order_ids_.id_of(order.number)}.view())
        .field(tag::ClOrdID, book_.cl_ord_id(order))
        .field(tag::ExecID, Identifier{kExecIdLetter, next_exec_id_}.view());
    if (before_43) report.field(fix42::tag::ExecTransType, '3');
    report.field(tag::ExecType, before_43 ? status : 'I').field(tag::OrdStatus, status);
    write_status(report, answer);
    write_order(report, order, before_43);
    write_progress(report, order);
  });
}

void ReportWriter::write_rejected(wire::Encoder& report, const RejectedOrder& order) const {
  if (!order.symbol.empty()) report.field(tag::Symbol, order.symbol);
  report.field(tag::Side, order.side)
      .field(tag::OrderQty, order.quantity)
      .field(tag::LeavesQty, 0)
      .field(tag::CumQty, 0)
      .field(tag::AvgPx, 0);
}

void ReportWriter::report_unknown(Owner to, const RejectedOrder& order, const StatusAnswer& answer,
                                  std::string_view text) {
  send_report(to, [&](wire::Encoder& report, bool before_43) {
    report.field(tag::OrderID, "NONE");
    if (!order.cl_ord_id.empty()) report.field(tag::ClOrdID, order.cl_ord_id);
    report.field(tag::ExecID, Identifier{kExecIdLetter, next_exec_id_}.view());
    if (before_43) report.field(fix42::tag::ExecTransType, '3');
    report.field(tag::ExecType, before_43 ? '8' : 'I').field(tag::OrdStatus, '8');
    report.field(tag::OrdRejReason, kUnknownOrder);
    write_status(report, answer);
    write_rejected(report, order);
    report.field(tag::TransactTime, parties_[to].session->now()).field(tag::Text, text);
  });
}

void ReportWriter::reject_order(Owner owner, const RejectedOrder& order, unsigned reason,
                                std::string_view text) {
  send_report(owner, [&](wire::Encoder& report, bool before_43) {
    report.field(tag::OrderID, "NONE")
        .field(tag::ClOrdID, order.cl_ord_id)
        .field(tag::ExecID, Identifier{kExecIdLetter, next_exec_id_}.view());
    if (before_43) report.field(fix42::tag::ExecTransType, '0');
    report.field(tag::ExecType, '8').field(tag::OrdStatus, '8').field(tag::OrdRejReason, reason);
    write_rejected(report, order);
    report.field(tag::TransactTime, parties_[owner].session->now()).field(tag::Text, text);
  });
}

void ReportWriter::reject_cancel(Owner owner, const CancelReject& reject) {
  engine::Session& session = *parties_[owner].session;
  const std::optional<OrderIndex> index = book_.find(owner, reject.orig_cl_ord_id);
  wire::Encoder encoder = session.begin("9");
  if (index) {
    const std::uint64_t id = order_ids_.id_of(book_.order(*index).number);
    encoder.field(tag::OrderID, Identifier{kOrderIdLetter, id}.view());
  } else {
    encoder.field(tag::OrderID, "NONE");
  }
  encoder.field(tag::ClOrdID, reject.cl_ord_id)
      .field(tag::OrigClOrdID, reject.orig_cl_ord_id)
      .field(tag::OrdStatus, index ? fix_char(book_.order(*index).state) : '8')
      .field(tag::CxlRejResponseTo, reject.response_to)
      .field(tag::CxlRejReason, reject.reason)
      .field(tag::Text, reject.text);
  finish(session, encoder);
}

}  // namespace nexusfix::venue
