// Misuse of typed messages that the compiler must refuse. NEXUSFIX_MISTAKE selects one; with 0
// there is none, and the file compiles.
#include <span>
#include <string_view>
#include <vector>

#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/market_data_snapshot_full_refresh.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/wire/typed/dispatch.hpp>
#include <nexusfix/wire/typed/typed_write.hpp>

namespace nexusfix {

using namespace fix44;
using wire::entry;
using wire::group;
using PartyIDs = NewOrderSingle::NoPartyIDs;
using MDEntries = MarketDataSnapshotFullRefresh::NoMDEntries;

template <class... Parts>
auto send(std::span<char> buffer, wire::HeaderTemplate& session, const Parts&... parts) {
  return wire::encode<NewOrderSingle>(buffer, session, {}, ClOrdID{"A"}, Symbol{"B"},
                                      TransactTime{}, OrdType::Market, parts...)
      .has_value();
}

struct Reports {
  void operator()(const ExecutionReport&) const {}
  void operator()(const wire::MessageView&) const {}
#if NEXUSFIX_MISTAKE != 8
  void operator()(const wire::MessageView&, const wire::FieldError&) const {}
#endif
#if NEXUSFIX_MISTAKE != 9
  void operator()(const NewOrderSingle&) const {}
#endif
};

bool use(std::span<char> buffer, wire::HeaderTemplate& session, const wire::MessageView& view) {
  wire::dispatch<ExecutionReport, NewOrderSingle>(view, Reports{});
#if NEXUSFIX_MISTAKE == 1  // no Side
  return send(buffer, session);
#elif NEXUSFIX_MISTAKE == 2   // a required field that may be omitted
  return send(buffer, session, std::optional{Side::Buy});
#elif NEXUSFIX_MISTAKE == 3   // twice
  return send(buffer, session, Side::Buy, Side::Sell);
#elif NEXUSFIX_MISTAKE == 4   // of another message
  return send(buffer, session, Side::Buy, LastPx{Decimal{1, 0}});
#elif NEXUSFIX_MISTAKE == 5   // an entry without its first field
  return send(buffer, session, Side::Buy, group<PartyIDs>(entry(PartyRole::ClientId)));
#elif NEXUSFIX_MISTAKE == 6   // a field that no entry has
  return send(buffer, session, Side::Buy, group<PartyIDs>(entry(PartyID{"A"}, Text{"B"})));
#elif NEXUSFIX_MISTAKE == 7   // the same from a range
  const std::vector<int> none;
  return send(buffer, session, Side::Buy,
              group<PartyIDs>(none, [](int) { return entry(PartyID{"A"}, Text{"B"}); }));
#elif NEXUSFIX_MISTAKE == 10  // the length of a data field without the data field
  return send(buffer, session, Side::Buy, EncodedTextLen{3});
#elif NEXUSFIX_MISTAKE == 11  // no group, which is required
  return wire::encode<MarketDataSnapshotFullRefresh>(buffer, session, {}, Symbol{"A"}).has_value();
#elif NEXUSFIX_MISTAKE == 12  // a group of another message
  return send(buffer, session, Side::Buy, group<MDEntries>(entry(MDEntryType::Bid)));
#elif NEXUSFIX_MISTAKE == 13  // a text instead of a typed field
  return send(buffer, session, Side::Buy, std::string_view{"A"});
#else
  return send(buffer, session, Side::Buy, group<PartyIDs>(entry(PartyID{"A"})));
#endif
}

}  // namespace nexusfix
