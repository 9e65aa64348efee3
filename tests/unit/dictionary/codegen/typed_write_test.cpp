// Writes typed messages and groups.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/fix44/market_data_snapshot_full_refresh.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/fix44/news.hpp>
#include <nexusfix/tiny/basket.hpp>
#include <nexusfix/wire/parser.hpp>
#include <nexusfix/wire/typed_write.hpp>

namespace nexusfix {
namespace {

using wire::EncodeErrorCode;
using wire::entry;
using wire::group;

class TypedWrite : public ::testing::Test {
 protected:
  // The fields between header and trailer, with bars.
  template <class Message, class... Parts>
  std::string body(const Parts&... parts) {
    const auto bytes = encode<Message>(parts...);
    if (!bytes) return "error " + std::to_string(bytes.error().tag);
    EXPECT_TRUE(parser_.parse(*bytes));
    std::string text{*bytes};
    std::ranges::replace(text, wire::kSoh, '|');
    constexpr std::string_view kHeaderEnd = "52=19700101-00:00:00.000|56=T|";
    const std::size_t begin = text.find(kHeaderEnd) + kHeaderEnd.size();
    return text.substr(begin, text.rfind("10=") - begin);
  }

  template <class Message, class... Parts>
  std::expected<std::string_view, wire::EncodeError> encode(const Parts&... parts) {
    return wire::encode<Message>(buffer_, *session_, {.msg_seq_num = 1}, parts...);
  }

  std::array<char, 2048> buffer_;
  std::expected<wire::HeaderTemplate, wire::EncodeError> session_ =
      wire::HeaderTemplate::make({"FIX.4.4", "S", "T"});
  wire::Parser parser_;
};

namespace fix = fix44;
using fix44::MarketDataSnapshotFullRefresh;
using fix44::NewOrderSingle;
using fix44::News;

template <class Test, class... Parts>
std::string order(Test& test, const Parts&... parts) {
  const std::string text = test.template body_of<NewOrderSingle>(
      fix::ClOrdID{"A1"}, fix::Symbol{"IBM"}, fix::Side::Buy, fix::TransactTime{WallTime{}},
      fix::OrdType::Market, parts...);
  constexpr std::string_view kStart = "11=A1|55=IBM|54=1|60=19700101-00:00:00.000|40=1|";
  return text.starts_with(kStart) ? text.substr(kStart.size()) : text;
}

struct TypedWriteOrder : TypedWrite {
  template <class Message, class... Parts>
  std::string body_of(const Parts&... parts) {
    return this->template body<Message>(parts...);
  }
};

TEST_F(TypedWriteOrder, a_group_has_the_count_of_its_entries) {
  EXPECT_EQ(order(*this, group<NewOrderSingle::NoPartyIDs>(
                             entry(fix::PartyID{"A"}, fix::PartyRole::ClientId),
                             entry(fix::PartyID{"B"}))),
            "453=2|448=A|452=3|448=B|");
}

TEST_F(TypedWriteOrder, fields_of_an_entry_are_written_in_the_order_of_the_dictionary) {
  EXPECT_EQ(
      order(*this, group<NewOrderSingle::NoPartyIDs>(entry(
                       fix::PartyRole::ClientId, fix::PartyIDSource::Bic, fix::PartyID{"A"}))),
      "453=1|448=A|447=B|452=3|");
}

struct Party {
  std::string id;
  std::vector<std::string> subs;
};

TEST_F(TypedWriteOrder, a_range_gives_an_entry_for_each_element) {
  const std::vector<Party> parties{{"A", {"x", "y"}}, {"B", {}}};
  // [write]
  const auto sub_ids = [](const std::string& sub) { return entry(fix::PartySubID{sub}); };
  const auto party_ids = group<NewOrderSingle::NoPartyIDs>(parties, [&](const Party& party) {
    return entry(fix::PartyID{party.id},
                 group<NewOrderSingle::NoPartyIDs::NoPartySubIDs>(party.subs, sub_ids));
  });
  // [end]
  EXPECT_EQ(order(*this, party_ids), "453=2|448=A|802=2|523=x|523=y|448=B|");
}

TEST_F(TypedWriteOrder, a_temporary_range_lives_long_enough) {
  EXPECT_EQ(order(*this, group<NewOrderSingle::NoAllocs>(
                             std::views::iota(0, 3) | std::views::drop(1),
                             [](int n) { return entry(fix::AllocAccount{n == 1 ? "a" : "b"}); })),
            "78=2|79=a|79=b|");
}

TEST_F(TypedWriteOrder, a_group_without_entries_is_omitted) {
  EXPECT_EQ(order(*this, group<NewOrderSingle::NoAllocs>()), "");
  EXPECT_EQ(order(*this, group<NewOrderSingle::NoAllocs>(
                             std::vector<int>{}, [](int) { return entry(fix::AllocAccount{""}); })),
            "");
}

TEST_F(TypedWrite, a_required_group_without_entries_is_written) {
  const std::vector<int> none;
  const auto make = [](int) { return entry(fix::MDEntryType::Bid); };
  EXPECT_EQ(body<MarketDataSnapshotFullRefresh>(
                fix::Symbol{"IBM"}, group<MarketDataSnapshotFullRefresh::NoMDEntries>(none, make)),
            "55=IBM|268=0|");
  EXPECT_EQ(body<MarketDataSnapshotFullRefresh>(
                fix::Symbol{"IBM"}, group<MarketDataSnapshotFullRefresh::NoMDEntries>()),
            "55=IBM|268=0|");
}

TEST_F(TypedWriteOrder, an_optional_field_is_written_if_it_has_a_value) {
  EXPECT_EQ(order(*this, std::optional<fix::Price>{}, std::optional{fix::OrderQty{Decimal{5, 0}}},
                  group<NewOrderSingle::NoPartyIDs>(entry(fix::PartyID{"A"},
                                                          std::optional<fix::PartyRole>{},
                                                          std::optional{fix::PartyIDSource::Bic}))),
            "38=5|453=1|448=A|447=B|");
}

TEST_F(TypedWriteOrder, a_data_field_is_written_with_its_length) {
  EXPECT_EQ(order(*this, fix::EncodedText{"a\x01"
                                          "b"}),
            "354=3|355=a|b|");
}

TEST_F(TypedWriteOrder, fields_of_the_header_are_written_first) {
  EXPECT_EQ(order(*this, fix::SenderSubID{"desk"}),
            "50=desk|11=A1|55=IBM|54=1|60=19700101-00:00:00.000|40=1|");
}

TEST_F(TypedWriteOrder, a_user_defined_field_need_not_be_in_the_dictionary) {
  EXPECT_EQ(order(*this, wire::Field<5001, std::string_view>{"x"}), "5001=x|");
}

TEST_F(TypedWrite, a_value_that_cannot_be_sent_is_an_error_and_nothing_is_sent) {
  const auto headline = fix::Headline{"h"};
  const auto empty =
      encode<News>(headline, group<News::LinesOfText>(entry(fix::Text{"a"}), entry(fix::Text{""})));
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, EncodeErrorCode::EmptyValue);
  EXPECT_EQ(empty.error().tag, 58U);
  const std::vector<std::string> lines{"a\x01"};
  const auto soh = encode<News>(
      headline, group<News::LinesOfText>(
                    lines, [](const std::string& line) { return entry(fix::Text{line}); }));
  ASSERT_FALSE(soh);
  EXPECT_EQ(soh.error().code, EncodeErrorCode::SohInValue);
}

// A cast makes any byte an enumerator. A SOH would begin another field.
TEST_F(TypedWrite, an_enumerator_that_does_not_exist_is_an_error_and_nothing_is_sent) {
  for (const char c : {'\x01', '=', '\0', '!', '\xff'}) {
    const auto bytes =
        encode<NewOrderSingle>(fix::ClOrdID{"A1"}, fix::Symbol{"IBM"}, static_cast<fix::Side>(c),
                               fix::TransactTime{WallTime{}}, fix::OrdType::Market);
    ASSERT_FALSE(bytes) << static_cast<int>(c);
    EXPECT_EQ(bytes.error().code, EncodeErrorCode::EmptyValue);
    EXPECT_EQ(bytes.error().tag, 54U);
    EXPECT_TRUE(wire::EnumTraits<fix::Side>::text(static_cast<fix::Side>(c)).empty());
  }
  EXPECT_EQ(wire::EnumTraits<fix::Side>::text(fix::Side::Sell), "2");
}

// A range whose size() is larger than its number of elements.
struct Liar {
  const int* begin() const { return values.data(); }
  const int* end() const { return values.data() + 1; }
  std::size_t size() const { return 2; }
  std::array<int, 2> values{};
};

TEST_F(TypedWrite, a_range_with_a_wrong_size_is_an_error) {
  const Liar liar;
  const auto sent =
      encode<News>(fix::Headline{"h"},
                   group<News::LinesOfText>(liar, [](int) { return entry(fix::Text{"a"}); }));
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, EncodeErrorCode::GroupCountWrong);
  EXPECT_EQ(sent.error().tag, 33U);
}

TEST_F(TypedWrite, of_a_custom_dictionary_works_the_same_way) {
  EXPECT_EQ(body<tiny::Basket>(
                tiny::Kind::AB, tiny::Qty{Decimal{7, 0}},
                group<tiny::Basket::NoLegs>(entry(
                    tiny::LegQty{Decimal{3, 0}}, tiny::Side::Buy,
                    group<tiny::Basket::NoLegs::NoParts>(
                        entry(tiny::PartID{"p"}), entry(tiny::PartID{"q"}, tiny::Offset::Near)))),
                tiny::Note{"n"}),
            "5000=AA|53=7|555=1|54=1|687=3|880=2|881=p|881=q|5005=2|70001=1|70002=n|");
}

TEST_F(TypedWrite, now_is_the_sending_time_with_its_precision) {
  const WallTime time{std::chrono::nanoseconds{1'705'314'600'123'456'789}};
  const auto bytes = wire::encode<NewOrderSingle>(
      buffer_, *session_,
      {.msg_seq_num = 1, .sending_time = time, .precision = wire::TimePrecision::Micros},
      fix::ClOrdID{"A1"}, fix::Symbol{"IBM"}, fix::Side::Buy, fix::TransactTime::now(),
      fix::OrdType::Market);
  ASSERT_TRUE(bytes);
  const auto view = parser_.parse(*bytes);
  ASSERT_TRUE(view);
  EXPECT_EQ((*view)[fix::tag::TransactTime], "20240115-10:30:00.123456");
  EXPECT_EQ((*view)[fix::tag::TransactTime], (*view)[fix::tag::SendingTime]);
}

}  // namespace
}  // namespace nexusfix
