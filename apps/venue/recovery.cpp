// The book out of the reports that the engine has stored.
#include <optional>

#include <nexusfix/fix44/tags.hpp>

#include "venue/identifiers.hpp"
#include "venue/venue.hpp"

namespace nexusfix::venue {
namespace {

namespace tag = fix44::tag;

std::optional<Units> units_of(const wire::MessageView& report, wire::Tag field) {
  const auto value = report.get<Decimal>(field);
  return value ? to_units(*value) : std::nullopt;
}

std::optional<OrderIndex> index_of(const wire::MessageView& report) {
  const auto number = identifier_number(kOrderIdLetter, report[tag::OrderID].value_or(""));
  if (!number || *number == 0 || *number > kNoOrder) return std::nullopt;
  return static_cast<OrderIndex>(*number - 1);
}

// Only of limit orders has a report a price; a market order's is never looked at.
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
  return order;
}

bool restore(OrderBook& book, const wire::MessageView& report, Owner owner) {
  const std::string_view type = report[tag::ExecType].value_or("");
  constexpr std::string_view kStatusOnly = "3";  // ExecTransType before FIX 4.3
  if (type == "8" || type == "I" || report[fix42::tag::ExecTransType] == kStatusOnly) return true;
  const std::optional<OrderIndex> index = index_of(report);
  if (!index || type.size() != 1) return false;
  const NewOrder terms = terms_of(report, owner);
  switch (type.front()) {
    case '0':
      return book.restore_new(*index, terms);
    case '1':
    case '2':
    case 'F': {
      const auto quantity = units_of(report, tag::LastQty);
      const auto price = units_of(report, tag::LastPx);
      return quantity && price && book.restore_trade(*index, *quantity, *price);
    }
    case '4':
      return book.restore_canceled(
          *index, report.has(tag::OrigClOrdID) ? terms.cl_ord_id : std::string_view{});
    case '5':
      return book.restore_replaced(
          *index, {owner, terms.cl_ord_id, report[tag::OrigClOrdID].value_or(""), terms.quantity,
                   terms.price});
    default:
      return false;
  }
}

}  // namespace

void Venue::on_recovered(const engine::RecoveredMessage& recovered) {
  const wire::MessageView& report = recovered.message;
  if (!failure_.empty() || report.msg_type() != "8") return;
  const auto exec_id = identifier_number(kExecIdLetter, report[tag::ExecID].value_or(""));
  if (!exec_id || *exec_id != next_exec_id_ || !restore(book_, report, party(recovered.session))) {
    failure_ = "the store's message " + std::to_string(recovered.msg_seq_num) + " of session " +
               std::string{recovered.session} +
               " does not follow from those before it; the book cannot be rebuilt from it";
    return;
  }
  ++next_exec_id_;
}

}  // namespace nexusfix::venue
