#include "venue/book/order_book.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace nexusfix::venue {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Units operator""_u(unsigned long long whole) {
  return static_cast<Units>(whole) * kUnitsPerOne;
}

// The reports of a book as short texts: "A1 new", "A1 100@10", "A1 canceled".
class OrderBookTest : public ::testing::Test {
 protected:
  static NewOrder limit(std::string_view id, BookSide side, Units quantity, Units price,
                        Owner owner = 0) {
    return {.owner = owner,
            .cl_ord_id = id,
            .symbol = "AAPL",
            .side = side,
            .kind = OrderKind::Limit,
            .lifetime = Lifetime::Day,
            .quantity = quantity,
            .price = price};
  }

  auto sink() {
    return [this](const Execution& execution) { reports_.push_back(describe(execution)); };
  }

  std::string describe(const Execution& execution) {
    const Order& order = book_.order(execution.order);
    const std::string id{book_.cl_ord_id(order)};
    switch (execution.kind) {
      case ExecutionKind::New:
        return id + " new";
      case ExecutionKind::Canceled:
        return id + " canceled";
      case ExecutionKind::Replaced:
        return id + " replaced";
      case ExecutionKind::Trade:
        break;
    }
    return id + " " + std::to_string(execution.last_quantity / kUnitsPerOne) + "@" +
           std::to_string(execution.last_price / kUnitsPerOne);
  }

  std::vector<std::string> submit(const NewOrder& order) {
    reports_.clear();
    EXPECT_EQ(book_.submit(order, sink()), Refusal::None);
    return reports_;
  }

  std::vector<std::string> resting(BookSide side) {
    std::vector<std::string> ids;
    book_.visit_resting("AAPL", side, [&](OrderIndex index) {
      ids.emplace_back(book_.cl_ord_id(book_.order(index)));
    });
    return ids;
  }

  OrderBook book_{{.orders = 16, .hash_seed = 7}};
  std::vector<std::string> reports_;
};

TEST_F(OrderBookTest, order_without_a_match_rests) {
  EXPECT_THAT(submit(limit("B1", BookSide::Buy, 100_u, 10_u)), ElementsAre("B1 new"));
  EXPECT_THAT(resting(BookSide::Buy), ElementsAre("B1"));
}

TEST_F(OrderBookTest, trade_is_at_the_price_of_the_resting_order_and_reported_to_it_first) {
  submit(limit("S1", BookSide::Sell, 100_u, 10_u));
  EXPECT_THAT(submit(limit("B1", BookSide::Buy, 100_u, 12_u)),
              ElementsAre("B1 new", "S1 100@10", "B1 100@10"));
  EXPECT_THAT(resting(BookSide::Buy), IsEmpty());
  EXPECT_THAT(resting(BookSide::Sell), IsEmpty());
}

TEST_F(OrderBookTest, orders_whose_prices_do_not_cross_do_not_trade) {
  submit(limit("S1", BookSide::Sell, 100_u, 11_u));
  EXPECT_THAT(submit(limit("B1", BookSide::Buy, 100_u, 10_u)), ElementsAre("B1 new"));
}

TEST_F(OrderBookTest, better_price_goes_first_and_older_order_at_the_same_price) {
  submit(limit("S1", BookSide::Sell, 10_u, 11_u));
  submit(limit("S2", BookSide::Sell, 10_u, 10_u));
  submit(limit("S3", BookSide::Sell, 10_u, 10_u));
  EXPECT_THAT(resting(BookSide::Sell), ElementsAre("S2", "S3", "S1"));
  EXPECT_THAT(submit(limit("B1", BookSide::Buy, 30_u, 11_u)),
              ElementsAre("B1 new", "S2 10@10", "B1 10@10", "S3 10@10", "B1 10@10", "S1 10@11",
                          "B1 10@11"));
}

TEST_F(OrderBookTest, best_bid_is_the_highest) {
  submit(limit("B1", BookSide::Buy, 10_u, 9_u));
  submit(limit("B2", BookSide::Buy, 10_u, 10_u));
  EXPECT_THAT(resting(BookSide::Buy), ElementsAre("B2", "B1"));
}

TEST_F(OrderBookTest, partial_fill_leaves_the_rest_on_the_book) {
  submit(limit("S1", BookSide::Sell, 30_u, 10_u));
  submit(limit("B1", BookSide::Buy, 100_u, 10_u));
  const Order& buy = book_.order(*book_.find(0, "B1"));
  EXPECT_EQ(buy.state, OrderState::PartiallyFilled);
  EXPECT_EQ(buy.leaves(), 70_u);
  EXPECT_EQ(buy.cum, 30_u);
  EXPECT_THAT(resting(BookSide::Buy), ElementsAre("B1"));
}

TEST_F(OrderBookTest, immediate_or_cancel_order_never_rests) {
  submit(limit("S1", BookSide::Sell, 30_u, 10_u));
  NewOrder order = limit("B1", BookSide::Buy, 100_u, 10_u);
  order.lifetime = Lifetime::ImmediateOrCancel;
  EXPECT_THAT(submit(order), ElementsAre("B1 new", "S1 30@10", "B1 30@10", "B1 canceled"));
  EXPECT_THAT(resting(BookSide::Buy), IsEmpty());
  EXPECT_EQ(book_.order(*book_.find(0, "B1")).leaves(), 0);
}

TEST_F(OrderBookTest, market_order_takes_any_price_and_never_rests) {
  submit(limit("S1", BookSide::Sell, 10_u, 10_u));
  submit(limit("S2", BookSide::Sell, 10_u, 99_u));
  NewOrder order = limit("B1", BookSide::Buy, 30_u, 0);
  order.kind = OrderKind::Market;
  EXPECT_THAT(submit(order),
              ElementsAre("B1 new", "S1 10@10", "B1 10@10", "S2 10@99", "B1 10@99", "B1 canceled"));
}

TEST_F(OrderBookTest, market_sell_takes_negative_bids) {
  submit(limit("B1", BookSide::Buy, 10_u, -5_u));
  NewOrder order = limit("S1", BookSide::Sell, 10_u, 0);
  order.kind = OrderKind::Market;
  EXPECT_THAT(submit(order), ElementsAre("S1 new", "B1 10@-5", "S1 10@-5"));
}

TEST_F(OrderBookTest, orders_of_different_symbols_do_not_match) {
  submit(limit("S1", BookSide::Sell, 10_u, 10_u));
  NewOrder order = limit("B1", BookSide::Buy, 10_u, 10_u);
  order.symbol = "MSFT";
  EXPECT_THAT(submit(order), ElementsAre("B1 new"));
}

TEST_F(OrderBookTest, cancel_removes_the_order_and_names_it_by_the_request) {
  submit(limit("B1", BookSide::Buy, 10_u, 10_u));
  submit(limit("B2", BookSide::Buy, 10_u, 10_u));
  submit(limit("B3", BookSide::Buy, 10_u, 10_u));
  reports_.clear();
  EXPECT_EQ(book_.cancel({0, "C1", "B2"}, sink()), Refusal::None);
  EXPECT_THAT(reports_, ElementsAre("C1 canceled"));
  EXPECT_THAT(resting(BookSide::Buy), ElementsAre("B1", "B3"));
  EXPECT_EQ(book_.cancel({0, "C2", "C1"}, sink()), Refusal::OrderClosed);
}

TEST_F(OrderBookTest, order_of_another_owner_cannot_be_canceled) {
  submit(limit("B1", BookSide::Buy, 10_u, 10_u, 1));
  EXPECT_EQ(book_.cancel({2, "C1", "B1"}, sink()), Refusal::UnknownOrder);
}

TEST_F(OrderBookTest, cl_ord_id_is_unique_for_each_owner_forever) {
  submit(limit("X", BookSide::Buy, 10_u, 10_u, 1));
  EXPECT_EQ(book_.submit(limit("X", BookSide::Buy, 10_u, 10_u, 1), sink()),
            Refusal::DuplicateClOrdId);
  EXPECT_EQ(book_.submit(limit("X", BookSide::Buy, 10_u, 10_u, 2), sink()), Refusal::None);
  EXPECT_EQ(book_.cancel({1, "C1", "X"}, sink()), Refusal::None);
  EXPECT_EQ(book_.submit(limit("X", BookSide::Buy, 10_u, 10_u, 1), sink()),
            Refusal::DuplicateClOrdId);
  EXPECT_EQ(book_.submit(limit("C1", BookSide::Buy, 10_u, 10_u, 1), sink()),
            Refusal::DuplicateClOrdId);
}

TEST_F(OrderBookTest, bad_requests_are_refused_and_change_nothing) {
  EXPECT_EQ(book_.submit(limit("Z", BookSide::Buy, 0, 10_u), sink()), Refusal::QuantityNotPositive);
  EXPECT_EQ(book_.submit(limit("Z", BookSide::Buy, -1_u, 10_u), sink()),
            Refusal::QuantityNotPositive);
  const std::string longest(64, 'i');
  const std::string too_long(65, 'i');
  EXPECT_EQ(book_.submit(limit(too_long, BookSide::Buy, 1_u, 10_u), sink()),
            Refusal::ClOrdIdTooLong);
  NewOrder order = limit("Z", BookSide::Buy, 1_u, 10_u);
  order.symbol = too_long;
  EXPECT_EQ(book_.submit(order, sink()), Refusal::SymbolTooLong);
  EXPECT_EQ(book_.order_count(), 0U);
  EXPECT_THAT(reports_, IsEmpty());
  EXPECT_THAT(submit(limit(longest, BookSide::Buy, 1_u, 10_u)), ElementsAre(longest + " new"));
}

TEST_F(OrderBookTest, replacement_with_less_quantity_keeps_its_place) {
  submit(limit("B1", BookSide::Buy, 10_u, 10_u));
  submit(limit("B2", BookSide::Buy, 10_u, 10_u));
  EXPECT_EQ(book_.replace({0, "R1", "B1", 5_u, 10_u}, sink()), Refusal::None);
  EXPECT_THAT(resting(BookSide::Buy), ElementsAre("R1", "B2"));
}

TEST_F(OrderBookTest, replacement_that_changes_nothing_keeps_its_place) {
  submit(limit("B1", BookSide::Buy, 10_u, 10_u));
  submit(limit("B2", BookSide::Buy, 10_u, 10_u));
  EXPECT_EQ(book_.replace({0, "R1", "B1", 10_u, 10_u}, sink()), Refusal::None);
  EXPECT_THAT(resting(BookSide::Buy), ElementsAre("R1", "B2"));
}

TEST_F(OrderBookTest, average_price_weighs_each_fill_by_its_quantity) {
  submit(limit("S1", BookSide::Sell, 30_u, 10_u));
  submit(limit("S2", BookSide::Sell, 10_u, 14_u));
  submit(limit("B1", BookSide::Buy, 40_u, 14_u));
  const Order& buy = book_.order(*book_.find(0, "B1"));
  EXPECT_EQ(average_price(buy.notional, buy.cum), 11_u);
}

TEST_F(OrderBookTest, replacement_with_more_quantity_goes_to_the_end) {
  submit(limit("B1", BookSide::Buy, 10_u, 10_u));
  submit(limit("B2", BookSide::Buy, 10_u, 10_u));
  EXPECT_EQ(book_.replace({0, "R1", "B1", 11_u, 10_u}, sink()), Refusal::None);
  EXPECT_THAT(resting(BookSide::Buy), ElementsAre("B2", "R1"));
}

TEST_F(OrderBookTest, replacement_that_crosses_trades_at_once) {
  submit(limit("S1", BookSide::Sell, 10_u, 12_u));
  submit(limit("B1", BookSide::Buy, 10_u, 10_u));
  reports_.clear();
  EXPECT_EQ(book_.replace({0, "R1", "B1", 10_u, 12_u}, sink()), Refusal::None);
  EXPECT_THAT(reports_, ElementsAre("R1 replaced", "S1 10@12", "R1 10@12"));
}

TEST_F(OrderBookTest, replacement_must_ask_for_more_than_is_filled) {
  submit(limit("B1", BookSide::Buy, 10_u, 10_u));
  submit(limit("S1", BookSide::Sell, 4_u, 10_u));
  EXPECT_EQ(book_.replace({0, "R1", "B1", 4_u, 10_u}, sink()), Refusal::QuantityNotAboveCum);
  EXPECT_EQ(book_.replace({0, "R1", "B1", 5_u, 10_u}, sink()), Refusal::None);
  EXPECT_EQ(book_.order(*book_.find(0, "R1")).leaves(), 1_u);
}

TEST_F(OrderBookTest, restoring_an_impossible_execution_fails) {
  EXPECT_FALSE(book_.restore_trade(0, 1_u, 10_u));
  EXPECT_FALSE(book_.restore_new(1, limit("B1", BookSide::Buy, 10_u, 10_u)));
  ASSERT_TRUE(book_.restore_new(0, limit("B1", BookSide::Buy, 10_u, 10_u)));
  EXPECT_FALSE(book_.restore_new(1, limit("B1", BookSide::Buy, 10_u, 10_u)));
  EXPECT_FALSE(book_.restore_trade(0, 11_u, 10_u));
  EXPECT_FALSE(book_.restore_trade(0, 0, 10_u));
  ASSERT_TRUE(book_.restore_trade(0, 10_u, 10_u));
  EXPECT_FALSE(book_.restore_canceled(0, {}));
  EXPECT_FALSE(book_.restore_replaced(0, {0, "R1", "B1", 20_u, 10_u}));
}

TEST(UnitsTest, values_beyond_eight_decimals_or_the_range_are_refused) {
  EXPECT_EQ(to_units(Decimal{15025, 2}), 15'025'000'000);
  EXPECT_EQ(to_units(Decimal{1, 8}), 1);
  EXPECT_EQ(to_units(Decimal{1, 9}), std::nullopt);
  EXPECT_EQ(to_units(Decimal{10, 9}), 1);
  EXPECT_EQ(to_units(Decimal{92'233'720'368, 0}), 9'223'372'036'800'000'000);
  EXPECT_EQ(to_units(Decimal{92'233'720'369, 0}), std::nullopt);
  EXPECT_EQ(to_units(Decimal{-92'233'720'369, 0}), std::nullopt);
}

TEST(UnitsTest, decimals_are_written_without_trailing_zeros) {
  EXPECT_EQ(to_decimal(100 * kUnitsPerOne).scale(), 0U);
  EXPECT_EQ(to_decimal(15'025'000'000).mantissa(), 15025);
  EXPECT_EQ(to_decimal(15'025'000'000).scale(), 2U);
  EXPECT_EQ(to_decimal(-1).mantissa(), -1);
  EXPECT_EQ(to_decimal(-1).scale(), 8U);
  EXPECT_TRUE(to_decimal(0).is_zero());
}

TEST(UnitsTest, average_price_is_rounded_to_the_nearest_unit) {
  EXPECT_EQ(average_price(0, 0), 0);
  EXPECT_EQ(average_price(10, 3), 3);
  EXPECT_EQ(average_price(11, 3), 4);
  EXPECT_EQ(average_price(-11, 3), -4);
  EXPECT_EQ(average_price(5, 2), 3);
  EXPECT_EQ(average_price(-5, 2), -3);
}

// A book that remembers three ClOrdIDs that are no longer those of open orders.
class ForgettingBookTest : public ::testing::Test {
 protected:
  Refusal submit(std::string_view id, BookSide side, Units quantity) {
    return book_.submit({.owner = 0,
                         .cl_ord_id = id,
                         .symbol = "AAPL",
                         .side = side,
                         .kind = OrderKind::Limit,
                         .lifetime = Lifetime::Day,
                         .quantity = quantity,
                         .price = 10_u},
                        sink_);
  }
  Refusal cancel(std::string_view id, std::string_view orig) {
    return book_.cancel({0, id, orig}, sink_);
  }

  static constexpr auto kIgnore = [](const Execution&) {};
  OrderBook::Sink sink_{kIgnore};
  OrderBook book_{{.orders = 8, .hash_seed = 1, .former_ids = 3}};
};

TEST_F(ForgettingBookTest, closed_order_is_remembered_until_others_are_closed) {
  ASSERT_EQ(submit("A", BookSide::Buy, 10_u), Refusal::None);
  ASSERT_EQ(submit("OPEN", BookSide::Buy, 10_u), Refusal::None);
  ASSERT_EQ(submit("B", BookSide::Sell, 10_u), Refusal::None);  // fills A
  EXPECT_EQ(cancel("C1", "A"), Refusal::OrderClosed);
  EXPECT_EQ(cancel("C1", "B"), Refusal::OrderClosed);
  EXPECT_EQ(submit("A", BookSide::Buy, 10_u), Refusal::DuplicateClOrdId);
  EXPECT_FALSE(book_.has_forgotten());

  ASSERT_EQ(submit("C", BookSide::Buy, 10_u), Refusal::None);
  ASSERT_EQ(cancel("C1", "C"), Refusal::None);  // C and C1: A is forgotten
  EXPECT_TRUE(book_.has_forgotten());
  EXPECT_EQ(cancel("C2", "A"), Refusal::UnknownOrder);
  EXPECT_EQ(cancel("C2", "B"), Refusal::OrderClosed);
  EXPECT_EQ(cancel("C2", "C"), Refusal::OrderClosed);
  EXPECT_EQ(cancel("C2", "C1"), Refusal::OrderClosed);
  EXPECT_EQ(book_.order_count(), 4U);
  EXPECT_EQ(book_.order(*book_.find(0, "OPEN")).leaves(), 10_u);
}

TEST_F(ForgettingBookTest, open_order_is_found_however_often_it_is_replaced) {
  ASSERT_EQ(submit("0", BookSide::Buy, 10_u), Refusal::None);
  for (int i = 0; i < 1'000; ++i) {
    const std::string id = std::to_string(i + 1);
    ASSERT_EQ(book_.replace({0, id, std::to_string(i), 10_u + i, 10_u}, sink_), Refusal::None);
  }
  EXPECT_EQ(book_.order(*book_.find(0, "1000")).number, 0U);
  EXPECT_TRUE(book_.find(0, "998"));
  EXPECT_FALSE(book_.find(0, "996"));
  EXPECT_EQ(cancel("END", "1000"), Refusal::None);
}

TEST_F(ForgettingBookTest, number_of_orders_in_memory_does_not_grow) {
  ASSERT_EQ(submit("OPEN", BookSide::Buy, 1_u), Refusal::None);
  std::size_t most = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string id = std::to_string(i);
    ASSERT_EQ(submit("B" + id, BookSide::Buy, 10_u), Refusal::None);
    ASSERT_EQ(cancel("C" + id, "B" + id), Refusal::None);
    std::size_t orders = 0;
    book_.visit_orders([&](OrderIndex) { ++orders; });
    most = std::max(most, orders);
  }
  EXPECT_LE(most, 4U);
  EXPECT_EQ(book_.order_count(), 10'001U);
  EXPECT_EQ(book_.order(*book_.find(0, "OPEN")).number, 0U);
}

}  // namespace
}  // namespace nexusfix::venue
