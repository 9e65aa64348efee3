// The requests of one order: NewOrderSingle (D), NewOrderMultileg (AB), OrderCancelRequest (F),
// OrderCancelReplaceRequest (G), MultilegOrderCancelReplace (AC).
#pragma once

#include <optional>
#include <string_view>

#include "venue/exchange.hpp"
#include "venue/orders/auctions.hpp"
#include "venue/orders/scripted_orders.hpp"

namespace nexusfix::venue {

class OrderEntry {
 public:
  // The exchange must outlive it.
  explicit OrderEntry(Exchange& exchange) noexcept
      : exchange_{exchange}, auctions_{exchange}, scripted_{exchange} {}

  // rule: whose actions an accepted order gets; null: none.
  [[nodiscard]] engine::MessageReply submit(engine::Session& session,
                                            const wire::MessageView& message, const Rule* rule);
  [[nodiscard]] engine::MessageReply cancel(engine::Session& session,
                                            const wire::MessageView& message);
  [[nodiscard]] engine::MessageReply replace(engine::Session& session,
                                             const wire::MessageView& message);
  // Answers one of them as rejected, by an action of a rule.
  [[nodiscard]] engine::MessageReply reject(engine::Session& session,
                                            const wire::MessageView& message, const Action& action);
  // Cancels the open orders of a session whose connection has ended, if the rules say so.
  void on_disconnect(const engine::Session& session);

  [[nodiscard]] Auctions& auctions() noexcept { return auctions_; }
  // How an order comes to the book by the rules. rule: null: none.
  [[nodiscard]] Arrival arrival(const NewOrder& order, const Rule* rule) const;
  // Why the rules of its symbol do not permit an order now; empty: they do.
  [[nodiscard]] std::string obstacle(const NewOrder& order) const;
  // An order that is sent again, and may have been executed in what the venue has lost until this
  // time, is rejected.
  void set_settled_at(WallTime time) noexcept { settled_at_ = time; }
  [[nodiscard]] const std::optional<WallTime>& settled_at() const noexcept { return settled_at_; }

 private:
  struct Refused {
    unsigned reason = 0;  // OrdRejReason (103)
    std::string text{};
  };
  // Why the rules of the symbol do not permit an order now.
  [[nodiscard]] std::optional<Refused> refuse_by_rules(const NewOrder& order) const;
  [[nodiscard]] std::optional<Refused> refuse_repeated(const NewOrder& order,
                                                       const wire::MessageView& message) const;
  [[nodiscard]] bool may_repeat_lost(const NewOrder& order, const wire::MessageView& message) const;
  [[nodiscard]] bool changes_symbol_or_side(const ReplaceRequest& request,
                                            const NewOrder& terms) const noexcept;
  void refuse(const ReplaceRequest& request, Refusal refusal);

  Exchange& exchange_;
  Auctions auctions_;
  ScriptedOrders scripted_;
  std::optional<WallTime> settled_at_;  // unset: no loss was settled
};

// What the rejection of an order repeats of it.
[[nodiscard]] RejectedOrder rejected_order(const wire::MessageView& message);

}  // namespace nexusfix::venue
