#include <gtest/gtest.h>
#include <limits>
#include <string>

#include <nexusfix/wire/parser.hpp>
#include <nexusfix/wire/text.hpp>

#include "support/fix_text.hpp"

namespace nexusfix::wire {
namespace {

using namespace nexusfix::literals;

WallTime at(std::int64_t nanos) { return WallTime{std::chrono::nanoseconds{nanos}}; }

TEST(Text, numbers_have_all_their_digits) {
  EXPECT_EQ(to_string(150.250_d), "150.250");
  EXPECT_EQ(to_string(Decimal{std::numeric_limits<std::int64_t>::min(), 18}),
            "-9.223372036854775808");
  EXPECT_EQ(to_string(150.250_fp), "150.25");
  EXPECT_EQ(to_string(100 * 150.25_d), "15025.00");
  EXPECT_EQ(to_string(Decimal{std::numeric_limits<std::int64_t>::max(), 0} + 1),
            "the result does not fit");
}

TEST(Text, fixed_digits_round_to_the_nearest_and_a_tie_to_the_even_digit) {
  EXPECT_EQ(to_fixed(150.25_d, 2), "150.25");
  EXPECT_EQ(to_fixed(150_d, 2), "150.00");
  EXPECT_EQ(to_fixed(150_d, 0), "150");
  EXPECT_EQ(to_fixed(150.5_d, 3), "150.500");
  EXPECT_EQ(to_fixed(0.125_d, 2), "0.12");
  EXPECT_EQ(to_fixed(0.135_d, 2), "0.14");
  EXPECT_EQ(to_fixed(0.1251_d, 2), "0.13");
  EXPECT_EQ(to_fixed(Decimal{-125, 3}, 2), "-0.12");
  EXPECT_EQ(to_fixed(Decimal{-135, 3}, 2), "-0.14");
  EXPECT_EQ(to_fixed(9.999_d, 2), "10.00");
  EXPECT_EQ(to_fixed(0.5_d, 0), "0");
  EXPECT_EQ(to_fixed(1.5_d, 0), "2");
  constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(to_fixed(Decimal{kLowest, 18}, 0), "-9");
  EXPECT_EQ(to_fixed(Decimal{kLowest, 0}, 1), "-9223372036854775808.0");
  EXPECT_EQ(to_fixed(Decimal{std::numeric_limits<std::int64_t>::max(), 1}, 0),
            "922337203685477581");
  EXPECT_EQ(to_fixed(1_d, 1000).size(), 2 + kFixedDigitsMax);
}

TEST(Text, a_time_has_as_many_digits_as_it_needs) {
  constexpr std::int64_t kSecond = 1'705'314'600'000'000'000;
  EXPECT_EQ(nexusfix::to_string(at(kSecond)), "20240115-10:30:00");
  EXPECT_EQ(nexusfix::to_string(at(kSecond + 120'000'000)), "20240115-10:30:00.120");
  EXPECT_EQ(nexusfix::to_string(at(kSecond + 1'000)), "20240115-10:30:00.000001");
  EXPECT_EQ(nexusfix::to_string(at(kSecond + 1)), "20240115-10:30:00.000000001");
  EXPECT_EQ(to_string(PicoTime{at(kSecond), 7}), "20240115-10:30:00.000000000007");
}

TEST(Text, a_field_is_its_value) {
  EXPECT_EQ(to_string(Field<11, std::string_view>{"A\x1b"}), "A\\x1B");
  EXPECT_EQ(to_string(Field<554, std::string_view>{"secret"}), "***");
  EXPECT_EQ(to_string(Field<377, bool>{true}), "Y");
  EXPECT_EQ(to_string(Field<77, char>{'O'}), "O");
  EXPECT_EQ(to_string(Field<34, std::uint64_t>{~0ULL}), "18446744073709551615");
  EXPECT_EQ(to_string(Field<811, std::int64_t>{-5}), "-5");
  EXPECT_EQ(to_string(Field<60, WallTime>{at(0)}), "19700101-00:00:00");
  EXPECT_EQ(to_string(Field<75, Date>{Date{std::chrono::year{2024} / 1 / 15}}), "20240115");
  EXPECT_EQ(to_string(Field<1079, TimeOfDay>{TimeOfDay{std::chrono::milliseconds{61'500}}}),
            "00:01:01.500");
}

TEST(Text, an_error_names_the_field_and_the_place) {
  EXPECT_EQ(to_string(FieldError{FieldErrorCode::Missing, 44, 0}), "field 44 is missing");
  EXPECT_EQ(to_string(FieldError{FieldErrorCode::Empty, 44, 57}), "field 44 at byte 57 is empty");
  EXPECT_EQ(to_string(FieldError{FieldErrorCode::Malformed, 44, 57}),
            "field 44 at byte 57 is not of its type");
  EXPECT_EQ(to_string(FieldError{FieldErrorCode::OutOfRange, 44, 57}),
            "field 44 at byte 57 is out of range");
  EXPECT_EQ(to_string(EncodeError{EncodeErrorCode::EmptyValue, 58}), "field 58: empty value");
  EXPECT_EQ(to_string(ParseError{GarbledReason::NoBeginString, 3}), "no BeginString at byte 3");
}

TEST(Text, a_message_is_one_line_without_passwords_and_control_characters) {
  const std::string bytes =
      testing::fix("FIX.4.4", "35=A|49=T|56=V|34=1|553=me|554=secret|58=a\x1b[2J|96=raw|");
  Parser parser;
  const auto message = parser.parse(bytes);
  ASSERT_TRUE(message);
  const std::string text = to_string(*message);
  EXPECT_TRUE(text.starts_with("8=FIX.4.4|9=")) << text;
  EXPECT_NE(text.find("|35=A|49=T|56=V|34=1|553=me|554=***|58=a\\x1B[2J|96=***|10="),
            std::string::npos)
      << text;
  EXPECT_EQ(to_string(message->get<Decimal>(44)), "field 44 is missing");
  EXPECT_EQ(to_string(message->get<std::uint64_t>(34)), "1");
}

}  // namespace
}  // namespace nexusfix::wire
