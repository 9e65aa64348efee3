#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <unordered_set>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/wire/convert.hpp>

namespace nexusfix {
namespace {

using namespace nexusfix::literals;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

std::string text_of(FixedPrice value) {
  char out[wire::kDecimalBytesMax];
  return {out, wire::from_fixed_price(value, out)};
}

TEST(FixedPrice, literals_are_exact) {
  static_assert((150.25_fp).units() == 15'025'000'000);
  static_assert((0.00000001_fp).units() == 1);
  static_assert((92233720368.54775807_fp).units() == kMax);
  static_assert((1'000'000_fp).units() == 100'000'000'000'000);
  static_assert((1.5000000000_fp).units() == 150'000'000);
  static_assert(FixedPrice{}.is_zero() && !(0.00000001_fp).is_zero());
}

TEST(FixedPrice, compares_as_a_number) {
  EXPECT_EQ(1.50_fp, 1.5_fp);
  EXPECT_LT(1.49_fp, 1.5_fp);
  EXPECT_LT(FixedPrice::from_units(-1), 0_fp);
  EXPECT_LT(FixedPrice::from_units(kMin), FixedPrice::from_units(kMax));
}

TEST(FixedPrice, is_a_key_of_unordered_containers) {
  const std::unordered_set<FixedPrice> levels{1.5_fp, 1.50_fp, 2_fp};
  EXPECT_EQ(levels.size(), 2U);
}

TEST(FixedPrice, to_and_from_a_decimal_is_exact_or_nothing) {
  EXPECT_EQ(FixedPrice::from_decimal(150.25_d), 150.25_fp);
  EXPECT_EQ(FixedPrice::from_decimal(Decimal{-5, 1}), FixedPrice::from_units(-50'000'000));
  EXPECT_EQ(FixedPrice::from_decimal(0.1234567800_d), 0.12345678_fp);
  EXPECT_FALSE(FixedPrice::from_decimal(0.000000001_d));
  EXPECT_FALSE(FixedPrice::from_decimal(0.123456785_d));
  EXPECT_EQ(FixedPrice::from_decimal(92233720368.54775807_d), FixedPrice::from_units(kMax));
  EXPECT_FALSE(FixedPrice::from_decimal(92233720368.5477581_d));
  EXPECT_EQ(FixedPrice::from_decimal(Decimal{kMin, 8}), FixedPrice::from_units(kMin));
  EXPECT_FALSE(FixedPrice::from_decimal(Decimal{kMin, 0}));
  EXPECT_FALSE(FixedPrice::from_decimal(Decimal{kMin, 7}));
  EXPECT_FALSE(FixedPrice::from_decimal(Decimal{kMin, 18}));

  EXPECT_EQ((150.250_fp).to_decimal().mantissa(), 15025);
  EXPECT_EQ((150.250_fp).to_decimal().scale(), 2U);
  EXPECT_EQ((0_fp).to_decimal().scale(), 0U);
  EXPECT_EQ(FixedPrice::from_units(kMin).to_decimal(), (Decimal{kMin, 8}));
}

TEST(FixedPrice, whole_numbers_beyond_the_range_are_nothing) {
  EXPECT_EQ(FixedPrice::from_int(-7), FixedPrice::from_units(-700'000'000));
  EXPECT_TRUE(FixedPrice::from_int(92'233'720'368));
  EXPECT_FALSE(FixedPrice::from_int(92'233'720'369));
  EXPECT_FALSE(FixedPrice::from_int(kMin));
}

TEST(FixedPrice, arithmetic_is_exact_or_nothing) {
  constexpr FixedPrice most = FixedPrice::from_units(kMax);
  constexpr FixedPrice least = FixedPrice::from_units(kMin);
  static_assert(checked_add(0.1_fp, 0.2_fp) == 0.3_fp);
  EXPECT_EQ(checked_subtract(1_fp, 0.1_fp), 0.9_fp);
  EXPECT_EQ(checked_multiply(150.25_fp, 300), 45'075_fp);
  EXPECT_EQ(checked_negate(1.5_fp), FixedPrice::from_units(-150'000'000));
  EXPECT_FALSE(checked_add(most, 0.00000001_fp));
  EXPECT_FALSE(checked_subtract(least, 0.00000001_fp));
  EXPECT_FALSE(checked_multiply(most, 2));
  EXPECT_FALSE(checked_multiply(least, -1));
  EXPECT_FALSE(checked_negate(least));
  EXPECT_TRUE(checked_negate(most));
}

TEST(ToFixedPrice, reads_multiples_of_its_unit_and_refuses_other_values) {
  EXPECT_EQ(wire::to_fixed_price("150.25"), 150.25_fp);
  EXPECT_EQ(wire::to_fixed_price("-0.00000012"), FixedPrice::from_units(-12));
  EXPECT_EQ(wire::to_fixed_price("-0"), 0_fp);
  EXPECT_EQ(wire::to_fixed_price("5."), 5_fp);
  EXPECT_EQ(wire::to_fixed_price(".5"), 0.5_fp);
  EXPECT_EQ(wire::to_fixed_price("0.1234567800000"), 0.12345678_fp);
  EXPECT_EQ(wire::to_fixed_price("92233720368.54775807"), FixedPrice::from_units(kMax));
  EXPECT_EQ(wire::to_fixed_price("-92233720368.54775808"), FixedPrice::from_units(kMin));
  EXPECT_EQ(wire::to_fixed_price("").error(), wire::FieldErrorCode::Empty);
  for (const char* text : {"-", ".", "abc", "1.2.3", "1e5", "+1.5", "1e400"}) {
    EXPECT_EQ(wire::to_fixed_price(text).error(), wire::FieldErrorCode::Malformed) << text;
  }
  for (const char* text :
       {"0.123456785", "0.000000001", "92233720368.54775808", "-92233720368.54775809",
        "92233720369", "9999999999999999", "99999999999999999999", "1.0000000000000000001"}) {
    EXPECT_EQ(wire::to_fixed_price(text).error(), wire::FieldErrorCode::OutOfRange) << text;
  }
}

TEST(FromFixedPrice, writes_the_shortest_exact_text) {
  EXPECT_EQ(text_of(150.25_fp), "150.25");
  EXPECT_EQ(text_of(150_fp), "150");
  EXPECT_EQ(text_of(0_fp), "0");
  EXPECT_EQ(text_of(0.00000012_fp), "0.00000012");
  EXPECT_EQ(text_of(1234567.89_fp), "1234567.89");
  EXPECT_EQ(text_of(FixedPrice::from_units(-50'000'000)), "-0.5");
  EXPECT_EQ(text_of(100'000'000_fp), "100000000");
  EXPECT_EQ(text_of(10'000'000'000.05_fp), "10000000000.05");
  EXPECT_EQ(text_of(FixedPrice::from_units(kMax)), "92233720368.54775807");
  EXPECT_EQ(text_of(FixedPrice::from_units(kMin)), "-92233720368.54775808");
  EXPECT_LE(text_of(FixedPrice::from_units(kMin)).size(), wire::kDecimalBytesMax);
}

}  // namespace
}  // namespace nexusfix
