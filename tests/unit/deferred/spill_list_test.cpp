#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include <nexusfix/deferred.hpp>

namespace nexusfix::deferred::detail {
namespace {

using List = SpillList<std::shared_ptr<int>>;

void append(List& list, std::shared_ptr<int> value) {
  auto node = std::make_unique<List::Node>();
  node->record = std::move(value);
  list.append(std::move(node));
}

TEST(SpillList, gives_everything_in_order_and_counts_unhandled_records) {
  List list;
  EXPECT_TRUE(list.empty());
  for (int i = 0; i < 3; ++i) append(list, std::make_shared<int>(i));
  EXPECT_FALSE(list.empty());
  List::Taken taken = list.consume_if([] { return true; });
  EXPECT_TRUE(list.empty());
  append(list, std::make_shared<int>(3));
  EXPECT_EQ(list.count(), 4U);
  for (int i = 0; i < 3; ++i, taken.drop_front()) EXPECT_EQ(**taken.front(), i);
  EXPECT_EQ(taken.front(), nullptr);
  EXPECT_EQ(list.count(), 1U);
  EXPECT_EQ(**list.consume_if([] { return true; }).front(), 3);
  EXPECT_EQ(list.count(), 0U);
}

// The consumer may have looked at the ring before the producer filled it and began to spill: the
// ring has older records then.
TEST(SpillList, gives_nothing_while_the_ring_is_not_empty) {
  List list;
  append(list, std::make_shared<int>(1));
  EXPECT_EQ(list.consume_if([] { return false; }).front(), nullptr);
  EXPECT_FALSE(list.empty());
  EXPECT_EQ(list.count(), 1U);
}

TEST(SpillList, unhandled_records_are_freed) {
  const auto value = std::make_shared<int>(1);
  {
    List list;
    append(list, value);
    append(list, value);
    const List::Taken taken = list.consume_if([] { return true; });
    append(list, value);
    EXPECT_EQ(value.use_count(), 4);
  }
  EXPECT_EQ(value.use_count(), 1);
}

}  // namespace
}  // namespace nexusfix::deferred::detail
