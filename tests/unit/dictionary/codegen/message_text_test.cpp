// Includes fmt first: format.hpp has formatters for it only then.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sstream>
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

TEST(MessageText, a_stream_gets_messages_fields_and_errors_as_on_the_wire) {
  const std::string bytes = testing::fix(
      "FIX.4.4",
      "35=D|49=T|56=V|34=2|52=20240115-10:30:00|11=A1|55=AAPL|54=1|38=100|40=2|44=10.50|"
      "60=20240115-10:30:00.100|");
  wire::Parser parser;
  const auto view = parser.parse(bytes);
  ASSERT_TRUE(view);
  const auto order = fix44::NewOrderSingle::from(*view);
  ASSERT_TRUE(order);
  std::ostringstream out;
  out << order->cl_ord_id() << ' ' << order->side() << ' ' << order->price() << ' '
      << order->transact_time() << ' ' << order->stop_px() << ' ' << 10.50_d << ' '
      << fix44::Password{"secret"} << ' ' << fix44::SolicitedFlag{true} << '\n'
      << *order;
  EXPECT_EQ(out.str(), "A1 1 10.50 20240115-10:30:00.100 field 99 is missing 10.50 *** Y\n" +
                           to_string(*view));
  out.str("");
  fix44::NewOrderSingle::Draft draft;
  ASSERT_TRUE(draft.set(fix44::ClOrdID{"A1"}));
  out << draft << ' ' << *view;
  EXPECT_EQ(out.str(), "35=D|11=A1 " + to_string(*view));
}

}  // namespace
}  // namespace nexusfix
