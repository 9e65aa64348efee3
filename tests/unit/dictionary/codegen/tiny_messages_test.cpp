// The code that is generated from a dictionary with very awkward names.
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <type_traits>

#include <nexusfix/tiny/order.hpp>
#include <nexusfix/tiny/ping.hpp>
#include <nexusfix/tiny/status_message.hpp>
#include <nexusfix/wire/parser.hpp>

#include "support/fix_text.hpp"

namespace nexusfix {
namespace {

using wire::EnumTraits;
using wire::FieldErrorCode;

static_assert(std::is_same_v<tiny::Order::Required, wire::detail::TagList<37, 54, 555>>);
static_assert(std::is_same_v<tiny::PossFlag::ValueType, bool>);

class TinyMessages : public ::testing::Test {
 protected:
  wire::MessageView parse(std::string_view body) {
    bytes_ = testing::fix("FIX.4.4", body);
    auto view = parser_.parse(bytes_);
    EXPECT_TRUE(view);
    return view.value_or(wire::MessageView{});
  }

  std::string bytes_;
  wire::Parser parser_;
};

TEST_F(TinyMessages, have_accessors_for_names_that_cxx_reserves) {
  const auto order = tiny::Order::from(
      parse("35=D|37=1|54=1|5000=ZZ|53=2|555=1|687=9|5001=1.5|5002=-3|5003=10:30:00|43=Y|"));
  ASSERT_TRUE(order);
  EXPECT_EQ(order->side(), tiny::Side::Buy);
  EXPECT_EQ(order->price()->value, Decimal(15, 1));
  EXPECT_EQ(order->switch_()->value, -3);
  EXPECT_EQ(order->view_5003()->value, std::chrono::hours{10} + std::chrono::minutes{30});
  EXPECT_TRUE(order->poss_flag()->value);
  EXPECT_EQ(order->kind(), tiny::Kind::N1stKind);
}

TEST_F(TinyMessages, keep_an_open_enumeration_as_text) {
  const auto status = tiny::StatusMessage::from(parse("35=UStatus|5004=SIDEWAYS|5005=-1|"));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->status()->value, "SIDEWAYS");
  EXPECT_EQ(status->offset(), tiny::Offset::After);
}

TEST_F(TinyMessages, need_no_field_if_none_is_required) {
  EXPECT_TRUE(tiny::Ping::from(parse("35=0|")));
}

TEST(EnumValues, of_an_int_are_numbers) {
  using Traits = EnumTraits<tiny::Offset>;
  EXPECT_EQ(static_cast<int>(tiny::Offset::After), -1);
  EXPECT_EQ(Traits::text(tiny::Offset::Far), "10");
  EXPECT_EQ(Traits::from("2").value(), tiny::Offset::Near);
  EXPECT_EQ(Traits::from("002").value(), tiny::Offset::Near);
  EXPECT_EQ(Traits::from("3").error(), FieldErrorCode::OutOfRange);
  EXPECT_EQ(Traits::from("2x").error(), FieldErrorCode::Malformed);
  EXPECT_EQ(Traits::text(static_cast<tiny::Offset>(3)), "");
}

TEST(EnumValues, of_a_string_are_found_by_their_text) {
  using Traits = EnumTraits<tiny::Kind>;
  for (const auto kind : {tiny::Kind::AB, tiny::Kind::AB_BB, tiny::Kind::N1stKind}) {
    EXPECT_EQ(Traits::from(Traits::text(kind)).value(), kind);
  }
  EXPECT_EQ(Traits::text(tiny::Kind::AB), "AA");
  EXPECT_EQ(Traits::text(tiny::Kind::AB_BB), "BB");
  EXPECT_EQ(Traits::from("A").error(), FieldErrorCode::OutOfRange);
  EXPECT_EQ(Traits::from("ZZZ").error(), FieldErrorCode::OutOfRange);
  EXPECT_EQ(Traits::text(static_cast<tiny::Kind>(3)), "");
}

TEST(EnumValues, of_a_char_may_be_any_character) {
  using Traits = EnumTraits<tiny::Side>;
  EXPECT_EQ(Traits::text(tiny::Side::SellQuoted), "'");
  EXPECT_EQ(Traits::from("'").value(), tiny::Side::SellQuoted);
  EXPECT_EQ(Traits::from("2").error(), FieldErrorCode::OutOfRange);
  EXPECT_EQ(Traits::from("").error(), FieldErrorCode::Malformed);
  EXPECT_EQ(Traits::from("11").error(), FieldErrorCode::Malformed);
}

}  // namespace
}  // namespace nexusfix
