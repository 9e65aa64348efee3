// Reads repeating groups and components of generated messages.
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nexusfix/fix42/market_data_snapshot_full_refresh.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/market_data_request.hpp>
#include <nexusfix/fix44/market_data_snapshot_full_refresh.hpp>
#include <nexusfix/fix44/new_order_list.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/fix50sp2/market_data_request.hpp>
#include <nexusfix/fix50sp2/new_order_single.hpp>
#include <nexusfix/tiny/basket.hpp>
#include <nexusfix/wide/wide.hpp>
#include <nexusfix/wire/draft.hpp>
#include <nexusfix/wire/parser.hpp>

#include "support/fix_text.hpp"

namespace nexusfix {
namespace {

using wire::FieldErrorCode;

class TypedGroups : public ::testing::Test {
 protected:
  template <class Message>
  Message read(std::string_view body) {
    bytes_ = testing::fix(Message::kBeginString, body);
    view_ = parser_.parse(bytes_).value_or(wire::MessageView{});
    auto message = Message::from(view_);
    EXPECT_TRUE(message) << body;
    return std::move(*message);
  }

  std::string bytes_;
  wire::MessageView view_;
  wire::Parser parser_;
};

constexpr std::string_view kOrderStart = "35=D|11=A1|55=AAPL|54=1|60=20240115-10:30:00|40=2|";

std::string order_with(std::string_view more) { return std::string{kOrderStart}.append(more); }

TEST_F(TypedGroups, are_ranges_nested_to_any_depth) {
  const auto order = read<fix44::NewOrderSingle>(
      order_with("453=2|448=A|447=D|452=3|802=2|523=a1|803=4|523=a2|448=B|452=1|"));
  std::vector<std::string> seen;
  // [read]
  for (const auto party : order.no_party_ids()) {
    seen.emplace_back(party.party_id().value);
    for (const auto sub : party.no_party_sub_ids()) seen.emplace_back(sub.party_sub_id().value);
  }
  // [end]
  EXPECT_EQ(seen, (std::vector<std::string>{"A", "a1", "a2", "B"}));
  EXPECT_EQ(order.no_party_ids().size(), 2U);
  EXPECT_TRUE(order.no_allocs().empty());
  EXPECT_TRUE(order.no_party_ids().view().count_is_valid());
}

TEST_F(TypedGroups, return_optional_fields_of_an_entry_as_results) {
  const auto order =
      read<fix44::NewOrderSingle>(order_with("453=2|448=A|447=D|452=x|448=B|452=1|"));
  const auto first = order.no_party_ids().entry(0);
  const auto second = order.no_party_ids().entry(1);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->party_id_source(), fix44::PartyIDSource::ProprietaryCustomCode);
  ASSERT_FALSE(first->party_role());
  EXPECT_EQ(first->party_role().error().code, FieldErrorCode::Malformed);
  ASSERT_FALSE(second->party_id_source());
  EXPECT_EQ(second->party_id_source().error().code, FieldErrorCode::Missing);
  EXPECT_EQ(second->party_role(), fix44::PartyRole::ExecutingFirm);
  EXPECT_FALSE(order.no_party_ids().entry(2));
}

TEST_F(TypedGroups, return_a_first_field_that_is_not_text_as_a_result) {
  const auto snapshot =
      read<fix44::MarketDataSnapshotFullRefresh>("35=W|55=AAPL|268=2|269=0|270=10.5|269=?|");
  std::vector<bool> readable;
  for (const auto entry : snapshot.no_md_entries()) {
    readable.push_back(entry.md_entry_type().has_value());
  }
  EXPECT_EQ(readable, (std::vector<bool>{true, false}));
}

TEST_F(TypedGroups, have_one_name_in_every_message_that_has_the_component) {
  static_assert(std::is_same_v<fix44::NewOrderSingle::NoPartyIDs, fix44::Parties::NoPartyIDs>);
  static_assert(std::is_same_v<fix44::ExecutionReport::NoPartyIDs, fix44::Parties::NoPartyIDs>);
}

// FIX 4.4, Instrument: required in an order, and in the entry of a market data request.
// [component]
std::string symbol_of(const fix44::Instrument& instrument) {
  return std::string{instrument.symbol().value};
}
// [end]

TEST_F(TypedGroups, components_have_one_type_everywhere) {
  const auto order = read<fix44::NewOrderSingle>(order_with("48=US0378331005|"));
  EXPECT_EQ(symbol_of(order.instrument()), "AAPL");
  EXPECT_EQ(order.instrument().security_id()->value, "US0378331005");
  EXPECT_EQ(order.symbol().value, "AAPL");  // and its fields are the message's

  const auto request = read<fix44::MarketDataRequest>(
      "35=V|262=R|263=1|264=0|267=1|269=0|146=2|55=IBM|48=X|55=MSFT|");
  std::vector<std::string> symbols;
  for (const auto entry : request.no_related_sym()) {
    const auto instrument = entry.instrument();
    ASSERT_TRUE(instrument);
    symbols.push_back(symbol_of(*instrument));
    EXPECT_EQ(instrument->security_id().has_value(), symbols.size() == 1);
  }
  EXPECT_EQ(symbols, (std::vector<std::string>{"IBM", "MSFT"}));
}

TEST_F(TypedGroups, a_component_may_lack_its_required_fields) {
  const auto basket = read<tiny::Basket>("35=UBasketList|5000=ZZ|53=7|555=1|687=2|");
  EXPECT_TRUE(basket.no_legs().empty());  // an entry begins with Side (54)
  const auto thing = tiny::Thing::from(basket.view());
  ASSERT_FALSE(thing);
  EXPECT_EQ(thing.error().tag, 54U);
  EXPECT_EQ(thing.error().code, FieldErrorCode::Missing);
}

TEST_F(TypedGroups, follow_a_custom_dictionary) {
  const std::string text =
      "35=UBasketList|880=1|881=own|5005=2|5001=1.5|5000=AA|53=7|"
      "555=2|54=1|687=3|880=2|881=p|5005=10|881=q|5001=9|54='|687=4|"
      "70001=3|70002=a=b|";
  const auto basket = read<tiny::Basket>(text);
  EXPECT_EQ(basket.price()->value, Decimal(15, 1));
  EXPECT_EQ(basket.qty().value, Decimal(7, 0));
  EXPECT_EQ(basket.extra().kind(), tiny::Kind::AB);
  EXPECT_EQ(basket.both().owner().price()->value, Decimal(15, 1));
  EXPECT_EQ(basket.note()->value, "a=b");
  EXPECT_EQ(basket.no_parts().size(), 1U);

  const auto first = basket.no_legs().entry(0);
  const auto second = basket.no_legs().entry(1);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->side(), tiny::Side::Buy);
  EXPECT_EQ(first->leg_qty()->value, Decimal(3, 0));
  EXPECT_EQ(first->thing()->side(), tiny::Side::Buy);
  EXPECT_EQ(first->owner()->price()->value, Decimal(9, 0));
  std::vector<std::string> parts;
  for (const auto part : first->no_parts()) parts.emplace_back(part.part_id().value);
  EXPECT_EQ(parts, (std::vector<std::string>{"p", "q"}));
  EXPECT_EQ(second->side(), tiny::Side::SellQuoted);
  EXPECT_TRUE(second->no_parts().empty());
}

TEST_F(TypedGroups, of_other_versions_are_read_the_same_way) {
  const auto old =
      read<fix42::MarketDataSnapshotFullRefresh>("35=W|55=IBM|268=2|269=0|270=10|269=1|270=11|");
  Decimal last;
  for (const auto entry : old.no_md_entries()) last = entry.md_entry_px()->value;
  EXPECT_EQ(last, Decimal(11, 0));

  const auto order = read<fix50sp2::NewOrderSingle>(
      "35=D|1128=9|11=A|54=1|60=20240115-10:30:00|40=1|55=IBM|453=1|448=P|802=1|523=S|");
  const auto party = order.no_party_ids().entry(0);
  ASSERT_TRUE(party);
  EXPECT_EQ(party->party_id().value, "P");
  EXPECT_EQ(party->no_party_sub_ids().size(), 1U);
  EXPECT_EQ(order.parties()->no_party_ids().size(), 1U);
}

TEST_F(TypedGroups, a_list_of_orders_keeps_its_entries_separate) {
  const auto list = read<fix44::NewOrderList>(
      "35=E|66=L|394=3|68=2|73=2|11=A|67=1|55=IBM|54=1|38=5|11=B|67=2|55=MSFT|54=2|");
  const auto orders = list.no_orders();
  ASSERT_EQ(orders.size(), 2U);
  EXPECT_EQ(orders.entry(0)->cl_ord_id().value, "A");
  EXPECT_EQ(orders.entry(1)->cl_ord_id().value, "B");
  EXPECT_TRUE(orders.entry(0)->order_qty());
  EXPECT_FALSE(orders.entry(1)->order_qty());
  EXPECT_EQ(orders.entry(1)->symbol()->value, "MSFT");
}

// Its entries may have thousands of tags. g++ could not compute their tables as constants while the
// tags of adjacent runs were searched one after the other.
TEST_F(TypedGroups, the_largest_groups_compile) {
  const auto request = read<fix50sp2::MarketDataRequest>(
      "35=V|262=R|263=1|264=0|267=1|269=0|146=2|55=AB|40974=1|55=CD|");
  const auto symbols = request.no_related_sym();
  ASSERT_EQ(symbols.size(), 2U);
  EXPECT_EQ(symbols.entry(0)->symbol().value, "AB");
  EXPECT_EQ(symbols.entry(1)->symbol().value, "CD");
}

// More fields than a fold expression of clang may have operands.
TEST_F(TypedGroups, a_draft_has_entries_of_hundreds_of_fields) {
  wide::Wide::Draft draft;
  auto entries = draft.group<wide::Wide::NoWides>();
  ASSERT_TRUE(entries.add(wide::Wide20001{"a"}, wide::Wide20300{"z"}));
  EXPECT_TRUE(draft.validate());
}

}  // namespace
}  // namespace nexusfix
