// The parts of market data and trade capture that need no session.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <vector>

#include "venue/market/market_data.hpp"
#include "venue/trades/trade_log.hpp"

namespace nexusfix::venue {
namespace {

using Levels = std::vector<MarketEntry>;

TEST(MarketDataChanges, name_what_is_gone_new_and_changed) {
  const Levels before{{'0', 10, 5, 1}, {'0', 9, 5, 1}, {'1', 11, 5, 1}};
  const Levels after{{'0', 10, 7, 2}, {'1', 11, 5, 1}, {'1', 12, 1, 1}};
  EXPECT_EQ(changes_of(before, after),
            (std::vector<MarketChange>{
                {'2', {'0', 9, 5, 1}}, {'1', {'0', 10, 7, 2}}, {'0', {'1', 12, 1, 1}}}));
}

TEST(MarketDataChanges, same_book_has_none) {
  const Levels levels{{'0', 10, 5, 1}};
  EXPECT_TRUE(changes_of(levels, levels).empty());
}

// A counterparty that applies the changes has the new book.
RC_GTEST_PROP(MarketDataChanges, lead_from_any_book_to_any_other, ()) {
  const auto book = [] {
    Levels levels;
    for (const auto& [price, quantity] :
         *rc::gen::arbitrary<std::map<std::uint8_t, std::uint8_t>>()) {
      levels.push_back({price % 2 == 0 ? '0' : '1', price, quantity + 1, 1});
    }
    return levels;
  };
  const Levels before = book();
  const Levels after = book();
  Levels applied = before;
  for (const MarketChange& change : changes_of(before, after)) {
    const auto at = std::ranges::find_if(applied, [&](const MarketEntry& one) {
      return one.type == change.entry.type && one.price == change.entry.price;
    });
    RC_ASSERT((at == applied.end()) == (change.action == '0'));
    if (change.action == '0') applied.push_back(change.entry);
    if (change.action == '1') *at = change.entry;
    if (change.action == '2') applied.erase(at);
  }
  const auto by_price = [](const MarketEntry& one, const MarketEntry& other) {
    return one.price < other.price;
  };
  Levels wanted = after;
  std::ranges::sort(applied, by_price);
  std::ranges::sort(wanted, by_price);
  RC_ASSERT(applied == wanted);
}

TEST(TradeLog, forgets_the_oldest_when_it_is_full) {
  TradeLog log;
  for (std::uint64_t i = 0; i < TradeLog::kRecordsMax + 3; ++i) log.add({.exec_id = i});
  std::vector<std::uint64_t> seen;
  log.visit([&](const TradeRecord& trade) { seen.push_back(trade.exec_id); });
  ASSERT_EQ(seen.size(), TradeLog::kRecordsMax);
  EXPECT_EQ(seen.front(), 3U);
  EXPECT_EQ(seen.back(), TradeLog::kRecordsMax + 2);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
}

}  // namespace
}  // namespace nexusfix::venue
