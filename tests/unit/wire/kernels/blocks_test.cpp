#include <array>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/wire/digits.hpp>
#include <nexusfix/wire/header_template.hpp>

#include "unit/wire/kernels/guarded_bytes.hpp"

namespace nexusfix::wire::detail {
namespace {

constexpr std::string_view kSixteen = "0a1b2c3d4e5f6g7h";

std::string text_of(Block block) {
  std::array<char, kBlockBytes> bytes{};
  store_block(bytes.data(), block);
  return {bytes.data(), bytes.size()};
}

std::uint32_t sum_of_bytes(std::string_view text) {
  std::uint32_t sum = 0;
  for (const char c : text) sum += static_cast<unsigned char>(c);
  return sum;
}

// The definition of scale: where the point is.
std::string spelled(std::uint64_t magnitude, std::size_t scale) {
  std::string digits = std::to_string(magnitude);
  while (digits.size() <= scale) digits.insert(0, 1, '0');
  if (scale != 0) digits.insert(digits.size() - scale, 1, '.');
  return digits;
}

TEST(ByteBlock, loads_any_number_of_bytes_followed_by_zeros) {
  test::GuardedBytes guarded{kBlockBytes};
  for (std::size_t bytes = 1; bytes <= kBlockBytes; ++bytes) {
    const std::string_view text = kSixteen.substr(0, bytes);
    std::string expected{text};
    expected.resize(kBlockBytes, '\0');
    EXPECT_EQ(text_of(load_block(guarded.at_begin(text).data(), bytes)), expected) << bytes;
    EXPECT_EQ(text_of(load_block(guarded.at_end(text).data(), bytes)), expected) << bytes;
  }
}

TEST(ByteBlock, finds_soh_in_every_place) {
  for (std::size_t bytes = 1; bytes <= kBlockBytes; ++bytes) {
    std::string text{kSixteen.substr(0, bytes)};
    EXPECT_FALSE(holds_soh(load_block(text.data(), bytes))) << bytes;
    for (char& c : text) {
      const char was = c;
      c = kSoh;
      EXPECT_TRUE(holds_soh(load_block(text.data(), bytes))) << bytes;
      c = was;
    }
  }
}

TEST(ByteBlock, does_not_mistake_a_similar_byte_for_soh) {
  const std::string near{"\x00\x02\x03\x81\x80\xff\x11\x09", 8};
  EXPECT_FALSE(holds_soh(load_block(near.data(), near.size())));
}

TEST(ByteBlock, adds_up_every_byte_of_a_block) {
  EXPECT_EQ(sum_of(load_block(kSixteen.data())), sum_of_bytes(kSixteen));
  const std::string high(kBlockBytes, '\xff');
  EXPECT_EQ(sum_of(load_block(high.data())), 16U * 255U);
  EXPECT_EQ(sum_of(no_bytes()), 0U);
}

TEST(ByteBlock, adds_lanes_without_a_carry_between_them) {
  const std::string high(kBlockBytes, '\xff');
  const std::string two(kBlockBytes, '\x02');
  EXPECT_EQ(text_of(add_bytes(load_block(high.data()), load_block(two.data()))),
            std::string(kBlockBytes, '\x01'));
}

TEST(ByteBlock, stores_no_more_than_its_low_half) {
  std::array<char, kBlockBytes> out{};
  out.fill('-');
  store_low_half(out.data(), load_block(kSixteen.data()));
  EXPECT_EQ((std::string_view{out.data(), out.size()}), "0a1b2c3d--------");
}

TEST(DigitBlock, writes_every_ordinary_decimal_as_it_is_spelled) {
  for (std::size_t scale = 0; scale < kOrdinaryDigits; ++scale) {
    for (std::uint64_t magnitude = 0; magnitude < kOrdinaryDigitsEnd;
         magnitude += magnitude < 2'000 ? 1 : 97) {
      const DecimalText text = decimal_text(magnitude, scale);
      std::string expected = spelled(magnitude, scale);
      ASSERT_EQ(text.bytes, expected.size()) << magnitude << " of scale " << scale;
      expected.resize(kBlockBytes, '\0');
      ASSERT_EQ(text_of(text.text), expected) << "scale " << scale;
    }
    EXPECT_EQ(text_of(decimal_text(kOrdinaryDigitsEnd - 1, scale).text).substr(0, 8),
              (spelled(kOrdinaryDigitsEnd - 1, scale) + std::string(2, '\0')).substr(0, 8));
  }
}

TEST(DigitBlock, refuses_every_mantissa_of_a_scale_without_fast_path) {
  for (std::size_t scale = 0; scale < kDigits.mantissa_ends.size(); ++scale) {
    EXPECT_EQ(kDigits.mantissa_ends[scale], scale < kOrdinaryDigits ? kOrdinaryDigitsEnd : 0U);
  }
}

// A known scale makes other instructions.
template <std::size_t kScale>
void expect_the_same_of_a_known_scale() {
  for (std::uint64_t magnitude = 0; magnitude < kOrdinaryDigitsEnd;
       magnitude += magnitude < 2'000 ? 1 : 89) {
    const DecimalText text = decimal_text(magnitude, kScale);
    std::string expected = spelled(magnitude, kScale);
    ASSERT_EQ(text.bytes, expected.size()) << magnitude << " of scale " << kScale;
    ASSERT_EQ(sum_of(text.text), sum_of_bytes(expected)) << magnitude << " of scale " << kScale;
    expected.resize(kBlockBytes, '\0');
    ASSERT_EQ(text_of(text.text), expected) << "scale " << kScale;
  }
}

TEST(DigitBlock, writes_every_ordinary_decimal_of_a_scale_that_the_compiler_knows) {
  [&]<std::size_t... kScales>(std::index_sequence<kScales...>) {
    (expect_the_same_of_a_known_scale<kScales>(), ...);
  }(std::make_index_sequence<kOrdinaryDigits>{});
}

TEST(DigitBlock, writes_the_milliseconds_of_a_minute) {
  constexpr std::uint32_t kMillisOfMinute = 61'000;  // a leap second, too
  for (std::uint32_t millis = 0; millis < kMillisOfMinute; ++millis) {
    std::string expected = spelled(millis, 3);
    expected.insert(0, 6 - expected.size(), '0');
    expected.resize(kBlockBytes, '\0');
    ASSERT_EQ(text_of(millis_text(millis)), expected) << millis;
  }
}

TEST(TagPrefixText, ends_the_field_before_and_names_the_tag) {
  for (const Tag tag : {1U, 7U, 11U, 99U, 100U, 999U, 1'000U, 9'999U, 12'345U, 999'999U}) {
    const std::string expected = kSoh + std::to_string(tag) + '=';
    for (const TagPrefix& prefix : {known_tag_prefix(tag), tag_prefix(tag)}) {
      ASSERT_EQ(prefix.bytes, expected.size()) << tag;
      EXPECT_EQ(text_of(block_of(prefix.word)).substr(0, prefix.bytes), expected);
      EXPECT_EQ(prefix.sum, sum_of_bytes(expected)) << tag;
    }
  }
}

TEST(TagPrefixText, is_empty_for_a_tag_that_cannot_be_written_or_is_longer) {
  for (const Tag tag : {0U, 8U, 9U, 10U, 35U, 1'000'000U, kTagMax}) {
    EXPECT_EQ(known_tag_prefix(tag).bytes, 0U) << tag;
    EXPECT_EQ(tag_prefix(tag).bytes, 0U) << tag;
  }
}

}  // namespace
}  // namespace nexusfix::wire::detail
