// Market data of a simulated venue: a snapshot for each MarketDataRequest (V),
// then each change, by price level or by order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/engine.hpp>

#include "venues/kit/kit.hpp"
#include "venues/simulate/market.hpp"

namespace nexusfix::venues {

class MarketFeed {
 public:
  // market must outlive it.
  explicit MarketFeed(const Market& market) : market_{market} {}

  // Answers a MarketDataRequest. form: must outlive the subscription.
  void request(engine::Session& session, const wire::MessageView& request, const FeedForm& form);
  // The book of a symbol may have changed: subscribers get the difference.
  void changed(std::string_view symbol);
  // Ends the subscriptions of a session.
  void leave(const engine::Session& session);

 private:
  struct Subscription {
    engine::Session* session = nullptr;
    std::string id{};  // MDReqID
    std::string symbol{};
    const FeedForm* form = nullptr;
    std::size_t depth = 0;  // MarketDepth (264); 0: the whole book
  };
  // What subscribers have of a symbol.
  struct Book {
    RestingOrders bids{};
    RestingOrders offers{};
    std::uint64_t rpt_seq = 0;  // RptSeq (83) of the last change of an order
  };
  struct Change {
    char action = '0';  // MDUpdateAction (279)
    char type = '0';    // MDEntryType (269)
    RestingOrder entry{};
    bool is_traded = false;  // a trade changed it, not its owner
  };

  static void compare(const RestingOrders& before, const RestingOrders& now, char type,
                      std::vector<Change>& changes);
  [[nodiscard]] Book& book_of(std::string_view symbol);
  [[nodiscard]] bool has_subscribed(const engine::Session& session, std::string_view symbol) const;
  void unsubscribe(const engine::Session& session, const wire::MessageView& request,
                   const FeedForm& form);
  void send_snapshot(const Subscription& to, const Book& book);
  // The changes of a book as a subscriber sees it.
  [[nodiscard]] static std::vector<Change> changes_for(const Subscription& to, const Book& before,
                                                       const Book& now);
  void send_levels(const Subscription& to, const std::vector<Change>& changes) const;
  void send_order(const Subscription& to, const Change& change, std::uint64_t rpt_seq) const;

  const Market& market_;
  std::map<std::string, Book, std::less<>> books_;
  std::vector<Subscription> subscriptions_;
  std::uint64_t updates_ = 0;
};

}  // namespace nexusfix::venues
