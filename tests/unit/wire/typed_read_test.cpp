#include <array>
#include <expected>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <type_traits>

#include <nexusfix/wire/parser.hpp>
#include <nexusfix/wire/typed.hpp>
#include <nexusfix/wire/typed_read.hpp>
#include <nexusfix/wire/typed_write.hpp>

#include "unit/wire/message_text.hpp"

namespace nexusfix::wire_typed_test {

// As generated code declares them.
using ClOrdID = wire::Field<11, std::string_view>;
using OrderQty = wire::Field<38, Decimal>;
using TransactTime = wire::Field<60, WallTime>;
using MaturityTime = wire::Field<1079, wire::TimeOfDay>;
using TradeDate = wire::Field<75, wire::Date>;
using SolicitedFlag = wire::Field<377, bool>;
using NoAllocs = wire::Field<78, std::uint64_t>;
using PositionEffect = wire::Field<77, char>;
using PriceDelta = wire::Field<811, std::int64_t>;
enum class Side : char { Buy = '1', Sell = '2' };

}  // namespace nexusfix::wire_typed_test

namespace nexusfix::wire {

template <>
struct EnumTraits<wire_typed_test::Side> {
  static constexpr Tag kTag = 54;
  static bool has(wire_typed_test::Side side) noexcept {
    return side == wire_typed_test::Side::Buy || side == wire_typed_test::Side::Sell;
  }
  static std::string_view text(wire_typed_test::Side side) noexcept {
    return side == wire_typed_test::Side::Buy ? "1" : "2";
  }
  static Converted<wire_typed_test::Side> from(std::string_view value) noexcept {
    if (value == "1") return wire_typed_test::Side::Buy;
    if (value == "2") return wire_typed_test::Side::Sell;
    return std::unexpected{FieldErrorCode::Malformed};
  }
};

namespace {

using namespace nexusfix::literals;
using namespace wire_typed_test;

struct Order {
  static constexpr std::string_view kMsgType = "D";
  static constexpr std::string_view kBeginString = "FIX.4.4";
  static constexpr std::string_view kApplicationVersion = "FIX.4.4";
  using Required = detail::TagList<11, 54>;
  static std::expected<Order, FieldError> from(const MessageView& view) {
    const auto id = view.get<std::string_view>(11);
    if (!id) return std::unexpected{id.error()};
    return Order{};
  }
};
struct NoMessage {};
enum class Plain { One };

TEST(Typed, concepts_recognise_typed_fields_and_messages) {
  static_assert(detail::TypedField<ClOrdID> && detail::TypedField<Side>);
  static_assert(!detail::TypedField<int> && !detail::TypedField<std::string_view> &&
                !detail::TypedField<Plain>);
  static_assert(TypedMessage<Order> && !TypedMessage<NoMessage>);
  static_assert(tag_of<ClOrdID>() == 11 && tag_of<Side>() == 54);
}

TEST(Typed, HasAll_sees_which_required_field_is_forgotten) {
  static_assert(detail::HasAll<Order::Required, ClOrdID, Side>::value);
  static_assert(detail::HasAll<Order::Required, Side, OrderQty, ClOrdID>::value);
  static_assert(!detail::HasAll<Order::Required, ClOrdID>::value);
  static_assert(!detail::HasAll<Order::Required, ClOrdID, OrderQty>::value);
  static_assert(!detail::HasAll<Order::Required>::value);
  static_assert(detail::HasAll<detail::TagList<>>::value &&
                detail::HasAll<detail::TagList<>, Side>::value);
}

TEST(Typed, write_field_writes_each_type_of_value) {
  std::array<char, 512> buffer;
  MessageHeader header;
  header.msg_type = "D";
  header.msg_seq_num = 1;
  Encoder encoder{buffer, {"FIX.4.4", "S", "T"}, header};
  write_field(encoder, ClOrdID{"A1"});
  write_field(encoder, Side::Sell);
  write_field(encoder, OrderQty{Decimal{15, 1}});
  write_field(encoder, TransactTime{WallTime{}});
  write_field(encoder, TradeDate{Date{std::chrono::year{2024} / 1 / 15}});
  write_field(encoder, MaturityTime{TimeOfDay{std::chrono::hours{9}}});
  write_field(encoder, SolicitedFlag{true});
  write_field(encoder, NoAllocs{2});
  write_field(encoder, PositionEffect{'O'});
  write_field(encoder, PriceDelta{-3});
  const auto message = encoder.finish();
  ASSERT_TRUE(message);
  EXPECT_EQ(test::with_pipes(*message),
            test::with_pipes(test::message_of(
                "35=D|34=1|49=S|52=19700101-00:00:00.000|56=T|11=A1|54=2|38=1.5|"
                "60=19700101-00:00:00.000|75=20240115|1079=09:00:00.000|377=Y|78=2|77=O|811=-3|")));
}

using SenderSubID = Field<50, std::string_view>;

TEST(Typed, write_message_parts_writes_fields_of_the_header_first) {
  std::array<char, 512> buffer;
  Encoder encoder{buffer, {"FIX.4.4", "S", "T"}, {.msg_type = "D", .msg_seq_num = 1}};
  write_message_parts<Order>(encoder, ClOrdID{"A1"}, SenderSubID{"desk"}, Side::Buy);
  const auto message = encoder.finish();
  ASSERT_TRUE(message);
  EXPECT_EQ(test::with_pipes(*message),
            test::with_pipes(test::message_of(
                "35=D|34=1|49=S|52=19700101-00:00:00.000|56=T|50=desk|11=A1|54=1|")));
}

// A field that was read from one message is written into another one unchanged.
std::expected<std::string, EncodeError> forwarded(std::string_view body) {
  const std::string bytes =
      test::message_of("35=D|34=1|49=A|52=20260101-00:00:00|56=B|" + std::string{body});
  Parser parser;
  const auto received = parser.parse(bytes);
  std::array<char, 512> buffer;
  Encoder encoder{buffer, {"FIX.4.4", "S", "T"}, {.msg_type = "D", .msg_seq_num = 1}};
  write_message_parts<Order>(encoder, ClOrdID{"A1"}, read_field<OrderQty>(*received),
                             read_field<Side>(*received));
  const auto message = encoder.finish();
  if (!message) return std::unexpected{message.error()};
  return test::with_pipes(message->substr(message->find("\x01"
                                                        "11=") +
                                          1));
}

TEST(Typed, a_field_that_was_read_is_written_and_a_missing_one_is_omitted) {
  EXPECT_TRUE(forwarded("54=2|38=1.50|")->starts_with("11=A1|38=1.50|54=2|10="));
  EXPECT_TRUE(forwarded("54=2|")->starts_with("11=A1|54=2|10="));
  EXPECT_TRUE(forwarded("38=7|")->starts_with("11=A1|38=7|10="));
}

TEST(Typed, a_field_that_could_not_be_read_is_an_error_of_the_message) {
  const auto malformed = forwarded("54=2|38=1x|");
  ASSERT_FALSE(malformed);
  EXPECT_EQ(malformed.error().code, EncodeErrorCode::EmptyValue);
  EXPECT_EQ(malformed.error().tag, 38U);
  const auto unknown = forwarded("38=1|54=9|");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().tag, 54U);
}

TEST(Typed, a_field_that_was_read_does_not_count_as_a_required_one) {
  static_assert(detail::MessagePart<OptionalField<ClOrdID>> &&
                !detail::MessagePart<OptionalField<int>>);
  static_assert(!detail::HasAll<Order::Required, OptionalField<ClOrdID>, Side>::value);
  static_assert(!tags_are_distinct<OptionalField<ClOrdID>, ClOrdID>());
}

TEST(Typed, tags_are_distinct_if_none_is_given_twice) {
  static_assert(tags_are_distinct<>() && tags_are_distinct<ClOrdID>());
  static_assert(tags_are_distinct<ClOrdID, Side, OrderQty>());
  static_assert(!tags_are_distinct<ClOrdID, Side, ClOrdID>());
}

TEST(Typed, fields_compare_by_value) {
  EXPECT_EQ(ClOrdID{"A"}, ClOrdID{"A"});
  EXPECT_FALSE(ClOrdID{"A"} == ClOrdID{"B"});
  EXPECT_TRUE(OrderQty{}.value.is_zero());
}

TEST(Typed, prices_and_quantities_compare_with_numbers_and_with_each_other) {
  using Price = Field<44, Decimal>;
  EXPECT_TRUE(OrderQty{100} == 100);
  EXPECT_TRUE(OrderQty{100} > 99.5_d);
  EXPECT_TRUE(OrderQty{100} < Price{"100.25"});
  EXPECT_TRUE(OrderQty{100} == Price{"100.00"});
  EXPECT_TRUE(ClOrdID{"A"} == "A");
  EXPECT_TRUE("A" == ClOrdID{"A"});
  EXPECT_TRUE((Field<34, std::uint64_t>{5} == 5));
  EXPECT_FALSE((Field<34, std::uint64_t>{~0ULL} == -1));
}

TEST(Typed, quantity_times_price_is_a_checked_decimal) {
  using Price = Field<44, Decimal>;
  const CheckedDecimal notional = OrderQty{100} * Price{"150.25"};
  ASSERT_TRUE(notional);
  EXPECT_EQ(*notional, 15'025_d);
  EXPECT_EQ(*(OrderQty{100} - OrderQty{30}), 70_d);
  EXPECT_FALSE((OrderQty{std::int64_t{1} << 62U}) * 2);
}

TEST(Typed, arithmetic_takes_fields_decimals_and_numbers_on_both_sides) {
  using Price = Field<44, Decimal>;
  EXPECT_EQ(*(2 * OrderQty{100} - 1), 199_d);
  EXPECT_EQ(*(0.5_d - OrderQty{1}), (Decimal{-5, 1}));
  EXPECT_EQ(*(-OrderQty{3} + Price{"0.5"}), (Decimal{-25, 1}));
  EXPECT_EQ(*abs(OrderQty{1} - Price{"2.5"}), 1.5_d);
  EXPECT_EQ(*abs(Price{"-1.5"}), 1.5_d);
  static_assert(!std::is_convertible_v<Price, double> && !std::is_convertible_v<Decimal, double>);
}

}  // namespace
}  // namespace nexusfix::wire
