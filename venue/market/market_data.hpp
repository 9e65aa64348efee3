// Market data: MarketDataRequest (V) is answered by snapshots (W), and then by updates: X, or W for
// those who want the whole book each time. A subscription ends with its connection.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "venue/exchange.hpp"

namespace nexusfix::venue {

// One line of a book: a price level, or a trade.
struct MarketEntry {
  char type = '0';  // MDEntryType: 0 bid, 1 offer, 2 trade
  Units price = 0;
  Units quantity = 0;
  std::size_t orders = 0;  // 0: not sent

  friend bool operator==(const MarketEntry&, const MarketEntry&) = default;
};

struct MarketChange {
  char action = '0';  // MDUpdateAction: 0 new, 1 change, 2 delete
  MarketEntry entry{};

  friend bool operator==(const MarketChange&, const MarketChange&) = default;
};

// What leads from one state of the levels to another, in the order of types and prices of the new
// one; the levels that are gone come first. Neither has trades.
[[nodiscard]] std::vector<MarketChange> changes_of(const std::vector<MarketEntry>& before,
                                                   const std::vector<MarketEntry>& after);

class MarketData final : public ExecutionListener {
 public:
  // The exchange must outlive it.
  explicit MarketData(Exchange& exchange) noexcept : exchange_{exchange} {}

  // MarketDataRequest.
  [[nodiscard]] engine::MessageReply request(engine::Session& session,
                                             const wire::MessageView& message);
  // MarketDataRequestReject (Y) by a rule; reason: MDReqRejReason (281).
  void reject(engine::Session& session, std::string_view md_req_id, unsigned reason,
              std::string_view text);
  void on_disconnect(const engine::Session& session);
  void on_execution(const Execution& execution) override;

 private:
  struct Watched {
    std::string symbol;
    std::vector<MarketEntry> levels{};  // as they were sent last
    std::vector<MarketEntry> trades{};  // that were not sent yet
  };
  struct Subscription {
    std::uint64_t number = 0;
    engine::Session* session = nullptr;
    std::string md_req_id{};
    bool has_bids = false;
    bool has_offers = false;
    bool has_trades = false;
    bool is_whole_each_time = false;  // MDUpdateType 0
    unsigned depth = 0;               // 0: all levels
    bool is_scheduled = false;
    std::vector<Watched> symbols{};
  };
  // Why a request is not possible: reason and text of the reject.
  struct Refused {
    unsigned reason = 0;
    std::string text{};
  };
  [[nodiscard]] std::optional<Refused> read(const wire::MessageView& message,
                                            Subscription& subscription) const;
  [[nodiscard]] std::vector<MarketEntry> levels_of(const Subscription& subscription,
                                                   std::string_view symbol) const;
  void send_snapshot(const Subscription& subscription, const Watched& watched);
  void send_changes(const Subscription& subscription, const Watched& watched,
                    const std::vector<MarketChange>& changes);
  void schedule(Subscription& subscription);
  void publish(std::uint64_t number);

  Exchange& exchange_;
  std::vector<Subscription> subscriptions_;
  std::uint64_t last_number_ = 0;
  std::map<std::string, MarketEntry, std::less<>> last_trades_;
};

}  // namespace nexusfix::venue
