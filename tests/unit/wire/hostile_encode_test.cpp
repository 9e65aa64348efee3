// Errors of other encoders that this one does not make.
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <string_view>

#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/parser.hpp>

#include "unit/wire/message_text.hpp"

namespace nexusfix::wire {
namespace {

using namespace nexusfix::literals;

class HostileEncodeTest : public testing::Test {
 protected:
  Encoder encoder() {
    return Encoder{
        buffer_, session_, {.msg_type = "D", .msg_seq_num = 7, .sending_time = WallTime{}}};
  }
  // The value of tag 44 in the encoded message.
  template <class Value>
  std::string sent(const Value& value) {
    Encoder e = encoder();
    e.field(44, value);
    const auto message = e.finish();
    if (!message) return std::string{to_string(message.error().code)};
    const auto parsed = parser_.parse(*message);
    return parsed ? std::string{(*parsed)[44].value_or("absent")} : "no message";
  }
  static std::string error_of(Encoder& encoder) {
    const auto message = encoder.finish();
    return message ? "sent" : std::string{to_string(message.error().code)};
  }

  std::array<char, 1024> buffer_{};
  HeaderTemplate session_ = *HeaderTemplate::make({"FIX.4.4", "S", "T"});
  Parser parser_;
};

// Prices through double and %g: 1234567.89 sent as 1234567.9, 0.00000012 as 1.2e-07; quantity 0.5
// sent as 0.
TEST_F(HostileEncodeTest, prices_and_quantities_go_out_with_all_their_digits) {
  EXPECT_EQ(sent(1234567.89_d), "1234567.89");
  EXPECT_EQ(sent(0.00000012_d), "0.00000012");
  EXPECT_EQ(sent(0.5_d), "0.5");
  EXPECT_EQ(sent(Decimal{-5, 1}), "-0.5");
  EXPECT_EQ(sent(Decimal{1, 18}), "0.000000000000000001");
  EXPECT_EQ(sent(Decimal{std::numeric_limits<std::int64_t>::max(), 0}), "9223372036854775807");
  EXPECT_EQ(sent(Decimal{std::numeric_limits<std::int64_t>::min(), 0}), "-9223372036854775808");
  EXPECT_EQ(sent(Decimal{std::numeric_limits<std::int64_t>::min(), 18}), "-9.223372036854775808");
  EXPECT_EQ(sent(Decimal{10'000'000, 0}), "10000000");
  EXPECT_EQ(sent(Decimal{100'000'000'000'000, 0}), "100000000000000");
}

// The smallest int64 sent as `-(`.
TEST_F(HostileEncodeTest, the_extremes_of_every_integer_go_out_as_they_are) {
  EXPECT_EQ(sent(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(sent(std::numeric_limits<std::int64_t>::max()), "9223372036854775807");
  EXPECT_EQ(sent(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(sent(std::numeric_limits<std::int32_t>::min()), "-2147483648");
  EXPECT_EQ(sent(std::numeric_limits<std::int16_t>::min()), "-32768");
  EXPECT_EQ(sent(std::numeric_limits<std::int8_t>::min()), "-128");
  EXPECT_EQ(sent(std::numeric_limits<std::uint32_t>::max()), "4294967295");
}

// SOH within a string value is sent.
TEST_F(HostileEncodeTest, soh_at_any_place_of_a_text_of_any_length_is_an_error) {
  for (std::size_t bytes = 1; bytes <= 150; ++bytes) {
    for (std::size_t at = 0; at < bytes; ++at) {
      std::string text(bytes, 'x');
      text[at] = '\x01';
      ASSERT_EQ(sent(text), to_string(EncodeErrorCode::SohInValue)) << bytes << ", " << at;
    }
    // Bytes that differ from SOH in one bit.
    for (const char c : {'\0', '\x02', '\x03', '\x05', '\x81', '\x11'}) {
      ASSERT_EQ(sent(std::string(bytes, c)), std::string(bytes, c));
    }
  }
  EXPECT_EQ(sent('\x01'), to_string(EncodeErrorCode::SohInValue));
}

// A message that does not fit is sent truncated, and only a flag shows it.
TEST_F(HostileEncodeTest, a_message_that_does_not_fit_is_an_error_even_if_more_is_written) {
  for (std::size_t bytes = 800; bytes < 1200; ++bytes) {
    Encoder e = encoder();
    e.field(58, std::string(bytes, 'x')).field(55, "A").field(54, '1');
    const auto message = e.finish();
    if (message) {
      const auto parsed = parser_.parse(*message);
      ASSERT_TRUE(parsed);
      ASSERT_EQ((*parsed)[58]->size(), bytes);
      ASSERT_EQ((*parsed)[54], "1");
    } else {
      ASSERT_EQ(message.error().code, EncodeErrorCode::BufferFull);
      ASSERT_GT(bytes, buffer_.size() - 100);
    }
  }
}

// The length of a data field is all that keeps its bytes from adding fields.
TEST_F(HostileEncodeTest, a_data_field_of_any_bytes_comes_back_whole) {
  for (const std::string_view payload : {"|55=EVIL|", "||||", "10=000|8=FIX.4.4|9=5|35=0|", "="}) {
    const std::string bytes = test::with_soh(payload);
    Encoder e = encoder();
    e.field(55, "GOOD").data(95, 96, bytes).field(54, '1');
    const auto message = e.finish();
    ASSERT_TRUE(message);
    const auto parsed = parser_.parse(*message);
    ASSERT_TRUE(parsed);
    EXPECT_FALSE(parsed->fault());
    EXPECT_EQ((*parsed)[55], "GOOD");
    EXPECT_EQ((*parsed)[96], bytes);
    EXPECT_EQ(parsed->field_count(), 7U + 4 + 1);
  }
}

}  // namespace
}  // namespace nexusfix::wire
