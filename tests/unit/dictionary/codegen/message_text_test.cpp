// Includes fmt first: format.hpp has formatters for it only then.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/fix44/enum_names.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/wire/format.hpp>
#include <nexusfix/wire/parser.hpp>

#include "support/fix_text.hpp"

namespace nexusfix {
namespace {

TEST(MessageText, an_enumerator_has_the_name_of_the_dictionary_and_its_value) {
  EXPECT_EQ(to_string(fix44::Side::Buy), "BUY (1)");
  EXPECT_EQ(to_string(fix44::BenchmarkCurveName::Euribor), "EURIBOR (Euribor)");
  EXPECT_EQ(to_string(fix44::CxlRejReason::TooLateToCancel), "TOO_LATE_TO_CANCEL (0)");
  EXPECT_EQ(to_string(static_cast<fix44::Side>('!')), "not in the enumeration");
}

TEST(MessageText, fmt_formats_messages_fields_and_errors_with_width_and_alignment) {
  const std::string bytes = testing::fix(
      "FIX.4.4",
      "35=D|49=T|56=V|34=2|52=20240115-10:30:00|11=A1|55=AAPL|54=1|38=100|40=2|44=10.50|"
      "60=20240115-10:30:00.100|");
  wire::Parser parser;
  const auto view = parser.parse(bytes);
  ASSERT_TRUE(view);
  const auto order = fix44::NewOrderSingle::from(*view);
  ASSERT_TRUE(order);
  EXPECT_EQ(fmt::format("{} {} {:>8}|{:<6}|{}", order->cl_ord_id(), order->side(), order->price(),
                        order->order_qty(), order->stop_px()),
            "A1 BUY (1)    10.50|100   |field 99 is missing");
  EXPECT_EQ(fmt::format("{}", *order), to_string(*view));
  EXPECT_EQ(fmt::format("{}", *order->order_qty() * *order->price()), "1050.00");
}

}  // namespace
}  // namespace nexusfix
