// The market of a simulated venue: one order book for each symbol, with orders of the venue itself.
// It knows no session: what happens to orders goes to a sink as fields of ExecutionReports.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/message_view.hpp>

#include "venue/book/order_book.hpp"
#include "venues/kit/kit.hpp"
#include "venues/simulate/message_template.hpp"
#include "venues/simulate/order_tags.hpp"

namespace nexusfix::venues {

using Fields = std::vector<TemplateField>;

// The owner of the venue's own orders. Clients follow from 1 on.
inline constexpr venue::Owner kHouse = 0;

// An order in the book.
struct RestingOrder {
  std::string id{};  // OrderID
  venue::Units price = 0;
  venue::Units quantity = 0;  // that is open
  venue::Units filled = 0;
};
// Those of one side, best price first, then oldest first.
using RestingOrders = std::vector<RestingOrder>;

class Market {
 public:
  // Gets each report: whose order it is, the symbol, and the fields without TransactTime (60).
  using Sink = FunctionRef<void(venue::Owner owner, std::string_view symbol, Fields report)>;

  // symbol_tag: the field of messages that names an instrument.
  explicit Market(const std::vector<HouseOrder>& house, wire::Tag symbol_tag = order_tag::Symbol);

  [[nodiscard]] wire::Tag symbol_tag() const noexcept { return symbol_tag_; }

  // NewOrderSingle (D), OrderCancelReplaceRequest (G), OrderCancelRequest (F). Empty: done, and
  // sink has the reports. Otherwise why it is refused.
  [[nodiscard]] std::string submit(venue::Owner owner, const wire::MessageView& order, Sink sink);
  [[nodiscard]] std::string replace(venue::Owner owner, const wire::MessageView& request,
                                    Sink sink);
  [[nodiscard]] std::string cancel(venue::Owner owner, const wire::MessageView& request, Sink sink);
  // Cancels the open orders of an owner. symbol: empty: all. Returns their number.
  unsigned cancel_all(venue::Owner owner, std::string_view symbol, Sink sink);

  // Doubles the quantity of the venue's first order, or halves it again. Returns its symbol; empty:
  // it is no longer open.
  [[nodiscard]] std::string tick();

  [[nodiscard]] RestingOrders orders(std::string_view symbol, venue::BookSide side) const;
  // Whether an order that has left the book was filled, and not cancelled.
  [[nodiscard]] bool is_filled(std::string_view order_id) const;
  // The fields of an ExecutionReport that refuses an order.
  [[nodiscard]] Fields rejection(const wire::MessageView& order, std::string_view text);
  // The fields of a report of status (150=I) for an OrderStatusRequest (H), of an order that was
  // never accepted a rejected one (39=8).
  [[nodiscard]] Fields status(venue::Owner owner, const wire::MessageView& request);
  // The OrderID of the order that a request names; "NONE": there is none.
  [[nodiscard]] std::string order_id_of(venue::Owner owner, const wire::MessageView& request) const;

 private:
  [[nodiscard]] std::string original_of(venue::Owner owner, const wire::MessageView& request) const;
  [[nodiscard]] Fields report_of(const venue::Execution& execution);
  void pass(const venue::Execution& execution, Sink sink);

  wire::Tag symbol_tag_;
  venue::OrderBook book_;
  std::uint64_t next_exec_id_ = 1;
  std::uint64_t house_ids_ = 0;
  std::string first_house_id_;
  venue::Units first_house_quantity_ = 0;
  std::uint64_t ticks_ = 0;
};

}  // namespace nexusfix::venues
