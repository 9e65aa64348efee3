#include <gtest/gtest.h>
#include <limits>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/wire/text.hpp>

namespace nexusfix {
namespace {

using namespace nexusfix::literals;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

TEST(Decimal, literals_are_exact_and_keep_their_zeros) {
  static_assert((150.25_d).mantissa() == 15025 && (150.25_d).scale() == 2);
  static_assert((100_d).mantissa() == 100 && (100_d).scale() == 0);
  static_assert((1.500_d).mantissa() == 1500 && (1.500_d).scale() == 3);
  static_assert((0.1_d).mantissa() == 1 && (0.1_d).scale() == 1);
  static_assert((.5_d).mantissa() == 5 && (5._d).mantissa() == 5);
  static_assert((1'000'000.01_d).mantissa() == 100'000'001);
  static_assert((9223372036854775807_d).mantissa() == kMax);
  static_assert((0.000000000000000001_d).scale() == 18);
}

TEST(Decimal, compares_values_and_not_spellings) {
  EXPECT_EQ(1.50_d, 1.5_d);
  EXPECT_EQ(0.00_d, 0_d);
  EXPECT_LT(1.49_d, 1.5_d);
  EXPECT_GT(10_d, 9.999999_d);
  EXPECT_LT((Decimal{-15, 1}), 0_d);
  EXPECT_NE(1.5_d, 15_d);
  EXPECT_TRUE((0.000_d).is_zero());
}

TEST(Decimal, compares_extremes_without_overflow) {
  EXPECT_LT((Decimal{kMin, 0}), (Decimal{kMin, 18}));
  EXPECT_GT((Decimal{kMax, 0}), (Decimal{kMax, 18}));
  EXPECT_LT((Decimal{kMin, 0}), (Decimal{kMax, 0}));
  EXPECT_EQ((Decimal{kMin, 18}), (Decimal{kMin, 18}));
}

TEST(Decimal, sums_and_differences_are_exact_with_the_larger_scale) {
  const auto sum = checked_add(150.25_d, 0.750_d);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->mantissa(), 151'000);
  EXPECT_EQ(sum->scale(), 3U);
  EXPECT_EQ(checked_subtract(1_d, 0.1_d), 0.9_d);
  EXPECT_EQ(checked_subtract(0.1_d, 1_d), (Decimal{-9, 1}));
  EXPECT_EQ(checked_add(0.1_d, 0.2_d), 0.3_d);
  static_assert(checked_add(1_d, 2.5_d) == 3.5_d);
}

TEST(Decimal, sums_that_do_not_fit_are_nothing) {
  EXPECT_FALSE(checked_add(Decimal{kMax, 0}, 1_d));
  EXPECT_FALSE(checked_subtract(Decimal{kMin, 0}, 1_d));
  EXPECT_FALSE(checked_add(Decimal{kMax, 0}, 0.1_d));
  EXPECT_FALSE(checked_subtract(0_d, Decimal{kMin, 0}));
  EXPECT_TRUE(checked_add(Decimal{kMax - 1, 0}, 1_d));
  EXPECT_TRUE(checked_add(Decimal{kMin, 0}, Decimal{kMax, 0}));
  EXPECT_FALSE(checked_add(Decimal{kMax, 0}, Decimal{kMax, 18}));
}

TEST(Decimal, compares_with_whole_numbers) {
  EXPECT_TRUE(150.00_d == 150);
  EXPECT_TRUE(0.5_d < 1U);
  EXPECT_TRUE((Decimal{kMax, 0}) < std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE((Decimal{-1, 0}) == std::numeric_limits<std::uint64_t>::max());
}

TEST(CheckedDecimal, operators_are_exact) {
  const CheckedDecimal total = 300 * 150.25_d + 0.75_d - 1;
  ASSERT_TRUE(total);
  EXPECT_EQ(*total, 45'074.75_d);
  EXPECT_EQ(total->scale(), 2U);
  EXPECT_EQ(*-(0.5_d), (Decimal{-5, 1}));
  static_assert(*(0.1_d + 0.2_d) == 0.3_d);
}

TEST(CheckedDecimal, a_product_drops_zeros_only_where_it_must_and_no_other_digit) {
  EXPECT_EQ((*(100_d * 150.25_d)).mantissa(), 15'025'00);
  const CheckedDecimal tiny = (Decimal{10, 18}) * 0.1_d;
  ASSERT_TRUE(tiny);
  EXPECT_EQ(tiny->mantissa(), 1);
  EXPECT_EQ(tiny->scale(), 18U);
  EXPECT_FALSE((Decimal{1, 18}) * 0.1_d);
  EXPECT_TRUE((Decimal{kMax, 0}) * 1.0_d);
  EXPECT_FALSE((Decimal{kMax, 0}) * 1.1_d);
  EXPECT_EQ(*((Decimal{0, 18}) * (Decimal{0, 18})), 0_d);
}

TEST(CheckedDecimal, abs_is_exact_and_has_an_error_for_the_lowest_mantissa) {
  EXPECT_EQ(*abs(-1.50_d), 1.5_d);
  EXPECT_EQ(*abs(1.5_d - 3), 1.5_d);
  EXPECT_EQ(*abs(0_d), 0);
  EXPECT_FALSE(abs(Decimal{std::numeric_limits<std::int64_t>::min(), 0}).has_value());
}

TEST(CheckedDecimal, an_overflow_stays_an_error) {
  EXPECT_FALSE((Decimal{kMax, 0}) + 1);
  EXPECT_FALSE((Decimal{kMin, 0}) - 1);
  EXPECT_FALSE(-(Decimal{kMin, 0}));
  EXPECT_FALSE(((Decimal{kMax, 0}) + 1) - 1);
  EXPECT_FALSE(0 * ((Decimal{kMax, 0}) + 1));
  EXPECT_FALSE(1_d + std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(((Decimal{kMax, 0}) + 1).value_or(7_d), 7_d);
  EXPECT_EQ((1_d + 1).value_or(7_d), 2_d);
}

TEST(RoundTo, gives_exactly_the_digits_that_are_asked_for_at_run_time) {
  const auto digits_of = [](CheckedDecimal value, unsigned digits) {
    const CheckedDecimal rounded = round_to(value, digits);
    return rounded && rounded->scale() == digits ? to_string(*rounded) : "an error";
  };
  EXPECT_EQ(digits_of(150.2_d, 3), "150.200");
  EXPECT_EQ(digits_of(150.2_d, 1), "150.2");
  EXPECT_EQ(digits_of(150.2_d, 0), "150");
  EXPECT_EQ(digits_of(7, 2), "7.00");
  EXPECT_EQ(digits_of(0.125_d, 2), "0.12");  // a tie: to the even digit
  EXPECT_EQ(digits_of(0.115_d, 2), "0.12");
  EXPECT_EQ(digits_of(0.1151_d, 2), "0.12");
  EXPECT_EQ(digits_of(-0.125_d, 2), "-0.12");
  EXPECT_EQ(digits_of(-0.126_d, 2), "-0.13");
  EXPECT_EQ(digits_of(0.999_d, 2), "1.00");
  EXPECT_EQ(digits_of(1_d * 0.3_d, 2), "0.30");
  EXPECT_EQ(digits_of(9_d, 18), "9.000000000000000000");
  EXPECT_EQ(digits_of(9_d, 19), "an error");
  EXPECT_EQ(digits_of(10_d, 18), "an error");
  EXPECT_EQ(digits_of((Decimal{kMax, 0}) + 1, 0), "an error");
  EXPECT_EQ(digits_of(Decimal{kMin, 18}, 18), "-9.223372036854775808");
  EXPECT_EQ(digits_of(Decimal{kMax, 18}, 0), "9");
}

TEST(RoundTo, rounds_the_exact_value_of_a_double) {
  const auto text = [](double value, unsigned digits) {
    const CheckedDecimal rounded = round_to(value, digits);
    return rounded ? to_string(*rounded) : "an error";
  };
  EXPECT_EQ(text(150.25, 2), "150.25");
  EXPECT_EQ(text(150.25, 4), "150.2500");
  EXPECT_EQ(text(0.125, 2), "0.12");  // a tie, which a double has exactly
  EXPECT_EQ(text(0.145, 2), "0.14");  // 0.14499999999999999
  EXPECT_EQ(text(-1.5, 0), "-2");
  EXPECT_EQ(text(0.1 + 0.2, 8), "0.30000000");
  EXPECT_EQ(text(-0.001, 2), "0.00");
  EXPECT_EQ(text(9.2e18, 0), "9200000000000000000");
  EXPECT_EQ(text(9.3e18, 0), "an error");
  EXPECT_EQ(text(1e300, 2), "an error");
  EXPECT_EQ(text(std::numeric_limits<double>::infinity(), 2), "an error");
  EXPECT_EQ(text(std::numeric_limits<double>::quiet_NaN(), 2), "an error");
  EXPECT_EQ(text(1.0, 19), "an error");
  EXPECT_EQ(text(1.0F, 1), "1.0");
}

TEST(CheckedDecimal, the_value_of_an_overflow_ends_the_program) {
  const CheckedDecimal result = (Decimal{kMax, 0}) + 1;
  EXPECT_DEATH(static_cast<void>(*result), "has_value");
}

}  // namespace
}  // namespace nexusfix
