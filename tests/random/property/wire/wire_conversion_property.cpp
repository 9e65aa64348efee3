// Each conversion agrees with a slow and obvious one: on every value if there are few, otherwise on
// millions of random, mutated and cut texts.
#include <charconv>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/wire/convert.hpp>

#include "random/property/wire/conversion_reference.hpp"
#include "unit/wire/kernels/guarded_bytes.hpp"

namespace nexusfix::wire {
namespace {

constexpr std::uint64_t kTexts = 1'000'000;
constexpr auto kReadable = detail::TextFront::Readable;

template <class T>
std::string described(const Converted<T>& result) {
  if (result) return "a value";
  return "error " + std::to_string(static_cast<int>(result.error()));
}

// The text once after sixteen readable bytes, which must not matter, and once at the beginning of a
// buffer.
class Texts {
 public:
  template <class T, class Plain, class Within, class Reference>
  [[nodiscard]] bool agree(std::string_view text, Plain plain, Within within, Reference reference) {
    const Converted<T> wanted = reference(text);
    const Converted<T> alone = plain(guarded_.at_end(text));
    const std::string surrounded = "0123456789.-0123" + std::string{text};
    const Converted<T> in_message =
        within(guarded_.at_end(surrounded).substr(surrounded.size() - text.size()));
    EXPECT_EQ(described(alone), described(wanted)) << "'" << text << "'";
    EXPECT_EQ(described(in_message), described(wanted)) << "'" << text << "'";
    if (wanted && alone && in_message) {
      EXPECT_TRUE(same(*alone, *wanted)) << "'" << text << "'";
      EXPECT_TRUE(same(*in_message, *wanted)) << "'" << text << "'";
    }
    return !::testing::Test::HasFailure();
  }

 private:
  template <class T>
  static bool same(const T& a, const T& b) {
    if constexpr (std::is_same_v<T, Decimal>) {
      return a.mantissa() == b.mantissa() && a.scale() == b.scale();
    } else {
      return a == b;
    }
  }

  test::GuardedBytes guarded_{4096};
};

char any_of(std::string_view characters, SeededRandom& random) {
  return characters[random.below(characters.size())];
}

// Mostly digits, of every length up to 24, some with a sign and some with points.
std::string number_like(SeededRandom& random) {
  std::string text;
  if (random.below(8) == 0) text += '-';
  const std::uint64_t size = random.below(random.below(8) == 0 ? 25 : 17);
  const std::uint64_t zeros = random.below(4) == 0 ? random.below(12) : 0;
  while (text.size() < size) {
    text += text.size() < zeros ? '0' : any_of("0123456789", random);
  }
  if (random.below(2) == 0) text.insert(random.below(text.size() + 1), ".");
  if (random.below(4) == 0) text.append(random.below(6), '0');
  if (random.below(8) == 0 && !text.empty()) {
    text[random.below(text.size())] = any_of("0.-+ eE/:,\x01\xff", random);
  }
  return text;
}

TEST(ConversionProperty, integers_agree_with_the_reference_for_every_text) {
  Texts texts;
  for (std::uint64_t seed = 0; seed < kTexts; ++seed) {
    SeededRandom random{seed};
    const std::string text = number_like(random);
    ASSERT_TRUE(texts.agree<std::int64_t>(text, to_int<>, to_int<kReadable>, reference::to_int))
        << "seed " << seed;
    ASSERT_TRUE(texts.agree<std::uint64_t>(text, to_uint<>, to_uint<kReadable>, reference::to_uint))
        << "seed " << seed;
  }
}

TEST(ConversionProperty, decimals_and_fixed_prices_agree_with_the_reference_for_every_text) {
  Texts texts;
  for (std::uint64_t seed = 0; seed < kTexts; ++seed) {
    SeededRandom random{seed};
    const std::string text = number_like(random);
    ASSERT_TRUE(
        texts.agree<Decimal>(text, to_decimal<>, to_decimal<kReadable>, reference::to_decimal))
        << "seed " << seed;
    ASSERT_TRUE(texts.agree<FixedPrice>(text, to_fixed_price<>, to_fixed_price<kReadable>,
                                        reference::to_fixed_price))
        << "seed " << seed;
  }
}

std::string timestamp_like(SeededRandom& random) {
  std::string text = "20240115-10:30:00.123456789012";
  const auto put = [&](std::size_t at, std::size_t size, std::uint64_t value) {
    for (std::size_t i = size; i > 0; value /= 10) {
      text[at + --i] = static_cast<char>('0' + value % 10);
    }
  };
  put(0, 4, random.below(4) == 0 ? random.below(10'000) : 1600 + random.below(700));
  put(4, 2, random.below(14));
  put(6, 2, random.below(33));
  put(9, 2, random.below(25));
  put(12, 2, random.below(61));
  put(15, 2, random.below(62));
  put(18, 12, random.next());
  if (random.below(4) == 0) text.replace(27, 3, "000");
  text.resize(random.below(2) == 0 ? 17 + random.below(15)
                                   : 17 + random.below(4) * 3 + (random.below(4) == 0 ? 0 : 1),
              '7');
  if (random.below(8) == 0) text[random.below(text.size())] = any_of("09-:./ T\x01\xff", random);
  if (random.below(32) == 0) text.resize(random.below(text.size() + 1));
  return text;
}

TEST(ConversionProperty, timestamps_agree_with_the_reference_for_every_text) {
  Texts texts;
  for (std::uint64_t seed = 0; seed < kTexts; ++seed) {
    SeededRandom random{seed};
    const std::string text = timestamp_like(random);
    ASSERT_TRUE(texts.agree<WallTime>(text, to_utc_timestamp, to_utc_timestamp,
                                      reference::to_utc_timestamp))
        << "seed " << seed;
    ASSERT_TRUE(texts.agree<PicoTime>(text, to_pico_time, to_pico_time, reference::to_pico_time))
        << "seed " << seed;
  }
}

TEST(ConversionProperty, every_integer_of_one_to_seven_digits_survives_the_round_trip) {
  char out[kIntBytesMax];
  char wanted[kIntBytesMax];
  for (std::uint64_t value = 0; value < 10'000'000; ++value) {
    const std::size_t size = from_uint(value, out);
    const auto end = std::to_chars(wanted, wanted + sizeof wanted, value).ptr;
    ASSERT_EQ((std::string_view{out, size}), (std::string_view{wanted, end}));
    ASSERT_EQ(to_uint({out, size}), value);
    ASSERT_EQ(to_int({out, size}), static_cast<std::int64_t>(value));
  }
}

TEST(ConversionProperty, every_mantissa_of_one_to_five_digits_is_written_at_every_scale) {
  char out[kDecimalBytesMax];
  for (std::int64_t mantissa = -100'000; mantissa <= 100'000; ++mantissa) {
    for (unsigned scale = 0; scale <= 9; ++scale) {
      const Decimal value{mantissa, scale};
      const std::string_view text{out, from_decimal(value, out)};
      ASSERT_EQ(text, reference::from_decimal(value));
      const auto back = to_decimal(text);
      ASSERT_TRUE(back && back->mantissa() == mantissa && back->scale() == scale) << text;
    }
  }
}

TEST(ConversionProperty, decimals_and_fixed_prices_of_every_length_are_written_as_the_reference) {
  char out[kDecimalBytesMax];
  for (std::uint64_t seed = 0; seed < kTexts; ++seed) {
    SeededRandom random{seed};
    const auto bits = static_cast<std::int64_t>(random.next()) >> random.below(64);
    const Decimal value{bits, static_cast<unsigned>(random.below(Decimal::kScaleMax + 1))};
    ASSERT_EQ((std::string_view{out, from_decimal(value, out)}), reference::from_decimal(value));
    const FixedPrice price =
        FixedPrice::from_units(bits / static_cast<std::int64_t>(1 + random.below(3) * 99'999'999));
    const std::string_view text{out, from_fixed_price(price, out)};
    ASSERT_EQ(text, reference::from_fixed_price(price));
    ASSERT_EQ(to_fixed_price(text), price);
  }
}

TEST(ConversionProperty, every_day_of_a_wall_time_is_read_and_written) {
  using std::chrono::days;
  using std::chrono::sys_days;
  constexpr sys_days kFirst{std::chrono::year{1677} / 9 / 22};
  constexpr sys_days kLast{std::chrono::year{2262} / 4 / 10};
  char out[kUtcTimestampBytesMax];
  char date[kDateBytes];
  detail::UtcTimestampWriter writer;
  for (sys_days day = kFirst; day <= kLast; day += days{1}) {
    const WallTime time = WallTime{day} + std::chrono::nanoseconds{86'399'999'999'999};
    const std::string_view text{out, from_utc_timestamp(time, TimePrecision::Nanos, out)};
    ASSERT_EQ(text.substr(8), "-23:59:59.999999999");
    ASSERT_EQ(from_date(Date{day}, date), kDateBytes);
    ASSERT_EQ(text.substr(0, 8), (std::string_view{date, kDateBytes}));
    ASSERT_EQ(to_utc_timestamp(text), time) << text;
    char again[kUtcTimestampBytesMax];
    ASSERT_EQ(text, (std::string_view{again, writer.write(time, TimePrecision::Nanos, again)}));
  }
}

// Every text of eight digits with one of four kinds of years and any month and day.
TEST(ConversionProperty, every_spelling_of_a_day_agrees_with_the_reference) {
  for (const char* year : {"1900", "2000", "2023", "2024", "2100"}) {
    for (int month_and_day = 0; month_and_day < 10'000; ++month_and_day) {
      std::string text = std::to_string(10'000 + month_and_day);
      text = year + text.substr(1) + "-00:00:00";
      const auto got = to_utc_timestamp(text);
      const auto wanted = reference::to_utc_timestamp(text);
      ASSERT_EQ(got.has_value(), wanted.has_value()) << text;
      if (got) {
        ASSERT_EQ(*got, *wanted) << text;
      }
    }
  }
}

TEST(ConversionProperty, every_day_of_ten_thousand_years_survives_the_round_trip_as_a_date) {
  using std::chrono::days;
  using std::chrono::sys_days;
  char out[kDateBytes];
  constexpr sys_days kEnd{std::chrono::year{10'000} / 1 / 1};
  for (sys_days day{std::chrono::year{0} / 1 / 1}; day < kEnd; day += days{1}) {
    ASSERT_EQ(from_date(Date{day}, out), kDateBytes);
    ASSERT_EQ(to_date({out, kDateBytes}), Date{day});
  }
}

TEST(ConversionProperty, every_second_of_a_day_is_read_and_written) {
  char out[kUtcTimestampBytesMax];
  for (int second = 0; second < 86'400; ++second) {
    const PicoTime time{
        WallTime{std::chrono::seconds{1'705'276'800 + second} + std::chrono::nanoseconds{second}},
        static_cast<std::uint16_t>(second % 1000)};
    const std::string_view text{out, from_utc_timestamp(time, TimePrecision::Picos, out)};
    const auto wanted = reference::to_pico_time(text);
    ASSERT_TRUE(wanted) << text;
    ASSERT_EQ(*wanted, time) << text;
    ASSERT_EQ(to_pico_time(text), time) << text;
    ASSERT_EQ(to_time_of_day(text.substr(9, 18)),
              std::chrono::seconds{second} + std::chrono::nanoseconds{second});
  }
}

}  // namespace
}  // namespace nexusfix::wire
