// The example venue: takes orders of FIX 4.2 and 4.4 sessions, matches them in one order book a
// symbol, and reports to the owners of both sides. It keeps no file of its own: after a restart it
// rebuilds its book from the ExecutionReports in the engine's store.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/engine/engine.hpp>
#include <nexusfix/fix42/new_order_single.hpp>
#include <nexusfix/fix42/order_cancel_replace_request.hpp>
#include <nexusfix/fix42/order_cancel_request.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/fix44/order_cancel_replace_request.hpp>
#include <nexusfix/fix44/order_cancel_request.hpp>

#include "venue/order_book.hpp"

namespace nexusfix::venue {

class Venue {
 public:
  using Handles =
      engine::Messages<fix42::NewOrderSingle, fix44::NewOrderSingle, fix42::OrderCancelRequest,
                       fix44::OrderCancelRequest, fix42::OrderCancelReplaceRequest,
                       fix44::OrderCancelReplaceRequest>;

  explicit Venue(BookCapacity capacity = {}) : book_{capacity} {}

  // Once, between Engine::open() and run(). False: failure() says why the venue may not open.
  [[nodiscard]] bool attach(engine::Engine& engine);

  // Callbacks of the engine.
  void on_recovered(const engine::RecoveredMessage& recovered);
  void on_logon(engine::Session& session);
  engine::Verdict on_message(engine::Session& session, const fix42::NewOrderSingle& order);
  engine::Verdict on_message(engine::Session& session, const fix44::NewOrderSingle& order);
  engine::Verdict on_message(engine::Session& session, const fix42::OrderCancelRequest& request);
  engine::Verdict on_message(engine::Session& session, const fix44::OrderCancelRequest& request);
  engine::Verdict on_message(engine::Session& session,
                             const fix42::OrderCancelReplaceRequest& request);
  engine::Verdict on_message(engine::Session& session,
                             const fix44::OrderCancelReplaceRequest& request);

  [[nodiscard]] const OrderBook& book() const noexcept { return book_; }
  [[nodiscard]] std::string_view owner_name(Owner owner) const noexcept;
  // Why the book can no longer be trusted: it has stopped the engine. Empty: all is well.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

 private:
  struct Party {
    std::string name;
    engine::Session* session = nullptr;  // null before attach()
    bool has_exec_trans_type = false;    // before FIX 4.3 a report says so, and how it was filled
  };
  // What a rejection repeats of the order.
  struct RejectedOrder {
    std::string_view cl_ord_id;
    std::string_view symbol;
    char side = '1';
    Decimal quantity;
  };

  [[nodiscard]] Owner party(std::string_view name);
  void join(engine::Session& session);
  [[nodiscard]] Owner party_of(const engine::Session& session) const noexcept;

  template <class Message>
  engine::Verdict take_order(engine::Session& session, const Message& message);
  template <class Message>
  engine::Verdict take_cancel(engine::Session& session, const Message& message);
  template <class Message>
  engine::Verdict take_replace(engine::Session& session, const Message& message);

  [[nodiscard]] bool changes_symbol_or_side(const ReplaceRequest& request,
                                            const NewOrder& terms) const noexcept;

  // change(sink) is what changes the book. Whatever is thrown while it does stops the venue: the
  // engine takes back the reports of the callback, and the book is ahead of the store from then on.
  template <class Change>
  Refusal change_book(Change change);
  void report(const Execution& execution);
  void report_status(OrderIndex index);
  void reject_order(Owner owner, const RejectedOrder& order, unsigned reason,
                    std::string_view text);
  struct CancelReject {
    std::string_view cl_ord_id;
    std::string_view orig_cl_ord_id;
    char response_to = '1';  // CxlRejResponseTo: 1 cancel, 2 replace
    Refusal refusal = Refusal::UnknownOrder;
  };
  void reject_cancel(Owner owner, const CancelReject& reject);
  void write_order(wire::Encoder& report, const Order& order) const;
  // Throws if the message was not taken: with it, nothing of the callback is sent.
  void finish(engine::Session& session, wire::Encoder& encoder);
  // The same, and its ExecID is used up: the ExecIDs in the store have no holes.
  void finish_report(engine::Session& session, wire::Encoder& report);
  void fail(const char* cause) noexcept;

  OrderBook book_;
  std::vector<Party> parties_;  // by Owner
  std::uint64_t next_exec_id_ = 1;
  engine::Engine* engine_ = nullptr;
  std::string failure_;
};

}  // namespace nexusfix::venue
