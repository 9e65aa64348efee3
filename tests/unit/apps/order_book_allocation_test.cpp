// A program of its own, because it counts every allocation of the process.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>
#include <string>
#include <vector>

#include "venue/order_book.hpp"

namespace {

std::size_t allocations = 0;

// The pools of std::pmr ask for aligned memory: both forms count.
void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (size / alignment + 1) * alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded)) return memory;
  throw std::bad_alloc{};
}

}  // namespace

void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace nexusfix::venue {
namespace {

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

TEST(OrderBookAllocation, counter_counts) {
  const std::size_t before = allocations;
  const std::vector<int> memory(100);
  EXPECT_EQ(memory.size(), 100U);
  EXPECT_EQ(allocations - before, 1U);
}

}  // namespace
}  // namespace nexusfix::venue
