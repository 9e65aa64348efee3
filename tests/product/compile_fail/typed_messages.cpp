// Misuse of typed messages that the compiler must refuse. NEXUSFIX_MISTAKE selects one; with 0
// there is none, and the file compiles.
#include <span>
#include <string_view>
#include <vector>

#include <nexusfix/fix42/enums/side.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/market_data_snapshot_full_refresh.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/wire/typed.hpp>
#include <nexusfix/wire/typed_write.hpp>

namespace nexusfix::wire {

// An enumeration of another version with the tag of PartyRole, which FIX 4.2 does not have.
enum class OtherVersion : std::int64_t { ClientId = 3 };
template <>
struct EnumTraits<OtherVersion> : detail::IntEnumTraits<OtherVersion, 452> {
  static constexpr std::string_view kApplicationVersion = "FIX.4.3";
  static constexpr detail::IntValue kValues[] = {{3, "3"}};
};

}  // namespace nexusfix::wire

namespace nexusfix {

using namespace fix44;
using wire::entry;
using wire::group;
using PartyIDs = NewOrderSingle::NoPartyIDs;
using MDEntries = MarketDataSnapshotFullRefresh::NoMDEntries;

template <class... Parts>
auto send(std::span<char> buffer, wire::HeaderTemplate& session, const Parts&... parts) {
  return wire::encode<NewOrderSingle>(buffer, session, {}, ClOrdID{"A"}, Symbol{"B"},
                                      TransactTime{WallTime{}}, OrdType::Market, parts...)
      .has_value();
}

struct Reports {
  void operator()(const ExecutionReport&) const {}
  void operator()(const wire::MessageView&) const {}
#if NEXUSFIX_MISTAKE != 8  // the text of NEXUSFIX_MISTAKE == 8 is
  // error: the visitor lacks a function \(view, error\)
  void operator()(const wire::MessageView&, const wire::FieldError&) const {}
#endif
#if NEXUSFIX_MISTAKE != 9  // the text of NEXUSFIX_MISTAKE == 9 is
  // error: the visitor lacks a function for one of the listed messages
  void operator()(const NewOrderSingle&) const {}
#endif
};

bool use(std::span<char> buffer, wire::HeaderTemplate& session, const wire::MessageView& view) {
  wire::dispatch<ExecutionReport, NewOrderSingle>(view, Reports{});
#if NEXUSFIX_MISTAKE == 1  // no Side
  // error: a field that the dictionary requires in this message is missing|names::Side
  return send(buffer, session);
#elif NEXUSFIX_MISTAKE == 2   // a required field that may be omitted
  // error: a field that the dictionary requires in this message is missing
  return send(buffer, session, std::optional{Side::Buy});
#elif NEXUSFIX_MISTAKE == 3   // twice
  // error: a field is given twice
  return send(buffer, session, Side::Buy, Side::Sell);
#elif NEXUSFIX_MISTAKE == 4   // of another message
  // error: a field that the dictionary does not have here
  return send(buffer, session, Side::Buy, LastPx{Decimal{1, 0}});
#elif NEXUSFIX_MISTAKE == 5   // an entry without its first field
  // error: an entry begins with the first field of its group, which is missing
  return send(buffer, session, Side::Buy, group<PartyIDs>(entry(PartyRole::ClientId)));
#elif NEXUSFIX_MISTAKE == 6   // a field that no entry has
  // error: a field that the dictionary does not have in this group
  return send(buffer, session, Side::Buy, group<PartyIDs>(entry(PartyID{"A"}, Text{"B"})));
#elif NEXUSFIX_MISTAKE == 7   // the same from a range
  // error: a field that the dictionary does not have in this group
  const std::vector<int> none;
  return send(buffer, session, Side::Buy,
              group<PartyIDs>(none, [](int) { return entry(PartyID{"A"}, Text{"B"}); }));
#elif NEXUSFIX_MISTAKE == 10  // the length of a data field without the data field
  // error: a Length field is written with its data field
  return send(buffer, session, Side::Buy, EncodedTextLen{3});
#elif NEXUSFIX_MISTAKE == 11  // no group, which is required
  // error: a field that the dictionary requires in this message is missing
  return wire::encode<MarketDataSnapshotFullRefresh>(buffer, session, {}, Symbol{"A"}).has_value();
#elif NEXUSFIX_MISTAKE == 12  // a group of another message
  // error: a field that the dictionary does not have here
  return send(buffer, session, Side::Buy, group<MDEntries>(entry(MDEntryType::Bid)));
#elif NEXUSFIX_MISTAKE == 13  // a text instead of a typed field
  // error: each part of a message is a typed field
  return send(buffer, session, Side::Buy, std::string_view{"A"});
#elif NEXUSFIX_MISTAKE == 14
  // error: a price or a quantity is exact: write Price
  return send(buffer, session, Side::Buy, Price{150.25});
#elif NEXUSFIX_MISTAKE == 15
  // error: .*decimal_literal_must_be_digits|consteval
  return send(buffer, session, Side::Buy, Price{"15o.25"});
#elif NEXUSFIX_MISTAKE == 16
  // error: the field may be missing: test it, and then use \*field or field->value
  const Price price = view.as<ExecutionReport>()->price();
  return send(buffer, session, Side::Buy, price);
#elif NEXUSFIX_MISTAKE == 17
  // error: the field may be missing: test it, and then use \*field or field->value
  const Decimal price = view.as<ExecutionReport>()->price();
  return send(buffer, session, Side::Buy, Price{price});
#else
  return send(buffer, session, Side::Buy, SolicitedFlag{false}, OrderQty{100}, Price{"-150.25"},
              group<PartyIDs>(entry(PartyID{"A"})));
#endif
}

bool use_values(std::span<char> buffer, wire::HeaderTemplate& session,
                const wire::MessageView& view) {
#if NEXUSFIX_MISTAKE == 18
  // error: a Boolean field takes true or false
  return send(buffer, session, Side::Buy, SolicitedFlag{"N"});
#elif NEXUSFIX_MISTAKE == 19
  // error: a price or a quantity takes an integer, a literal
  return send(buffer, session, Side::Buy, OrderQty{'1'});
#elif NEXUSFIX_MISTAKE == 20
  // error: a price or a quantity takes .*wire::convert<Decimal>\(text\) reads a text at run time
  return send(buffer, session, Side::Buy, Price{view.msg_type()});
#elif NEXUSFIX_MISTAKE == 21
  // error: a text field takes a text
  return send(buffer, session, Side::Buy, Account{5});
#elif NEXUSFIX_MISTAKE == 22
  // error: this field is an integer in this FIX version
  return TotNoOrders{"5"}.value == 5;
#elif NEXUSFIX_MISTAKE == 23
  // error: this field is an integer in this FIX version
  return TotNoOrders{'5'}.value == 5;
#elif NEXUSFIX_MISTAKE == 24
  // error: this field takes a time or a date
  return send(buffer, session, Side::Buy, ExpireTime{"20261124-10:00:00"});
#elif NEXUSFIX_MISTAKE == 25
  // error: group\(\) writes the count of its entries
  return send(buffer, session, Side::Buy, NoPartyIDs{1});
#elif NEXUSFIX_MISTAKE == 26
  // error: an enumeration of another FIX version
  return wire::encode<NewOrderSingle>(buffer, session, {}, ClOrdID{"A"}, Symbol{"B"},
                                      fix42::Side::Buy, TransactTime{WallTime{}}, OrdType::Market)
      .has_value();
#elif NEXUSFIX_MISTAKE == 27  // in an entry of a group
  // error: an enumeration of another FIX version
  return send(buffer, session, Side::Buy,
              group<PartyIDs>(entry(PartyID{"A"}, wire::OtherVersion::ClientId)));
#elif NEXUSFIX_MISTAKE == 28  // QuickFIX's name
  // error: no member named .*getField
  return NewOrderSingle::from(view)->getField(55), true;
#else
  return send(buffer, session, Side::Buy, Text{view.msg_type()});
#endif
}

}  // namespace nexusfix
