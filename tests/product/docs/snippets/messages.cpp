// The C++ of the guide about messages and dictionaries. It is compiled, so that a page that quotes
// it stays true.
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>
// [includes]
#include <nexusfix/fix44/new_order_single.hpp>  // the message, its groups and fields
#include <nexusfix/wire.hpp>                    // to parse; <nexusfix/engine.hpp> to send
#include <nexusfix/wire/typed_write.hpp>        // group(), entry(), wire::encode()
// [end]
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>

namespace {

namespace dictionary = nexusfix::dictionary;
namespace fix44 = nexusfix::fix44;
namespace wire = nexusfix::wire;
using namespace nexusfix::literals;
using nexusfix::Decimal;

template <class... T>
void use(const T&... /*values*/) {}

[[maybe_unused]] void read(const wire::MessageView& message) {
  // [read]
  if (auto order = message.as<fix44::NewOrderSingle>()) {  // or order.error()
    use(order->symbol().value, order->side());             // required fields
    if (auto price = order->price()) use(price->value);    // an optional field
  }
  // [end]
}

[[maybe_unused]] void assign(const fix44::NewOrderSingle& order,
                             const fix44::ExecutionReport& report, std::string& kept) {
  // [assign]
  const std::string_view id = order.cl_ord_id();  // lives as long as the message
  kept = order.cl_ord_id();                       // a std::string: a copy
  const Decimal average = report.avg_px();
  // [end]
  use(id, average);
}

[[maybe_unused]] bool compare(const fix44::NewOrderSingle& order,
                              const fix44::ExecutionReport& report, Decimal limit) {
  // [compare]
  if (report.cl_ord_id() == "A1" && order.price() == 150.25_d) return true;  // false: no price
  const std::string_view account = order.account_or("");                     // also price_or(0)
  const auto notional = report.cum_qty() * report.avg_px();                  // exact, or an error
  if (!notional || *notional > limit) return false;
  // [end]
  return !account.empty();
}

using fix44::ClOrdID;
using fix44::NewOrderSingle;
using fix44::OrderQty;
using fix44::OrdType;
using fix44::PartyID;
using fix44::PartyRole;
using fix44::Price;
using fix44::Side;
using fix44::Symbol;
using fix44::TransactTime;
using wire::entry;
using wire::group;

[[maybe_unused]] void write(nexusfix::Session& session) {
  // [write]
  auto sent = session.send<fix44::NewOrderSingle>(
      ClOrdID{"A1"}, Symbol{"AAPL"}, Side::Buy, TransactTime::now(), OrdType::Limit,
      OrderQty{100_d}, Price{150.25_d},
      group<NewOrderSingle::NoPartyIDs>(entry(PartyID{"DESK7"}, PartyRole::ClientId)));
  // [end]
  use(sent);
}

[[maybe_unused]] void fail(const std::vector<std::string>& /*texts*/) {}
[[maybe_unused]] void log(const std::string& /*text*/) {}

[[maybe_unused]] void load(std::string_view text) {
  // [load]
  const auto& fix44 = dictionary::builtin_dictionary(dictionary::Version::Fix44);

  auto venue = dictionary::load_dictionary(text, "venue.xml");  // text: the file's content
  if (!venue) return fail(venue.error().all());                 // every fault, with its line
  for (const std::string& warning : venue->warnings) log(warning);
  wire::Parser parser{dictionary::data_fields(*venue)};  // knows its Length/data pairs
  // [end]
  use(fix44, parser);
}

}  // namespace
