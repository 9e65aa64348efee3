#include "venue/trades/allocations.hpp"

#include <nexusfix/fix44/tags.hpp>
#include <nexusfix/wire/convert.hpp>

#include "venue/orders/order_fields.hpp"
#include "venue/sending.hpp"

namespace nexusfix::venue {
namespace {

using engine::MessageReply;
using engine::Session;
namespace tag = fix44::tag;

constexpr unsigned kIncorrectQuantity = 1;  // AllocRejCode
constexpr unsigned kUnknownOrderOfAllocation = 5;

}  // namespace

MessageReply Allocations::instruct(Session& session, const wire::MessageView& message) {
  if (const auto why = session.send_obstacle()) {
    return engine::business_reject(kApplicationNotAvailable, 0, to_string(*why));
  }
  const auto quantity = message.get<Decimal>(tag::Quantity);
  if (!quantity) return engine::reject_for(quantity.error());
  const Owner owner = exchange_.parties.of(session);
  const Notional wanted = to_units(*quantity).value_or(0);
  Notional allocated = 0;
  Notional traded = 0;
  bool has_accounts = false;
  bool has_orders = false;
  for (const wire::FieldView field : message) {
    if (field.tag == tag::AllocQty) {
      const auto one = wire::to_decimal(field.value);
      allocated += one ? to_units(*one).value_or(0) : 0;
      has_accounts = true;
    } else if (field.tag == tag::ClOrdID) {
      const auto index = exchange_.book.find(owner, field.value);
      if (!index) {
        answer(session, message, kUnknownOrderOfAllocation, "no order of yours has this ClOrdID");
        return engine::accept();
      }
      traded += exchange_.book.order(*index).cum;
      has_orders = true;
    }
  }
  if (has_accounts && allocated != wanted) {
    answer(session, message, kIncorrectQuantity, "the accounts do not add up to Quantity");
  } else if (has_orders && traded != wanted) {
    answer(session, message, kIncorrectQuantity, "the orders have not traded this Quantity");
  } else {
    answer(session, message, 0, {});
  }
  return engine::accept();
}

void Allocations::answer(Session& session, const wire::MessageView& message, unsigned reason,
                         std::string_view text) {
  constexpr unsigned kAccepted = 0;  // AllocStatus
  constexpr unsigned kRejected = 1;
  wire::Encoder ack = session.begin("P");
  ack.field(tag::AllocID, message[tag::AllocID].value_or(""));
  if (const auto date = message[tag::TradeDate]) ack.field(tag::TradeDate, *date);
  ack.field(tag::TransactTime, session.now())
      .field(tag::AllocStatus, text.empty() ? kAccepted : kRejected);
  if (!text.empty()) ack.field(tag::AllocRejCode, reason).field(tag::Text, text);
  finish(session, ack);
}

}  // namespace nexusfix::venue
