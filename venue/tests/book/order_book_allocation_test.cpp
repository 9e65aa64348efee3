// A program of its own, because it counts every allocation of the process.
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "support/counted_new.hpp"
#include "venue/book/order_book.hpp"

namespace nexusfix::venue {
namespace {

using nexusfix::test::allocations;

TEST(OrderBookAllocation, ten_thousand_orders_of_a_known_symbol_allocate_nothing) {
  constexpr std::size_t kOrders = 10'000;
  OrderBook book{{.orders = kOrders + 1, .hash_seed = 1}};
  std::vector<std::string> ids;
  for (std::size_t i = 0; i <= kOrders; ++i) ids.push_back("ORDER-" + std::to_string(i));
  std::uint64_t reports = 0;
  const auto sink = [&](const Execution&) { ++reports; };
  const auto submit = [&](std::size_t i) {
    const Units price = static_cast<Units>(100 + i % 500) * kUnitsPerOne;
    return book.submit({.owner = 0,
                        .cl_ord_id = ids[i],
                        .symbol = "AAPL",
                        .side = i % 3 == 0 ? BookSide::Sell : BookSide::Buy,
                        .kind = OrderKind::Limit,
                        .lifetime = i % 7 == 0 ? Lifetime::ImmediateOrCancel : Lifetime::Day,
                        .quantity = static_cast<Units>(1 + i % 9) * kUnitsPerOne,
                        .price = price},
                       sink);
  };
  ASSERT_EQ(submit(0), Refusal::None);  // makes the symbol's book
  const std::size_t before = allocations;
  for (std::size_t i = 1; i <= kOrders; ++i) {
    if (submit(i) != Refusal::None) break;
  }
  EXPECT_EQ(allocations - before, 0U);
  EXPECT_EQ(book.order_count(), kOrders + 1);
  EXPECT_GT(reports, kOrders + 1000) << "most orders should have traded";
}

// The memory of the book is bounded by the open orders, whatever has passed through it.
TEST(OrderBookAllocation, orders_that_are_closed_leave_memory_for_others) {
  OrderBook book{{.orders = 1'000, .hash_seed = 1, .former_ids = 500}};
  const auto trade = [&](int from, int to) {
    std::array<char, 16> id;
    for (int i = from; i < to; ++i) {
      const auto end = std::to_chars(id.data(), id.data() + id.size(), i).ptr;
      const Refusal refusal =
          book.submit({.owner = 0,
                       .cl_ord_id = {id.data(), static_cast<std::size_t>(end - id.data())},
                       .symbol = "AAPL",
                       .side = i % 2 == 0 ? BookSide::Sell : BookSide::Buy,
                       .kind = OrderKind::Limit,
                       .lifetime = Lifetime::Day,
                       .quantity = kUnitsPerOne,
                       .price = 10 * kUnitsPerOne},
                      [](const Execution&) {});
      ASSERT_EQ(refusal, Refusal::None);
    }
  };
  trade(0, 1'000);
  const std::size_t before = allocations;
  trade(1'000, 200'000);
  EXPECT_EQ(allocations - before, 0U);
}

TEST(OrderBookAllocation, counter_counts) {
  const std::size_t before = allocations;
  const std::vector<int> memory(100);
  EXPECT_EQ(memory.size(), 100U);
  EXPECT_EQ(allocations - before, 1U);
}

}  // namespace
}  // namespace nexusfix::venue
