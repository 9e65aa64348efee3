// Rebuilds the book from the reports in the engine's store.
#include <optional>

#include <nexusfix/fix42/tags.hpp>
#include <nexusfix/fix44/tags.hpp>

#include "venue/book/identifiers.hpp"
#include "venue/venue.hpp"

namespace nexusfix::venue {
namespace {

namespace tag = fix44::tag;

std::optional<Units> units_of(const wire::MessageView& report, wire::Tag field) {
  const auto value = report.get<Decimal>(field);
  return value ? to_units(*value) : std::nullopt;
}

// Reports that were lost after the last stored one leave no trace. So new identifiers begin far
// enough after it that none is assigned twice. The first identifier of such a block also records
// that the loss before it was settled, and that the orders in doubt were canceled.
constexpr std::uint64_t kBlock = std::uint64_t{1} << 24U;

std::uint64_t next_block(std::uint64_t number) { return (number / kBlock + 1) * kBlock; }

bool settles(std::uint64_t exec_id) { return exec_id > kBlock && exec_id % kBlock == 1; }

constexpr std::string_view kIndividualLeg = "2";  // MultiLegReportingType

// Another session has the report itself.
bool is_copy(const wire::MessageView& report) { return report[tag::CopyMsgIndicator] == "Y"; }

std::string range_of(char letter, std::uint64_t first, std::uint64_t end) {
  std::string text{Identifier{letter, first}.view()};
  if (end - first > 1) (text += " to ") += Identifier{letter, end - 1}.view();
  return text;
}

// Only a limit order's report has a price. The price of a market order is never read.
NewOrder terms_of(const wire::MessageView& report, Owner owner) {
  NewOrder order;
  order.owner = owner;
  order.cl_ord_id = report[tag::ClOrdID].value_or("");
  order.symbol = report[tag::Symbol].value_or("");
  order.side = report[tag::Side] == "1" ? BookSide::Buy : BookSide::Sell;
  order.kind = report[tag::OrdType] == "1" ? OrderKind::Market : OrderKind::Limit;
  order.lifetime = report[tag::TimeInForce] == "3" ? Lifetime::ImmediateOrCancel : Lifetime::Day;
  order.quantity = units_of(report, tag::OrderQty).value_or(0);
  order.price = units_of(report, tag::Price).value_or(0);
  order.is_multileg = report.has(tag::MultiLegReportingType);
  return order;
}

// Its type is another than New.
bool apply(OrderBook& book, OrderIndex index, const wire::MessageView& report, char type,
           const NewOrder& terms) {
  switch (type) {
    case '1':
    case '2':
    case 'F': {
      const auto quantity = units_of(report, tag::LastQty);
      const auto price = units_of(report, tag::LastPx);
      return quantity && price && book.restore_trade(index, *quantity, *price);
    }
    case '4':
      return book.restore_canceled(
          index, report.has(tag::OrigClOrdID) ? terms.cl_ord_id : std::string_view{});
    case '5':
      return book.restore_replaced(
          index, {terms.owner, terms.cl_ord_id, report[tag::OrigClOrdID].value_or(""),
                  terms.quantity, terms.price});
    default:
      return false;
  }
}

}  // namespace

bool Venue::restore(const wire::MessageView& report, Owner owner) {
  const std::string_view type = report[tag::ExecType].value_or("");
  constexpr std::string_view kStatusOnly = "3";  // ExecTransType before FIX 4.3
  if (type == "8" || type == "I" || report[fix42::tag::ExecTransType] == kStatusOnly) return true;
  const auto id = identifier_number(kOrderIdLetter, report[tag::OrderID].value_or(""));
  if (!id || *id == 0 || type.size() != 1) return false;
  const OrderNumber count = exchange_.book.order_count();
  if (report[tag::MultiLegReportingType] == kIndividualLeg) {
    restore_leg(report, *id);
    return true;
  }
  const NewOrder terms = terms_of(report, owner);
  if (type == "0") {
    const std::uint64_t expected = exchange_.order_ids.id_of(count);
    if (*id < expected || (*id > expected && !has_gap_)) return false;
    if (*id > expected) exchange_.order_ids.leave_out(count, *id);
    if (!exchange_.book.restore_new(count, terms)) return false;
    add_restored(count, *exchange_.book.find(owner, terms.cl_ord_id));
    if (report.has(tag::NoLegs)) exchange_.legs.set(count, read_legs(report));
    return true;
  }
  const std::optional<OrderNumber> number = exchange_.order_ids.number_of(*id);
  // A lost order is unknown, and an order in doubt is known in part only.
  if (!number || *number >= count) return has_gap_;
  const std::optional<OrderIndex> index = restored_order(*number);
  if (const auto price = units_of(report, tag::LastPx)) {
    exchange_.set_last_price(terms.symbol, *price);
    trade_capture_.restore({.owner = owner,
                            .side = terms.side,
                            .order_id = *id,
                            .exec_id = exchange_.reports.next_exec_id(),
                            .quantity = units_of(report, tag::LastQty).value_or(0),
                            .price = *price,
                            .time = report.get<WallTime>(tag::TransactTime).value_or(WallTime{}),
                            .cl_ord_id = ClOrdIdText{terms.cl_ord_id},
                            .symbol = FixedText<kSymbolBytesMax>{terms.symbol}});
  }
  const bool is_applied = index && apply(exchange_.book, *index, report, type.front(), terms);
  if (is_applied && !exchange_.book.order(*index).is_open()) exchange_.legs.erase(*number);
  return is_applied || *number < doubt_end_;
}

// The strategy's report has changed the book. Its legs keep their average prices.
void Venue::restore_leg(const wire::MessageView& report, std::uint64_t order_id) {
  const auto number = exchange_.order_ids.number_of(order_id);
  std::vector<Leg>* const legs = number ? exchange_.legs.find(*number) : nullptr;
  if (legs == nullptr) return;
  for (Leg& leg : *legs) {
    if (leg.symbol != report[tag::Symbol].value_or("")) continue;
    leg.notional = Notional{units_of(report, tag::CumQty).value_or(0)} *
                   units_of(report, tag::AvgPx).value_or(0);
    return;
  }
}

std::optional<OrderIndex> Venue::restored_order(OrderNumber number) const {
  const auto found = restored_.find(number);
  if (found == restored_.end() || exchange_.book.order(found->second).number != number)
    return std::nullopt;
  return found->second;
}

// Forgets what the book has forgotten when it has doubled since.
void Venue::add_restored(OrderNumber number, OrderIndex index) {
  if (restored_.size() == restored_.bucket_count()) {
    std::erase_if(restored_, [this](const auto& one) {
      return exchange_.book.order(one.second).number != one.first;
    });
  }
  restored_.emplace(number, index);
}

void Venue::pass_gap(const engine::RecoveredMessage& recovered, std::uint64_t exec_id) {
  has_gap_ = true;
  if (settles(exec_id)) {
    is_settled_ = true;
    if (const auto time = recovered.message.get<WallTime>(tag::SendingTime))
      entry_.set_settled_at(*time);
    loss_.clear();
    begin_order_block();
    return;
  }
  constexpr std::size_t kReportBytesMax = 1'000;
  if (loss_.size() < kReportBytesMax) {
    if (!loss_.empty()) loss_ += "; ";
    loss_ += "reports " + range_of(kExecIdLetter, exchange_.reports.next_exec_id(), exec_id) +
             " (ExecID) before message " + std::to_string(recovered.msg_seq_num) + " of session " +
             std::string{recovered.session};
  }
  doubt_end_ = exchange_.book.order_count();
}

void Venue::on_recovered(const engine::RecoveredMessage& recovered) {
  const wire::MessageView& report = recovered.message;
  if (!failure().empty() || is_copy(report) || report.msg_type() != "8") return;
  const auto exec_id = identifier_number(kExecIdLetter, report[tag::ExecID].value_or(""));
  const bool is_later = exec_id && *exec_id >= exchange_.reports.next_exec_id();
  if (is_later && *exec_id != exchange_.reports.next_exec_id()) pass_gap(recovered, *exec_id);
  const Owner owner = exchange_.parties.find_or_add(recovered.session);
  if (!is_later || !restore(report, owner)) {
    exchange_.set_failure(
        "the store's message " + std::to_string(recovered.msg_seq_num) + " of session " +
        std::string{recovered.session} +
        " contradicts the messages before it; the book cannot be rebuilt from it");
    return;
  }
  exchange_.reports.set_next_exec_id(*exec_id + 1);
}

void Venue::begin_order_block() {
  const OrderNumber count = exchange_.book.order_count();
  exchange_.order_ids.leave_out(count, next_block(exchange_.order_ids.id_of(count)));
}

std::string Venue::lost_at_the_end() const {
  std::string text;
  for (const LostNumbers& lost : losses_.numbers) {
    if (!text.empty()) text += "; ";
    text += "what was sent to session " + lost.session + " as MsgSeqNum " +
            std::to_string(lost.first) + " to " + std::to_string(lost.last);
  }
  return text;
}

// An order that is open in the book may have been filled, changed or canceled in the lost reports:
// it must not trade. A report notifies its owner and a later start that it is canceled.
bool Venue::settle_losses() {
  const bool has_unsettled_gap = !loss_.empty();
  if (!has_unsettled_gap) loss_ = lost_at_the_end();
  if (loss_.empty()) return true;
  if (!has_unsettled_gap && is_settled_) {
    alarm_ = "ALARM: lost: " + loss_ +
             ". A loss was settled before, perhaps this one. If it is a later one, orders and "
             "fills in it are not in the book: compare with the counterparty";
    return true;
  }
  if (!losses_.are_accepted) {
    exchange_.set_failure(
        "lost: " + loss_ +
        ". Orders that were accepted in them are not in the book, and orders in the book may "
        "have been filled or canceled in them: matching could fill these twice. If the "
        "journal is damaged, repair it first (nexusfix journal verify, nexusfix journal "
        "repair). Look at the book with --dump-book, compare with the counterparties, and "
        "start once with --accept-losses: it cancels every open order, reports that to the "
        "owners, and continues with new OrderIDs and ExecIDs");
    return false;
  }
  return cancel_open_orders();
}

bool Venue::cancel_open_orders() {
  for (const Party& one : exchange_.parties) {
    if (one.session != nullptr) entry_.set_settled_at(one.session->now());
  }
  std::vector<OrderIndex> open;
  exchange_.book.visit_orders([&](OrderIndex index) {
    if (exchange_.book.order(index).is_open()) open.push_back(index);
  });
  alarm_ = "ALARM: lost: " + loss_ + ". The venue continues without it. " +
           std::to_string(open.size()) + " open orders are canceled, and reported to their owners";
  begin_order_block();
  ReportWriter& reports = exchange_.reports;
  const std::uint64_t block = next_block(reports.next_exec_id());
  // The block begins with its second number until every cancel is reported.
  reports.set_next_exec_id(block + 2);
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (i + 1 == open.size()) {
      reports.set_next_exec_id(next_block(reports.next_exec_id()) + 1);
    }
    if (!exchange_.book.restore_canceled(open[i], {})) continue;
    const Order& order = exchange_.book.order(open[i]);
    constexpr std::size_t kReportBytesMax = 2'000;
    if (alarm_.size() < kReportBytesMax) {
      alarm_ += (i == 0 ? ": " : ", ") + std::string{exchange_.book.cl_ord_id(order)} +
                " of session " + exchange_.parties[order.owner].name;
    }
    exchange_.reports.report({.kind = ExecutionKind::Canceled,
                              .order = open[i],
                              .orig_cl_ord_id = {},
                              .cause = CancelCause::Venue},
                             "messages of this order may be lost: compare with the venue");
  }
  if (open.empty()) reports.set_next_exec_id(block + 1);
  return true;
}

}  // namespace nexusfix::venue
