// OutboundQueue: bytes leave in their order, also those that it has not copied.
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>

#include "engine/ground/connection/connection.hpp"

namespace nexusfix::engine {
namespace {

std::string text_of(const OutboundQueue& queue) {
  return {queue.waiting().begin(), queue.waiting().end()};
}

// A queue with room, and the bytes of a lender.
struct LentBytesTest : ::testing::Test {
  LentBytesTest() { queue.grow(64); }

  std::string lender = "a report";
  LentBytes loan;
  OutboundQueue queue;
};

TEST_F(LentBytesTest, lent_bytes_are_not_copied) {
  queue.lend(lender, loan);
  EXPECT_TRUE(loan.are_out());
  EXPECT_EQ(queue.waiting().data(), lender.data());
  EXPECT_EQ(text_of(queue), "a report");
  queue.take(lender.size());
  EXPECT_TRUE(queue.empty());
  EXPECT_FALSE(loan.are_out());
}

TEST_F(LentBytesTest, recalled_bytes_may_change) {
  queue.lend(lender, loan);
  loan.recall();
  EXPECT_FALSE(loan.are_out());
  lender.assign(lender.size(), 'x');
  EXPECT_EQ(text_of(queue), "a report");
}

TEST_F(LentBytesTest, bytes_after_lent_ones_come_after_them) {
  queue.lend(lender, loan);
  queue.push(" and more");
  EXPECT_FALSE(loan.are_out());
  lender.assign(lender.size(), 'x');
  EXPECT_EQ(text_of(queue), "a report and more");
}

TEST_F(LentBytesTest, queue_that_is_not_empty_copies) {
  queue.push("before ");
  queue.lend(lender, loan);
  EXPECT_FALSE(loan.are_out());
  EXPECT_EQ(text_of(queue), "before a report");
}

TEST_F(LentBytesTest, rest_that_the_socket_does_not_take_is_copied) {
  for (std::size_t taken = 1; taken < lender.size(); ++taken) {
    std::string bytes = lender;
    queue.lend(bytes, loan);
    queue.take(taken);
    EXPECT_FALSE(loan.are_out());
    bytes.assign(bytes.size(), 'x');
    EXPECT_EQ(text_of(queue), lender.substr(taken));
    queue.take(lender.size() - taken);
    EXPECT_TRUE(queue.empty());
  }
}

TEST_F(LentBytesTest, lent_bytes_stay_when_the_storage_grows) {
  queue.lend(lender, loan);
  queue.push(std::string(1'000, 'm'));
  lender.assign(lender.size(), 'x');
  EXPECT_EQ(text_of(queue), "a report" + std::string(1'000, 'm'));
}

TEST_F(LentBytesTest, bytes_that_are_taken_back_were_never_queued) {
  queue.lend(lender, loan);
  queue.shrink_to(0);
  EXPECT_TRUE(queue.empty());
  EXPECT_FALSE(loan.are_out());
  queue.push("another");
  EXPECT_EQ(text_of(queue), "another");
  queue.take(7);
  queue.lend(lender, loan);
  EXPECT_TRUE(loan.are_out());
  EXPECT_EQ(text_of(queue), "a report");
}

TEST_F(LentBytesTest, dropped_bytes_end_the_loan) {
  queue.lend(lender, loan);
  queue.clear();
  EXPECT_FALSE(loan.are_out());
  queue.lend(lender, loan);
  queue.release();
  EXPECT_FALSE(loan.are_out());
  EXPECT_TRUE(queue.empty());
}

TEST_F(LentBytesTest, queue_and_lender_may_end_in_any_order) {
  auto short_lived = std::make_unique<OutboundQueue>();
  short_lived->grow(64);
  short_lived->lend(lender, loan);
  short_lived.reset();
  EXPECT_FALSE(loan.are_out());
  auto lent = std::make_unique<LentBytes>();
  queue.lend(lender, *lent);
  lent.reset();
  EXPECT_EQ(text_of(queue), "a report");
}

}  // namespace
}  // namespace nexusfix::engine
