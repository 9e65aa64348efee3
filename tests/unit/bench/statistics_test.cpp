#include "bench/report/statistics.hpp"

#include <cstdint>
#include <gtest/gtest.h>

namespace nexusfix::bench {
namespace {

TEST(QuantileTest, is_the_least_value_that_the_share_does_not_exceed) {
  const std::vector<int> ten{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_EQ(quantile_of_sorted(ten, 0.5), 5);
  EXPECT_EQ(quantile_of_sorted(ten, 0.51), 6);
  EXPECT_EQ(quantile_of_sorted(ten, 0.9), 9);
  EXPECT_EQ(quantile_of_sorted(ten, 0.99), 10);
}

TEST(QuantileTest, shares_0_and_1_are_the_first_and_the_last_value) {
  const std::vector<std::uint32_t> three{7, 8, 9};
  EXPECT_EQ(quantile_of_sorted(three, 0), 7U);
  EXPECT_EQ(quantile_of_sorted(three, 1), 9U);
}

TEST(QuantileTest, one_value_is_every_quantile_and_no_value_is_zero) {
  EXPECT_EQ(quantile_of_sorted(std::vector<int>{4}, 0.001), 4);
  EXPECT_EQ(quantile_of_sorted(std::vector<int>{4}, 0.999), 4);
  EXPECT_EQ(quantile_of_sorted(std::vector<int>{}, 0.5), 0);
}

TEST(QuantileTest, rank_is_exact_for_a_hundred_thousand_values) {
  std::vector<std::uint32_t> values;
  for (std::uint32_t i = 1; i <= 100'000; ++i) values.push_back(i);
  EXPECT_EQ(quantile_of_sorted(values, 0.5), 50'000U);
  EXPECT_EQ(quantile_of_sorted(values, 0.99), 99'000U);
  EXPECT_EQ(quantile_of_sorted(values, 0.999), 99'900U);
}

}  // namespace
}  // namespace nexusfix::bench
