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

  // Answers a MarketDataRequest. snapshot_fields: more fields of the snapshot.
  void request(engine::Session& session, const wire::MessageView& request,
               const std::string& snapshot_fields);
  // The book of a symbol may have changed: subscribers get the difference.
  void changed(std::string_view symbol);
  // Ends the subscriptions of a session.
  void leave(const engine::Session& session);

 private:
  struct Subscription {
    engine::Session* session = nullptr;
    std::string id{};  // MDReqID
    std::string symbol{};
    Levels bids{};  // as the subscriber has them
    Levels offers{};
  };
  struct Change {
    char action = '0';  // MDUpdateAction (279)
    char type = '0';    // MDEntryType (269)
    Decimal price{};
    Decimal quantity{};
  };

  void send_snapshot(const Subscription& to, const std::string& more);
  static void send_changes(const Subscription& to, const std::vector<Change>& changes);
  static void compare(const Levels& before, const Levels& now, char type,
                      std::vector<Change>& changes);

  const Market& market_;
  std::vector<Subscription> subscriptions_;
  std::uint64_t updates_ = 0;
};

}  // namespace nexusfix::venues
