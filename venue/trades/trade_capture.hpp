// TradeCaptureReportRequest (AD): answered by TradeCaptureReportRequestAck (AQ), and a
// TradeCaptureReport (AE) for each of the session's trades; on request also for later ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "venue/exchange.hpp"
#include "venue/trades/trade_log.hpp"

namespace nexusfix::venue {

class TradeCapture final : public ExecutionListener {
 public:
  // The exchange must outlive it.
  explicit TradeCapture(Exchange& exchange) noexcept : exchange_{exchange} {}

  [[nodiscard]] engine::MessageReply request(engine::Session& session,
                                             const wire::MessageView& message);
  void on_disconnect(const engine::Session& session);
  void on_execution(const Execution& execution) override;
  // A trade that the journal has.
  void restore(const TradeRecord& record) noexcept { trades_.add(record); }

 private:
  // Empty texts: of each.
  struct Filter {
    std::string request_id{};
    std::string symbol{};
    std::string cl_ord_id{};
    [[nodiscard]] bool fits(const TradeRecord& trade) const noexcept;
  };
  struct Subscription {
    engine::Session* session = nullptr;
    Filter filter{};
  };
  void send_report(engine::Session& session, std::string_view request_id, const TradeRecord& trade);

  Exchange& exchange_;
  TradeLog trades_;
  std::vector<Subscription> subscriptions_;
};

}  // namespace nexusfix::venue
