#include "venue/trades/trade_log.hpp"

namespace nexusfix::venue {

void TradeLog::add(const TradeRecord& record) noexcept {
  if (records_.size() < kRecordsMax) {
    records_.push_back(record);
    return;
  }
  records_[oldest_] = record;
  oldest_ = (oldest_ + 1) % kRecordsMax;
}

void TradeLog::visit(FunctionRef<void(const TradeRecord&)> visit) const {
  for (std::size_t i = 0; i < records_.size(); ++i) {
    visit(records_[(oldest_ + i) % records_.size()]);
  }
}

}  // namespace nexusfix::venue
