// Market data of a simulated venue: a snapshot for each MarketDataRequest (V), then each change.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/engine.hpp>

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
    Levels bids{};          // as the subscriber has them
    Levels offers{};
  };
  struct Change {
    char action = '0';  // MDUpdateAction (279)
    char type = '0';    // MDEntryType (269)
    Decimal price{};
    Decimal quantity{};
  };

  [[nodiscard]] Levels levels_for(const Subscription& to, venue::BookSide side) const;
  void send_snapshot(const Subscription& to);
  void send_changes(const Subscription& to, const std::vector<Change>& changes) const;
  static void compare(const Levels& before, const Levels& now, char type,
                      std::vector<Change>& changes);

  const Market& market_;
  std::vector<Subscription> subscriptions_;
  std::uint64_t updates_ = 0;
};

}  // namespace nexusfix::venues
