// Orders of one owner, held orders and auctions, in the book alone.
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "venue/book/order_book.hpp"

namespace nexusfix::venue {
namespace {

class BookPolicies : public ::testing::Test {
 protected:
  Refusal submit(Owner owner, std::string_view id, BookSide side, Units quantity, Units price,
                 Arrival arrival = {}) {
    return book_.submit({.owner = owner,
                         .cl_ord_id = id,
                         .symbol = "A",
                         .side = side,
                         .quantity = quantity,
                         .price = price},
                        sink_, arrival);
  }
  // "N1 T1@10 C1": what happened, by order number.
  std::string consume_log() { return std::exchange(log_, {}); }
  OrderIndex index(std::string_view id, Owner owner = 1) { return *book_.find(owner, id); }

  OrderBook book_{{.orders = 16, .hash_seed = 1}};
  std::string log_;

 private:
  static std::string_view letter(ExecutionKind kind) {
    return kind == ExecutionKind::New        ? "N"
           : kind == ExecutionKind::Trade    ? "T"
           : kind == ExecutionKind::Canceled ? "C"
                                             : "R";
  }
  void record(const Execution& one) {
    if (!log_.empty()) log_ += ' ';
    log_ += letter(one.kind);
    log_ += std::to_string(book_.order(one.order).number);
    if (one.kind != ExecutionKind::Trade) return;
    log_ += ':' + std::to_string(one.last_quantity) + '@' + std::to_string(one.last_price);
  }
  std::function<void(const Execution&)> recorder_ = [this](const Execution& one) { record(one); };

 protected:
  OrderBook::Sink sink_{recorder_};
};

TEST_F(BookPolicies, self_trade_cancels_the_newest) {
  submit(1, "a", BookSide::Buy, 10, 5);
  submit(1, "b", BookSide::Sell, 4, 5, {.self_trade = SelfTrade::CancelNewest});
  EXPECT_EQ(consume_log(), "N0 N1 C1");
  EXPECT_TRUE(book_.order(index("a")).is_open());
}

TEST_F(BookPolicies, self_trade_cancels_the_oldest_and_goes_on) {
  submit(1, "a", BookSide::Buy, 10, 5);
  submit(2, "b", BookSide::Buy, 10, 5);
  submit(1, "c", BookSide::Sell, 4, 5, {.self_trade = SelfTrade::CancelOldest});
  EXPECT_EQ(consume_log(), "N0 N1 N2 C0 T1:4@5 T2:4@5");
}

TEST_F(BookPolicies, self_trade_cancels_both_after_trades_with_others) {
  submit(2, "a", BookSide::Buy, 3, 6);
  submit(1, "b", BookSide::Buy, 10, 5);
  submit(1, "c", BookSide::Sell, 4, 5, {.self_trade = SelfTrade::CancelBoth});
  EXPECT_EQ(consume_log(), "N0 N1 N2 T0:3@6 T2:3@6 C1 C2");
  EXPECT_FALSE(book_.is_crossed("A"));
}

TEST_F(BookPolicies, orders_of_one_owner_trade_where_that_is_allowed) {
  submit(1, "a", BookSide::Buy, 10, 5);
  submit(1, "b", BookSide::Sell, 10, 5);
  EXPECT_EQ(consume_log(), "N0 N1 T0:10@5 T1:10@5");
}

TEST_F(BookPolicies, held_order_trades_with_no_order_and_can_be_filled_replaced_and_canceled) {
  submit(1, "a", BookSide::Buy, 10, 5, {.is_held = true});
  submit(2, "b", BookSide::Sell, 10, 5);
  EXPECT_EQ(consume_log(), "N0 N1");
  book_.fill_held(index("a"), 4, 5, sink_);
  EXPECT_EQ(book_.replace({1, "a2", "a", 20, 6}, sink_), Refusal::None);
  book_.fill_held(index("a2"), 4, 6, sink_);
  EXPECT_EQ(book_.cancel({1, "a3", "a2"}, sink_), Refusal::None);
  EXPECT_EQ(consume_log(), "T0:4@5 R0 T0:4@6 C0");
  EXPECT_EQ(book_.order(index("a3")).cum, 8);
}

TEST_F(BookPolicies, auction_collects_orders_and_trades_them_at_one_price) {
  const Arrival call{.matches = false};
  submit(1, "a", BookSide::Buy, 10, 11, call);
  submit(2, "b", BookSide::Buy, 20, 10, call);
  submit(3, "c", BookSide::Sell, 5, 9, call);
  submit(3, "d", BookSide::Sell, 15, 10, call);
  EXPECT_EQ(consume_log(), "N0 N1 N2 N3");
  EXPECT_TRUE(book_.is_crossed("A"));
  book_.uncross("A", 0, sink_);
  EXPECT_EQ(consume_log(), "T0:5@10 T2:5@10 T0:5@10 T3:5@10 T1:10@10 T3:10@10");
  EXPECT_FALSE(book_.is_crossed("A"));
  EXPECT_EQ(book_.order(index("b", 2)).leaves(), 10);
}

TEST_F(BookPolicies, levels_have_prices_quantities_and_numbers_of_orders) {
  submit(1, "a", BookSide::Buy, 10, 11);
  submit(2, "b", BookSide::Buy, 20, 11);
  submit(3, "c", BookSide::Buy, 5, 9);
  std::vector<Units> seen;
  book_.visit_levels("A", BookSide::Buy, [&](Units price, Units quantity, std::size_t orders) {
    seen.insert(seen.end(), {price, quantity, static_cast<Units>(orders)});
    return true;
  });
  EXPECT_EQ(seen, (std::vector<Units>{11, 30, 2, 9, 5, 1}));
}

}  // namespace
}  // namespace nexusfix::venue
