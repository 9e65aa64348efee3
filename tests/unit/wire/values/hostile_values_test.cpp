// Values that other engines misread, as typed reads of a message: each is the value or an error,
// with every kernel and at every position in the message.
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include <nexusfix/wire/parser.hpp>

#include "unit/wire/kernels/kernel_parameters.hpp"
#include "unit/wire/message_text.hpp"

namespace nexusfix::wire {
namespace {

class HostileValuesTest : public testing::TestWithParam<const kernels::KernelTable*> {
 protected:
  // Before and after paddings of every size up to a few blocks.
  template <class Check>
  void in_every_place(std::string_view fields, Check check) {
    for (std::size_t padding = 1; padding <= 140; ++padding) {
      const std::string text = "58=" + std::string(padding, '7') + "|";
      for (const std::string& body : {text + std::string{fields}, std::string{fields} + text}) {
        const std::string frame = test::message_of("35=D|" + body);
        const auto message = parser_.parse(frame);
        ASSERT_TRUE(message);
        SCOPED_TRACE(test::with_pipes(frame));
        check(*message);
        if (HasFailure()) return;
      }
    }
  }

  detail::ParserIndex parser_{DataFieldTable::standard(), *GetParam()};
};

// abc read as 0 or 5451, 1.2.3 as 1.23, 1e5 as 1 or 635, +1.5 as 0, - as 0, twenty digits read as a
// number, digits after the eighth dropped silently, 1e400, 2^32 + 1 read as 1.
TEST_P(HostileValuesTest, values_are_numbers_or_errors_and_never_something_else) {
  struct Case {
    std::string_view text;
    std::string integer;  // the value, or empty for an error
    std::string price;
  };
  for (const Case& test :
       {Case{"abc", "", ""},
        Case{"1.2.3", "", ""},
        Case{"1e5", "", ""},
        Case{"1e400", "", ""},
        Case{"+1.5", "", ""},
        Case{"+1", "", ""},
        Case{"-", "", ""},
        Case{".", "", ""},
        Case{"-.", "", ""},
        Case{"--1", "", ""},
        Case{"1 ", "", ""},
        Case{" 1", "", ""},
        Case{"0x10", "", ""},
        Case{"inf", "", ""},
        Case{"nan", "", ""},
        Case{"99999999999999999999", "", ""},
        Case{"9223372036854775808", "", ""},
        Case{"9223372036854775807", "9223372036854775807", "9223372036854775807"},
        Case{"-9223372036854775808", "-9223372036854775808", "-9223372036854775808"},
        Case{"4294967297", "4294967297", "4294967297"},
        Case{"-0", "0", "0"},
        Case{"1.5", "", "1.5"},
        Case{"0.123456789", "", "0.123456789"},
        Case{"1234567.89", "", "1234567.89"},
        Case{"0.00000012", "", "0.00000012"},
        Case{"0.0000000000000000001", "", ""}}) {
    in_every_place("38=" + std::string{test.text} + "|", [&](const MessageView& message) {
      ASSERT_FALSE(message.fault());
      char out[kDecimalBytesMax];
      const auto integer = message.get<std::int64_t>(38);
      ASSERT_EQ(integer ? std::to_string(*integer) : "", test.integer);
      const auto price = message.get<Decimal>(38);
      ASSERT_EQ(price ? std::string(out, from_decimal(*price, out)) : "", test.price);
    });
  }
}

// Timestamp extremes: second 60, twelve fraction digits, dates that do not exist.
TEST_P(HostileValuesTest, times_are_times_or_errors) {
  for (const std::string_view text :
       {"20240230-00:00:00", "20230229-00:00:00", "20241301-00:00:00", "20240100-00:00:00",
        "20240101-24:00:00", "20240101-23:60:00", "20240101-23:59:61", "20240101-00:00:00.",
        "20240101-00:00:00.0000000000001", "20240101 00:00:00", "2024-01-01T00:00:00",
        "00000000-00:00:00", "99999999-99:99:99", "20240101-0:00:00", "20240101-00:00", "-",
        "20240101-00:00:00.12a", "20240101-00:00:00-01"}) {
    in_every_place("60=" + std::string{text} + "|", [&](const MessageView& message) {
      ASSERT_FALSE(message.get<WallTime>(60)) << text;
      ASSERT_FALSE(message.get<PicoTime>(60)) << text;
    });
  }
  in_every_place("60=20240101-23:59:60|60=20240101-00:00:00.123456789012|",
                 [](const MessageView& message) {
                   ASSERT_TRUE(message.get<WallTime>(60));
                   const auto index = message.find_index(60);
                   const auto fine = to_pico_time(message.field(*index + 1).value);
                   ASSERT_TRUE(fine);
                   ASSERT_EQ(fine->picos, 12U);
                 });
}

INSTANTIATE_TEST_SUITE_P(Kernels, HostileValuesTest, testing::ValuesIn(test::every_kernel()),
                         test::kernel_name);

}  // namespace
}  // namespace nexusfix::wire
