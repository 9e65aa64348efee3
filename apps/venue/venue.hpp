// The example venue: accepts orders of FIX 4.2 and 4.4 sessions, matches them in one order book for
// each symbol, and reports to the owners of both sides. It keeps no file of its own: after a
// restart it rebuilds its book from the ExecutionReports in the engine's store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nexusfix/engine.hpp>
#include <nexusfix/fix42/new_order_single.hpp>
#include <nexusfix/fix42/order_cancel_replace_request.hpp>
#include <nexusfix/fix42/order_cancel_request.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/fix44/order_cancel_replace_request.hpp>
#include <nexusfix/fix44/order_cancel_request.hpp>

#include "venue/order_book.hpp"
#include "venue/order_ids.hpp"

namespace nexusfix::venue {

// Numbers of a session whose messages the store reports as lost, after its last report. A later
// report shows by its ExecID whether one before it is missing.
struct LostNumbers {
  std::string session;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

struct Losses {
  std::vector<LostNumbers> numbers;
  bool are_accepted = false;  // by the operator: the venue continues without them
};

class Venue {
 public:
  explicit Venue(BookCapacity capacity = {}) : book_{capacity} {}

  // Call it before attach().
  void set_losses(Losses losses) { losses_ = std::move(losses); }
  // Call it once, between Engine::open() and run(). False: failure() says why the venue may not
  // open. After a loss that the operator has accepted, it cancels every open order, and alarm()
  // lists them.
  [[nodiscard]] bool attach(engine::Engine& engine);

  // Callbacks of the engine.
  void on_recovered(const engine::RecoveredMessage& recovered);
  void on_logon(engine::Session& session);
  engine::MessageReply on_message(engine::Session& session, const fix42::NewOrderSingle& order);
  engine::MessageReply on_message(engine::Session& session, const fix44::NewOrderSingle& order);
  engine::MessageReply on_message(engine::Session& session,
                                  const fix42::OrderCancelRequest& request);
  engine::MessageReply on_message(engine::Session& session,
                                  const fix44::OrderCancelRequest& request);
  engine::MessageReply on_message(engine::Session& session,
                                  const fix42::OrderCancelReplaceRequest& request);
  engine::MessageReply on_message(engine::Session& session,
                                  const fix44::OrderCancelReplaceRequest& request);

  [[nodiscard]] const OrderBook& book() const noexcept { return book_; }
  [[nodiscard]] std::string_view owner_name(Owner owner) const noexcept;
  // Why the venue has stopped the engine: the book is no longer correct. Empty: no failure.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  // The reports that are missing in the rebuilt book, for people. Empty: none.
  [[nodiscard]] const std::string& alarm() const noexcept { return alarm_; }
  // Before attach(): the reports that are missing in the store and not settled.
  [[nodiscard]] const std::string& loss() const noexcept { return loss_; }
  [[nodiscard]] std::uint64_t order_id(OrderIndex index) const noexcept {
    return order_ids_.id_of(book_.order(index).number);
  }

 private:
  struct Party {
    std::string name;
    engine::Session* session = nullptr;  // null before attach()
    bool has_exec_trans_type = false;    // before FIX 4.3: reports have ExecTransType
  };
  // The fields of the order that a rejection repeats.
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
  engine::MessageReply handle_order(engine::Session& session, const Message& message);
  template <class Message>
  engine::MessageReply handle_cancel(engine::Session& session, const Message& message);
  template <class Message>
  engine::MessageReply handle_replace(engine::Session& session, const Message& message);

  // The answer to a request whose reports the engine would not take now, so that the book must not
  // change. Nothing: it would take them.
  [[nodiscard]] std::optional<engine::MessageReply> refuse_unreportable(
      const engine::Session& session) const;
  [[nodiscard]] std::optional<engine::MessageReply> refuse_unreportable(
      const engine::Session& session, const NewOrder& order) const;
  // Whether an order may have been executed in what the venue has lost: it is sent again, the book
  // does not have it, and it was sent first before the loss was accepted.
  [[nodiscard]] bool may_repeat_lost(const NewOrder& order, const wire::MessageView& message) const;
  [[nodiscard]] bool changes_symbol_or_side(const ReplaceRequest& request,
                                            const NewOrder& terms) const noexcept;

  // change(sink) changes the book. An exception in it stops the venue: the engine rolls back the
  // reports of the callback, so that the book no longer agrees with the store.
  template <class Change>
  Refusal change_book(Change change);
  void report(const Execution& execution,
              std::string_view cancel_text = "nothing more to trade against");
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
  // Throws if the message was not accepted: then no message of the callback is sent.
  void finish(engine::Session& session, wire::Encoder& encoder);
  // Counts the ExecID as used, too: the ExecIDs in the store have no holes.
  void finish_report(engine::Session& session, wire::Encoder& report);
  void fail(const char* cause) noexcept;

  // recovery.cpp
  [[nodiscard]] bool restore(const wire::MessageView& report, Owner owner);
  [[nodiscard]] std::optional<OrderIndex> restored_order(OrderNumber number) const;
  void add_restored(OrderNumber number, OrderIndex index);
  void pass_gap(const engine::RecoveredMessage& recovered, std::uint64_t exec_id);
  void begin_order_block();
  [[nodiscard]] std::string lost_at_the_end() const;
  [[nodiscard]] bool settle_losses();
  [[nodiscard]] bool cancel_open_orders();

  OrderBook book_;
  std::vector<Party> parties_;  // by Owner
  OrderIds order_ids_;
  std::uint64_t next_exec_id_ = 1;
  Losses losses_;
  std::string loss_;  // reports that are missing since the last loss was settled
  std::string alarm_;
  bool has_gap_ = false;     // reports are missing, and perhaps orders
  bool is_settled_ = false;  // the log has a loss that was settled
  // When that was, or a loss was accepted in this run. Unset: none was.
  std::optional<WallTime> settled_at_;
  OrderNumber doubt_end_ = 0;  // reports of orders below this number may be missing
  std::unordered_map<OrderNumber, OrderIndex> restored_;  // some are forgotten; until attach()
  engine::Engine* engine_ = nullptr;
  std::string failure_;
};

}  // namespace nexusfix::venue
