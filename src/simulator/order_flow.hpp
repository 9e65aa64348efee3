// The simulator's own applications: a trader that sends orders, a venue that answers each, and what
// must be true of the two whatever happens.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/engine/application.hpp>
#include <nexusfix/engine/engine.hpp>
#include <nexusfix/engine/session.hpp>
#include <nexusfix/simulator/world.hpp>

namespace nexusfix::simulator {

// What the people behind the applications know. It outlives every process.
class OrderBooks {
 public:
  explicit OrderBooks(World& world) : world_{world} {}

  // A new order's number: 1, 2, ...
  [[nodiscard]] std::uint64_t next_order() noexcept { return ++orders_; }
  [[nodiscard]] std::uint64_t orders() const noexcept { return orders_; }
  [[nodiscard]] World& world() noexcept { return world_; }

  // With ResetOnLogout, one side may reset alone: then what it had taken comes again, marked. name:
  // the venue's name of the session.
  void allow_repetition(std::string name) { repeating_.insert(std::move(name)); }
  [[nodiscard]] bool may_repeat(std::string_view name) const { return repeating_.contains(name); }

  // At the venue.
  void order_refused(std::uint64_t order);  // with a reject in place of a report
  void order_taken(std::uint64_t order, const engine::Session& session);
  // The name of the session that it was taken on; empty: it was not.
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

// Sends an order; false: it was not taken by the engine.
bool send_order(OrderBooks& books, engine::Session& session);
// A report that nobody has asked for.
bool send_news(OrderBooks& books, engine::Session& session, std::uint64_t number);

class SimulatedTrader {
 public:
  explicit SimulatedTrader(OrderBooks& books) : books_{books} {}
  void on_message(engine::Session& session, const wire::MessageView& message);

 private:
  OrderBooks& books_;
};

// Answers each order with one report, in the callback: both or none survive a crash.
class SimulatedVenue {
 public:
  explicit SimulatedVenue(OrderBooks& books) : books_{books} {}
  engine::Verdict on_message(engine::Session& session, const wire::MessageView& message);
  void on_recovered(const engine::RecoveredMessage& message);
  // The last order's report is not sent after all: it gets a reject.
  void on_undone();

  // Every order that it has taken has its report, or a reject. Empty: so it is. Sessions whose
  // numbers were reset are left out: an order that was taken by a process that died of it may have
  // had its epoch end before it came again.
  [[nodiscard]] std::string what_is_missing(engine::Engine& engine) const;

 private:
  OrderBooks& books_;
  std::uint64_t last_order_ = 0;  // 0: the last message was none
  std::vector<bool> answered_;    // what its memory, rebuilt after a death, says
};

}  // namespace nexusfix::simulator
