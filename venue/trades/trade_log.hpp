// The last trades of the venue: one record for each side of each.
#pragma once

#include <cstdint>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>

#include "venue/book/order_book.hpp"

namespace nexusfix::venue {

struct TradeRecord {
  Owner owner = 0;
  BookSide side = BookSide::Buy;
  std::uint64_t order_id = 0;
  std::uint64_t exec_id = 0;
  Units quantity = 0;
  Units price = 0;
  WallTime time{};
  ClOrdIdText cl_ord_id{};
  FixedText<kSymbolBytesMax> symbol{};
};

// One thread at a time.
class TradeLog {
 public:
  static constexpr std::size_t kRecordsMax = 10'000;

  TradeLog() { records_.reserve(kRecordsMax); }
  // The oldest record is forgotten if there are kRecordsMax. Allocates nothing.
  void add(const TradeRecord& record) noexcept;
  // Oldest first.
  void visit(FunctionRef<void(const TradeRecord&)> visit) const;

 private:
  std::vector<TradeRecord> records_;
  std::size_t oldest_ = 0;
};

}  // namespace nexusfix::venue
