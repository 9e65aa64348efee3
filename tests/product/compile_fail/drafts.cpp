// Misuse of drafts that the compiler must refuse. NEXUSFIX_MISTAKE selects one; with 0 there is
// none, and the file compiles.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <nexusfix/fix42/enums/md_entry_type.hpp>
#include <nexusfix/fix42/enums/side.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/market_data_snapshot_full_refresh.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/wire/draft.hpp>

namespace nexusfix::wire {

// An enumeration of another version with the tag of PartySubIDType, which FIX 4.2 does not have.
enum class OtherVersion : std::int64_t { Firm = 1 };
template <>
struct EnumTraits<OtherVersion> : detail::IntEnumTraits<OtherVersion, 803> {
  static constexpr std::string_view kApplicationVersion = "FIX.4.3";
  static constexpr detail::IntValue kValues[] = {{1, "1"}};
};

}  // namespace nexusfix::wire

namespace nexusfix {

using namespace fix44;
using wire::entry;
using wire::group;
using PartyIDs = NewOrderSingle::NoPartyIDs;
using MDEntries = MarketDataSnapshotFullRefresh::NoMDEntries;

bool use(NewOrderSingle::Draft& order, MarketDataSnapshotFullRefresh::Draft& prices) {
#if NEXUSFIX_MISTAKE == 1
  // error: the session itself writes this field when it sends the draft|MsgSeqNum
  return order.set(Symbol{"A"}, MsgSeqNum{3}).has_value();
#elif NEXUSFIX_MISTAKE == 2
  // error: a field is given twice
  return order.set(Symbol{"A"}, Symbol{"B"}).has_value();
#elif NEXUSFIX_MISTAKE == 3
  // error: a field that the dictionary does not have here|LastPx
  return order.set(LastPx{"1.5"}).has_value();
#elif NEXUSFIX_MISTAKE == 4
  // error: a Length field is written with its data field
  return order.set(EncodedTextLen{3}).has_value();
#elif NEXUSFIX_MISTAKE == 5
  // error: an entry begins with the first field of its group, which is missing
  return order.group<PartyIDs>().add(PartyRole::ClientId).has_value();
#elif NEXUSFIX_MISTAKE == 6
  // error: a field that the dictionary does not have in this group
  return order.set(group<PartyIDs>(entry(PartyID{"A"}, Text{"B"}))).has_value();
#elif NEXUSFIX_MISTAKE == 7
  // error: a field is given twice in an entry of the group
  return order.group<PartyIDs>().add(PartyID{"A"}, PartyID{"B"}).has_value();
#elif NEXUSFIX_MISTAKE == 9
  // error: each part of a draft is a typed field, such as Symbol
  return order.set("A1").has_value();
#elif NEXUSFIX_MISTAKE == 10  // the errors of set() are lost
  // error: ignoring return(ed)? value
  order.set(Symbol{"A"});
  return true;
#elif NEXUSFIX_MISTAKE == 11
  // error: a field that the dictionary does not have here
  return order.erase<LastPx>();
#elif NEXUSFIX_MISTAKE == 12
  // error: without its first field an entry does not begin
  return order.group<PartyIDs>()[0].erase<PartyID>();
#elif NEXUSFIX_MISTAKE == 13  // a draft may lack any field, also a required one
  // error: the field may be missing: test it, and then use \*field or field->value
  const ClOrdID id = order.cl_ord_id();
  return id.value == "A";
#elif NEXUSFIX_MISTAKE == 14
  // error: a price or a quantity is exact: write Price
  return order.set(Price{150.25}).has_value();
#elif NEXUSFIX_MISTAKE == 0
  return order.set(Symbol{"A"}, Price{"150.25"}, group<PartyIDs>(entry(PartyID{"A"})),
                   TransactTime::now()) &&
         order.price() == order.stop_px() && order.validate() &&
         prices.group<MDEntries>().add(MDEntryType::Bid).has_value();
#else  // nothing: it would take longer to compile than the mistake
  return order.empty() && prices.empty();
#endif
}

bool use_more(NewOrderSingle::Draft& order, MarketDataSnapshotFullRefresh::Draft& prices) {
#if NEXUSFIX_MISTAKE == 18
  // error: group<G>\(\) takes a group
  return order.set(group<NoPartyIDs>(entry(PartyID{"A"}))).has_value();
#elif NEXUSFIX_MISTAKE == 19
  // error: group<G>\(\) takes entries
  return order.set(group<PartyIDs>(PartyID{"A"})).has_value();
#elif NEXUSFIX_MISTAKE == 20
  // error: each part of an entry is a typed field
  return order.set(group<PartyIDs>(entry("A"))).has_value();
#elif NEXUSFIX_MISTAKE == 22
  // error: group\(\) writes the count of its entries
  return order.set(NoPartyIDs{1}).has_value();
#elif NEXUSFIX_MISTAKE == 23
  // error: set\(tag, value\) takes a text
  return order.set(44, 1.5).has_value();
#elif NEXUSFIX_MISTAKE == 24  // QuickFIX's way
  // error: a received message is a view
  const NewOrderSingle other;
  return order.empty();
#elif NEXUSFIX_MISTAKE == 27
  // error: an enumeration of another FIX version
  return order.set(fix42::Side::Buy).has_value();
#elif NEXUSFIX_MISTAKE == 28
  // error: an enumeration of another FIX version
  return prices.group<MDEntries>()[0].set(fix42::MDEntryType::Bid).has_value();
#elif NEXUSFIX_MISTAKE == 29
  // error: an enumeration of another FIX version
  return prices.group<MDEntries>().add(fix42::MDEntryType::Bid).has_value();
#elif NEXUSFIX_MISTAKE == 30
  // error: an enumeration of another FIX version
  return prices.set(group<MDEntries>(entry(fix42::MDEntryType::Bid))).has_value();
#elif NEXUSFIX_MISTAKE == 31  // in a group of an entry
  // error: an enumeration of another FIX version
  return order.group<PartyIDs>()[0]
      .set(group<PartyIDs::NoPartySubIDs>(entry(PartySubID{"A"}, wire::OtherVersion::Firm)))
      .has_value();
#else
  return order.empty() && prices.empty();
#endif
}

bool use_results(NewOrderSingle::Draft& order, MarketDataSnapshotFullRefresh::Draft& prices) {
#if NEXUSFIX_MISTAKE == 42
  // error: a draft of a received message is Draft::from\(order\)
  const NewOrderSingle::Draft other{*order.typed()};
  return other.empty();
#elif NEXUSFIX_MISTAKE == 43
  // error: a draft of a received message is Draft::from\(order\)
  order = *order.typed();
  return order.empty();
#elif NEXUSFIX_MISTAKE == 44
  // error: a draft of a received message is Draft::from\(order\)
  std::vector<NewOrderSingle::Draft> orders;
  orders.emplace_back(*order.typed());
  return orders.empty();
#elif NEXUSFIX_MISTAKE == 0
  static_cast<void>(order.assign(*order.typed()));
  for (auto entry : prices.group<MDEntries>()) static_cast<void>(entry.set(MDEntryType::Bid));
  static_cast<void>(order.set(ClOrdID{"A" + std::to_string(1)}));
  return order.empty() && prices.group<MDEntries>()[0].set(MDEntryType::Bid) &&
         order.group<PartyIDs>()[0].set(
             group<PartyIDs::NoPartySubIDs>(entry(PartySubID{"A"}, PartySubIDType{1})));
#else
  return order.empty() && prices.empty();
#endif
}

}  // namespace nexusfix
