#include <array>
#include <chrono>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <nexusfix/fix42/execution_report.hpp>
#include <nexusfix/fix42/new_order_single.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/fields.hpp>
#include <nexusfix/fix44/heartbeat.hpp>
#include <nexusfix/fix44/market_data_snapshot_full_refresh.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/wire/draft.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/parser.hpp>
#include <nexusfix/wire/typed_write.hpp>

#include "support/fix_text.hpp"

namespace nexusfix {
namespace {

using namespace nexusfix::literals;
using testing::fix;
using wire::FieldErrorCode;
using wire::detail::TagList;

static_assert(wire::TypedMessage<fix44::NewOrderSingle>);
static_assert(wire::TypedMessage<fix42::ExecutionReport>);
static_assert(fix44::NewOrderSingle::kMsgType == "D");
static_assert(fix42::NewOrderSingle::kBeginString == "FIX.4.2");
static_assert(fix44::tag::ClOrdID == 11);
static_assert(wire::tag_of<fix44::Side>() == 54);
static_assert(wire::tag_of<fix44::ClOrdID>() == 11);

// FIX 4.4, NewOrderSingle: Instrument is a required component, and Symbol is required in it.
// OrderQtyData is required, but none of its fields is.
static_assert(std::is_same_v<fix44::NewOrderSingle::Required, TagList<11, 55, 54, 60, 40>>);
static_assert(
    std::is_same_v<fix44::ExecutionReport::Required, TagList<37, 17, 150, 39, 55, 54, 151, 14, 6>>);
static_assert(std::is_same_v<fix44::Heartbeat::Required, TagList<>>);

static_assert(std::is_same_v<fix44::Price::ValueType, Decimal>);
static_assert(std::is_same_v<fix44::TransactTime::ValueType, WallTime>);
static_assert(std::is_same_v<fix44::TradeDate::ValueType, wire::Date>);
static_assert(std::is_same_v<fix44::MDEntryTime::ValueType, wire::TimeOfDay>);
static_assert(std::is_same_v<fix44::PossDupFlag::ValueType, bool>);
static_assert(std::is_same_v<fix44::RefSeqNum::ValueType, std::uint64_t>);
static_assert(std::is_same_v<fix44::HeartBtInt::ValueType, std::int64_t>);
static_assert(std::is_same_v<fix44::ExecInst::ValueType, std::string_view>);
static_assert(std::is_same_v<fix44::SymbolSfx::ValueType, std::string_view>);  // open enumerations
static_assert(std::is_same_v<fix44::SecurityType::ValueType, std::string_view>);
static_assert(std::is_same_v<fix44::TradeRequestResult::ValueType, std::int64_t>);
static_assert(wire::detail::DictionaryEnum<fix44::CxlRejReason>);
static_assert(wire::detail::DictionaryEnum<fix44::BenchmarkCurveName>);

constexpr std::string_view kOrder =
    "35=D|49=T|56=V|34=2|52=20240115-10:30:00|11=A1|55=AAPL|54=1|38=100.50|40=2|44=10.5|59=3|"
    "60=20240115-10:30:00.100|";

class TypedMessages : public ::testing::Test {
 protected:
  wire::MessageView parse(std::string_view body, std::string_view begin_string = "FIX.4.4") {
    bytes_ = fix(begin_string, body);
    auto view = parser_.parse(bytes_);
    EXPECT_TRUE(view);
    return view.value_or(wire::MessageView{});
  }

  std::string bytes_;
  wire::Parser parser_;
};

TEST_F(TypedMessages, reads_required_fields_as_values_and_the_others_as_results) {
  const auto order = fix44::NewOrderSingle::from(parse(kOrder));
  ASSERT_TRUE(order);
  EXPECT_EQ(order->cl_ord_id().value, "A1");
  EXPECT_EQ(order->symbol(), fix44::Symbol{"AAPL"});
  EXPECT_EQ(order->side(), fix44::Side::Buy);
  EXPECT_EQ(order->ord_type(), fix44::OrdType::Limit);
  ASSERT_TRUE(order->order_qty());
  EXPECT_EQ(order->order_qty()->value, Decimal(100'50, 2));
  EXPECT_EQ(order->time_in_force(), fix44::TimeInForce::ImmediateOrCancel);
  ASSERT_FALSE(order->stop_px());
  EXPECT_EQ(order->stop_px().error().code, FieldErrorCode::Missing);
  EXPECT_EQ(order->stop_px().error().tag, fix44::tag::StopPx);
  EXPECT_EQ(order->view()[fix44::tag::Symbol], "AAPL");
}

TEST_F(TypedMessages, a_required_field_is_assigned_to_its_plain_value) {
  const auto order = fix44::NewOrderSingle::from(parse(kOrder));
  ASSERT_TRUE(order);
  const std::string_view view = order->cl_ord_id();
  std::string copy = order->cl_ord_id();
  EXPECT_EQ(view.data(), order->cl_ord_id().value.data()) << "a view of the message";
  EXPECT_EQ(copy, "A1");
  copy = order->symbol();
  EXPECT_EQ(copy + std::string{order->cl_ord_id()}, "AAPLA1");
  const Decimal price = *order->price();
  EXPECT_EQ(price, 10.50_d);
  EXPECT_EQ(fix44::StopPx{*order->price()}, fix44::StopPx{"10.5"});
  EXPECT_EQ(fix44::OrigClOrdID{order->cl_ord_id()}, fix44::OrigClOrdID{"A1"});
  const WallTime time = order->transact_time();
  EXPECT_EQ(time, order->transact_time().value);
}

TEST_F(TypedMessages, an_optional_field_compares_with_values_and_a_missing_one_equals_none) {
  const auto order = fix44::NewOrderSingle::from(parse(kOrder));
  ASSERT_TRUE(order);
  EXPECT_TRUE(order->price() == fix44::Price{"10.5"});
  EXPECT_TRUE(order->price() == 10.50_d);
  EXPECT_TRUE(10.50_d == order->price());
  EXPECT_TRUE(order->price() != 10);
  EXPECT_TRUE(order->time_in_force() == fix44::TimeInForce::ImmediateOrCancel);
  EXPECT_TRUE(order->view().get<std::uint64_t>(34) == 2);
  EXPECT_FALSE(order->stop_px() == 0_d);
  EXPECT_FALSE(order->account() == "");
  EXPECT_TRUE(order->account() != "");
}

TEST_F(TypedMessages, two_optional_fields_are_equal_with_one_value_or_if_both_are_missing) {
  const auto order = fix44::NewOrderSingle::from(parse(kOrder));
  ASSERT_TRUE(order);
  const auto price = order->price();
  EXPECT_TRUE(price == order->price());
  EXPECT_TRUE(order->account() == order->account());
  EXPECT_FALSE(price == order->stop_px()) << "two fields, one is missing";
  EXPECT_TRUE(order->stop_px() == order->price2()) << "two fields, both are missing";
  const auto late = fix44::NewOrderSingle::from(
      parse("35=D|34=2|11=A1|55=AAPL|54=1|40=2|44=x|60=20240115-10:30:00|"));
  ASSERT_TRUE(late);
  EXPECT_FALSE(late->price() == late->price()) << "its text is unknown";
  EXPECT_FALSE(late->price() == price);
}

TEST_F(TypedMessages, a_default_stands_for_a_field_that_is_missing_or_unreadable) {
  const auto order = fix44::NewOrderSingle::from(
      parse("35=D|34=2|1=ACC|11=A1|55=AAPL|54=1|38=5|40=2|44=x|60=20240115-10:30:00|"));
  ASSERT_TRUE(order);
  const std::string_view account = order->account_or("none");
  EXPECT_EQ(account, "ACC");
  EXPECT_EQ(order->account().value_or("none"), "ACC");
  EXPECT_EQ(order->text_or(""), "");
  EXPECT_EQ(order->encoded_text_len_or(0), 0U);
  EXPECT_EQ(order->order_qty_or(0), 5_d);
  EXPECT_EQ(order->price_or(0_d), 0_d);
  EXPECT_EQ(order->price_or(fix44::Price{1}), fix44::Price{1});
  EXPECT_EQ(order->time_in_force_or(fix44::TimeInForce::Day), fix44::TimeInForce::Day);
}

TEST_F(TypedMessages, a_required_field_has_an_accessor_with_a_default_for_drafts) {
  const auto order = fix44::NewOrderSingle::from(parse(kOrder));
  ASSERT_TRUE(order);
  EXPECT_EQ(order->cl_ord_id_or("none"), "A1");
  EXPECT_EQ(order->side_or(fix44::Side::Sell), fix44::Side::Buy);
  const fix44::NewOrderSingle::Draft empty;
  EXPECT_EQ(empty.cl_ord_id_or("none"), "none");
  EXPECT_EQ(empty.side_or(fix44::Side::Sell), fix44::Side::Sell);
}

TEST_F(TypedMessages, a_message_may_be_asked_for_its_type) {
  const wire::MessageView view = parse(kOrder);
  EXPECT_EQ(view.as<fix44::NewOrderSingle>()->symbol().value, "AAPL");
  EXPECT_EQ(view.as<fix44::ExecutionReport>().error().tag, 35U);
}

TEST_F(TypedMessages, refuses_a_message_that_lacks_a_required_field) {
  const auto order = fix44::NewOrderSingle::from(parse("35=D|34=2|11=A1|55=AAPL|40=2|"));
  ASSERT_FALSE(order);
  EXPECT_EQ(order.error().code, FieldErrorCode::Missing);
  EXPECT_EQ(order.error().tag, fix44::tag::Side);
}

TEST_F(TypedMessages, refuses_a_required_value_of_another_type) {
  const auto order =
      fix44::NewOrderSingle::from(parse("35=D|34=2|11=A1|55=AAPL|54=1|40=2|60=yesterday|"));
  ASSERT_FALSE(order);
  EXPECT_EQ(order.error().code, FieldErrorCode::Malformed);
  EXPECT_EQ(order.error().tag, fix44::tag::TransactTime);
  EXPECT_EQ(bytes_.substr(order.error().offset, 9), "yesterday");
}

TEST_F(TypedMessages, refuses_a_required_value_out_of_its_enumeration) {
  const auto order =
      fix44::NewOrderSingle::from(parse("35=D|34=2|11=A1|55=AAPL|54=Z|40=2|60=20240115-10:30:00|"));
  ASSERT_FALSE(order);
  EXPECT_EQ(order.error().code, FieldErrorCode::OutOfRange);
  EXPECT_EQ(order.error().tag, fix44::tag::Side);
  const auto two_bytes = fix44::NewOrderSingle::from(
      parse("35=D|34=2|11=A1|55=AAPL|54=11|40=2|60=20240115-10:30:00|"));
  ASSERT_FALSE(two_bytes);
  EXPECT_EQ(two_bytes.error().code, FieldErrorCode::Malformed);
}

TEST_F(TypedMessages, returns_an_optional_value_out_of_its_enumeration_as_an_error) {
  const auto order = fix44::NewOrderSingle::from(
      parse("35=D|34=2|11=A1|55=AAPL|54=1|40=2|59=Q|60=20240115-10:30:00|"));
  ASSERT_TRUE(order);
  ASSERT_FALSE(order->time_in_force());
  EXPECT_EQ(order->time_in_force().error().code, FieldErrorCode::OutOfRange);
}

TEST_F(TypedMessages, refuses_a_message_of_another_type) {
  const auto report = fix44::ExecutionReport::from(parse(kOrder));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().tag, 35U);
  EXPECT_EQ(report.error().code, FieldErrorCode::OutOfRange);
}

TEST_F(TypedMessages, follow_their_own_version) {
  // FIX 4.2 requires HandlInst (21) in an order, and FIX 4.4 does not.
  const auto order = fix42::NewOrderSingle::from(parse(kOrder, "FIX.4.2"));
  ASSERT_FALSE(order);
  EXPECT_EQ(order.error().tag, fix42::tag::HandlInst);
}

TEST_F(TypedMessages, require_the_count_of_a_required_group) {
  const auto missing = fix44::MarketDataSnapshotFullRefresh::from(parse("35=W|34=2|55=AAPL|"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().tag, fix44::tag::NoMDEntries);
  EXPECT_TRUE(
      fix44::MarketDataSnapshotFullRefresh::from(parse("35=W|34=2|55=AAPL|268=1|269=0|270=1.5|")));
}

TEST_F(TypedMessages, read_back_what_was_written_with_typed_fields) {
  std::array<char, 512> buffer;
  const wire::HeaderFields session{"FIX.4.4", "V", "T"};
  wire::MessageHeader header;
  header.msg_type = fix44::ExecutionReport::kMsgType;
  header.msg_seq_num = 7;
  wire::Encoder encoder{buffer, session, header};
  wire::write_field(encoder, fix44::OrderID{"1"});
  wire::write_field(encoder, fix44::ExecID{"2"});
  wire::write_field(encoder, fix44::ExecType::Trade);
  wire::write_field(encoder, fix44::OrdStatus::PartiallyFilled);
  wire::write_field(encoder, fix44::Symbol{"AAPL"});
  wire::write_field(encoder, fix44::Side::Sell);
  wire::write_field(encoder, fix44::LeavesQty{Decimal(60, 0)});
  wire::write_field(encoder, fix44::CumQty{Decimal(40, 0)});
  wire::write_field(encoder, fix44::AvgPx{Decimal(1525, 2)});
  wire::write_field(encoder, fix44::BenchmarkCurveName::Sonia);
  wire::write_field(encoder, fix44::OrdRejReason::TooLateToEnter);
  const auto bytes = encoder.finish();
  ASSERT_TRUE(bytes);
  const auto view = parser_.parse(*bytes);
  ASSERT_TRUE(view);
  const auto report = fix44::ExecutionReport::from(*view);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->exec_type(), fix44::ExecType::Trade);
  EXPECT_EQ(report->ord_status(), fix44::OrdStatus::PartiallyFilled);
  EXPECT_EQ(report->avg_px().value, Decimal(1525, 2));
  EXPECT_EQ(report->benchmark_curve_name(), fix44::BenchmarkCurveName::Sonia);
  EXPECT_EQ(report->ord_rej_reason(), fix44::OrdRejReason::TooLateToEnter);
  EXPECT_EQ((*view)[221], "SONIA");
}

TEST(TypedMessage, enumerations_of_integers_are_read_compared_and_made_as_numbers) {
  const std::string bytes =
      fix("FIX.4.4",
          "35=8|49=T|56=V|34=2|52=20240115-10:30:00|37=O|17=E|150=8|39=8|55=AAPL|54=1|151=0|14=0|"
          "6=0|103=3|");
  wire::Parser parser;
  const auto view = parser.parse(bytes);
  ASSERT_TRUE(view.has_value());
  const auto report = fix44::ExecutionReport::from(*view);
  ASSERT_TRUE(report.has_value());
  static_assert(std::is_same_v<decltype(report->ord_rej_reason_or(0)), std::int64_t>);
  EXPECT_EQ(report->ord_rej_reason_or(0), 3);
  EXPECT_EQ(report->exec_restatement_reason_or(-1), -1);  // absent
  EXPECT_TRUE(report->ord_rej_reason() == 3);
  EXPECT_FALSE(report->ord_rej_reason() == 2U);
  EXPECT_TRUE(*report->ord_rej_reason() == 3);
  EXPECT_TRUE(4 != *report->ord_rej_reason());
  EXPECT_EQ(std::to_underlying(*report->ord_rej_reason()), 3);
  EXPECT_EQ(fix44::OrdRejReason{3}, fix44::OrdRejReason::OrderExceedsLimit);
  EXPECT_EQ(wire::convert<fix44::OrdRejReason>(3).value(), fix44::OrdRejReason::OrderExceedsLimit);
  EXPECT_EQ(wire::convert<fix44::OrdRejReason>(98).error(), FieldErrorCode::OutOfRange);
  EXPECT_EQ(wire::convert<fix44::OrdRejReason>(-1).error(), FieldErrorCode::OutOfRange);
}

TEST(TypedMessage, header_and_tags_are_read_from_a_typed_message) {
  const std::string bytes =
      fix("FIX.4.4",
          "35=D|49=T|56=V|34=2|43=Y|50=desk|52=20240115-10:30:00|122=20240115-10:29:00|11=A1|"
          "55=AAPL|54=1|38=100|40=1|60=20240115-10:30:00|");
  wire::Parser parser;
  const auto view = parser.parse(bytes);
  ASSERT_TRUE(view.has_value());
  const auto order = fix44::NewOrderSingle::from(*view);
  ASSERT_TRUE(order.has_value());
  EXPECT_TRUE(order->header().poss_dup_flag());
  EXPECT_FALSE(order->header().poss_resend());
  EXPECT_EQ(order->header().msg_seq_num().value(), 2U);
  EXPECT_EQ(order->header().sender_comp_id(), "T");
  EXPECT_EQ(order->header().sender_sub_id(), "desk");
  EXPECT_EQ(order->header().on_behalf_of_comp_id(), std::nullopt);
  EXPECT_EQ(order->header().sending_time().value() - order->header().orig_sending_time().value(),
            std::chrono::minutes{1});
  EXPECT_EQ((*order)[fix44::tag::Symbol], "AAPL");
  EXPECT_EQ((*order)[43], "Y");
  EXPECT_EQ((*order)[44], std::nullopt);
}

}  // namespace
}  // namespace nexusfix
