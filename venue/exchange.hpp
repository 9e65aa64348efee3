// What the parts of the venue share: the book, the sessions, the reports and the rules.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine.hpp>

#include "venue/book/order_book.hpp"
#include "venue/book/order_ids.hpp"
#include "venue/orders/legs.hpp"
#include "venue/orders/report_writer.hpp"
#include "venue/parties.hpp"
#include "venue/rules/rules.hpp"

namespace nexusfix::venue {

// Gets each execution after it was reported.
class ExecutionListener {
 public:
  virtual void on_execution(const Execution& execution) = 0;

 protected:
  ~ExecutionListener() = default;
};

// The thread of the event loop.
class Exchange {
 public:
  // random must outlive it.
  Exchange(BookCapacity capacity, Random& random);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  OrderBook book;
  Parties parties;
  OrderIds order_ids;
  Legs legs;
  ReportWriter reports;
  Random& random;
  engine::Engine* engine = nullptr;  // null before attach()
  std::vector<ExecutionListener*> listeners;

  [[nodiscard]] const Rules& rules() const noexcept { return *rules_; }
  [[nodiscard]] std::shared_ptr<const Rules> share_rules() const noexcept { return rules_; }
  void set_rules(std::shared_ptr<const Rules> rules);

  // change(sink) changes the book, and each execution is reported. cancel_text: of orders that it
  // cancels without a request. An exception in it stops the venue: the engine rolls back the
  // reports of the callback, so that the book no longer agrees with the store.
  template <class Change>
  decltype(auto) change(Change change, std::string_view cancel_text = {}) {
    try {
      return change([&](const Execution& execution) {
        reports.report(execution, cancel_text);
        if (execution.kind == ExecutionKind::Trade) {
          set_last_price(book.symbol(book.order(execution.order)), execution.last_price);
        }
        for (ExecutionListener* const one : listeners) one->on_execution(execution);
        if (book.order(execution.order).is_multileg) report_legs(execution);
      });
    } catch (const std::exception& error) {
      fail(error.what());
      throw;
    } catch (...) {
      fail("an exception that is no std::exception");
      throw;
    }
  }

  // Why the venue has stopped the engine: the book is no longer correct. Empty: no failure.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  void set_failure(std::string text) { failure_ = std::move(text); }
  // Memory for a failure when there is no memory.
  void reserve_failure();

  // The answer to a request whose reports the engine would not take now, so that the book must not
  // change. Nothing: it would take them. A session whose sequence numbers are about to be reset
  // takes no message until it has ended.
  [[nodiscard]] std::optional<engine::MessageReply> refuse_unreportable(
      const engine::Session& session) const;
  // Also those of the orders with which this one would trade.
  [[nodiscard]] std::optional<engine::MessageReply> refuse_unreportable(
      const engine::Session& session, const NewOrder& order) const;
  // Whether reports of this order would be taken now.
  [[nodiscard]] bool can_report(OrderIndex index) const noexcept;
  // The price of the last trade of a symbol, or that of its instrument.
  [[nodiscard]] std::optional<Units> last_price(std::string_view symbol) const;
  void set_last_price(std::string_view symbol, Units price);

 private:
  void fail(const char* cause) noexcept;
  // After the report of the strategy and the listeners: one for each leg, if it has traded.
  void report_legs(const Execution& execution);

  std::shared_ptr<const Rules> rules_ = std::make_shared<const Rules>();
  std::map<std::string, Units, std::less<>> last_prices_;
  std::string failure_;
};

}  // namespace nexusfix::venue
