// A venue: accepts orders of FIX 4.2, 4.4 and 5.0SP2 sessions, matches them in one order book for
// each symbol, and reports to the owners of both sides. A file of rules changes what it does. It
// keeps no file of its own: after a restart it rebuilds its book from the ExecutionReports in the
// engine's store.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nexusfix/engine.hpp>
#include <nexusfix/wire/parser.hpp>

#include "venue/exchange.hpp"
#include "venue/market/market_data.hpp"
#include "venue/market/quotes.hpp"
#include "venue/market/securities.hpp"
#include "venue/orders/mass_requests.hpp"
#include "venue/orders/order_entry.hpp"
#include "venue/trades/allocations.hpp"
#include "venue/trades/trade_capture.hpp"

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
  // seed: of all that the rules leave to chance.
  explicit Venue(BookCapacity capacity = {}, std::uint64_t seed = 1)
      : random_{seed},
        exchange_{capacity, random_},
        entry_{exchange_},
        mass_requests_{exchange_},
        market_data_{exchange_},
        securities_{exchange_},
        quotes_{exchange_, entry_},
        trade_capture_{exchange_},
        allocations_{exchange_} {
    exchange_.listeners = {&market_data_, &trade_capture_};
  }
  Venue(const Venue&) = delete;
  Venue& operator=(const Venue&) = delete;

  // Call it before attach().
  void set_losses(Losses losses) { losses_ = std::move(losses); }
  // Call it before attach(), or later on the thread of the event loop: the rules are in force from
  // the next message on. Auctions that they no longer have are uncrossed at once.
  void set_rules(std::shared_ptr<const Rules> rules);
  // Call it once, between Engine::open() and run(). False: failure() says why the venue may not
  // open. After a loss that the operator has accepted, it cancels every open order, and alarm()
  // lists them.
  [[nodiscard]] bool attach(engine::Engine& engine);

  // Callbacks of the engine.
  void on_recovered(const engine::RecoveredMessage& recovered);
  void on_logon(engine::Session& session);
  void on_disconnect(engine::Session& session, const engine::Disconnection& disconnection);
  engine::MessageReply on_message(engine::Session& session, const wire::MessageView& message);

  // What the rules say of a Logon. Nothing: the answer comes later, or never.
  [[nodiscard]] std::optional<engine::LogonAnswer> answer_logon(
      engine::Session& session, const engine::LogonRequest& request);

  // Whether a session has this CompID (that of the counterparty), or this name. After attach().
  [[nodiscard]] bool has_session(std::string_view comp_id) const noexcept {
    return exchange_.parties.named(comp_id) != nullptr;
  }
  [[nodiscard]] const OrderBook& book() const noexcept { return exchange_.book; }
  [[nodiscard]] std::string_view owner_name(Owner owner) const noexcept {
    return exchange_.parties[owner].name;
  }
  // Why the venue has stopped the engine: the book is no longer correct. Empty: no failure.
  [[nodiscard]] const std::string& failure() const noexcept { return exchange_.failure(); }
  // The reports that are missing in the rebuilt book, for people. Empty: none.
  [[nodiscard]] const std::string& alarm() const noexcept { return alarm_; }
  // Before attach(): the reports that are missing in the store and not settled.
  [[nodiscard]] const std::string& loss() const noexcept { return loss_; }
  [[nodiscard]] std::uint64_t order_id(OrderIndex index) const noexcept {
    return exchange_.order_ids.id_of(exchange_.book.order(index).number);
  }

 private:
  // The actions of a rule, without its delay. Null: no rule.
  engine::MessageReply act(engine::Session& session, const wire::MessageView& message,
                           const Rule* rule);
  engine::MessageReply handle(engine::Session& session, const wire::MessageView& message,
                              const Rule* rule);
  engine::MessageReply reject(engine::Session& session, const wire::MessageView& message,
                              const Action& action);
  [[nodiscard]] Milliseconds time_of(const Action& delay);
  // False: too many messages wait.
  [[nodiscard]] bool act_later(engine::Session& session, const wire::MessageView& message,
                               const Rule& rule, const Action& delay);
  [[nodiscard]] bool check_owners();
  void cancel_what_cannot_rest();

  // recovery.cpp
  [[nodiscard]] bool restore(const wire::MessageView& report, Owner owner);
  [[nodiscard]] std::optional<OrderIndex> restored_order(OrderNumber number) const;
  void restore_leg(const wire::MessageView& report, std::uint64_t order_id);
  void add_restored(OrderNumber number, OrderIndex index);
  void pass_gap(const engine::RecoveredMessage& recovered, std::uint64_t exec_id);
  void begin_order_block();
  [[nodiscard]] std::string lost_at_the_end() const;
  [[nodiscard]] bool settle_losses();
  [[nodiscard]] bool cancel_open_orders();

  SeededRandom random_;
  Exchange exchange_;
  OrderEntry entry_;
  MassRequests mass_requests_;
  MarketData market_data_;
  Securities securities_;
  Quotes quotes_;
  TradeCapture trade_capture_;
  Allocations allocations_;
  wire::Parser parser_;  // of messages that a rule delays
  Losses losses_;
  std::string loss_;  // reports that are missing since the last loss was settled
  std::string alarm_;
  bool has_gap_ = false;       // reports are missing, and perhaps orders
  bool is_settled_ = false;    // the log has a loss that was settled
  OrderNumber doubt_end_ = 0;  // reports of orders below this number may be missing
  std::unordered_map<OrderNumber, OrderIndex> restored_;  // some are forgotten; until attach()
};

// A venue whose rules decide on Logons, too. It is a class of its own, because an engine does not
// answer an invalid Logon if its application has on_logon_request().
class VenueWithRules : public Venue {
 public:
  using Venue::Venue;
  std::optional<engine::LogonAnswer> on_logon_request(engine::Session& session,
                                                      const engine::LogonRequest& request) {
    return answer_logon(session, request);
  }
};

}  // namespace nexusfix::venue
