// The simulator's own applications: a trader that sends orders, a venue that answers each, and the
// invariants of the two.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/engine.hpp>
#include <nexusfix/engine/application.hpp>
#include <nexusfix/engine/session.hpp>
#include <nexusfix/simulator/world.hpp>

namespace nexusfix::simulator {

// What the operators of the applications know. It outlives every process.
class OrderBooks {
 public:
  explicit OrderBooks(World& world) : world_{world} {}

  // A new order number: 1, 2, ...
  [[nodiscard]] std::uint64_t next_order() noexcept { return ++orders_; }
  [[nodiscard]] std::uint64_t orders() const noexcept { return orders_; }
  [[nodiscard]] World& world() noexcept { return world_; }

  // With ResetOnLogout, one side may reset alone: then it gets the same messages again, with
  // PossDupFlag. name: the venue's name of the session.
  void allow_repetition(std::string name) { repeating_.insert(std::move(name)); }
  [[nodiscard]] bool may_repeat(std::string_view name) const { return repeating_.contains(name); }

  // Called by the venue.
  void order_refused(std::uint64_t order);  // with a reject instead of a report
  void order_taken(std::uint64_t order, const engine::Session& session);
  // The name of the session that it came on; empty: it has not arrived.
  [[nodiscard]] std::string_view taken_on(std::uint64_t order) const noexcept;
  [[nodiscard]] bool is_refused(std::uint64_t order) const noexcept;

 private:
  struct Order {
    std::string session;
    bool is_refused = false;
  };
  Order& at(std::uint64_t order);

  World& world_;
  std::uint64_t orders_ = 0;
  std::vector<Order> known_;
  std::set<std::string, std::less<>> repeating_;
};

// Sends an order; false: the engine refused it.
bool send_order(OrderBooks& books, engine::Session& session);
// A report that answers no order.
bool send_news(OrderBooks& books, engine::Session& session, std::uint64_t number);

class SimulatedTrader {
 public:
  explicit SimulatedTrader(OrderBooks& books) : books_{books} {}
  void on_message(engine::Session& session, const wire::MessageView& message);

 private:
  OrderBooks& books_;
};

// Answers each order with one report, in the callback: a crash keeps both or none.
class SimulatedVenue {
 public:
  explicit SimulatedVenue(OrderBooks& books) : books_{books} {}
  engine::MessageReply on_message(engine::Session& session, const wire::MessageView& message);
  void on_recovered(const engine::RecoveredMessage& message);
  // The last order's report is undone: it gets a reject.
  void on_undone();

  // Why the books are not complete: an order that the venue took has neither a report nor a reject.
  // Empty: they are complete. Sessions whose sequence numbers were reset are ignored: the epoch of
  // an order may have ended after the process died with it and before it came again.
  [[nodiscard]] std::string find_missing_answer(engine::Engine& engine) const;

 private:
  OrderBooks& books_;
  std::uint64_t last_order_ = 0;  // 0: the last message was no order
  std::vector<bool> answered_;    // its memory, rebuilt after a death
};

}  // namespace nexusfix::simulator
