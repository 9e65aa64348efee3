// The messages that report what happened to orders, to their owners and to the sessions that get
// copies. ExecIDs count up without a hole: recovery finds by them what is missing.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/wire/encoder.hpp>

#include "venue/book/order_book.hpp"
#include "venue/book/order_ids.hpp"
#include "venue/orders/legs.hpp"
#include "venue/parties.hpp"
#include "venue/rules/rules.hpp"

namespace nexusfix::venue {

// The fields of an order that its rejection repeats.
struct RejectedOrder {
  std::string_view cl_ord_id;
  std::string_view symbol;
  char side = '1';
  Decimal quantity;
};

struct CancelReject {
  std::string_view cl_ord_id;
  std::string_view orig_cl_ord_id;
  char response_to = '1';  // CxlRejResponseTo: 1 cancel, 2 replace
  unsigned reason = 0;     // CxlRejReason (102)
  std::string_view text;
};

// The fields of a report that answers a request for the status of one order or of several.
struct StatusAnswer {
  std::string_view ord_status_req_id{};   // empty: not sent
  std::string_view mass_status_req_id{};  // empty: not sent
  std::size_t reports = 0;                // of a mass status
  bool is_last = false;                   // of a mass status
};

// A message that the engine does not accept throws: then no message of the callback is sent.
class ReportWriter {
 public:
  // All must outlive it.
  ReportWriter(const OrderBook& book, const Parties& parties, const OrderIds& order_ids,
               const Legs& legs) noexcept
      : book_{book}, parties_{parties}, order_ids_{order_ids}, legs_{legs} {}

  // cancel_text: Text (58) of an order that was canceled without a request.
  void report(const Execution& execution, std::string_view cancel_text = {});
  // A trade of one leg, after that of its strategy. leg: with this trade.
  void report_leg(const Execution& execution, const Leg& leg, Units price);
  void report_status(Owner to, OrderIndex index, const StatusAnswer& answer = {});
  // The status of an order that the venue does not have.
  void report_unknown(Owner to, const RejectedOrder& order, const StatusAnswer& answer,
                      std::string_view text);
  void reject_order(Owner owner, const RejectedOrder& order, unsigned reason,
                    std::string_view text);
  void reject_cancel(Owner owner, const CancelReject& reject);

  // Who gets copies from now on. It must outlive this object, or the next call.
  void copy_to(const std::vector<DropCopy>* drop_copies) noexcept { drop_copies_ = drop_copies; }
  // Whether the engine would store the copies of this owner's reports now.
  [[nodiscard]] bool can_copy(Owner owner) const noexcept;

  [[nodiscard]] std::uint64_t next_exec_id() const noexcept { return next_exec_id_; }
  void set_next_exec_id(std::uint64_t number) noexcept { next_exec_id_ = number; }

 private:
  template <class Write>
  void send_report(Owner owner, Write write);
  template <class Visit>
  void visit_copies(Owner owner, Visit visit) const;
  void write_order(wire::Encoder& report, const Order& order, bool before_43) const;
  void write_legs(wire::Encoder& report, const Order& order) const;
  void write_progress(wire::Encoder& report, const Order& order) const;
  void write_status(wire::Encoder& report, const StatusAnswer& answer) const;
  void write_rejected(wire::Encoder& report, const RejectedOrder& order) const;

  const OrderBook& book_;
  const Parties& parties_;
  const OrderIds& order_ids_;
  const Legs& legs_;
  const std::vector<DropCopy>* drop_copies_ = nullptr;
  std::uint64_t next_exec_id_ = 1;
};

}  // namespace nexusfix::venue
