// Includes fmt first: format.hpp has formatters for it only then.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <unordered_map>

#include <nexusfix/fix44/enum_names.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/wire/draft.hpp>
#include <nexusfix/wire/parser.hpp>
#include <nexusfix/wire/text.hpp>

#include "support/fix_text.hpp"

namespace nexusfix {
namespace {

TEST(MessageText, an_enumerator_has_the_name_of_the_dictionary_and_its_value) {
  EXPECT_EQ(to_string(fix44::Side::Buy), "BUY (1)");
  EXPECT_EQ(to_string(fix44::BenchmarkCurveName::Euribor), "EURIBOR (Euribor)");
  EXPECT_EQ(to_string(fix44::CxlRejReason::TooLateToCancel), "TOO_LATE_TO_CANCEL (0)");
  EXPECT_EQ(to_string(static_cast<fix44::Side>('!')), "not in the enumeration");
}

TEST(MessageText, fmt_formats_prices_with_a_number_of_digits) {
  EXPECT_EQ(fmt::format("{:.2f}|{:.0f}|{:.2f}", fix44::Price{"150.255"}, fix44::OrderQty{100},
                        Decimal{5, 1}),
            "150.26|100|0.50");
  EXPECT_EQ(fmt::format("{:10.2f}|{:<8.1f}|{:*^9.1f}|{:.3}", fix44::Price{"1.5"},
                        fix44::Price{"1.5"}, fix44::Price{"1.5"}, fix44::Price{"1.5"}),
            "      1.50|1.5     |***1.5***|1.500");
  EXPECT_EQ(fmt::format("{:+.1f}|{:08.2f}|{:08.2f}|{:f}", fix44::Price{"1.5"}, fix44::Price{"-1.5"},
                        fix44::Price{"1.5"}, fix44::Price{"1.50"}),
            "+1.5|-0001.50|00001.50|1.50");
  const wire::OptionalField<fix44::Price> missing{
      std::unexpect, wire::FieldError{wire::FieldErrorCode::Missing, 44, 0}};
  EXPECT_EQ(
      fmt::format("{:.2f}|{:>20.2f}", wire::OptionalField<fix44::Price>{fix44::Price{2}}, missing),
      "2.00| field 44 is missing");
  EXPECT_EQ(fmt::format("{:>6}|{}", fix44::Price{"1.50"}, fix44::Price{"1.50"}), "  1.50|1.50");
}

TEST(MessageText, equal_prices_have_one_hash_whatever_their_scales) {
  EXPECT_EQ(std::hash<Decimal>{}(Decimal{150, 2}), std::hash<Decimal>{}(Decimal{15, 1}));
  EXPECT_EQ(std::hash<Decimal>{}(Decimal{0, 5}), std::hash<Decimal>{}(Decimal{0, 0}));
  EXPECT_NE(std::hash<Decimal>{}(Decimal{15, 1}), std::hash<Decimal>{}(Decimal{15, 0}));
  std::unordered_map<fix44::Price, int> sizes;
  sizes[fix44::Price{"1.50"}] += 100;
  sizes[fix44::Price{"1.5"}] += 100;
  EXPECT_EQ(sizes.size(), 1U);
  EXPECT_EQ(sizes[fix44::Price{"1.500"}], 200);
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
      << order->transact_time() << ' ' << order->stop_px() << ' ' << Decimal{1050, 2} << ' '
      << fix44::Password{"secret"} << ' ' << fix44::SolicitedFlag{true} << '\n'
      << *order;
  EXPECT_EQ(out.str(), "A1 1 10.50 20240115-10:30:00.100 field 99 is missing 10.50 *** Y\n" +
                           to_string(*view));
  out.str("");
  fix44::NewOrderSingle::Draft draft;
  ASSERT_TRUE(draft.set(fix44::ClOrdID{"A1"}));
  const auto refused = draft.validate();
  const wire::EncodeError encode{wire::EncodeErrorCode::EmptyValue, 58};
  ASSERT_FALSE(refused);
  out << draft << ' ' << *view << ' ' << refused.error() << ' ' << encode;
  EXPECT_EQ(out.str(), "35=D|11=A1 " + to_string(*view) + ' ' + to_string(refused.error()) + ' ' +
                           to_string(encode));
}

}  // namespace
}  // namespace nexusfix
