#include <gtest/gtest.h>
#include <limits>
#include <string>

#include <nexusfix/wire/convert.hpp>

#include "unit/wire/kernels/guarded_bytes.hpp"

namespace nexusfix::wire {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

constexpr auto kEmpty = FieldErrorCode::Empty;
constexpr auto kMalformed = FieldErrorCode::Malformed;

template <class T>
std::string described(const Converted<T>& result) {
  if (result) return "a value";
  return result.error() == kEmpty       ? "Empty"
         : result.error() == kMalformed ? "Malformed"
                                        : "OutOfRange";
}

std::string text_of(Decimal value) {
  char out[kDecimalBytesMax];
  return {out, from_decimal(value, out)};
}
std::string text_of(std::int64_t value) {
  char out[kIntBytesMax];
  return {out, from_int(value, out)};
}

TEST(ToInt, reads_digits_with_an_optional_minus) {
  EXPECT_EQ(to_int("0"), 0);
  EXPECT_EQ(to_int("-0"), 0);
  EXPECT_EQ(to_int("7"), 7);
  EXPECT_EQ(to_int("-123456"), -123456);
  EXPECT_EQ(to_int("000000000000000000000000000000000042"), 42);
  EXPECT_EQ(to_int("9223372036854775807"), kMax);
  EXPECT_EQ(to_int("-9223372036854775808"), kMin);
}

TEST(ToInt, refuses_a_text_that_is_not_a_number) {
  EXPECT_EQ(to_int("").error(), kEmpty);
  for (const char* text : {"-", "--1", "+1", " 1", "1 ", "abc", "1e5", "1.0", "0x1", "1-", "/", ":",
                           "12345678a", "\xb1", "1\x01"}) {
    EXPECT_EQ(described(to_int(text)), "Malformed") << text;
  }
}

TEST(ToInt, refuses_a_number_that_does_not_fit) {
  for (const char* text : {"9223372036854775808", "-9223372036854775809", "18446744073709551616",
                           "18446744073709551671", "99999999999999999999", "-99999999999999999999",
                           "100000000000000000000000000000000000000055"}) {
    EXPECT_EQ(described(to_int(text)), "OutOfRange") << text;
  }
}

TEST(ToUint, reads_digits_without_a_sign) {
  EXPECT_EQ(to_uint("0"), 0U);
  EXPECT_EQ(to_uint("00000000000000000000000018446744073709551615"), 18446744073709551615U);
  EXPECT_EQ(to_uint("4294967297"), 4294967297U);
  EXPECT_EQ(described(to_uint("18446744073709551616")), "OutOfRange");
  EXPECT_EQ(described(to_uint("-1")), "Malformed");
  EXPECT_EQ(described(to_uint("-0")), "Malformed");
  EXPECT_EQ(described(to_uint("+1")), "Malformed");
  EXPECT_EQ(described(to_uint("")), "Empty");
}

struct DecimalCase {
  std::string_view text;
  std::int64_t mantissa;
  unsigned scale;
};

TEST(ToDecimal, is_exact_and_keeps_zeros_after_the_point) {
  for (const DecimalCase& test : {DecimalCase{"0", 0, 0},
                                  {"150.25", 15025, 2},
                                  {"-150.50", -15050, 2},
                                  {"002000.00", 200'000, 2},
                                  {"1234567.89", 123'456'789, 2},
                                  {"0.00000012", 12, 8},
                                  {"-0.5", -5, 1},
                                  {"-0.00", 0, 2},
                                  {".5", 5, 1},
                                  {"5.", 5, 0},
                                  {"-.5", -5, 1},
                                  {"9223372036854775807", kMax, 0},
                                  {"-9223372036854775808", kMin, 0},
                                  {"-9.223372036854775808", kMin, 18},
                                  {"0.000000000000000001", 1, 18},
                                  {"0000000000000000000000000000.5", 5, 1}}) {
    const auto value = to_decimal(test.text);
    ASSERT_TRUE(value) << test.text;
    EXPECT_EQ(value->mantissa(), test.mantissa) << test.text;
    EXPECT_EQ(value->scale(), test.scale) << test.text;
  }
}

TEST(ToDecimal, reads_a_point_after_any_number_of_digits) {
  const std::string before = "0123456789abcdef";
  for (const std::string all : {"123456789012345", "000000000000001", "900000000000009"}) {
    for (unsigned scale = 1; scale < all.size(); ++scale) {
      for (std::size_t digits = scale; digits <= all.size(); ++digits) {
        const std::string number = all.substr(0, digits);
        const Decimal expected{std::stoll(number), scale};
        const std::string text =
            number.substr(0, digits - scale) + "." + number.substr(digits - scale);
        ASSERT_TRUE(to_decimal(text)) << text;
        EXPECT_EQ(to_decimal(text)->mantissa(), expected.mantissa()) << text;
        const std::string both = before + text;
        const auto value =
            to_decimal<detail::TextFront::Readable>(std::string_view{both}.substr(before.size()));
        ASSERT_TRUE(value) << text;
        EXPECT_EQ(value->mantissa(), expected.mantissa()) << text;
        EXPECT_EQ(value->scale(), scale) << text;
      }
    }
  }
}

TEST(ToDecimal, drops_trailing_zeros_only_if_the_value_does_not_fit_otherwise) {
  EXPECT_EQ(to_decimal("1.0000000000000000000000000000000000000000"),
            (Decimal{1'000'000'000'000'000'000, 18}));
  EXPECT_EQ(to_decimal("9223372036854775807.000"), (Decimal{kMax, 0}));
  EXPECT_EQ(to_decimal("10.0000000000000000000"), (Decimal{1'000'000'000'000'000'000, 17}));
  EXPECT_EQ(to_decimal("0.0000000000000000000000"), (Decimal{0, 18}));
}

TEST(ToDecimal, refuses_a_text_that_is_not_a_number) {
  EXPECT_EQ(to_decimal("").error(), kEmpty);
  for (const char* text :
       {"-",  ".",  "-.",  "abc", "1.2.3", "1e5", "1E5", "+1.5", "+200.00", "1,5",
        " 1", "1 ", "0x1", "inf", "nan",   "--1", "1-",  "1.-5", "1..5",    "1e400"}) {
    EXPECT_EQ(described(to_decimal(text)), "Malformed") << text;
  }
}

TEST(ToDecimal, refuses_a_number_that_does_not_fit_instead_of_dropping_digits) {
  for (const char* text : {"9223372036854775808", "-9223372036854775809", "0.0000000000000000001",
                           "1.0000000000000000001", "99999999999999999999", "922337203685477580.79",
                           "9223372036854775807.5", "123456789012345678901234567890.5"}) {
    EXPECT_EQ(described(to_decimal(text)), "OutOfRange") << text;
  }
}

TEST(Conversions, read_nothing_outside_of_the_text_at_any_length) {
  constexpr std::size_t kSizeMax = 40;
  test::GuardedBytes guarded{kSizeMax};
  const std::string all = "1234567890123456789012345678901234567890";
  for (std::size_t size = 0; size <= kSizeMax; ++size) {
    for (const char* front : {"", "-", ".", "-1.", "20240115-10:30:00."}) {
      const std::string text = (front + all).substr(0, size);
      for (const std::string_view view : {guarded.at_begin(text), guarded.at_end(text)}) {
        EXPECT_EQ(to_int(view), to_int(text)) << text;
        EXPECT_EQ(to_uint(view), to_uint(text)) << text;
        EXPECT_EQ(to_decimal(view), to_decimal(text)) << text;
        EXPECT_EQ(to_fixed_price(view), to_fixed_price(text)) << text;
        EXPECT_EQ(to_utc_timestamp(view), to_utc_timestamp(text)) << text;
        EXPECT_EQ(to_pico_time(view), to_pico_time(text)) << text;
        EXPECT_EQ(to_date(view), to_date(text)) << text;
        EXPECT_EQ(to_time_of_day(view), to_time_of_day(text)) << text;
      }
    }
  }
}

TEST(Conversions, write_at_most_the_size_of_the_constants) {
  test::GuardedBytes guarded{kUtcTimestampBytesMax};
  const auto out = [&guarded](std::size_t size) {
    return const_cast<char*>(guarded.at_end(std::string(size, ' ')).data());
  };
  for (unsigned shift = 0; shift < 64; ++shift) {
    const std::int64_t value = kMin >> shift;
    const auto bits = static_cast<std::uint64_t>(value);
    from_int(value, out(kIntBytesMax));
    from_int(~value, out(kIntBytesMax));
    from_uint(bits, out(kIntBytesMax));
    from_uint(~bits, out(kIntBytesMax));
    from_fixed_price(FixedPrice::from_units(value), out(kDecimalBytesMax));
    for (unsigned scale = 0; scale <= Decimal::kScaleMax; ++scale) {
      from_decimal(Decimal{value, scale}, out(kDecimalBytesMax));
    }
    for (const auto precision :
         {TimePrecision::Seconds, TimePrecision::Millis, TimePrecision::Micros,
          TimePrecision::Nanos, TimePrecision::Picos}) {
      const WallTime time{std::chrono::nanoseconds{value}};
      from_utc_timestamp(time, precision, out(kUtcTimestampBytesMax));
      detail::UtcTimestampWriter{}.write(time, precision, out(kUtcTimestampBytesMax));
      from_time_of_day(TimeOfDay{1}, precision, out(kTimeOfDayBytesMax));
    }
  }
  from_date(Date{std::chrono::year{9999} / 12 / 31}, out(kDateBytes));
}

TEST(ToBool, is_Y_or_N) {
  EXPECT_EQ(to_bool("Y"), true);
  EXPECT_EQ(to_bool("N"), false);
  EXPECT_EQ(to_bool("").error(), kEmpty);
  for (const char* text : {"y", "n", "1", "0", "YES", "YN", " Y"}) {
    EXPECT_EQ(described(to_bool(text)), "Malformed") << text;
  }
}

TEST(ToChar, is_exactly_one_byte) {
  EXPECT_EQ(to_char("1"), '1');
  EXPECT_EQ(to_char("\xff"), '\xff');
  EXPECT_EQ(to_char("").error(), kEmpty);
  EXPECT_EQ(to_char("AE").error(), kMalformed);
}

TEST(FromInt, writes_extremes) {
  EXPECT_EQ(text_of(std::int64_t{0}), "0");
  EXPECT_EQ(text_of(kMax), "9223372036854775807");
  EXPECT_EQ(text_of(kMin), "-9223372036854775808");
  static_assert(kIntBytesMax >= std::string_view{"-9223372036854775808"}.size());
}

TEST(FromUint, writes_every_number_of_digits) {
  char out[kIntBytesMax];
  std::uint64_t power = 1;
  std::string nines;
  for (std::size_t digits = 1; digits <= 20; ++digits, power *= 10) {
    std::string one_and_zeros(digits, '0');
    one_and_zeros.front() = '1';
    EXPECT_EQ(std::string(out, from_uint(power, out)), one_and_zeros);
    if (digits < 20) {
      nines += '9';
      EXPECT_EQ(std::string(out, from_uint(power * 10 - 1, out)), nines);
    }
  }
  EXPECT_EQ(std::string(out, from_uint(std::numeric_limits<std::uint64_t>::max(), out)),
            "18446744073709551615");
}

TEST(FromDecimal, writes_prices_as_they_are) {
  EXPECT_EQ(text_of(Decimal{123'456'789, 2}), "1234567.89");
  EXPECT_EQ(text_of(Decimal{12, 8}), "0.00000012");
  EXPECT_EQ(text_of(Decimal{5, 1}), "0.5");
  EXPECT_EQ(text_of(Decimal{-5, 1}), "-0.5");
  EXPECT_EQ(text_of(Decimal{200'000, 2}), "2000.00");
  EXPECT_EQ(text_of(Decimal{0, 2}), "0.00");
  EXPECT_EQ(text_of(Decimal{kMin, 0}), "-9223372036854775808");
  EXPECT_EQ(text_of(Decimal{kMin, 18}), "-9.223372036854775808");
  EXPECT_EQ(text_of(Decimal{-1, 18}), "-0.000000000000000001");
  EXPECT_LE(text_of(Decimal{kMin, 18}).size(), kDecimalBytesMax);
}

}  // namespace
}  // namespace nexusfix::wire
